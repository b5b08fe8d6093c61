package external

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"ppdp/algorithms"
	"ppdp/internal/declared"
	"ppdp/internal/strictyaml"
)

// paramSpecs are the parameters of a descriptor: the defaults, in a struct that is made for them.
// It has a field for each parameter, in the descriptor's order, with the tags by which the
// parameters of other algorithms are declared.
type paramSpecs struct{ defaults reflect.Value }

// paramSpec is the schema of one parameter: it mirrors an entry of params.
type paramSpec struct {
	Type    string   `yaml:"type" words:"integer number string boolean" missing:"must be integer, number, string or boolean"`
	Minimum *float64 `yaml:"minimum"`
	Maximum *float64 `yaml:"maximum"`
	Enum    []string `yaml:"enum"`
	Default anyValue `yaml:"default"`
}

var paramTypes = map[string]reflect.Type{"integer": reflect.TypeFor[int64](),
	"number": reflect.TypeFor[float64](), "string": reflect.TypeFor[string](),
	"boolean": reflect.TypeFor[bool]()}

// anyValue is a value that is decoded once its type is known.
type anyValue struct{ node *strictyaml.Node }

// UnmarshalStrict keeps the node.
func (v *anyValue) UnmarshalStrict(_ *strictyaml.Reader, n *strictyaml.Node) { v.node = n }

// UnmarshalStrict reads the mapping of names to schemas.
func (p *paramSpecs) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	if n.Kind != strictyaml.MappingNode {
		r.Problemf(n, "must be a mapping of names to schemas, such as "+
			"degree: {type: integer, default: 2}")
		return
	}
	var fields []reflect.StructField
	var defaults []*strictyaml.Node
	for _, entry := range r.Entries(n) {
		name, value, spec := entry.Key, entry.Value, paramSpec{}
		before := r.Problems()
		r.Decode(value, &spec)
		declared.CheckNode(r, value, &spec)
		if r.Problems() > before {
			continue
		}
		number := spec.Type == "integer" || spec.Type == "number"
		switch {
		case !plainName.MatchString(strings.ReplaceAll(name, "_", "-")):
			r.Problemf(entry.KeyNode, "%q, must be up to 40 of a-z, 0-9 and _, a letter first",
				name)
		case !number && (spec.Minimum != nil || spec.Maximum != nil):
			r.Problemf(value, "minimum and maximum are of numbers, not of a %s", spec.Type)
		case spec.Type != "string" && spec.Enum != nil:
			r.Problemf(value, "enum is of a string, not of a %s", spec.Type)
		case spec.Default.node == nil:
			r.Problemf(value, "default: missing, must be a %s", spec.Type)
		default:
			fields = append(fields, reflect.StructField{Name: "P" + strconv.Itoa(len(fields)),
				Type: paramTypes[spec.Type], Tag: spec.tag(name)})
			defaults = append(defaults, spec.Default.node)
		}
	}
	p.defaults = reflect.New(reflect.StructOf(fields)).Elem()
	for i, declaration := range declared.Keys(p.defaults.Type()) {
		before := r.Problems()
		r.Decode(defaults[i], p.defaults.Field(i).Addr().Interface())
		if err := declaration.Check(p.defaults.Field(i)); err != nil && r.Problems() == before {
			r.Problemf(defaults[i], "%v", err)
		}
	}
}

// tag declares a parameter as a field's tag does.
func (s *paramSpec) tag(name string) reflect.StructTag {
	tag := fmt.Sprintf("yaml:%q", name)
	if s.Minimum != nil {
		tag += fmt.Sprintf(" min:%q", strconv.FormatFloat(*s.Minimum, 'g', -1, 64))
	}
	if s.Maximum != nil {
		tag += fmt.Sprintf(" max:%q", strconv.FormatFloat(*s.Maximum, 'g', -1, 64))
	}
	if s.Enum != nil {
		words, _ := json.Marshal(s.Enum) // texts
		tag += fmt.Sprintf(" enum:%q", words)
	}
	return reflect.StructTag(tag)
}

// valuesOf lists parameters by name.
func valuesOf(params algorithms.Params) map[string]any {
	values, v := make(map[string]any), reflect.ValueOf(params).Elem()
	for i, field := range strictyaml.Fields(v.Type()) {
		values[field.Name] = v.Field(i).Interface()
	}
	return values
}
