package strictyaml

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ppdp/internal/spelling"

	"gopkg.in/yaml.v3"
)

// Unmarshaler is a type that decodes itself, with a method of the pointer to the value. It reports
// problems to r and never receives an alias; it receives null unless the field is a pointer.
type Unmarshaler interface {
	UnmarshalStrict(r *Reader, n *Node)
}

var unmarshalerType = reflect.TypeFor[Unmarshaler]()

// Decode decodes n onto *into, whose present values are the defaults, and records everything that
// does not fit. A value in error keeps its default. A nil node, which an unreadable document
// returns, changes nothing.
//
// Structs take mappings with the keys of Fields, and maps with string keys any mapping. Lists
// replace slices; a field tagged `yaml:"key,flow-one"` takes a single value for a list of one.
// Strings take the letters of any scalar that is not null, so 01 and no are the texts "01" and
// "no". Numbers and booleans must be unquoted; whole numbers are decimal, without leading zeros,
// point or exponent; floats are finite. Pointers are set to a fresh value, or to nil by null;
// nothing else takes null.
//
// Decode panics when into is no pointer or its type has parts that cannot be decoded onto.
func (r *Reader) Decode(n *Node, into any) {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		panic(fmt.Sprintf("strictyaml: decoding into %T, must be a pointer", into))
	}
	if n != nil {
		r.decode(n, v.Elem(), false)
	}
}

func (r *Reader) decode(n *Node, v reflect.Value, one bool) {
	t := v.Type()
	switch {
	case n.Kind == yaml.AliasNode: // Document has reported it
	case t.Kind() == reflect.Pointer:
		if isNull(n) {
			v.SetZero()
			return
		}
		fresh := reflect.New(t.Elem()) // a default may be shared: decode onto a copy
		if !v.IsNil() {
			fresh.Elem().Set(v.Elem())
		}
		r.decode(n, fresh.Elem(), false)
		v.Set(fresh)
	case reflect.PointerTo(t).Implements(unmarshalerType):
		v.Addr().Interface().(Unmarshaler).UnmarshalStrict(r, n)
	case t.Kind() == reflect.Struct:
		r.decodeStruct(n, v)
	case t.Kind() == reflect.Map:
		r.decodeMap(n, v)
	case t.Kind() == reflect.Slice:
		r.decodeSlice(n, v, one)
	case t.Kind() == reflect.String:
		if n.Kind != ScalarNode || isNull(n) {
			r.refuse(n, "a text")
			return
		}
		v.SetString(n.Value)
	case t.Kind() == reflect.Bool:
		if !plain(n) || n.Value != "true" && n.Value != "false" {
			r.refuse(n, "true or false")
			return
		}
		v.SetBool(n.Value == "true")
	case v.CanInt() || v.CanUint():
		r.decodeWhole(n, v)
	case v.CanFloat():
		r.decodeFloat(n, v)
	default:
		panic(fmt.Sprintf("strictyaml: cannot decode into %v", t))
	}
}

// refuse records that n is not a value of the kind wanted.
func (r *Reader) refuse(n *Node, want string) {
	hint := ""
	if parent := r.places[n].parent; isNull(n) && parent != nil && parent.Kind == MappingNode {
		hint = " (leave the key out for its default)"
	}
	r.Problemf(n, "%s, must be %s%s", describe(n), want, hint)
}

// plain reports whether n is a scalar without quotes.
func plain(n *Node) bool {
	return n.Kind == ScalarNode && n.Style&^(yaml.TaggedStyle|yaml.FlowStyle) == 0
}

// Place, embedded in a struct, is the node that it was decoded from, nil if it was not. It is no
// key.
type Place struct{ Node *Node }

func (p *Place) set(n *Node) { p.Node = n }

func (r *Reader) decodeStruct(n *Node, v reflect.Value) {
	if p, ok := v.Addr().Interface().(interface{ set(*Node) }); ok {
		p.set(n)
	}
	fields := Fields(v.Type())
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].Name
	}
	allowed := strings.Join(names, ", ")
	if len(names) == 0 {
		allowed = "no keys at all"
	}
	if n.Kind != MappingNode {
		r.refuse(n, "a mapping of "+allowed)
		return
	}
	for _, entry := range r.Entries(n) {
		i := slices.Index(names, entry.Key)
		if i < 0 {
			r.Problemf(entry.KeyNode, "unknown key %s%s, must be one of %s",
				shown(entry.Key), spelling.Hint(entry.Key, names), allowed)
			continue
		}
		r.decode(entry.Value, v.FieldByIndex(fields[i].Index), fields[i].One)
	}
}

func (r *Reader) decodeMap(n *Node, v reflect.Value) {
	t := v.Type()
	if t.Key().Kind() != reflect.String {
		panic(fmt.Sprintf("strictyaml: cannot decode into %v, keys must be strings", t))
	}
	if n.Kind != MappingNode {
		r.refuse(n, "a mapping (key: value)")
		return
	}
	fresh := reflect.MakeMap(t)
	for _, entry := range r.Entries(n) {
		value := reflect.New(t.Elem()).Elem()
		r.decode(entry.Value, value, false)
		fresh.SetMapIndex(reflect.ValueOf(entry.Key).Convert(t.Key()), value)
	}
	v.Set(fresh)
}

func (r *Reader) decodeSlice(n *Node, v reflect.Value, one bool) {
	items := n.Content
	switch {
	case n.Kind == SequenceNode:
	case one && !isNull(n):
		items = []*Node{n}
	case one:
		r.refuse(n, "a value or a list of values")
		return
	default:
		r.refuse(n, "a list")
		return
	}
	fresh := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		r.decode(item, fresh.Index(i), false)
	}
	v.Set(fresh)
}

var (
	wholeNumber = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)
	realNumber  = regexp.MustCompile(`^[-+]?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][-+]?\d+)?$`)
)

// decodeWhole decodes onto an integer, signed or not, that must be able to hold the number.
func (r *Reader) decodeWhole(n *Node, v reflect.Value) {
	if !plain(n) || !wholeNumber.MatchString(n.Value) {
		r.refuse(n, "a whole number, in digits without quotes or leading zeros")
		return
	}
	bits := v.Type().Bits()
	if v.CanInt() {
		i, err := strconv.ParseInt(n.Value, 10, bits)
		if err == nil {
			v.SetInt(i)
			return
		}
		most := int64(1)<<(bits-1) - 1
		r.Problemf(n, "%s, must be between %d and %d", describe(n), -most-1, most)
		return
	}
	u, err := strconv.ParseUint(strings.TrimPrefix(n.Value, "+"), 10, bits)
	if err == nil {
		v.SetUint(u)
		return
	}
	most := uint64(math.MaxUint64) >> (64 - bits)
	r.Problemf(n, "%s, must be between 0 and %d", describe(n), most)
}

func (r *Reader) decodeFloat(n *Node, v reflect.Value) {
	if !plain(n) || !realNumber.MatchString(n.Value) {
		r.refuse(n, "a finite number, without quotes or leading zeros")
		return
	}
	bits := v.Type().Bits()
	f, err := strconv.ParseFloat(n.Value, bits)
	mantissa, _, _ := strings.Cut(strings.ToLower(n.Value), "e")
	if err != nil || f == 0 && strings.ContainsAny(mantissa, "123456789") {
		r.Problemf(n, "%s, must be a number that a float of %d bits can hold", describe(n), bits)
		return
	}
	v.SetFloat(f)
}

// Field is one key of a struct.
type Field struct {
	Name  string       // the key
	Type  reflect.Type // the Go type it decodes onto
	Index []int        // for reflect.Value.FieldByIndex
	// One allows a single value for a list of one (tag option flow-one).
	One bool
	Tag reflect.StructTag // all of the field's tags
}

// Fields lists the keys of a struct type (or a pointer to one) in the order of its fields. The key
// is the yaml tag's name or, without one, the field's name in lower case; "-" hides a field.
// Structs tagged `yaml:",inline"` are flattened. Other tag options and two fields of one name are
// programmers' mistakes and panic.
func Fields(t reflect.Type) []Field {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("strictyaml: %v has no fields, must be a struct", t))
	}
	fields := appendFields(nil, t, nil)
	seen := make(map[string]bool, len(fields))
	for _, field := range fields {
		if seen[field.Name] {
			panic(fmt.Sprintf("strictyaml: %v has two fields for the key %q", t, field.Name))
		}
		seen[field.Name] = true
	}
	return fields
}

func appendFields(fields []Field, t reflect.Type, index []int) []Field {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == "-" || !f.IsExported() && !f.Anonymous || f.Type == reflect.TypeFor[Place]() {
			continue
		}
		at := append(index[:len(index):len(index)], i)
		if options == "inline" && f.Type.Kind() == reflect.Struct {
			fields = appendFields(fields, f.Type, at)
			continue
		}
		one := options == "flow-one" && f.Type.Kind() == reflect.Slice
		if options != "" && !one {
			panic(fmt.Sprintf("strictyaml: %v.%s has the tag option %q", t, f.Name, options))
		}
		if !f.IsExported() {
			continue
		}
		if name == "" {
			name = strings.ToLower(f.Name)
		}
		fields = append(fields, Field{Name: name, Type: f.Type, Index: at, One: one, Tag: f.Tag})
	}
	return fields
}

// Resolved lists the values of a parameter struct, or of a pointer to one, as they are written to
// manifests and records: floats in their shortest form, lists as [a,b]. It panics on a field that
// is neither text, number, boolean nor a list of these.
func Resolved(params any) map[string]string {
	v := reflect.Indirect(reflect.ValueOf(params))
	resolved := make(map[string]string)
	for _, field := range Fields(v.Type()) {
		resolved[field.Name] = canonical(v.FieldByIndex(field.Index))
	}
	return resolved
}

func canonical(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.String:
		return v.String()
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	case v.CanFloat():
		return strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits())
	case v.Kind() == reflect.Slice:
		texts := make([]string, v.Len())
		for i := range texts {
			texts[i] = canonical(v.Index(i))
		}
		return "[" + strings.Join(texts, ",") + "]"
	}
	panic(fmt.Sprintf("strictyaml: %v cannot be a parameter", v.Type()))
}

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
