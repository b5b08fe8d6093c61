// Package testinput holds the tables and graphs that several baselines are tested on: Adult and the
// networks of the papers where they are present, generated tables, random graphs. Only tests import
// it.
package testinput

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/disclosure"
	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/datasets/discrete"
	_ "ppdp/datasets/graph" // the networks
	"ppdp/internal/must"
	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// Network loads one of the four networks of Qardaji & Li 2012 from $PPDP_DATA, or skips the test.
func Network(tb testing.TB, name string) *datasets.Graph {
	tb.Helper()
	source := must.Get(datasets.Lookup(name))
	return load(tb, source, datasets.Request{Files: files(tb)}).Graph
}

// Graph is a simple graph of the edges {from[i], to[i]}.
func Graph(tb testing.TB, nodes int, from, to []int32) *datasets.Graph {
	tb.Helper()
	return must.Get(datasets.NewGraph(nodes, from, to))
}

// SkewedGraph is a path of n nodes in which node v is also joined to node √v. Most degrees are 3,
// the largest about 2√n.
func SkewedGraph(tb testing.TB, n int) *datasets.Graph {
	tb.Helper()
	var from, to []int32
	for v := range int32(n - 1) {
		from, to = append(from, v), append(to, v+1)
		if root := int32(math.Sqrt(float64(v + 1))); root < v {
			from, to = append(from, root), append(to, v+1)
		}
	}
	return Graph(tb, n, from, to)
}

// DrawGraph draws a simple graph of 1 to most nodes.
func DrawGraph(t *rapid.T, most int) *datasets.Graph {
	n := rapid.IntRange(1, most).Draw(t, "nodes")
	var from, to []int32
	for u := range n {
		for v := u + 1; v < n; v++ {
			if rapid.Bool().Draw(t, "edge") {
				from, to = append(from, int32(u)), append(to, int32(v))
			}
		}
	}
	return must.Get(datasets.NewGraph(n, from, to))
}

// W2 is the second Wasserstein distance of two sorted sequences of equal length.
func W2(a, b []int32) float64 {
	sum := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += float64(d * d)
	}
	return math.Sqrt(sum / float64(len(a)))
}

// Law is the exponential mechanism's: chances in proportion to exp(rate·score).
func Law(scores []float64, rate float64) []float64 {
	law, best, sum := make([]float64, len(scores)), math.Inf(-1), 0.0
	for _, score := range scores {
		best = max(best, score)
	}
	for i, score := range scores {
		law[i] = elementary.Exp(rate * (score - best))
		sum += law[i]
	}
	for i := range law {
		law[i] /= sum
	}
	return law
}

// ChiSquare is the statistic of counts whose expectations are in proportion to weights; nil weights
// mean equal expectations.
func ChiSquare(counts, weights []float64) (statistic float64) {
	if weights == nil {
		weights = slices.Repeat([]float64{1}, len(counts))
	}
	n, sum := 0.0, 0.0
	for i, weight := range weights {
		n, sum = n+counts[i], sum+weight
	}
	for i, weight := range weights {
		expected := n * weight / sum
		statistic += (counts[i] - expected) * (counts[i] - expected) / expected
	}
	return statistic
}

// TB is what these helpers need of a test, a benchmark or a rapid check.
type TB interface {
	Helper()
	Fatal(...any)
}

// Input is all rows of a table, with a budget of epsilon and the noise of a seed.
func Input(table *datasets.Table, params algorithms.Params, variant algorithms.Variant,
	epsilon float64, seed uint64) algorithms.Input {
	in := GraphInput(nil, params, variant, epsilon, seed)
	in.Table, in.Rows = table, table.AllRows()
	return in
}

// GraphInput is a graph, with a budget of epsilon and the noise of a seed.
func GraphInput(g *datasets.Graph, params algorithms.Params, variant algorithms.Variant,
	epsilon float64, seed uint64) algorithms.Input {
	return algorithms.Input{Graph: g, Params: params, Variant: variant,
		Budget: privacy.NewBudget(epsilon), Noise: random.NewStreams(random.NewKey(seed))}
}

// Release makes a release and draws its records.
func Release(t TB, a algorithms.Algorithm, in algorithms.Input) *algorithms.Release {
	t.Helper()
	r := LazyRelease(t, a, in)
	if _, _, err := r.Records(context.Background()); err != nil {
		t.Fatal(err)
	}
	return r
}

// LazyRelease makes a release and does not draw its records.
func LazyRelease(t TB, a algorithms.Algorithm, in algorithms.Input) *algorithms.Release {
	t.Helper()
	return must.Get(a.Release(context.Background(), in))
}

// sensitiveValues is how many values the sensitive attribute of Sensitive has.
const sensitiveValues = 4

// Sensitive is a table of n rows over attributes x0, x1, ... of the given numbers of cells, with
// binary hierarchies, and a sensitive attribute of four values. Up to three rows next to each other
// are a person's. draw draws a number below n.
func Sensitive(draw func(n int) int, n int, cells ...int) *datasets.Table {
	schema := &datasets.Schema{Contributions: draw(4)}
	for d, c := range cells {
		schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: fmt.Sprint("x", d),
			High: float64(c), Step: 1, Hierarchy: datasets.BinaryHierarchy(c)})
	}
	schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: "s",
		High: sensitiveValues, Step: 1, Role: datasets.Sensitive})
	b := datasets.NewBuilder(schema, n)
	for range n {
		row := b.AddRow()
		for i := range schema.Attributes {
			b.Set(row, i, uint32(draw(schema.Attributes[i].Cells())))
		}
	}
	return b.Table()
}

// Draw draws numbers below n for Sensitive.
func Draw(t *rapid.T) func(n int) int {
	return func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "below") }
}

// DrawLimits draws limits at equal distances.
func DrawLimits(draw func(n int) int) disclosure.Limits {
	return disclosure.Limits{L: 1 + draw(3), C: []float64{.7, 1, 2.5}[draw(3)],
		T: []float64{.15, .25, .4, 1, 1}[draw(5)], Distance: disclosure.Equal,
		Diversity: []disclosure.Diversity{disclosure.Distinct, disclosure.Entropy,
			disclosure.Recursive}[draw(3)]}
}

// Keeps reports whether rows of a table of Sensitive are of k persons and keep limits beside all
// that is published, straight from the definitions of the three forms of l-diversity and of
// t-closeness at equal and ordered distance.
func Keeps(table *datasets.Table, rows, published []int32, k int, limits *disclosure.Limits) bool {
	persons := make(map[int32]bool)
	for _, row := range rows {
		persons[row/int32(max(1, table.Schema().Contributions))] = true
	}
	shares := func(rows []int32) (of [sensitiveValues]float64) {
		for _, row := range rows {
			column := table.Column(len(table.Schema().Attributes) - 1)
			of[column.At(row)] += 1 / float64(len(rows))
		}
		return of
	}
	class, all := shares(rows), shares(published)
	entropy, equal, ordered, sum, occur := 0.0, 0.0, 0.0, 0.0, 0.0
	for value, share := range class {
		if share > 0 {
			entropy -= float64(share * elementary.Log(share))
		}
		equal += float64(math.Abs(share-all[value]) / 2)
		if sum += share - all[value]; all[value] > 0 {
			ordered += math.Abs(sum)
			occur++
		}
	}
	distance := equal
	if limits.Distance == disclosure.Ordered {
		distance = ordered / max(1, occur-1)
	}
	slices.Sort(class[:])
	slices.Reverse(class[:])
	diverse, tail := class[limits.L-1] > 0, 0.0
	for _, share := range class[limits.L-1:] {
		tail += share
	}
	const rounding = 1e-9
	switch {
	case limits.L == 1:
	case limits.Diversity == disclosure.Entropy:
		diverse = entropy > elementary.Log(float64(limits.L))-rounding
	case limits.Diversity == disclosure.Recursive:
		diverse = diverse && class[0] < float64(limits.C*tail)-rounding
	}
	return len(persons) >= k && diverse && distance <= limits.T+rounding
}

// Publish deletes the classes that may not be published: those of fewer than k persons, then all
// that break a limit beside those that remain, until none does. It returns how many rows they
// have, and the discernibility: the sum of the squares of the others' sizes, and the table's size
// for each row left out.
func Publish(table *datasets.Table, classes map[string][]int32, k int,
	limits *disclosure.Limits) (suppressed int, cost int64) {
	none := disclosure.NoLimits()
	for key, rows := range classes { // order-free: each for itself
		if !Keeps(table, rows, rows, k, &none) {
			delete(classes, key)
		}
	}
	for again := true; again; {
		var published []int32
		for _, rows := range classes { // order-free: only counts matter
			published = append(published, rows...)
		}
		again = false
		for key, rows := range classes { // order-free: all beside the same
			if !Keeps(table, rows, published, k, limits) {
				delete(classes, key)
				again = true
			}
		}
		suppressed = table.Len() - len(published)
	}
	cost = int64(suppressed) * int64(table.Len())
	for _, rows := range classes { // order-free: a sum of whole numbers
		cost += int64(len(rows)) * int64(len(rows))
	}
	return suppressed, cost
}

// Adult loads a selection of the Adult table from $PPDP_DATA, or skips the test.
func Adult(tb testing.TB, selection string) *datasets.Table {
	tb.Helper()
	request := datasets.Request{Params: &adult.Params{Select: selection}, Files: files(tb)}
	return load(tb, adult.Source, request).Table
}

// Discrete is the table of LeFevre et al. 2006 of a shape: 5 attributes of 8 cells, the same table
// on every call.
func Discrete(tb testing.TB, shape string, rows int) *datasets.Table {
	tb.Helper()
	params := discrete.Source.Params().(*discrete.Params)
	params.N, params.Shape = rows, shape
	return load(tb, discrete.Source, datasets.Request{Params: params,
		Key: random.NewKey(3)}).Table
}

// Table has a schema and rows that list the attributes' codes.
func Table(schema *datasets.Schema, rows ...[]uint32) *datasets.Table {
	b := datasets.NewBuilder(schema, len(rows))
	for _, codes := range rows {
		b.AddRow(codes...)
	}
	return b.Table()
}

// Numbers is a table of integer attributes with the given numbers of cells. Rows list the
// attributes' codes; with classes > 0 a last code is the class.
func Numbers(classes int, cells []int, rows ...[]uint32) *datasets.Table {
	schema := &datasets.Schema{}
	for i, n := range cells {
		schema.Attributes = append(schema.Attributes,
			datasets.Attribute{Name: fmt.Sprint("a", i), High: float64(n), Step: 1})
	}
	if classes > 0 {
		schema.Attributes = append(schema.Attributes, Class(classes))
	}
	return Table(schema, rows...)
}

// Line is a table of one integer attribute with the given number of cells, and a row for each code.
func Line(cells int, codes ...uint32) *datasets.Table {
	rows := make([][]uint32, len(codes))
	for i, code := range codes {
		rows[i] = []uint32{code}
	}
	return Numbers(0, []int{cells}, rows...)
}

// Class is a class attribute of values y0, y1 and so on.
func Class(values int) datasets.Attribute {
	class := datasets.Attribute{Name: "class", Kind: datasets.Categorical, Role: datasets.Class}
	for y := range values {
		class.Values = append(class.Values, fmt.Sprint("y", y))
	}
	return class
}

// Wide is a table of attributes of 2 to 10 values, the same on every call. Each follows one of six
// factors in seven of ten rows, so that the attributes of a factor depend on each other.
func Wide(attributes, rows int) *datasets.Table {
	const factors, most = 6, 10
	cells := make([]int, attributes)
	for a := range cells {
		cells[a] = 2 + a*7%(most-1)
	}
	stream := random.NewKey(1).Stream()
	table := make([][]uint32, rows)
	for row := range table {
		var factor [factors]int
		for f := range factor {
			factor[f] = stream.IntN(most)
		}
		table[row] = make([]uint32, attributes)
		for a, size := range cells {
			x := factor[a%factors]
			if stream.IntN(10) >= 7 {
				x = stream.IntN(most)
			}
			table[row][a] = uint32(x * size / most)
		}
	}
	return Numbers(0, cells, table...)
}

// DrawRows draws up to most rows of a schema's codes.
func DrawRows(t *rapid.T, schema *datasets.Schema, most int) [][]uint32 {
	rows := make([][]uint32, rapid.IntRange(0, most).Draw(t, "rows"))
	for i := range rows {
		for a := range schema.Attributes {
			cells := schema.Attributes[a].Cells()
			rows[i] = append(rows[i], uint32(rapid.IntRange(0, cells-1).Draw(t, "code")))
		}
	}
	return rows
}

// DrawBins draws no bins, or the ends of up to eight that cover a number of cells.
func DrawBins(t *rapid.T, cells int) []uint32 {
	if rapid.Bool().Draw(t, "equal") {
		return nil
	}
	ends := rapid.SliceOfNDistinct(rapid.IntRange(1, cells), 0, min(7, cells),
		rapid.ID[int]).Draw(t, "ends")
	if !slices.Contains(ends, cells) {
		ends = append(ends, cells)
	}
	slices.Sort(ends)
	codes := make([]uint32, len(ends))
	for i, end := range ends {
		codes[i] = uint32(end)
	}
	return codes
}

// files are the files below $PPDP_DATA; without it the test is skipped.
func files(tb testing.TB) datasets.Files {
	tb.Helper()
	dir := os.Getenv("PPDP_DATA")
	if dir == "" {
		tb.Skip("PPDP_DATA is not set: no real data")
	}
	return datasets.Files{Dirs: []string{dir}}
}

func load(tb testing.TB, source datasets.Source, request datasets.Request) *datasets.Dataset {
	tb.Helper()
	return must.Get(source.Load(context.Background(), request))
}
