package claims

import (
	"slices"
	"strings"

	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
)

// Selector keeps samples by their facts, like a results.Filter, and remembers the order and the
// lines of its terms for messages.
type Selector struct {
	terms []term
}

type term struct {
	key, wanted string
	at          string // file:line
}

// UnmarshalStrict reads a mapping from facts to the alternatives kept.
func (s *Selector) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	for _, entry := range r.Entries(n) {
		var wanted string
		r.Decode(entry.Value, &wanted)
		s.terms = append(s.terms, term{entry.Key, wanted, lineOf(r, entry.Value)})
	}
}

// with returns the selector with other's terms added, which replace those of the same key.
func (s Selector) with(other Selector) Selector {
	again := func(t term) bool { return other.mentions(t.key) }
	return Selector{append(slices.DeleteFunc(slices.Clone(s.terms), again), other.terms...)}
}

// replaced returns the selector with the values of other for the keys that both mention.
func (s Selector) replaced(other Selector) Selector {
	all := slices.Clone(s.terms)
	for i := range all {
		for _, t := range other.terms {
			if t.key == all[i].key {
				all[i] = t
			}
		}
	}
	return Selector{all}
}

func (s Selector) mentions(key string) bool {
	return slices.ContainsFunc(s.terms, func(t term) bool { return t.key == key })
}

func (s Selector) String() string {
	parts := make([]string, len(s.terms))
	for i, t := range s.terms {
		parts[i] = t.key + " " + t.wanted
	}
	return strings.Join(parts, ", ")
}

// selects reports whether all terms hold. A fact that is not known is the empty text.
func (s Selector) selects(x results.Facts) bool {
	for _, t := range s.terms {
		if value, _ := x.Fact(t.key); !results.Matches(value, t.wanted) {
			return false
		}
	}
	return true
}
