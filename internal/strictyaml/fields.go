package strictyaml

import (
	"encoding"
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Field is one key a struct can be decoded from.
type Field struct {
	Name  string       // the key
	Type  reflect.Type // the Go type it decodes onto
	Index []int        // for reflect.Value.FieldByIndex
	// One says that a single value is taken for a list of one (tag option flow-one).
	One bool
}

var fieldsOf sync.Map // reflect.Type -> []Field

// Fields lists the keys of a struct type (or a pointer to one) in the order of its fields. The key
// is the yaml tag's name or, without one, the field's name in lower case; "-" hides a field.
// Structs tagged `yaml:",inline"` are flattened. It panics on anything else a tag may say and on
// two fields of one name: those are programmers' mistakes. The result is shared: do not change it.
func Fields(t reflect.Type) []Field {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("strictyaml: %v has no fields, must be a struct", t))
	}
	if known, ok := fieldsOf.Load(t); ok {
		return known.([]Field)
	}
	fields := appendFields(nil, t, nil)
	seen := make(map[string]bool, len(fields))
	for _, field := range fields {
		if seen[field.Name] {
			panic(fmt.Sprintf("strictyaml: %v has two fields for the key %q", t, field.Name))
		}
		seen[field.Name] = true
	}
	fieldsOf.Store(t, fields)
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
		inline, one := false, false
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "inline":
				inline = true
			case "flow-one":
				one = true
			case "", "omitempty", "flow":
			default:
				panic(fmt.Sprintf("strictyaml: %v.%s has an unknown tag option %q", t, f.Name, option))
			}
		}
		switch {
		case inline && f.Type.Kind() != reflect.Struct:
			panic(fmt.Sprintf("strictyaml: %v.%s is inline, must be a struct", t, f.Name))
		case one && f.Type.Kind() != reflect.Slice:
			panic(fmt.Sprintf("strictyaml: %v.%s is tagged flow-one, must be a slice", t, f.Name))
		case inline:
			fields = appendFields(fields, f.Type, at)
			continue
		case !f.IsExported():
			continue
		}
		if name == "" {
			name = strings.ToLower(f.Name)
		}
		fields = append(fields, Field{Name: name, Type: f.Type, Index: at, One: one})
	}
	return fields
}

// Resolved flattens a parameter struct, or a pointer to one, to key -> canonical text, as it goes
// into manifests and records: floats in their shortest form, lists of scalars as [a,b], nested
// structs and maps with dots, structs in lists as key[0].sub. Types that are TextMarshalers or
// Stringers print themselves. Nil pointers and raw nodes are left out; nil has no keys.
func Resolved(v any) map[string]string {
	resolved := make(map[string]string)
	if v != nil {
		resolve(resolved, "", reflect.ValueOf(v))
	}
	return resolved
}

func resolve(resolved map[string]string, key string, v reflect.Value) {
	if text, ok := scalarText(v); ok {
		resolved[key] = text
		return
	}
	below := func(name string) string {
		if key == "" {
			return name
		}
		return key + "." + name
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			resolve(resolved, key, v.Elem())
		}
	case reflect.Struct:
		if v.Type() == nodeType {
			return
		}
		for _, field := range Fields(v.Type()) {
			resolve(resolved, below(field.Name), v.FieldByIndex(field.Index))
		}
	case reflect.Map:
		keys := v.MapKeys()
		sort.Slice(keys, func(i, j int) bool { return keys[i].String() < keys[j].String() })
		for _, name := range keys {
			resolve(resolved, below(name.String()), v.MapIndex(name))
		}
	case reflect.Slice, reflect.Array:
		texts := make([]string, v.Len())
		for i := range texts {
			text, ok := scalarText(v.Index(i))
			if !ok {
				for j := range texts {
					resolve(resolved, key+"["+strconv.Itoa(j)+"]", v.Index(j))
				}
				return
			}
			texts[i] = text
		}
		resolved[key] = "[" + strings.Join(texts, ",") + "]"
	default:
		panic(fmt.Sprintf("strictyaml: %s of type %v has no canonical text", key, v.Type()))
	}
}

// scalarText is the canonical text of a value that has one.
func scalarText(v reflect.Value) (string, bool) {
	if v.CanInterface() && !(v.Kind() == reflect.Pointer && v.IsNil()) {
		switch own := v.Interface().(type) {
		case encoding.TextMarshaler:
			if text, err := own.MarshalText(); err == nil {
				return string(text), true
			}
		case time.Duration:
			return own.String(), true
		case fmt.Stringer:
			return own.String(), true
		}
	}
	switch v.Kind() {
	case reflect.String:
		return v.String(), true
	case reflect.Bool:
		return strconv.FormatBool(v.Bool()), true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10), true
	case reflect.Float32:
		return strconv.FormatFloat(v.Float(), 'g', -1, 32), true
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64), true
	}
	return "", false
}
