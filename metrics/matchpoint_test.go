package metrics

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/datasets"
)

// TestMatchPointAgainstMatrices compares with the definition: both matrices, cell by cell.
func TestMatchPointAgainstMatrices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "records")
		draw := func(label string) []uint32 {
			most := rapid.Uint32Range(0, 4).Draw(t, label)
			clusters := make([]uint32, n)
			for i := range clusters {
				clusters[i] = rapid.Uint32Range(0, most).Draw(t, label)
			}
			return clusters
		}
		a, b := draw("a"), draw("b")
		agreed := 0
		for i := range n {
			for j := range n {
				if (a[i] == a[j]) == (b[i] == b[j]) {
					agreed++
				}
			}
		}
		if got, want := MatchPoint(a, b), float64(agreed)/float64(n*n); got != want {
			t.Fatalf("%v and %v: %v, by the matrices %v", a, b, got, want)
		}
	})
	if got := MatchPoint(nil, nil); !math.IsNaN(got) {
		t.Errorf("of no records %v, must be NaN", got)
	}
}

// grid is a table over a colour and a number, two far groups: red and low, blue and high.
func grid() *datasets.Table {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "colour", Kind: datasets.Categorical, Values: []string{"red", "green", "blue"}},
		{Name: "x", Low: 0, High: 10, Step: 1},
	}}
	b := datasets.NewBuilder(schema, 40)
	for i := range uint32(20) {
		low, high := b.AddRow(), b.AddRow()
		b.Set(low, 1, i%3)
		b.Set(high, 0, 2)
		b.Set(high, 1, 7+i%3)
	}
	return b.Table()
}

// TestMatchPoint: regions that keep two groups apart let them be found again, by both attributes or
// by the colour alone, and so do those that leave some rows out; a single region leaves one
// cluster, which agrees with two even ones on half the pairs.
func TestMatchPoint(t *testing.T) {
	table := grid()
	c := Case{Table: table, Train: table.AllRows()}
	of := func(low, high []uint32, attributes ...int) *algorithms.Regions {
		return &algorithms.Regions{Attributes: attributes, Low: low, High: high, Classes: 1,
			Counts: make([]float64, len(low)/len(attributes))}
	}
	ranks := of([]uint32{0, 0, 1, 0, 2, 0}, []uint32{1, 10, 2, 10, 3, 10}, 0, 1)
	ranks.Axes = []*datasets.Axis{table.Schema().Attributes[0].Axis(), nil}
	ranks.Nodes = []int32{1, -1, 2, -1, 3, -1}
	apart := of([]uint32{0, 0, 0, 5}, []uint32{3, 5, 3, 10}, 0, 1)
	some := of(apart.Low, apart.High, 0, 1)
	for i := range table.Len() { // rows alternate between low and high
		some.Assignment = append(some.Assignment, int32(i%2))
		if i < 7 || i%5 == 0 {
			some.Assignment[i] = -1
		}
	}
	all := []*algorithms.Regions{some, apart, ranks, of([]uint32{0, 2}, []uint32{2, 3}, 0),
		of([]uint32{0, 0}, []uint32{3, 10}, 0, 1)}
	for i, regions := range all {
		c.Release = &algorithms.Release{Regions: regions}
		wants(t, "match-point", c, nil, []float64{1, 1, 1, 1, 0.5}[i], i)
	}
	for _, c := range []Case{{Table: table, Release: c.Release},
		inRegions(table, &algorithms.Regions{Attributes: []int{0, 1}, Classes: 1,
			Assignment: slices.Repeat([]int32{-1}, table.Len())})} {
		undefined(t, "match-point", c)
	}
	refuses(t, "match-point", Case{Table: table, Release: &algorithms.Release{}}, "no regions")
}

// TestMatchPointWeighsRegions: with one colour a region the two tables say the same. Of three
// orthogonal groups the two smallest end up together, so that clusters can only agree for all six
// orders of the sizes if sizes count.
func TestMatchPointWeighsRegions(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{{Name: "colour",
		Kind: datasets.Categorical, Values: []string{"red", "green", "blue"}}}}
	for _, sizes := range [][3]int{{100, 30, 5}, {100, 5, 30}, {30, 100, 5}, {30, 5, 100},
		{5, 100, 30}, {5, 30, 100}} {
		b := datasets.NewBuilder(schema, 0)
		for colour, size := range sizes {
			for range size {
				b.AddRow(uint32(colour))
			}
		}
		table := b.Table()
		q := &algorithms.Regions{Attributes: []int{0}, Low: []uint32{0, 1, 2},
			High: []uint32{1, 2, 3}, Classes: 1, Counts: make([]float64, 3)}
		wants(t, "match-point", inRegions(table, q), nil, 1, sizes)
	}
}
