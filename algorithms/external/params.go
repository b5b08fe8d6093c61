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

// paramSpec is one parameter: its schema, which mirrors its entry of params, and what follows.
type paramSpec struct {
	Type    string   `yaml:"type"`
	Minimum *float64 `yaml:"minimum"`
	Maximum *float64 `yaml:"maximum"`
	Enum    []string `yaml:"enum"`
	Default anyValue `yaml:"default"`

	name     string
	fallback any // the default: int64, float64, string or bool, by type
}

// The types of parameters.
const (
	integerParam = "integer"
	numberParam  = "number"
	stringParam  = "string"
	booleanParam = "boolean"
)

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
		spec := paramSpec{name: key.Value}
		before := r.Problems()
		r.Decode(value, &spec)
		if r.Problems() > before {
			continue
		}
		number := spec.Type == integerParam || spec.Type == numberParam
		switch {
		case !plainKey(spec.name):
			r.Problemf(key, "%q, must be up to 40 of a-z, 0-9 and _, a letter first", spec.name)
		case !number && spec.Type != stringParam && spec.Type != booleanParam:
			r.Problemf(value, "type: %q, must be %s, %s, %s or %s", spec.Type, integerParam,
				numberParam, stringParam, booleanParam)
		case !number && (spec.Minimum != nil || spec.Maximum != nil):
			r.Problemf(value, "minimum and maximum are of numbers, not of a %s", spec.Type)
		case spec.Type != stringParam && spec.Enum != nil:
			r.Problemf(value, "enum is of a string, not of a %s", spec.Type)
		case spec.Default.node == nil:
			r.Problemf(value, "default: missing, must be a %s", spec.Type)
		default:
			var ok bool
			if spec.fallback, ok = spec.decode(r, spec.Default.node); !ok {
				continue
			}
			if err := spec.check(spec.fallback); err != nil {
				r.Problemf(spec.Default.node, "%v", err)
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
	switch s.Type {
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
		if s.Enum != nil && !slices.Contains(s.Enum, v) {
			return fmt.Errorf("%q, must be one of %s", v, strings.Join(s.Enum, ", "))
		}
		return nil
	default:
		return nil
	}
	if s.Minimum != nil && number < *s.Minimum {
		return fmt.Errorf("%v, must be at least %v", value, *s.Minimum)
	}
	if s.Maximum != nil && number > *s.Maximum {
		return fmt.Errorf("%v, must be at most %v", value, *s.Maximum)
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
