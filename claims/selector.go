package claims

import (
	"strings"

	"ppdp/internal/strictyaml"
	"ppdp/results"
)

// Selector keeps records by their facts: metric, classifier, series, dataset, algorithm, variant,
// epsilon and parameters by name. results.Matches says how a value is compared with a term's text.
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
		if !results.Matches(facts[t.key], t.wanted) {
			return false
		}
	}
	return true
}
