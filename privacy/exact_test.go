package privacy

import (
	"math"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// fixed is a source that gives the words listed.
type fixed []uint64

func (f *fixed) Uint64() uint64 {
	u := (*f)[0]
	*f = (*f)[1:]
	return u
}

func TestUniformRejects(t *testing.T) {
	// five of eight residues are kept: 7, 6 and 5 are thrown away, whatever the bits above say
	words := fixed{7, 1<<60 | 6, 5, 1<<40 | 4, 3}
	for _, want := range []uint64{4, 3} {
		must.Be(t, uniform(&words, 5), want)
	}
	for n, want := range map[uint64]uint64{1: 0, 1 << 63: 5, math.MaxUint64: 1<<63 | 5} {
		must.Be(t, uniform(&fixed{1<<63 | 5}, n), want, n)
	}
}

// TestBernoulliIsExact: 1/3 is 0.555…(base 16), so the first digit to the base 2⁶⁴ decides, and
// where it is equal the next does.
func TestBernoulliIsExact(t *testing.T) {
	const third = 0x5555555555555555
	for _, c := range []struct {
		words fixed
		want  bool
	}{
		{fixed{third - 1}, true}, {fixed{third + 1}, false},
		{fixed{third, third - 1}, true}, {fixed{third, third, third + 1}, false},
	} {
		words := c.words
		if got := bernoulli(&words, 1, 3); got != c.want || len(words) > 0 {
			t.Errorf("%x: %t with %d words left", c.words, got, len(words))
		}
	}
	if !bernoulli(nil, 4, 4) || !bernoulli(nil, 5, 4) || bernoulli(&fixed{0, 1}, 0, 4) {
		t.Error("probabilities of 1 and 0")
	}
}

func TestBernoulliExpLaw(t *testing.T) {
	stream := random.NewKey(71).Stream()
	for _, c := range []struct {
		high, low, d uint64
		gamma        float64
	}{
		{0, 1, 2, 0.5}, {0, 3, 2, 1.5}, {0, 7, 7, 1},
		{1, 0, 1 << 63, 2}, // a numerator of 65 bits
		{0, 1 << 62, math.MaxUint64, 0.25},
	} {
		observed := make([]float64, 2)
		for range 40000 {
			if bernoulliExp(stream, c.high, c.low, c.d) {
				observed[0]++
			} else {
				observed[1]++
			}
		}
		p := math.Exp(-c.gamma)
		must.Be(t, unlikely(observed, []float64{p, 1 - p}), "", c.gamma)
	}
}

// TestDiscreteGaussianMoments compares with moments computed by adding up the law: the variance
// over σ², and the mean size over σ.
func TestDiscreteGaussianMoments(t *testing.T) {
	stream := random.NewKey(74).Stream()
	for _, c := range []struct{ sigma, variance, size float64 }{
		{0.3, 0.0853, 0}, {0.7, 0.99756, 0}, {1, 1, 0.7276}, {1.5, 1, 0.7676}, {10, 1, 0.7972},
		{100, 1, 0.7979}, {1 << 20, 1, 0.7979},
	} {
		const n = 200000
		v := variance(c.sigma)
		size, square := 0.0, 0.0
		for range n {
			y := float64(discreteGaussian(stream, v))
			size += math.Abs(y) / c.sigma / n
			square += y * y / (c.sigma * c.sigma) / n
		}
		// y² has a variance of at most 3σ⁴ (of 1 at σ = .3), |y| one of at most σ²
		tolerance := 5 * math.Sqrt(3./n)
		must.Near(t, square, c.variance, tolerance, c.sigma)
		if c.size > 0 && math.Abs(size-c.size) > tolerance {
			t.Errorf("σ = %v: mean size %v σ, want %v", c.sigma, size, c.size)
		}
	}
}

// TestRoundedNoise: fractions are never on the side of less noise, and close.
func TestRoundedNoise(t *testing.T) {
	for _, rate := range []float64{minLaplaceRate, 1e-6, 0.1, 1. / 3, 1, math.Pi, 999} {
		s, d := laplaceRate(rate)
		if got := float64(s) / float64(d); got > rate || got < rate*(1-0x1p-26) || d > 1<<52 {
			t.Errorf("rate %v is %d/%d", rate, s, d)
		}
	}
	if s, d := laplaceRate(math.MaxFloat64); s != 1<<10*d {
		t.Errorf("the highest rate is %d/%d", s, d)
	}
	for _, sigma := range []float64{minGaussianSigma, 0.3, 0.99999, 1, 1.5, 3, 17.3, 1e4, 123456.7,
		1e7, maxGaussianSigma - 1, maxGaussianSigma} {
		v := variance(sigma)
		got := float64(v.t) * float64(v.m) / float64(v.q)
		if got < sigma*sigma || got > sigma*sigma*(1+0x1p-20) ||
			2*float64(v.t)*float64(v.m)*float64(v.q) >= 1<<63 || v.m < 1 {
			t.Errorf("variance %v is %v/%v", sigma*sigma, got, v)
		}
	}
	must.Be(t, variance(1e-9), variance(minGaussianSigma), "less noise than the least")
}
