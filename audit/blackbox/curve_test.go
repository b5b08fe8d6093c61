package blackbox

import (
	"context"
	"math"
	"reflect"
	"strconv"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"ppdp/algorithms"
	"ppdp/internal/must"
	"ppdp/internal/results"
	"ppdp/numeric/random"
)

// noise draws from a law that is as narrow as so many times its budget allows.
type noise func(stream *random.Stream, times float64) float64

// shifted publishes a number that is 1 on T and 0 on T′, with noise, and four others that are
// noise alone.
func shifted(epsilon, delta float64, draw noise) Target {
	release := func(_ context.Context, key random.Key, side int, times float64) (
		*algorithms.Release, error) {
		stream, values := key.Stream(), make([]float64, 10)
		for i := 0; i < len(values); i += classes {
			values[i] = draw(stream, times)
		}
		values[0] += float64(1 - side)
		return published(values), nil
	}
	return Target{Name: "shifted", Epsilon: epsilon, Delta: delta,
		Pairs: []Pair{{Name: "1 and 0", Release: release}}}
}

func gaussian(mu float64) noise {
	return func(stream *random.Stream, times float64) float64 {
		return stream.NormFloat64() / (mu * times)
	}
}

func laplace(epsilon float64) noise {
	return func(stream *random.Stream, times float64) float64 {
		u, negative := stream.SignedOpen01()
		if negative {
			u = 1 / u
		}
		return -math.Log(u) / (epsilon * times)
	}
}

// TestFisherWorst: no rates on the curve have a larger p-value, and some have nearly that. Both
// tails are sums of binomial probabilities.
func TestFisherWorst(t *testing.T) {
	for _, c := range []struct{ high, low, n int }{{30, 12, 60}, {59, 22, 60}, {9, 0, 60}} {
		for i, f := range families(1e-3) {
			worst := 0.0
			for q := 0.0005; q < 1; q += 0.0005 {
				n := float64(c.n)
				k := distuv.Binomial{N: n, P: q}.CDF(float64(c.low))
				if p := f.most(0.9, q); p < 1 { // misses are few as hits are many
					k *= distuv.Binomial{N: n, P: 1 - p}.CDF(n - float64(c.high))
				}
				if k > 0 {
					worst = max(worst, k-k*math.Log(k))
				}
			}
			p := f.pValue(0.9, c.high, c.low, c.n)
			if p < worst*(1-1e-9) || p > worst*1.01 {
				t.Errorf("%+v, family %d: %v, of a grid %v", c, i, p, worst)
			}
		}
	}
}

// TestLeast: a family allows what it says it allows, and no less.
func TestLeast(t *testing.T) {
	for i, f := range families(0.01) {
		for _, c := range [][2]float64{{0.3, 0.1}, {0.95, 0.6}, {0.5, 0.4}, {0.02, 0.001}} {
			least := f.least(c[0], c[1])
			near(t, "family "+strconv.Itoa(i), f.most(least, c[1]), c[0], 1e-9)
		}
	}
}

// TestSoundMechanismsCurves: mu and epsilon of mechanisms whose trade-off curves are known are
// rarely exceeded, by chance in a twentieth of audits, and are nearly shown by many releases.
//
// A Gaussian mechanism has its mu at every threshold, and (epsilon, delta) by Φ (Balle & Wang 2018,
// Theorem 8). Laplace noise has its largest mu at the middle, where the rates are 1 - e^(-ε/2)/2
// and its complement.
func TestSoundMechanismsCurves(t *testing.T) {
	audits, full := calibration()
	releases := 300
	if full {
		releases = 1000
	}
	const delta = 0.01
	upper := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	epsilonOf := func(mu float64) float64 {
		low, high := 0.0, 10.0
		for range 60 {
			e := (low + high) / 2
			if upper(e/mu-mu/2)-math.Exp(e)*upper(e/mu+mu/2) > delta {
				low = e
			} else {
				high = e
			}
		}
		return low
	}
	all, exceeded := 0, 0
	for _, c := range []struct {
		name        string
		target      Target
		mu, epsilon float64
		least       float64 // part of mu that 4,000 releases show
	}{
		{"Gaussian, mu 1", shifted(8, delta, gaussian(1)), 1, epsilonOf(1), 0.85},
		{"Gaussian, mu 0.45", shifted(8, delta, gaussian(0.45)), 0.45,
			epsilonOf(0.45), 0.7},
		{"Laplace", shifted(1, 0, laplace(1)),
			2 * distuv.UnitNormal.Quantile(1-math.Exp(-0.5)/2), 1, 0.85},
	} {
		audit := func(key, releases int) *results.TradeOff {
			return must.Get(
				Audit(t.Context(), c.target, Options{Releases: releases, Curve: true,
					BoundOnly: true, Key: random.NewKey(5).Derive(strconv.Itoa(key))})).Curve
		}
		for i := range audits {
			curve := audit(i, releases)
			all += 2
			for _, over := range []bool{curve.Mu > c.mu, curve.Epsilon > c.epsilon} {
				if over {
					exceeded++
				}
			}
		}
		curve := audit(audits, DefaultReleases)
		t.Logf("%s: mu %.3f of %.3f, epsilon %.3f of %.3f", c.name, curve.Mu, c.mu, curve.Epsilon,
			c.epsilon)
		if curve.Mu < c.least*c.mu {
			t.Errorf("%s: a mu of %v is shown, of %v", c.name, curve.Mu, c.mu)
		}
	}
	t.Logf("%d of %d bounds exceed the truth", exceeded, all)
	if atLeast(exceeded, all, DefaultLevel) < 0.001 {
		t.Errorf("%d of %d bounds exceed the truth", exceeded, all)
	}
}

// TestCurveSeesFaults: with a curve as many audits with few releases accuse planted faults as
// without.
func TestCurveSeesFaults(t *testing.T) {
	var accused [2]int
	for _, fault := range faults {
		if fault.detectable > 0 {
			continue
		}
		target := targetOf(fault.release, algorithms.Strict, nil, 1, lone(), tied())
		for i := range 2 * 3 {
			finding := must.Get(Audit(t.Context(), target, Options{Releases: 300, Curve: i%2 == 1,
				BoundOnly: true, Key: random.NewKey(uint64(i / 2))}))
			if finding.Accused() {
				accused[i%2]++
			}
		}
	}
	t.Logf("accused without and with a curve: %v", accused)
	if accused[1] < accused[0] || accused[1] == 0 {
		t.Errorf("accused without and with a curve: %v", accused)
	}
}

// TestHalfPower: the power that audits of a sound bit state for half the noise is, on average, near
// the share of audits that accuse the bit that has it. Each mean has a standard deviation of at
// most 0.15.
func TestHalfPower(t *testing.T) {
	const q, releases, audits = 0.05, 300, 12
	stated, accused := 0.0, 0.0
	for i := range audits {
		o := Options{Releases: releases, Curve: true, Key: random.NewKey(uint64(i))}
		finding := must.Get(Audit(t.Context(), bit("bit", 1, [2]float64{math.E * q, q}), o))
		if !finding.Accused() {
			stated += *finding.Curve.HalfNoisePower / audits
		}
		o.BoundOnly = true
		finding = must.Get(
			Audit(t.Context(), bit("half", 1, [2]float64{math.E * math.E * q, q}), o))
		if finding.Accused() {
			accused += 1.0 / audits
		}
	}
	t.Logf("power %.2f is stated, %.2f are accused", stated, accused)
	if stated < 0.1 || math.Abs(stated-accused) > 0.6 {
		t.Errorf("power %v is stated, %v are accused", stated, accused)
	}
}

// TestFor: an audit ends with its time, of which pairs have equal shares, training half; with time
// enough it finds what it finds by number. A clock that only its readings move is exact.
func TestFor(t *testing.T) {
	target := bit("bit", 1, [2]float64{0.5, 0.4})
	target.Pairs = append(target.Pairs, target.Pairs[0], target.Pairs[0])
	audit := func(o Options) *Finding {
		now := time.Unix(0, 0)
		o.Now = func() time.Time { now = now.Add(time.Millisecond); return now }
		last := 0.0
		o.Progress = func(part float64) {
			if part < last || part > 1 {
				t.Errorf("progress from %v to %v", last, part)
			}
			last = part
		}
		finding := must.Get(Audit(t.Context(), target, o))
		if !(last > 0.9 || o.BoundOnly) {
			t.Errorf("progress ends at %v", last)
		}
		return finding
	}
	short := audit(Options{For: time.Second, BoundOnly: true})
	least, most := short.Tests[0].Of, short.Tests[0].Of
	for _, test := range short.Tests {
		least, most = min(least, test.Of), max(most, test.Of)
	}
	if float64(least) < 0.9*float64(most) || short.Untried > 0 ||
		math.Abs(float64(short.Releases)/float64(6*2*most)-1) > 0.1 {
		t.Errorf("%d releases, tests of %d to %d", short.Releases, least, most)
	}
	if late := audit(Options{For: 8 * time.Millisecond, BoundOnly: true}); late.Untried == 0 ||
		late.Untried == 3 {
		t.Errorf("%d pairs untried", late.Untried)
	}
	count, long := audit(Options{Releases: 200}), audit(Options{Releases: 200, For: time.Hour})
	if !reflect.DeepEqual(count, long) {
		t.Errorf("%+v by number, %+v by time", count, long)
	}
}
