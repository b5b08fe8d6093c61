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

// Validate reports an invalid cap, by the yaml key that all have: lambda.
func (c Cap) Validate() error {
	if c == MaxDegree || c == Nodes || c == Estimated {
		return nil
	}
	if n, err := strconv.Atoi(string(c)); err == nil && n >= 1 && n <= math.MaxInt32 {
		return nil
	}
	return fmt.Errorf("lambda: %q, must be max-degree, n-1, private or a whole number in [1, %d]",
		string(c), math.MaxInt32)
}

// Qualify enters into a guarantee that the cap is read off the private graph without noise.
func (c Cap) Qualify(g *algorithms.Guarantee) {
	if c != MaxDegree {
		return
	}
	reason := "The maximum degree is a private value of one node: the guarantee holds only where it" +
		" is public knowledge anyway."
	if g.Variant == algorithms.Strict {
		reason += " Such releases are refused."
	}
	g.Break(reason, "G4")
}

// CheckVariant refuses under strict a cap that is not public.
func (c Cap) CheckVariant(v algorithms.Variant) error {
	if v != algorithms.Strict || c != MaxDegree {
		return nil
	}
	return fmt.Errorf("lambda: %s is one node's value, must be n-1 or a public number, or private"+
		" where an estimate is offered (errata G4)", c)
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
