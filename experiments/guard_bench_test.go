package experiments

import (
	"testing"
	"time"

	"ppdp/algorithms"
	"ppdp/datasets"
)

// BenchmarkGuards measures what checking a release against its contract, and the shared data
// against their seal, add to a cell: one of each paper, on a stand-in of its data.
func BenchmarkGuards(b *testing.B) {
	for _, name := range []string{"rps/fig4", "mondrian/fig10", "mondrian/classification",
		"diffmulti/fig5", "compare/adult-four", "rps/fig5"} {
		b.Run(name, func(b *testing.B) {
			spec, err := Embedded(name)
			if err != nil {
				b.Fatal(err)
			}
			standIns := make(map[string]string)
			for i := range spec.Dataset {
				if other := datasets.StandIn(spec.Dataset[i].Name); other != "" {
					standIns[spec.Dataset[i].Name] = other
				}
			}
			plan, err := spec.Plan(Overrides{Quick: true, StandIns: standIns})
			if err != nil {
				b.Fatal(err)
			}
			cache, err := plan.load(b.Context(), datasets.DefaultFiles(b.TempDir()))
			if err != nil {
				b.Fatal(err)
			}
			var cells, guards time.Duration
			for b.Loop() {
				c := &plan.Cells[len(plan.Cells)/2]
				m := cache.cells[c.dataKey()]
				var at phase
				begin := time.Now()
				o, err := plan.runCell(b.Context(), c, m, &at, time.Now)
				cells += time.Since(begin)
				if err != nil {
					b.Fatal(err)
				}
				train, _ := m.split(c.Fold)
				in := algorithms.Input{Table: m.data.Table, Graph: m.data.Graph, Rows: train}
				begin = time.Now()
				if err := algorithms.CheckRelease(&c.Config.Info, in, o.release); err != nil {
					b.Fatal(err)
				}
				m.seal.vouch(m.data, time.Now, func(intact bool) {
					if !intact {
						b.Fatal("the data have changed")
					}
				})
				guards += time.Since(begin)
			}
			b.ReportMetric(100*guards.Seconds()/cells.Seconds(), "%-of-cell")
			b.ReportMetric(float64(guards.Microseconds())/float64(b.N), "µs/guards")
		})
	}
}
