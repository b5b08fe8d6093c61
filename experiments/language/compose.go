package language

import (
	"reflect"

	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
)

// Compose checks a spec that a program has put together as if a file of that name held it, and
// gives it the text that the file would have. Zero values of s are left out: they mean the
// defaults.
func Compose(file string, s *Spec) (*Spec, error) {
	r := strictyaml.NewReader(file)
	node := r.Tree(strictyaml.Encode(s, &Spec{}))
	return decode(r, node, strictyaml.Text(node))
}

// Values is a sweep of the given values; a list is swept.
func Values(values map[string]any) Sweep {
	if len(values) == 0 {
		return Sweep{}
	}
	return Sweep{node: strictyaml.Values(values)}
}

// Changed are the parameters that differ from the defaults, for Values.
func Changed(params, defaults any) map[string]any {
	changed := make(map[string]any)
	v, d := reflect.Indirect(reflect.ValueOf(params)), reflect.Indirect(reflect.ValueOf(defaults))
	for _, field := range strictyaml.Fields(v.Type()) {
		value := v.FieldByIndex(field.Index).Interface()
		if !reflect.DeepEqual(value, d.FieldByIndex(field.Index).Interface()) {
			changed[field.Name] = value
		}
	}
	return changed
}

// MarshalStrict is the mapping that the sweep was read from.
func (s Sweep) MarshalStrict() *strictyaml.Node { return s.node }

// MarshalStrict is the figure without its place.
func (f FigureSpec) MarshalStrict() *strictyaml.Node {
	return strictyaml.Encode(f.Figure, results.Figure{})
}

// DatasetOf is the dataset of the given name and parameters.
func DatasetOf(values map[string]any) DatasetSpec { return DatasetSpec{params: Values(values)} }

// MarshalStrict is the mapping of the dataset's name and parameters.
func (d DatasetSpec) MarshalStrict() *strictyaml.Node { return d.params.node }
