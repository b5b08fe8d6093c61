package audit

import (
	"context"
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/privacy"
)

// totals releases the number of records with Gaussian noise. A fault changes it.
type totals struct{ fault string }

func (totals) Info() algorithms.Info {
	g := algorithms.RecordPrivacy(algorithms.Strict, "A toy.")
	g.Approximate = true
	return algorithms.Info{Name: "totals", Variants: []algorithms.Guarantee{g}}
}

func (totals) Params() algorithms.Params { return &algorithms.NoParams{} }

func (a totals) Release(_ context.Context, in algorithms.Input) (*algorithms.Release, error) {
	sensitivity := privacy.Exact(1)
	switch a.fault {
	case "half the sensitivity":
		sensitivity = privacy.Exact(0.5)
	case "a sensitivity that is not proven":
		sensitivity.Claimed = 0.1
	}
	noise := in.Budget.DiscreteGaussian("total", in.Noise.Open("total"), sensitivity)
	path := in.Budget.Root()
	parts := 1
	if a.fault == "forks of the same data" {
		parts = 16
	}
	total := 0.0
	for range parts {
		part, fork := []float64{float64(len(in.Rows))}, path.Fork()
		if err := noise.AddAll(&fork, in.Budget.Total(), part); err != nil {
			return nil, err
		}
		total += part[0] / float64(parts)
	}
	b := datasets.NewBuilder(in.Table.Schema(), max(0, int(total)))
	for range max(0, int(total)) {
		b.AddRow()
	}
	return &algorithms.Release{Table: b.Table()}, nil
}

// TestDeltaProfile: the loss of Gaussian noise exceeds epsilon in a share of transcripts that delta
// allows. What costs sixteen times as much, or has a tenth of the noise, exceeds it far too often.
func TestDeltaProfile(t *testing.T) {
	for _, c := range []struct {
		fault string
		kinds []string
	}{
		{"", nil},
		{"half the sensitivity", []string{Sensitivity}},
		{"a sensitivity that is not proven", []string{Claim, Loss}},
		{"forks of the same data", []string{Loss, Accounting}},
	} {
		a := totals{c.fault}
		pairs := must(Pairs(a.Info().Variants[0]))
		s := Subject{Algorithm: a, Variant: algorithms.Strict, Params: a.Params(), Epsilon: 1,
			Delta: 1e-9}
		v := must(Replay(t.Context(), s, pairs[:2], Options{Transcripts: 400, Seed: 2}))
		for _, kind := range c.kinds {
			if !slices.ContainsFunc(v.Failures, func(f Failure) bool { return f.Kind == kind }) {
				t.Errorf("%q: no failure of %s, found %v", c.fault, kind, v.Failures)
			}
		}
		if c.kinds == nil && (!v.Passed() || !(v.Proven > 0.999 && v.Proven < 1.001)) {
			t.Errorf("sound noise: proven %v, failures %v", v.Proven, v.Failures)
		}
		// a loss of .1 and more in 400 draws: the noise is there
		if v.Seen < 0.1 {
			t.Errorf("%q: the largest loss is %v", c.fault, v.Seen)
		}
	}
}
