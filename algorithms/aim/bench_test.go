package aim

import (
	"fmt"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
)

// BenchmarkWide is a release of all pairs of many attributes.
func BenchmarkWide(b *testing.B) {
	for _, attributes := range []int{20, 80, 200} {
		table := testinput.Wide(attributes, 50_000)
		b.Run(fmt.Sprint("attributes=", attributes), func(b *testing.B) {
			for i := uint64(0); b.Loop(); i++ {
				in := testinput.Input(table, Algorithm.Params(), algorithms.Strict, 1, i)
				r := testinput.LazyRelease(b, Algorithm, in)
				b.ReportMetric(float64(len(r.Marginals)), "marginals")
			}
		})
	}
}
