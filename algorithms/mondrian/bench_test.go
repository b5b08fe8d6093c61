package mondrian

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/privacy"
)

// shaped is a table of n rows in the shape of Adult's eight quasi-identifiers: the same domains, and
// values that crowd at one end of them.
func shaped(n int) *datasets.Table {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{{Name: "age", Low: 15, High: 95, Step: 1}}}
	for _, cells := range []int{2, 5, 7, 16, 41, 7, 14} {
		values := make([]string, cells)
		for i := range values {
			values[i] = fmt.Sprint(i)
		}
		schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: fmt.Sprint("c", cells, len(schema.Attributes)), Kind: datasets.Categorical, Values: values})
	}
	schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: "salary", Kind: datasets.Categorical, Role: datasets.Class, Values: []string{"low", "high"}})
	stream := privacy.NewKey(5).Stream()
	b := datasets.NewBuilder(schema, n)
	for range n {
		row := b.AddRow()
		for i := range schema.Attributes {
			b.Set(row, i, uint32(float64(schema.Attributes[i].Cells())*math.Pow(stream.Open01(), 2)))
		}
	}
	return b.Table()
}

func benchmark(b *testing.B, table *datasets.Table, params Params) {
	rows := table.AllRows()
	b.ReportAllocs()
	for b.Loop() {
		r, err := mondrian{}.Release(context.Background(), algorithms.Input{
			Table: table, Rows: rows, Params: &params, Variant: algorithms.Published,
			Budget: privacy.NewBudget(0), Noise: privacy.NewStreams(privacy.NewKey(1)),
		})
		if err != nil {
			b.Fatal(err)
		}
		if r.Table.Len() != table.Len() {
			b.Fatal("records are missing")
		}
	}
	b.ReportMetric(float64(b.N)*float64(len(rows))/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkRelease(b *testing.B) {
	for _, mode := range []Mode{Strict, Relaxed} {
		for _, n := range []int{10_000, 30_162, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/n=%d", mode, n), func(b *testing.B) {
				benchmark(b, shaped(n), Params{K: 10, Mode: mode, Cut: First, Records: Box})
			})
		}
	}
}

// BenchmarkAdult is the paper's own table (section 6.2): 30,162 rows, eight quasi-identifiers.
func BenchmarkAdult(b *testing.B) {
	directory := os.Getenv("PPDP_DATA")
	if directory == "" {
		b.Skip("PPDP_DATA is not set: no real Adult")
	}
	source, err := datasets.Lookup("adult")
	if err != nil {
		b.Fatal(err)
	}
	params := source.Params()
	params.(*adult.Params).Select = "mondrian"
	data, err := source.Load(context.Background(), datasets.Request{Params: params, Files: datasets.Files{Dirs: []string{directory}}})
	if err != nil {
		b.Fatal(err)
	}
	for _, mode := range []Mode{Strict, Relaxed} {
		for _, k := range []int{2, 10, 100} {
			b.Run(fmt.Sprintf("%s/k=%d", mode, k), func(b *testing.B) {
				benchmark(b, data.Table, Params{K: k, Mode: mode, Cut: First, Records: Box})
			})
		}
	}
}
