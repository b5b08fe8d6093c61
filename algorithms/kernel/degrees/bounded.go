package degrees

import (
	"context"
	"fmt"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/privacy"
)

// Bounded is a graph's degrees up to a bound, lowered to it or those of the graph's projection, in
// a form that counts an interval in constant time.
type Bounded struct {
	Nodes int
	Bound int // the largest degree
	Most  int // degree in a neighbouring graph: the bound or the largest before lowering
	// Table[d] is the number of nodes of degree below d before lowering; its last entry counts them
	// all.
	Table []int
}

// Bound returns the degrees that are released: the graph's own, lowered to the cap, or, where that
// is private, those of its projection by a bound that is chosen at a charge to the path
// (ChooseBound).
func Bound(ctx context.Context, in *algorithms.Input, path *privacy.Path, most Cap,
	cost func(bound int, rest float64) float64) (*Bounded, error) {
	if most != Estimated {
		return Lowered(in.Graph, most.Of(in.Graph)), nil
	}
	bound, err := ChooseBound(ctx, in, path, "degree bound", most, cost)
	if err != nil {
		return nil, err
	}
	// A node moves as much there as in a graph whose largest degree is the bound.
	return &Bounded{Nodes: in.Graph.Nodes(), Bound: bound, Most: min(in.Graph.Nodes()-1, bound),
		Table: tabled(in.Graph, bound)}, nil
}

type tableKey struct{ bound int }

// tabled tabulates the degrees of a graph's projection, once for each bound.
func tabled(g *datasets.Graph, bound int) []int {
	return datasets.Derived(g, tableKey{bound}, func() []int {
		table := make([]int, bound+2)
		for d, n := range Project(g, bound).Counts {
			table[d+1] = table[d] + int(n)
		}
		return table
	})
}

// Lowered are a graph's degrees: its projection by the largest of them keeps every edge.
func Lowered(g *datasets.Graph, bound int) *Bounded {
	return &Bounded{Nodes: g.Nodes(), Bound: bound,
		Most: min(g.Nodes()-1, max(bound, g.MaxDegree())), Table: tabled(g, g.MaxDegree())}
}

// Below is the number of nodes of degree less than d.
func (b *Bounded) Below(d int) int {
	switch {
	case d > b.Bound || d >= len(b.Table):
		return b.Nodes
	case d < 0:
		return 0
	}
	return b.Table[d]
}

// Within is the number of nodes whose degree is in [low, high].
func (b *Bounded) Within(low, high int) int { return b.Below(high+1) - b.Below(low) }

// Warnings report that some degrees were lowered to lambda, and what that means where noise is to
// cover the influence of a whole node. Warnings are nil where no degree was lowered.
func (b *Bounded) Warnings(node bool) []string {
	lowered := b.Nodes - b.Table[min(b.Bound+1, len(b.Table)-1)]
	if lowered == 0 {
		return nil
	}
	warning := fmt.Sprintf("%d degrees above lambda = %d were lowered to it", lowered, b.Bound)
	if node {
		warning += "; the node guarantee covers only graphs without such degrees"
	}
	return []string{warning}
}
