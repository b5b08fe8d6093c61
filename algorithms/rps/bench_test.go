package rps

import (
	"fmt"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/datasets"
	"ppdp/numeric/random"
)

// adultShape is a table with the sizes of Adult: ten attributes with the domains of the RPS paper
// and a binary class, n rows. Values are skewed and the class depends on two of them, as in census
// data.
func adultShape(n int) *datasets.Table {
	schema := &datasets.Schema{}
	for i, cells := range []float64{74, 7, 16, 7, 14, 6, 5, 2, 99, 41} {
		schema.Attributes = append(schema.Attributes,
			datasets.Attribute{Name: string(rune('a' + i)), High: cells, Step: 1})
	}
	schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: "class",
		Kind: datasets.Categorical, Role: datasets.Class, Values: []string{"no", "yes"}})
	stream := random.NewKey(1).Stream()
	b := datasets.NewBuilder(schema, n)
	for range n {
		row := b.AddRow()
		yes := 0.1
		for i := range schema.Attributes[:10] {
			cells := schema.Attributes[i].Cells()
			u := stream.Open01()
			code := uint32(u * u * float64(cells))
			b.Set(row, i, code)
			if (i == 0 || i == 2) && int(code)*4 > cells {
				yes += 0.3
			}
		}
		if stream.Open01() < yes {
			b.Set(row, 10, 1)
		}
	}
	return b.Table()
}

// BenchmarkRelease is the setting of Fig. 3 on a table of Adult's shape; levels and stop tests as
// by default. nodes/op is the size of the tree.
func BenchmarkRelease(b *testing.B) {
	table := adultShape(30162)
	for _, stop := range []float64{5, 0} {
		for _, epsilon := range []float64{0.1, 1, 10} {
			b.Run(fmt.Sprintf("stop=%v/eps=%v", stop, epsilon), func(b *testing.B) {
				params := DefaultParams()
				params.Quality, params.Attributes, params.Stop = Class, Random, stop
				nodes := 0
				b.ReportAllocs()
				for i := uint64(0); b.Loop(); i++ {
					in := testinput.Input(table, params, algorithms.Published, epsilon, i)
					nodes += testinput.Release(b, Algorithm{}, in).Structure.Nodes
				}
				b.ReportMetric(float64(nodes)/float64(b.N), "nodes/op")
				b.ReportMetric(float64(table.Len())*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}
