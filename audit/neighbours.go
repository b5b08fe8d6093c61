package audit

import (
	"fmt"
	"slices"
	"strings"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/random"
)

// Data is one of two neighbouring inputs: a table or a graph, the other is nil.
type Data struct {
	Table *datasets.Table
	Graph *datasets.Graph
}

// Pair is two neighbouring inputs.
type Pair struct {
	Name string
	A, B Data
}

// Pairs returns neighbours under a guarantee's relation, on which it breaks if it breaks anywhere:
// a record alone in its cell or its class, the corners of the domain, duplicates, ties, the empty
// table; hubs, isolated nodes, stars and cliques. The error names a relation without a generator.
func Pairs(g algorithms.Guarantee) ([]Pair, error) {
	var pairs []Pair
	switch {
	case g.Unit == "record" && g.Relation == algorithms.AddOrRemoveRecord:
		return tablePairs(func(rows [][]uint32, at int) [][]uint32 {
			return slices.Delete(slices.Clone(rows), at, at+1)
		}), nil
	case g.Unit == "record" && g.Relation == algorithms.ReplaceRecord:
		return tablePairs(func(rows [][]uint32, at int) [][]uint32 {
			changed := slices.Clone(rows)
			changed[at] = corner(1)
			if slices.Equal(rows[at], changed[at]) {
				changed[at] = corner(0)
			}
			return changed
		}), nil
	case g.Unit == "node":
		pairs = nodePairs()
	case g.Unit == "edge":
		pairs = edgePairs(max(1, g.Edges))
	}
	pairs = slices.DeleteFunc(pairs, func(p Pair) bool {
		return g.MaxDegree > 0 && max(p.A.Graph.MaxDegree(), p.B.Graph.MaxDegree()) > g.MaxDegree
	})
	if len(pairs) == 0 {
		return nil, fmt.Errorf("no neighbours are known for the unit %q and the relation %q, must "+
			"be record with %q or %q, or node, or edge", g.Unit, g.Relation,
			algorithms.AddOrRemoveRecord, algorithms.ReplaceRecord)
	}
	return pairs, nil
}

// schema is that of all tables here: so few cells that all are hit, and an attribute of each kind.
func schema() *datasets.Schema {
	work := datasets.Attribute{Name: "work", Kind: datasets.Categorical,
		Values: []string{"baker", "smith", "clerk", "astronaut"}, Role: datasets.QuasiIdentifier,
		Taxonomy: &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{
			{Name: "any", Parent: -1, Children: []int{1, 4}},
			{Name: "craft", Parent: 0, Children: []int{2, 3}},
			{Name: "baker", Parent: 1}, {Name: "smith", Parent: 1},
			{Name: "other", Parent: 0, Children: []int{5, 6}},
			{Name: "clerk", Parent: 4}, {Name: "astronaut", Parent: 4},
		}}}
	return &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "age", Low: 10, High: 20, Step: 1},
		{Name: "height", Low: 0, High: 4, Step: 1, Continuous: true},
		work,
		{Name: "pays", Kind: datasets.Categorical, Values: []string{"no", "yes"},
			Role: datasets.Class},
	}}
}

// domain is how many codes each attribute of schema has.
var domain = []uint32{10, 4, 4, 2}

// corner is the lowest or the highest code of every attribute.
func corner(high uint32) []uint32 {
	row := make([]uint32, len(domain))
	for i, n := range domain {
		row[i] = high * (n - 1)
	}
	return row
}

func table(rows [][]uint32) *datasets.Table {
	b := datasets.NewBuilder(schema(), len(rows))
	for _, codes := range rows {
		row := b.AddRow()
		for i, code := range codes {
			b.Set(row, i, code)
		}
	}
	return b.Table()
}

// tablePairs makes pairs from tables by what neighbour does to one of their records.
func tablePairs(neighbour func(rows [][]uint32, at int) [][]uint32) []Pair {
	stream := random.NewKey(0).Derive("audit", "tables").Stream()
	drawn := func(n int) [][]uint32 {
		rows := make([][]uint32, n)
		for i := range rows {
			for _, cells := range domain {
				rows[i] = append(rows[i], stream.Uint32N(cells))
			}
		}
		return rows
	}
	repeated := func(row []uint32, n int) [][]uint32 { return slices.Repeat([][]uint32{row}, n) }
	low, high, middle := corner(0), corner(1), []uint32{5, 2, 1, 0}
	lone := drawn(20) // of one class but for the last record
	for i := range lone {
		lone[i][3] = 0
	}
	lone[19][3] = 1
	ties := append(repeated([]uint32{4, 1, 0, 0}, 8), repeated([]uint32{5, 2, 3, 1}, 8)...)
	var pairs []Pair
	add := func(name string, rows [][]uint32, at ...int) {
		for _, i := range at {
			pairs = append(pairs, Pair{fmt.Sprintf("%s, record %d of %d", name, i+1, len(rows)),
				Data{Table: table(rows)}, Data{Table: table(neighbour(rows, i))}})
		}
	}
	add("a single record", [][]uint32{middle}, 0)
	add("two records", [][]uint32{low, high}, 0, 1)
	add("equal records", repeated(middle, 12), 0, 11)
	add("alone in the lowest corner", append(repeated(high, 15), low), 15)
	add("alone in the highest corner", append(repeated(low, 15), high), 15)
	add("alone in its class", lone, 19)
	add("a tie at the median", ties, 7, 8)
	add("duplicates", append(drawn(10), slices.Repeat([][]uint32{middle}, 5)...), 12)
	for _, n := range []int{5, 20, 40} {
		add("random", drawn(n), 0, n/2, n-1)
	}
	return pairs
}

// nodePairs makes graphs of which one node has its edges or none. The number of nodes is public.
func nodePairs() []Pair {
	var pairs []Pair
	add := func(name string, nodes int, edges [][2]int32, node int32) {
		rest := slices.DeleteFunc(slices.Clone(edges), func(e [2]int32) bool {
			return e[0] == node || e[1] == node
		})
		pairs = append(pairs, Pair{name, Data{Graph: graph(nodes, edges)},
			Data{Graph: graph(nodes, rest)}})
	}
	for name, edges := range graphs() { // order-free: sorted below
		add(name+", its hub", 12, edges, 0)
		add(name+", its last node", 12, edges, 11)
	}
	var joined [][2]int32 // an isolated node joined to all of a ring
	for i := range int32(11) {
		joined = append(joined, [2]int32{i, (i + 1) % 11}, [2]int32{i, 11})
	}
	add("a ring and a node joined to all of it", 12, joined, 11)
	slices.SortFunc(pairs, func(a, b Pair) int { return strings.Compare(a.Name, b.Name) })
	return pairs
}

// edgePairs makes graphs that differ in up to the given number of edges.
func edgePairs(edges int) []Pair {
	var pairs []Pair
	for name, all := range graphs() { // order-free: sorted below
		for _, at := range []int{0, len(all) / 2, len(all) - 1} {
			rest := slices.Delete(slices.Clone(all), at, min(len(all), at+edges))
			pairs = append(pairs, Pair{fmt.Sprintf("%s, edge %d", name, at+1),
				Data{Graph: graph(12, all)}, Data{Graph: graph(12, rest)}})
		}
	}
	slices.SortFunc(pairs, func(a, b Pair) int { return strings.Compare(a.Name, b.Name) })
	return pairs
}

// graphs are the edges of graphs of twelve nodes.
func graphs() map[string][][2]int32 {
	all := make(map[string][][2]int32)
	for i := range int32(11) {
		all["a star"] = append(all["a star"], [2]int32{0, i + 1})
		for j := range i {
			all["a clique"] = append(all["a clique"], [2]int32{j, i})
		}
	}
	all["one edge"] = [][2]int32{{0, 11}}
	all["a path"] = [][2]int32{{0, 1}, {1, 2}, {2, 3}, {3, 11}}
	stream := random.NewKey(0).Derive("audit", "graphs").Stream()
	for i := range int32(12) {
		for j := range i {
			if stream.Uint32N(3) == 0 {
				all["a random graph"] = append(all["a random graph"], [2]int32{j, i})
			}
		}
	}
	return all
}

func graph(nodes int, edges [][2]int32) *datasets.Graph {
	var from, to []int32
	for _, e := range edges {
		from, to = append(from, e[0]), append(to, e[1])
	}
	g, err := datasets.NewGraph(nodes, from, to)
	if err != nil {
		panic(err) // the edges above are sound
	}
	return g
}
