package conformance

import (
	"fmt"
	"slices"

	"ppdp/audit"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
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
	work := audit.Words("work", datasets.QuasiIdentifier, "baker", "smith", "clerk", "astronaut")
	work.Taxonomy = &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{
		{Name: "any", Parent: -1, Children: []int{1, 2}},
		{Name: "craft", Parent: 0, Children: []int{3, 4}},
		{Name: "other", Parent: 0, Children: []int{5, 6}},
		{Name: "baker", Parent: 1}, {Name: "smith", Parent: 1},
		{Name: "clerk", Parent: 2}, {Name: "astronaut", Parent: 2},
	}}
	smoker := audit.Words("smoker", datasets.QuasiIdentifier, "no", "yes")
	smoker.Taxonomy = &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{
		{Name: "any", Parent: -1, Children: []int{1, 2}},
		{Name: "no", Parent: 0}, {Name: "yes", Parent: 0},
	}}
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "age", Low: 10, High: 50, Step: 1},
		{Name: "height", Low: 0, High: 100, Step: 6.25, Continuous: true},
		work, smoker,
		audit.Words("disease", datasets.Sensitive, "none", "flu", "gout"),
		audit.Words("pays", datasets.Class, "no", "yes"),
	}}
	stream := random.NewKey(0).Derive("conformance", "table").Stream()
	b := datasets.NewBuilder(schema, n)
	for range n {
		row := b.AddRow()
		age := stream.Uint32N(40)
		b.Set(row, 0, age)
		// Height leans on age and the class on both, so that there is something to find.
		height := float64(50*stream.Open01()) + float64(50*float64(age)/40)
		if err := b.SetNumber(row, 1, height); err != nil {
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
	stream := random.NewKey(0).Derive("conformance", "rows").Stream()
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

// input is one of the inputs that a check tries.
type input struct {
	name string
	try  try
}

// smallInputs are graphs of up to two nodes, or tables of no record, of one and of equal ones.
func smallInputs(graphs bool) []input {
	if graphs {
		return []input{{"0 nodes", try{graph: Graph(0)}}, {"1 node", try{graph: Graph(1)}},
			{"2 nodes", try{graph: Graph(2)}}}
	}
	table := Table(400)
	return []input{
		{"no rows of a table", try{table: table, rows: []int32{}}},
		{"an empty table", try{table: Table(0), rows: []int32{}}},
		{"one row of a table", try{table: table, rows: []int32{17}}},
		{"a table of one row", try{table: Table(1), rows: []int32{0}}},
		{"equal rows", try{table: table, rows: slices.Repeat([]int32{5}, 40)}},
	}
}

// oddInputs are tables whose schema is at an end of what schemas allow, or graphs whose degrees are
// at the ends of what they can be.
func oddInputs(graphs bool) []input {
	if graphs {
		return oddGraphs()
	}
	number := func(name string, cells float64) datasets.Attribute {
		return datasets.Attribute{Name: name, High: cells, Step: 1}
	}
	class := audit.Words("pays", datasets.Class, "no", "yes")
	many := make([]datasets.Attribute, 70)
	for i := range many {
		many[i] = audit.Words(fmt.Sprint("constant ", i), datasets.QuasiIdentifier, "only")
	}
	var odd []input
	for _, schema := range []struct {
		name       string
		attributes []datasets.Attribute
	}{
		{"one attribute of one number, no class", []datasets.Attribute{number("n", 1)}},
		{"one attribute of one word, no class",
			[]datasets.Attribute{audit.Words("w", datasets.QuasiIdentifier, "only")}},
		{"nothing but a class", []datasets.Attribute{class}},
		{"nothing but a sensitive attribute",
			[]datasets.Attribute{audit.Words("s", datasets.Sensitive, "a", "b")}},
		{"a class of one value",
			[]datasets.Attribute{number("n", 8), audit.Words("pays", datasets.Class, "no")}},
		{"the largest domain", []datasets.Attribute{number("n", 1<<31), class}},
		{"seventy attributes of one value", append(many, class)},
	} {
		table := audit.MadeUp(&datasets.Schema{Attributes: schema.attributes}, 40,
			random.NewKey(0).Derive("conformance", schema.name).Stream())
		odd = append(odd, input{schema.name, try{table: table, rows: table.AllRows()}})
	}
	return odd
}

func oddGraphs() []input {
	const n = 7
	var from, to []int32
	for v := int32(1); v < n; v++ {
		for u := range v {
			from, to = append(from, u), append(to, v)
		}
	}
	var odd []input
	for _, c := range []struct {
		name     string
		from, to []int32
	}{
		{"no edges", nil, nil},
		{"all edges", from, to},
		{"a star", make([]int32, n-1), []int32{1, 2, 3, 4, 5, 6}},
	} {
		g := must.Get(datasets.NewGraph(n, c.from, c.to)) // the edges are of a simple graph
		odd = append(odd, input{c.name, try{graph: g}})
	}
	return odd
}
