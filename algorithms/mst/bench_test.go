package mst

import (
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/privacy"
)

// BenchmarkAdult is a release of the 30,162 complete rows and 15 attributes of Adult.
func BenchmarkAdult(b *testing.B) {
	table := testinput.Adult(b, "all")
	for _, a := range []Algorithm{{Name: "mst"}, {Name: "mst-target", Target: true}} {
		b.Run(a.Name, func(b *testing.B) {
			b.ReportAllocs()
			for i := uint64(0); b.Loop(); i++ {
				in := testinput.Input(table, a.Params(), algorithms.Strict, 1, i)
				in.Budget = privacy.NewApproximate(1, 1e-9)
				testinput.LazyRelease(b, a, in)
			}
			b.ReportMetric(float64(table.Len())*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
