package results

import (
	"strconv"
	"strings"

	"ppdp/internal/strictyaml"
)

// Facts are what a filter may ask of a setting or of a row.
type Facts interface {
	Fact(name string) (value string, known bool)
}

// Filter keeps what has certain facts. It maps names of facts (metric, classifier, variant,
// dataset, algorithm, series, epsilon, delta, a parameter) to the values kept, see Matches. All
// must match; a fact that is not known is the empty text.
type Filter map[string]string

// UnmarshalStrict reads a mapping. Values are taken by their text, so that 50 and "50" are the
// same.
func (f *Filter) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	if n.Kind != strictyaml.MappingNode {
		r.Problemf(n, "must be a mapping from facts, such as variant, to the values kept")
		return
	}
	*f = make(Filter)
	for _, entry := range r.Entries(n) {
		if entry.Value.Kind != strictyaml.ScalarNode {
			r.Problemf(entry.Value, "must be a single value; write a|b for either")
			continue
		}
		(*f)[entry.Key] = entry.Value.Value
	}
}

// Selects reports whether the filter keeps something.
func (f Filter) Selects(x Facts) bool {
	for name, wanted := range f { // order-free: all must hold
		if value, _ := x.Fact(name); !Matches(value, wanted) {
			return false
		}
	}
	return true
}

// Only returns the part of the filter that concerns some facts.
func (f Filter) Only(names ...string) Filter {
	part := make(Filter)
	for _, name := range names {
		if wanted, ok := f[name]; ok {
			part[name] = wanted
		}
	}
	return part
}

// comparisons in the order they must be looked for.
var comparisons = []struct {
	sign  string
	holds func(a, b float64) bool
}{
	{">=", func(a, b float64) bool { return a >= b }},
	{"<=", func(a, b float64) bool { return a <= b }},
	{">", func(a, b float64) bool { return a > b }},
	{"<", func(a, b float64) bool { return a < b }},
}

// Matches reports whether a value is one of the alternatives wanted, which "|" separates. Numbers
// are equal however they are written: 1 is 1.0. An alternative such as ">=1" (also >, <= and <)
// compares.
func Matches(value, wanted string) bool {
	for alternative := range strings.SplitSeq(wanted, "|") {
		if matchesOne(value, alternative) {
			return true
		}
	}
	return false
}

func matchesOne(value, wanted string) bool {
	if value == wanted {
		return true
	}
	// most texts are no numbers, which ParseFloat takes long to say
	if value == "" || value[0] >= 'A' && !strings.ContainsAny(value[:1], "INin") {
		return false
	}
	x, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return false
	}
	for _, c := range comparisons {
		if bound, found := strings.CutPrefix(wanted, c.sign); found {
			y, err := strconv.ParseFloat(strings.TrimSpace(bound), 64)
			return err == nil && c.holds(x, y)
		}
	}
	y, err := strconv.ParseFloat(wanted, 64)
	return err == nil && x == y
}
