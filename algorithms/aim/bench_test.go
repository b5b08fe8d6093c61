package aim

import (
	"fmt"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/privacy"
)

// BenchmarkAdult is a release of the 30,162 complete rows and 15 attributes of Adult.
func BenchmarkAdult(b *testing.B) {
	table := testinput.Adult(b, "all")
	for _, workload := range []string{AllPairs, ClassTriples} {
		for _, budget := range []struct {
			name  string
			delta float64
		}{{"delta=1e-9", 1e-9}, {"pure", 0}} {
			b.Run("workload="+workload+"/"+budget.name, func(b *testing.B) {
				b.ReportAllocs()
				params := Algorithm{}.Params().(*Params)
				params.Workload = workload
				for i := uint64(0); b.Loop(); i++ {
					in := testinput.Input(table, params, algorithms.Strict, 1, i)
					in.Budget = privacy.NewApproximate(1, budget.delta)
					testinput.LazyRelease(b, Algorithm{}, in)
				}
				b.ReportMetric(float64(table.Len())*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}

// BenchmarkWide is a release of all pairs of many attributes.
func BenchmarkWide(b *testing.B) {
	for _, attributes := range []int{20, 80, 200} {
		table := testinput.Wide(attributes, 50_000)
		b.Run(fmt.Sprint("attributes=", attributes), func(b *testing.B) {
			for i := uint64(0); b.Loop(); i++ {
				in := testinput.Input(table, Algorithm{}.Params(), algorithms.Strict, 1, i)
				r := testinput.LazyRelease(b, Algorithm{}, in)
				b.ReportMetric(float64(len(r.Marginals)), "marginals")
			}
		})
	}
}
