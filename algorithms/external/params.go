package external

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ppdp/internal/spelling"
	"ppdp/internal/strictyaml"
)

// paramSpecs are the parameters of a descriptor, in its order.
type paramSpecs []paramSpec

// paramSpec is the schema of one parameter.
type paramSpec struct {
	name     string
	kind     string
	fallback any // int64, float64, string or bool, by kind
	least    *float64
	most     *float64
	enum     []string
}

// The types of parameters.
const (
	integerParam = "integer"
	numberParam  = "number"
	stringParam  = "string"
	booleanParam = "boolean"
)

// paramSchema mirrors one entry of params but for its default.
type paramSchema struct {
	Type    string   `yaml:"type"`
	Minimum *float64 `yaml:"minimum"`
	Maximum *float64 `yaml:"maximum"`
	Enum    []string `yaml:"enum"`
	Default anyValue `yaml:"default"`
}

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
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		var schema paramSchema
		before := r.Problems()
		r.Decode(value, &schema)
		if r.Problems() > before {
			continue
		}
		spec := paramSpec{name: key.Value, kind: schema.Type, least: schema.Minimum,
			most: schema.Maximum, enum: schema.Enum}
		number := spec.kind == integerParam || spec.kind == numberParam
		switch {
		case !plainKey(spec.name):
			r.Problemf(key, "%q, must be up to 40 of a-z, 0-9 and _, a letter first", spec.name)
		case !number && spec.kind != stringParam && spec.kind != booleanParam:
			r.Problemf(value, "type: %q, must be %s, %s, %s or %s", spec.kind, integerParam,
				numberParam, stringParam, booleanParam)
		case !number && (spec.least != nil || spec.most != nil):
			r.Problemf(value, "minimum and maximum are of numbers, not of a %s", spec.kind)
		case spec.kind != stringParam && spec.enum != nil:
			r.Problemf(value, "enum is of a string, not of a %s", spec.kind)
		case schema.Default.node == nil:
			r.Problemf(value, "default: missing, must be a %s", spec.kind)
		default:
			var ok bool
			if spec.fallback, ok = spec.decode(r, schema.Default.node); !ok {
				continue
			}
			if err := spec.check(spec.fallback); err != nil {
				r.Problemf(schema.Default.node, "%v", err)
				continue
			}
			*p = append(*p, spec)
		}
	}
}

func plainKey(name string) bool {
	return plainName.MatchString(strings.ReplaceAll(name, "_", "-"))
}

// decode reads a value of the parameter's type.
func (s *paramSpec) decode(r *strictyaml.Reader, n *strictyaml.Node) (value any, ok bool) {
	before := r.Problems()
	switch s.kind {
	case integerParam:
		value = decoded[int64](r, n)
	case numberParam:
		value = decoded[float64](r, n)
	case booleanParam:
		value = decoded[bool](r, n)
	default:
		value = decoded[string](r, n)
	}
	return value, r.Problems() == before
}

func decoded[T any](r *strictyaml.Reader, n *strictyaml.Node) (value T) {
	r.Decode(n, &value)
	return value
}

// check reports a value that the schema does not allow.
func (s *paramSpec) check(value any) error {
	var number float64
	switch v := value.(type) {
	case int64:
		number = float64(v)
	case float64:
		number = v
	case string:
		if s.enum != nil && !slices.Contains(s.enum, v) {
			return fmt.Errorf("%q, must be one of %s", v, strings.Join(s.enum, ", "))
		}
		return nil
	default:
		return nil
	}
	if s.least != nil && number < *s.least {
		return fmt.Errorf("%v, must be at least %v", value, *s.least)
	}
	if s.most != nil && number > *s.most {
		return fmt.Errorf("%v, must be at most %v", value, *s.most)
	}
	return nil
}

// Params are values of a descriptor's parameters. It decodes itself.
type Params struct {
	specs  paramSpecs
	values map[string]any
}

var (
	_ strictyaml.Unmarshaler = (*Params)(nil)
	_ strictyaml.Dynamic     = (*Params)(nil)
)

func newParams(specs paramSpecs) *Params {
	p := &Params{specs, make(map[string]any, len(specs))}
	for _, s := range specs {
		p.values[s.name] = s.fallback
	}
	return p
}

// UnmarshalStrict decodes a mapping onto the values.
func (p *Params) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	if n.Kind != strictyaml.MappingNode {
		r.Problemf(n, "must be a mapping of names to values")
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := slices.IndexFunc(p.specs, func(s paramSpec) bool { return s.name == key.Value })
		if at < 0 {
			names := slices.Sorted(maps.Keys(p.values))
			r.Problemf(key, "%s: unknown key%s, must be one of %s", key.Value,
				spelling.Hint(key.Value, names), strings.Join(names, ", "))
		} else if v, ok := p.specs[at].decode(r, value); ok {
			p.values[key.Value] = v
		}
	}
}

// Validate reports every value that the descriptor does not allow.
func (p *Params) Validate() error {
	var errs []error
	for _, s := range p.specs {
		if err := s.check(p.values[s.name]); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.name, err))
		}
	}
	return errors.Join(errs...)
}

// Resolved is the values by name, as Resolved of package strictyaml writes them.
func (p *Params) Resolved() map[string]string {
	texts := make(map[string]string, len(p.values))
	for name, value := range p.values { // order-free: fills a map
		switch v := value.(type) {
		case float64:
			texts[name] = strconv.FormatFloat(v, 'g', -1, 64)
		default:
			texts[name] = fmt.Sprint(v)
		}
	}
	return texts
}
