package audit

import (
	"context"
	"math"
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
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
// allows, and what is seen is within the guarantee. Noise that costs sixteen times as much, or a
// tenth of the noise, exceeds it far too often.
func TestDeltaProfile(t *testing.T) {
	for _, c := range []struct {
		fault       string
		delta       float64
		transcripts int
		kinds       []string
	}{
		{"", 1e-9, 400, nil},
		{"", 1e-2, 1000, nil}, // where losses above epsilon are seen
		{"half the sensitivity", 1e-9, 400, []string{Sensitivity}},
		{"a sensitivity that is not proven", 1e-9, 400, []string{Claim, Loss, Accounting}},
		{"forks of the same data", 1e-9, 400, []string{Loss, Accounting}},
	} {
		a := totals{c.fault}
		pairs := must.Get(Pairs(a.Info().Variants[0]))
		s := Subject{Algorithm: a, Variant: algorithms.Strict, Params: a.Params(), Epsilon: 1,
			Delta: c.delta}
		v := must.Get(Replay(t.Context(), s, pairs[:2], Options{Transcripts: c.transcripts,
			Seed: 2}))
		for _, kind := range c.kinds {
			if !slices.ContainsFunc(v.Failures, ofKind(kind)) {
				t.Errorf("%q: no failure of %s, found %v", c.fault, kind, v.Failures)
			}
		}
		if c.kinds == nil && (!v.Passed() || !(v.Proven > 0.999 && v.Proven < 1.001) ||
			v.Seen.Exceeds(1) || !(v.SeenDelta < c.delta) ||
			(v.SeenDelta > 0) != (c.delta > 1e-3)) {
			t.Errorf("delta %v: proven %v, seen %v and %v, failures %v", c.delta, v.Proven, v.Seen,
				v.SeenDelta, v.Failures)
		}
		if v.Seen < 0.999 {
			t.Errorf("%q: seen %v, want the whole epsilon and more", c.fault, v.Seen)
		}
	}
}

// TestConcentrated: a group whose rho is divided by its size, not by the square, has a ledger that
// adds up, but three times the rho that epsilon and delta allow.
func TestConcentrated(t *testing.T) {
	s := Subject{Epsilon: 1, Delta: 1e-2}
	for times, refuted := range map[float64]bool{1: false, 1.01: true, 3: true} { // order-free
		v := tally{rho: times * privacy.RhoOf(1, 1e-2), at: 7}
		v.concentrated(&s, "persons")
		if found := len(v.Failures) == 1 && v.Failures[0].Kind == Accounting &&
			v.Failures[0].Transcript == 7; found != refuted || v.Seen.Exceeds(1) != refuted {
			t.Errorf("%v times rho: seen %v, found %v", times, v.Seen, v.Failures)
		}
	}
}

// excess is max(0, 1 - e^(1 - loss)) of Gaussian noise that is z standard deviations away, where
// values are mu of these apart.
func excess(mu, z float64) float64 { return max(0, -math.Expm1(1-mu*(z+mu/2))) }

// gaussianDelta is its mean (Balle & Wang 2018).
func gaussianDelta(mu float64) float64 {
	upper := func(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
	return upper(1/mu-mu/2) - math.E*upper(1/mu+mu/2)
}

// TestCapital: of noise that has just the delta that is claimed no more is refuted than the alarm
// says. Noise of half the scale is refuted by n transcripts, n being such that the logarithm of
// what one of the shares becomes has a mean of four standard deviations above that of 12/alarm:
// more often than 15 times in 16, by Chebyshev's inequality. For a delta of 3e-6 n is 474, for .13
// it is 47.
func TestCapital(t *testing.T) {
	const trials, alarm = 1000, 0.05
	stream := random.NewKey(9).Stream()
	refuted := func(mu, delta float64, n int) (times float64) {
		for range trials {
			x := make([]float64, n)
			for i := range x {
				x[i] = excess(mu, math.Sqrt(-2*math.Log(stream.Open01()))*
					math.Cos(2*math.Pi*stream.Open01())) // Box & Muller 1958
			}
			if alarm*capital(x, delta) >= 1 {
				times++
			}
		}
		return times
	}
	most := func(p float64) float64 { // of the trials, four standard deviations above
		return trials*p + 4*math.Sqrt(trials*p*(1-p))
	}
	for _, c := range []struct {
		mu   float64
		most int // transcripts
	}{{0.25, 500}, {0.5, 100}, {1, 50}} {
		delta, need := gaussianDelta(c.mu), math.MaxInt
		for b := 0.5; b > 0.001; b /= 2 {
			mean, square := 0.0, 0.0
			for z := -10.0; z < 10; z += 0.001 {
				density := 0.001 * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
				log := math.Log1p(b * (excess(2*c.mu, z)/delta - 1))
				mean, square = mean+log*density, square+log*log*density
			}
			for n := 1; n < min(need, 10*c.most) && mean > 0; n++ {
				if float64(n)*mean-4*math.Sqrt(float64(n)*(square-mean*mean)) >
					math.Log(stakes/alarm) {
					need = n
				}
			}
		}
		if need > c.most {
			t.Errorf("delta %v needs %d transcripts, must be at most %d", delta, need, c.most)
		}
		for _, n := range []int{1, c.most} {
			if times := refuted(c.mu, delta, n); times > most(alarm) {
				t.Errorf("delta %v, %d transcripts: %v of sound ones are refuted", delta, n, times)
			}
		}
		times := refuted(2*c.mu, delta, need)
		if trials-times > most(1./16) {
			t.Errorf("delta %v, %d transcripts: half the scale is refuted %v times", delta,
				need, times)
		}
	}
}

// TestSeenDelta: of several pairs the largest delta that one shows is seen, whichever is first.
func TestSeenDelta(t *testing.T) {
	low, high := slices.Repeat([]float64{0.01}, 500), slices.Repeat([]float64{0.2}, 500)
	seen := func(pairs ...[]float64) float64 {
		var v tally
		for _, excess := range pairs {
			v.profile(&Subject{Epsilon: 1, Delta: 1}, "a pair", excess, 1e-3)
		}
		return v.SeenDelta
	}
	if one := seen(high); !(one > 0.1 && one < 0.2) || seen(high, low) != one ||
		seen(low, high) != one || !(seen(low) < 0.01) {
		t.Errorf("%v, then %v and %v", one, seen(high, low), seen(low, high))
	}
}
