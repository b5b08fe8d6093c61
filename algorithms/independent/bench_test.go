package independent

import (
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/margins"
)

// BenchmarkAdult is a release of the 30,162 complete rows and 15 attributes of Adult, six of which
// have cells to cut, by each way of cutting.
func BenchmarkAdult(b *testing.B) {
	table := testinput.Adult(b, "all")
	for _, a := range []Algorithm{{Name: "independent"}, {Name: "nb-model", Class: true}} {
		for _, cut := range []margins.Cut{margins.Equal, margins.Private} {
			b.Run(a.Name+"/"+string(cut), func(b *testing.B) {
				b.ReportAllocs()
				params := a.Params().(*Params)
				params.Cut = cut
				for i := uint64(0); b.Loop(); i++ {
					testinput.LazyRelease(b, a, testinput.Input(table, params, algorithms.Strict,
						1, i))
				}
				b.ReportMetric(float64(table.Len())*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}
