package mondrian

import (
	"fmt"
	"math"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/datasets"
	"ppdp/numeric/random"
)

// shaped is a table of n rows in the shape of Adult's eight quasi-identifiers: the same domains,
// and values that crowd at one end of them.
func shaped(n int) *datasets.Table {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{{Name: "age", Low: 15, High: 95,
		Step: 1}}}
	for _, cells := range []int{2, 5, 7, 16, 41, 7, 14} {
		values := make([]string, cells)
		for i := range values {
			values[i] = fmt.Sprint(i)
		}
		schema.Attributes = append(schema.Attributes,
			datasets.Attribute{Name: fmt.Sprint("c", cells, len(schema.Attributes)),
				Kind: datasets.Categorical, Values: values})
	}
	schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: "salary",
		Kind: datasets.Categorical, Role: datasets.Class, Values: []string{"low", "high"}})
	stream := random.NewKey(5).Stream()
	b := datasets.NewBuilder(schema, n)
	for range n {
		row := b.AddRow()
		for i := range schema.Attributes {
			b.Set(row, i, uint32(float64(schema.Attributes[i].Cells())*math.Pow(stream.Open01(),
				2)))
		}
	}
	return b.Table()
}

func BenchmarkRelease(b *testing.B) {
	for _, mode := range []Mode{Strict, Relaxed} {
		for _, n := range []int{30_162, 1_000_000} {
			b.Run(fmt.Sprintf("%s/n=%d", mode, n), func(b *testing.B) {
				params := DefaultParams()
				params.Mode = mode
				table := shaped(n)
				b.ReportAllocs()
				for b.Loop() {
					in := testinput.Input(table, params, algorithms.Published, 0, 1)
					testinput.Release(b, Algorithm{}, in)
				}
				b.ReportMetric(float64(b.N)*float64(n)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}
