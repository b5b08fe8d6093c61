package strictyaml

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

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
		if name == "-" || !f.IsExported() && !f.Anonymous {
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

// Dynamic is a set of parameters whose keys are known only at run time. It decodes itself.
type Dynamic interface {
	Unmarshaler
	// Resolved lists the values as the function of that name does.
	Resolved() map[string]string
}

// Resolved lists the values of a parameter struct, or of a pointer to one, as they are written to
// manifests and records: floats in their shortest form, lists as [a,b]. It panics on a field that
// is neither text, number, boolean nor a list of these.
func Resolved(params any) map[string]string {
	if d, ok := params.(Dynamic); ok {
		return d.Resolved()
	}
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
