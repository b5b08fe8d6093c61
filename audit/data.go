package audit

import (
	"cmp"
	"fmt"
	"slices"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/numeric/elementary"
)

// PairsOn returns neighbours of data under a guarantee's relation, on which it breaks most easily:
// without one of the rarest records, or all of its person's, or with it replaced by the commonest;
// without the edges of the largest hubs, or of a node that has few; without edges of these. The
// error names what cannot be.
func PairsOn(g algorithms.Guarantee, name string, data Data) ([]Pair, error) {
	if ofTable := g.Unit == "record" || g.Unit == "person"; ofTable != (data.Table != nil) {
		return nil, fmt.Errorf("%s does not protect what %s holds: its unit is one %s",
			g.Variant, name, g.Unit)
	}
	if data.Table != nil {
		if data.Table.Len() < 2 {
			return nil, fmt.Errorf("%s has %d records, must have at least 2", name,
				data.Table.Len())
		}
		order := byRarity(data.Table)
		common := order[len(order)-1]
		some := slices.Compact([]int32{order[0], order[1], order[len(order)/2], common})
		return withoutEach(g, name, data.Table, some, common), nil
	}
	graph := data.Graph
	if most := graph.MaxDegree(); graph.Edges() == 0 || g.MaxDegree > 0 && most > g.MaxDegree {
		return nil, fmt.Errorf("%s has %d edges and degrees up to %d, must have edges and, for "+
			"this guarantee, degrees of at most %d (0: any)", name, graph.Edges(), most,
			g.MaxDegree)
	}
	var pairs []Pair
	nodes := slices.DeleteFunc(datasets.InOrder(graph.Nodes()),
		func(v int32) bool { return graph.Degree(v) == 0 })
	slices.SortStableFunc(nodes, func(v, w int32) int { return graph.Degree(w) - graph.Degree(v) })
	for _, v := range slices.Compact([]int32{nodes[0], nodes[1], nodes[len(nodes)-1]}) {
		gone := graph.Degree(v)
		if g.Unit == "edge" {
			gone = 1
		}
		rest, err := without(graph, v, graph.Adjacent(v)[:gone])
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, Pair{A: data, B: Data{Graph: rest}, Name: fmt.Sprintf(
			"%s, %d of %d edges of a node", name, gone, graph.Degree(v))})
	}
	return pairs, nil
}

// byRarity lists the rows by how likely a record like theirs is if attributes were independent.
func byRarity(t *datasets.Table) []int32 {
	likely := make([]float64, t.Len())
	for a := range t.Schema().Attributes {
		column, counts := t.Column(a), make(map[uint32]float64)
		for row := range likely {
			counts[column.At(int32(row))]++
		}
		for row := range likely {
			likely[row] += elementary.Log(counts[column.At(int32(row))])
		}
	}
	rows := t.AllRows()
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(likely[a], likely[b]) })
	return rows
}

// withoutEach returns the pairs of a table and a neighbour without one of some records, or with the
// common one in its place.
func withoutEach(g algorithms.Guarantee, name string, t *datasets.Table, some []int32,
	common int32) (pairs []Pair) {
	for _, row := range some {
		rows, own := t.AllRows(), func(other int32) bool { return other == row }
		p := Pair{Name: fmt.Sprintf("%s, record %d of %d", name, row+1, t.Len()), A: Data{Table: t}}
		if g.Contributions > 1 {
			own = func(other int32) bool { return t.Person(other) == t.Person(row) }
			p.Name += " and all of the person's"
		}
		if !g.Replaces() {
			rows = slices.DeleteFunc(rows, own)
		} else if own(common) {
			continue
		} else {
			for i := range rows {
				if own(rows[i]) {
					rows[i] = common
				}
			}
		}
		p.B.Table = t.Select(rows)
		pairs = append(pairs, p)
	}
	return pairs
}

// without is a graph without the edges from a node to some of those adjacent to it.
func without(g *datasets.Graph, node int32, gone []int32) (*datasets.Graph, error) {
	var from, to []int32
	for v := range int32(g.Nodes()) {
		for _, w := range g.Adjacent(v) {
			if v < w && (v != node || !slices.Contains(gone, w)) &&
				(w != node || !slices.Contains(gone, v)) {
				from, to = append(from, v), append(to, w)
			}
		}
	}
	return datasets.NewGraph(g.Nodes(), from, to)
}
