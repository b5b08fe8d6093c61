package engine

import (
	"testing"
	"time"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/experiments/language"
)

// BenchmarkGuards measures what checking a release against its contract, and the shared data
// against their seal, add to a job: one of each paper, on a stand-in of its data.
func BenchmarkGuards(b *testing.B) {
	for _, name := range []string{"rps/fig4", "mondrian/fig10", "mondrian/classification",
		"diffmulti/fig5", "compare/adult-four", "rps/fig5"} {
		b.Run(name, func(b *testing.B) {
			s := must(language.Embedded(name))
			standIns := make(map[string]string)
			for i := range s.Dataset {
				if other := datasets.StandIn(s.Dataset[i].Name); other != "" {
					standIns[s.Dataset[i].Name] = other
				}
			}
			plan := must(s.Plan(language.Overrides{Quick: true, StandIns: standIns}))
			cache := must(load(b.Context(), plan, datasets.DefaultFiles(b.TempDir())))
			var jobs, guards time.Duration
			for b.Loop() {
				c := &plan.Jobs[len(plan.Jobs)/2]
				m := cache.trials[dataKeyOf(c)]
				e := execution{plan: plan, job: c, data: m, at: new(phase), clock: time.Now}
				e.train, e.test = m.split(c.Fold)
				begin := time.Now()
				err := e.run(b.Context())
				jobs += time.Since(begin)
				if err != nil {
					b.Fatal(err)
				}
				in := algorithms.Input{Table: m.data.Table, Graph: m.data.Graph, Rows: e.train}
				begin = time.Now()
				noError(b, algorithms.CheckRelease(&c.Config.Info, in, e.release))
				m.seal.verifyLater(m.data, time.Now, func(intact bool) {
					if !intact {
						b.Fatal("the data have changed")
					}
				})
				guards += time.Since(begin)
			}
			b.ReportMetric(100*guards.Seconds()/jobs.Seconds(), "%-of-job")
			b.ReportMetric(float64(guards.Microseconds())/float64(b.N), "µs/guards")
		})
	}
}
