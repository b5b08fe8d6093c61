package rpsgraph

import (
	"ppdp/algorithms/kernel/degrees"
	"ppdp/datasets"
	"ppdp/numeric/elementary"
)

// degreeTable is a graph's degrees, lowered to lambda or projected, in a form that counts an
// interval in constant time.
type degreeTable struct {
	nodes  int
	lambda int // the largest degree
	most   int // degree in a neighbouring graph: lambda or the largest before lowering
	// table[d] is the number of nodes of degree below d before lowering; its last entry counts them
	// all.
	table []int
}

type tableKey struct{ projected int }

// projectedDegrees tabulates the degrees of a graph's projection, once for each bound. A node moves
// as much there as in a graph whose largest degree is the bound.
func projectedDegrees(g *datasets.Graph, bound int) degreeTable {
	table := datasets.Derived(g, tableKey{bound}, func() []int {
		table := make([]int, bound+2)
		for d, n := range degrees.Project(g, bound).Counts {
			table[d+1] = table[d] + int(n)
		}
		return table
	})
	return degreeTable{nodes: g.Nodes(), lambda: bound, most: min(g.Nodes()-1, bound), table: table}
}

// degreesOf tabulates a graph's degrees, once for each graph.
func degreesOf(g *datasets.Graph, lambda int) degreeTable {
	table := datasets.Derived(g, tableKey{}, func() []int {
		table := make([]int, g.MaxDegree()+2)
		for _, d := range g.DegreeSequence() {
			table[d+1]++
		}
		for d := 1; d < len(table); d++ {
			table[d] += table[d-1]
		}
		return table
	})
	return degreeTable{nodes: g.Nodes(), lambda: lambda,
		most: min(g.Nodes()-1, max(lambda, g.MaxDegree())), table: table}
}

// below is the number of nodes of degree less than d.
func (s *degreeTable) below(d int) int {
	switch {
	case d > s.lambda:
		return s.nodes
	case d >= len(s.table):
		return s.nodes
	case d < 0:
		return 0
	}
	return s.table[d]
}

// within is the number of nodes whose degree is in [low, high].
func (s *degreeTable) within(low, high int) int { return s.below(high+1) - s.below(low) }

// boundBlock is how many distances are skipped together where none of them can matter.
const boundBlock = 64

// smooth is the β-smooth upper bound at one degree c: the largest e^(-βt)·min(Λ+1, 1+t+W(c, t))
// over t ≥ 0, W(c, t) being the number of nodes whose degree is within t of c. The count of nodes
// of degree a to b-1 has the largest of the bounds at a-1, a, b-1 and b (errata G3): isolating a
// node takes it away and may take out neighbours of degree a or bring in neighbours of degree b;
// adding edges to one, those of a-1 and b-1; t changes away every other degree has moved by at most
// t and t nodes are arbitrary.
func (s *degreeTable) smooth(c int, beta float64) float64 {
	most := s.lambda + 1
	local := func(t int) int { return min(most, 1+t+s.within(c-t, c+t)) }
	best := 0.0
	for t := 0; ; t += boundBlock {
		decay := elementary.Exp(float64(-beta * float64(t)))
		if float64(decay*float64(most)) <= best {
			return best
		}
		if float64(decay*float64(local(t+boundBlock-1))) <= best {
			continue
		}
		for k := t; k < t+boundBlock; k++ {
			l := local(k)
			best = max(best, float64(elementary.Exp(float64(-beta*float64(k)))*float64(l)))
			if l == most { // it grows no more
				return best
			}
		}
	}
}
