package endgame

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/privacy"
	"ppdp/random"
)

// BenchmarkAdult is Mondrian's benchmark of that name: 30,162 rows, eight quasi-identifiers.
func BenchmarkAdult(b *testing.B) {
	table := testinput.Adult(b, "mondrian")
	rows := table.AllRows()
	for _, k := range []int{2, 10, 100} {
		b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
			params := DefaultParams()
			params.K = k
			b.ReportAllocs()
			var regions *algorithms.Regions
			for b.Loop() {
				r, err := Algorithm{}.Release(context.Background(), algorithms.Input{
					Table: table, Rows: slices.Clone(rows), Params: params,
					Variant: algorithms.Published,
					Budget:  privacy.NewBudget(0), Noise: random.NewStreams(random.NewKey(1)),
				})
				if err != nil {
					b.Fatal(err)
				}
				regions = r.Regions
			}
			b.ReportMetric(float64(b.N)*float64(len(rows))/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(discernibility(regions), "records²")
		})
	}
}

// discernibility is the sum of the squares of the regions' sizes.
func discernibility(regions *algorithms.Regions) float64 {
	sum := 0.0
	for region := range regions.Len() {
		n := 0.0
		for _, count := range regions.Count(region) {
			n += count
		}
		sum += n * n
	}
	return sum
}
