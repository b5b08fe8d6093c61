package privbayes

import (
	"fmt"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
)

// BenchmarkAdult is a release of Adult's 45,222 complete rows over its 52 bits, of every degree.
// Theta is small so that the degree is the one asked for. Degree 5 takes a minute or more and is
// left out under -short.
func BenchmarkAdult(b *testing.B) {
	table := testinput.Adult(b, "diffmulti")
	for degree := range 6 {
		if degree == 5 && testing.Short() {
			continue
		}
		b.Run(fmt.Sprintf("degree=%d", degree), func(b *testing.B) {
			params := DefaultParams()
			params.Degree, params.Theta = degree, 1e-6
			b.ReportAllocs()
			for i := uint64(0); b.Loop(); i++ {
				testinput.LazyRelease(b, Algorithm{}, testinput.Input(table, params,
					algorithms.Published, 1, i))
			}
			b.ReportMetric(float64(table.Len())*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
