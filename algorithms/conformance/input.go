package conformance

import (
	"ppdp/datasets"
	"ppdp/privacy"
)

// The attribute of Table in which one value is rare, and that value's code.
const (
	rareAttribute = 2
	rareCode      = 3
)

// rareRow is the one row of Table that holds the rare value.
const rareRow = 11

// Table is the suite's input: n rows over integer, continuous, nominal, sensitive and class
// attributes, with a taxonomy where there is a choice and one value that a single row holds. It is
// made from a fixed key and is the same everywhere.
func Table(n int) *datasets.Table {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "age", Low: 10, High: 50, Step: 1},
		{Name: "height", Low: 0, High: 100, Step: 6.25, Continuous: true},
		{Name: "work", Kind: datasets.Categorical, Values: []string{"baker", "smith", "clerk", "astronaut"}, Taxonomy: &datasets.Taxonomy{
			Nodes: []datasets.TaxonomyNode{
				{Name: "any", Parent: -1, Children: []int{1, 2}},
				{Name: "craft", Parent: 0, Children: []int{3, 4}},
				{Name: "other", Parent: 0, Children: []int{5, 6}},
				{Name: "baker", Parent: 1}, {Name: "smith", Parent: 1}, {Name: "clerk", Parent: 2}, {Name: "astronaut", Parent: 2},
			},
		}},
		{Name: "smoker", Kind: datasets.Categorical, Values: []string{"no", "yes"}, Taxonomy: &datasets.Taxonomy{
			Nodes: []datasets.TaxonomyNode{{Name: "any", Parent: -1, Children: []int{1, 2}}, {Name: "no", Parent: 0}, {Name: "yes", Parent: 0}},
		}},
		{Name: "disease", Kind: datasets.Categorical, Values: []string{"none", "flu", "gout"}, Role: datasets.Sensitive},
		{Name: "pays", Kind: datasets.Categorical, Values: []string{"no", "yes"}, Role: datasets.Class},
	}}
	stream := privacy.NewKey(0).Derive("conformance", "table").Stream()
	b := datasets.NewBuilder(schema, n)
	for range n {
		row := b.AddRow()
		age := stream.Uint32N(40)
		b.Set(row, 0, age)
		// Height leans on age and the class on both, so that there is something to find.
		if err := b.SetNumber(row, 1, 50*stream.Open01()+50*float64(age)/40); err != nil {
			panic(err) // the bounds above hold for every draw
		}
		b.Set(row, 2, stream.Uint32N(3))
		if row == rareRow {
			b.Set(row, 2, rareCode)
		}
		smoker := stream.Uint32N(2)
		b.Set(row, 3, smoker)
		b.Set(row, 4, stream.Uint32N(3))
		if stream.Uint32N(50) < age+10*smoker {
			b.Set(row, 5, 1)
		}
	}
	return b.Table()
}

// someRows are three quarters of a table's rows in a shuffled order, the rare row among them.
func someRows(table *datasets.Table) []int32 {
	rows := table.AllRows()
	stream := privacy.NewKey(0).Derive("conformance", "rows").Stream()
	stream.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	for i, row := range rows {
		if row == rareRow {
			rows[0], rows[i] = rows[i], rows[0]
		}
	}
	return rows[:len(rows)*3/4]
}

// Graph is the suite's graph of n nodes: a ring with a hub joined to every third node.
func Graph(n int) *datasets.Graph {
	linked := func(u, v int) bool {
		u, v = min(u, v), max(u, v)
		return u != v && (v == u+1 || u == 0 && (v == n-1 || v%3 == 0))
	}
	g := &datasets.Graph{Offsets: []int64{0}}
	for u := range n {
		for v := range n {
			if linked(u, v) {
				g.Neighbours = append(g.Neighbours, int32(v))
			}
		}
		g.Offsets = append(g.Offsets, int64(len(g.Neighbours)))
	}
	return g
}
