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

// BenchmarkLabels is a release of aim-labels of the same rows.
func BenchmarkLabels(b *testing.B) {
	table := testinput.Adult(b, "all")
	for _, epsilon := range []float64{0.1, 1} {
		b.Run(fmt.Sprintf("epsilon=%v", epsilon), func(b *testing.B) {
			b.ReportAllocs()
			for i := uint64(0); b.Loop(); i++ {
				testinput.LazyRelease(b, Labelled{}, testinput.Input(table, Labelled{}.Params(),
					algorithms.Strict, epsilon, i))
			}
			b.ReportMetric(float64(table.Len())*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkRegression is one fit on all 14 attributes of Adult.
func BenchmarkRegression(b *testing.B) {
	table := testinput.Adult(b, "all")
	params := Labelled{}.Params().(*LabelParams)
	for b.Loop() {
		in := testinput.Input(table, params, algorithms.Strict, 1, 1)
		l, err := newLabeller(b.Context(), &in, params)
		if err != nil {
			b.Fatal(err)
		}
		if err := l.count(); err != nil {
			b.Fatal(err)
		}
		for _, a := range l.usable {
			l.use(a)
		}
		if _, err := l.fit(0.6); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(table.Len())*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
