package strictyaml

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"
)

// Marshaler is a type that encodes itself: the counterpart of Unmarshaler. A nil node is left out.
type Marshaler interface {
	MarshalStrict() *Node
}

// Values is the node of a mapping of texts, numbers and lists of them, on one line.
func Values(values map[string]any) *Node { return encode(reflect.ValueOf(values)) }

// Encode returns the node that Decode reads back onto a value like defaults: a mapping with the
// keys of Fields, without those whose values are the defaults'. Lists of scalars are written on one
// line. It panics where Decode does.
func Encode(v, defaults any) *Node {
	return encodeStruct(reflect.Indirect(reflect.ValueOf(v)),
		reflect.Indirect(reflect.ValueOf(defaults)))
}

// Text is a node as YAML.
func Text(n *Node) []byte {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := encoder.Encode(n); err != nil {
		panic(err) // what Encode made can be written
	}
	return text.Bytes()
}

func encodeStruct(v, defaults reflect.Value) *Node {
	n := &Node{Kind: MappingNode, Tag: "!!map"}
	for _, field := range Fields(v.Type()) {
		value := v.FieldByIndex(field.Index)
		if reflect.DeepEqual(value.Interface(), defaults.FieldByIndex(field.Index).Interface()) {
			continue
		}
		if field.One && value.Len() == 1 {
			value = value.Index(0)
		}
		if child := encode(value); child != nil {
			n.Content = append(n.Content, text(field.Name), child)
		}
	}
	return n
}

func text(s string) *Node { return scalar(reflect.ValueOf(s)) }

// scalar has the library decide about quotes.
func scalar(v reflect.Value) *Node {
	n := new(Node)
	if err := n.Encode(v.Interface()); err != nil {
		panic(fmt.Sprintf("strictyaml: cannot encode %v: %v", v.Type(), err))
	}
	if strings.HasSuffix(n.Tag, "float") && v.CanFloat() { // 1 and not 1.0; 1e-05 as it is
		n.Tag, n.Value = "", canonical(v)
	}
	return n
}

func encode(v reflect.Value) *Node {
	if m, ok := v.Interface().(Marshaler); ok {
		return m.MarshalStrict()
	}
	switch v.Kind() {
	case reflect.Pointer:
		return encode(v.Elem())
	case reflect.Struct:
		return encodeStruct(v, reflect.Zero(v.Type()))
	case reflect.Slice:
		n := &Node{Kind: SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
		for i := range v.Len() {
			child := encode(v.Index(i))
			if child.Kind != ScalarNode {
				n.Style = 0
			}
			n.Content = append(n.Content, child)
		}
		return n
	case reflect.Map:
		n := scalar(v) // the library sorts the keys
		n.Style = yaml.FlowStyle
		return n
	}
	return scalar(v)
}
