package audit

import (
	"math"
	"testing"

	"ppdp/algorithms"
	_ "ppdp/algorithms/all"
)

// TestStrictHolds replays every registered algorithm's strict variant at its defaults.
func TestStrictHolds(t *testing.T) {
	for _, name := range algorithms.Names() {
		a, err := algorithms.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range a.Info().Variants {
			if g.Variant != algorithms.Strict {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				pairs, err := Pairs(g)
				if err != nil {
					t.Fatal(err)
				}
				for _, epsilon := range []float64{0.1, 1, 5} {
					v, err := Replay(t.Context(),
						Subject{a, g.Variant, a.Params(), epsilon, 0}, pairs,
						Options{Transcripts: 20, Seed: 1})
					if err != nil {
						t.Fatal(err)
					}
					t.Logf("epsilon %v: %d transcripts, %d calls, proven %v, seen %.4g, %+v",
						epsilon, v.Transcripts, v.Calls, v.Proven, v.Loss, v.Seen)
					for _, f := range v.Failures {
						t.Errorf("epsilon %v: %s: %s, transcript %d: %s", epsilon, f.Kind, f.Pair,
							f.Transcript, f.Text)
					}
					if math.IsInf(v.Proven, 1) {
						t.Error("a strict variant without a proven bound")
					}
				}
			})
		}
	}
}
