package claims

import (
	"strconv"
	"strings"

	"ppdp/internal/strictyaml"
)

// Selector keeps records by their facts: metric, classifier, series, dataset, algorithm, variant,
// epsilon and parameters by name. Each key's text lists alternatives, "5|10"; numbers are equal
// however they are written, and ">=1" (also >, <=, <) compares them.
type Selector struct {
	terms []term
}

type term struct {
	key, wanted string
	at          Position
}

// UnmarshalStrict reads a mapping from facts to the alternatives kept.
func (s *Selector) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	if n.Kind != strictyaml.MappingNode {
		r.Problemf(n, "must be a mapping from facts, such as metric, to the values kept")
		return
	}
	for _, entry := range r.Entries(n) {
		var wanted string
		r.Decode(entry.Value, &wanted)
		s.terms = append(s.terms, term{entry.Key, wanted, Position{r.File, entry.Value.Line}})
	}
}

// with returns the selector with other's terms on top, which replace those of the same key.
func (s Selector) with(other Selector) Selector {
	var all Selector
	for _, t := range s.terms {
		if !other.mentions(t.key) {
			all.terms = append(all.terms, t)
		}
	}
	all.terms = append(all.terms, other.terms...)
	return all
}

// replaced returns the selector with the values of other for the keys that both mention.
func (s Selector) replaced(other Selector) Selector {
	all := Selector{append([]term(nil), s.terms...)}
	for i := range all.terms {
		for _, t := range other.terms {
			if t.key == all.terms[i].key {
				all.terms[i] = t
			}
		}
	}
	return all
}

func (s Selector) mentions(key string) bool {
	for _, t := range s.terms {
		if t.key == key {
			return true
		}
	}
	return false
}

func (s Selector) String() string {
	parts := make([]string, len(s.terms))
	for i, t := range s.terms {
		parts[i] = t.key + " " + t.wanted
	}
	return strings.Join(parts, ", ")
}

// selects reports whether all terms hold. A fact that is not known is the empty text.
func (s Selector) selects(facts map[string]string) bool {
	for _, t := range s.terms {
		if !t.selects(facts[t.key]) {
			return false
		}
	}
	return true
}

func (t term) selects(fact string) bool {
	for alternative := range strings.SplitSeq(t.wanted, "|") {
		if matches(fact, alternative) {
			return true
		}
	}
	return false
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

func matches(fact, wanted string) bool {
	if fact == wanted {
		return true
	}
	x, err := strconv.ParseFloat(fact, 64)
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
