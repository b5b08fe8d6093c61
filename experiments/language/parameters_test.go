package language

import (
	"math"
	"reflect"
	"testing"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/internal/declared"
	"ppdp/internal/strictyaml"
	"ppdp/metrics"
)

// TestParametersSayWhatTheyAre: every parameter has a meaning and allowed values, and its bounds
// are those that are kept: the bound is allowed and what lies beyond it is not, or the other
// way round where the bound itself is excluded.
func TestParametersSayWhatTheyAre(t *testing.T) {
	kinds := map[string]func() any{}
	for _, name := range algorithms.Names() {
		kinds["algorithm "+name] = func() any { return must(algorithms.Lookup(name)).Params() }
	}
	for _, name := range datasets.Names() {
		kinds["dataset "+name] = func() any { return must(datasets.Lookup(name)).Params() }
	}
	for _, name := range metrics.Names() {
		kinds["metric "+name] = parametersOf(must(metrics.Lookup(name)))
	}
	for _, name := range classifiers.Names() {
		if _, ok := must(classifiers.Lookup(name)).(interface{ Params() any }); ok {
			t.Errorf("classifier %s has parameters, which nothing shows", name)
		}
	}
	seen, bounded := 0, 0
	for kind, fresh := range kinds { // order-free
		for i, p := range declared.Of(fresh()) {
			seen++
			if p.Meaning == "" || p.Allowed == "" {
				t.Errorf("%s: %s: meaning %q, allowed %q, must not be empty", kind, p.Name,
					p.Meaning, p.Allowed)
			}
			for _, b := range p.Bounds {
				bounded++
				outward := 1.0
				if b.Tag == "min" || b.Tag == "above" {
					outward = -1
				}
				inside := b.Tag == "min" || b.Tag == "max"
				checkBound(t, kind, fresh, i, b.Limit, inside)
				checkBound(t, kind, fresh, i, beyond(p.Kind, b.Limit, outward), false)
				checkBound(t, kind, fresh, i, beyond(p.Kind, b.Limit, -outward), true)
			}
		}
	}
	if seen < 100 || bounded < 60 {
		t.Errorf("%d parameters, %d bounds: too few", seen, bounded)
	}
}

func beyond(kind reflect.Type, limit, direction float64) float64 {
	if kind.Kind() == reflect.Int {
		return limit + direction
	}
	return math.Nextafter(limit, limit+direction)
}

// checkBound sets one field and asks for problems with it alone.
func checkBound(t *testing.T, kind string, fresh func() any, index int, value float64, ok bool) {
	t.Helper()
	params := fresh()
	field := strictyaml.Fields(reflect.TypeOf(params))[index]
	v := reflect.ValueOf(params).Elem().FieldByIndex(field.Index)
	problems := func() map[string]bool {
		all := make(map[string]bool)
		for _, problem := range flatten(declared.Check(params)) {
			all[problem] = true
		}
		return all
	}
	before := problems() // a default may need a value, such as a path
	if v.CanInt() {
		v.SetInt(int64(value))
	} else {
		v.SetFloat(value)
	}
	refused := false
	for problem := range problems() {
		refused = refused || !before[problem]
	}
	if refused == ok {
		t.Errorf("%s: %s %v is refused: %t, want %t", kind, field.Name, value, refused, !ok)
	}
}
