package degrees

import (
	"fmt"
	"math"
	"strconv"

	"ppdp/algorithms"
	"ppdp/datasets"
)

// Cap says how the bound on a graph's degrees (Λ in Qardaji & Li 2012, section 5) is found:
// "max-degree", "n-1", "private" or a whole number of at least 1.
type Cap string

const (
	// MaxDegree is the graph's true maximum degree: one node's private value (errata G4), which the
	// paper treats as public. A bound that really is public is written as a number.
	MaxDegree Cap = "max-degree"
	// Nodes is the number of nodes less one, which no degree exceeds. The number of nodes is
	// public.
	Nodes Cap = "n-1"
	// Estimated is a private estimate (see ChooseBound), by which the graph is projected. Not every
	// algorithm has it.
	Estimated Cap = "private"
)

// Validate reports an invalid cap, naming the yaml key.
func (c Cap) Validate(key string) error {
	if c == MaxDegree || c == Nodes || c == Estimated {
		return nil
	}
	if n, err := strconv.Atoi(string(c)); err == nil && n >= 1 && n <= math.MaxInt32 {
		return nil
	}
	return fmt.Errorf("%s: %q, must be max-degree, n-1, private or a whole number in [1, %d]",
		key, string(c), math.MaxInt32)
}

// Leaks reports whether the cap is read off the private graph without noise.
func (c Cap) Leaks() bool { return c == MaxDegree }

// CheckPublic returns nil for a public cap, else the error of the strict variant, naming the yaml
// key.
func (c Cap) CheckPublic(key string) error {
	if !c.Leaks() {
		return nil
	}
	return fmt.Errorf("%s: %s is one node's value, must be n-1 or a public number, or private"+
		" where an estimate is offered (errata G4)", key, c)
}

// Restrict adds to a guarantee that it is for degrees of at most the cap, where that is a number.
func (c Cap) Restrict(g *algorithms.Guarantee) {
	if n, err := strconv.Atoi(string(c)); err == nil {
		g.MaxDegree = n
		g.Relation += ", degrees at most " + string(c)
	}
}

// Of is the cap for a graph: at least 1 and, in a graph of two nodes or more, at most n-1. Before
// it is estimated nothing but n-1 is known.
func (c Cap) Of(g *datasets.Graph) int {
	bound := max(1, g.Nodes()-1)
	switch c {
	case Nodes, Estimated:
	case MaxDegree:
		bound = max(1, g.MaxDegree())
	default:
		if n, err := strconv.Atoi(string(c)); err == nil {
			bound = max(1, min(bound, n))
		}
	}
	return bound
}

// LoweredWarning reports that some degrees were lowered to lambda, and what that means where noise
// is to cover the influence of a whole node. There is no warning where none were.
func LoweredWarning(lowered, lambda int, node bool) []string {
	if lowered == 0 {
		return nil
	}
	warning := fmt.Sprintf("%d degrees above lambda = %d were lowered to it", lowered, lambda)
	if node {
		warning += "; the node guarantee covers only graphs without such degrees"
	}
	return []string{warning}
}
