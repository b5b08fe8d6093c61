package algorithms

import (
	"fmt"
	"math"
	"strconv"

	"ppdp/datasets"
)

// DegreeCap says how the bound on a graph's degrees (Λ in Qardaji & Li 2012, section 5) is found:
// "max-degree", "n-1" or a whole number of at least 1.
type DegreeCap string

const (
	// CapMaxDegree is the graph's true maximum degree: one node's private value (errata G4), which the
	// paper takes for public. Whoever really knows a public bound writes it as a number.
	CapMaxDegree DegreeCap = "max-degree"
	// CapNodes is the number of nodes less one, which no degree exceeds. The number of nodes is public.
	CapNodes DegreeCap = "n-1"
)

// Validate reports a cap that is none, naming the yaml key.
func (c DegreeCap) Validate(key string) error {
	if c == CapMaxDegree || c == CapNodes {
		return nil
	}
	if n, err := strconv.Atoi(string(c)); err != nil || n < 1 || n > math.MaxInt32 {
		return fmt.Errorf("%s: %q, must be max-degree, n-1 or a whole number in [1, %d]", key, string(c), math.MaxInt32)
	}
	return nil
}

// Private reports whether the cap is read off the private graph.
func (c DegreeCap) Private() bool { return c == CapMaxDegree }

// CheckPublic returns nil for a cap that is public, else what the strict variant has to say of it, naming the yaml key.
func (c DegreeCap) CheckPublic(key string) error {
	if !c.Private() {
		return nil
	}
	return fmt.Errorf("%s: %s is a private value, must be n-1 or a public number in the strict variant (errata G4)", key, c)
}

// Of is the cap for a graph: at least 1 and, in a graph of two nodes or more, at most n-1.
func (c DegreeCap) Of(g *datasets.Graph) int {
	cap := max(1, g.Nodes()-1)
	switch c {
	case CapNodes:
	case CapMaxDegree:
		cap = max(1, g.MaxDegree())
	default:
		if n, err := strconv.Atoi(string(c)); err == nil {
			cap = max(1, min(cap, n))
		}
	}
	return cap
}
