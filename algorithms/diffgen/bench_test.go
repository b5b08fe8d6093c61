package diffgen

import (
	"fmt"
	"testing"

	"ppdp/algorithms/internal/testinput"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
)

// BenchmarkAdult times what DiffGen publishes: all regions with their noisy counts, at ε = 1.
// Records are counted and not drawn. Seeds are 0 to 7 in turn, because the number of cells varies
// greatly with the cut; regions/op and records/op are those published.
func BenchmarkAdult(b *testing.B) {
	table := testinput.Adult(b, "diffmulti")
	for _, h := range []int{10, 20} {
		for _, utility := range []partition.Utility{partition.MaxClass,
			partition.InformationGain} {
			b.Run(fmt.Sprintf("h=%d/%s", h, utility), func(b *testing.B) {
				params := DefaultParams()
				params.Specialisations, params.Utility = h, utility
				regions, records := 0, 0.0
				b.ReportAllocs()
				for i := uint64(0); b.Loop(); i++ {
					r := testinput.LazyRelease(b, Algorithm{},
						testinput.Input(table, params, algorithms.Published, 1, i%8))
					n, _ := r.RecordCount()
					regions += r.Regions.Len()
					records += n
				}
				b.ReportMetric(float64(regions)/float64(b.N), "regions/op")
				b.ReportMetric(records/float64(b.N), "records/op")
				b.ReportMetric(float64(table.Len())*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}
