package privacy

import (
	"math"
	"math/bits"
)

// Words are uniform, independent words of 64 random bits: all that the exact samplers ask for. A
// *random.Stream is one; so is anything that reads the operating system's randomness.
type Words interface{ Uint64() uint64 }

// The samplers below follow Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential
// Privacy" (2020), section 5. They use integers only, so that each outcome has exactly the
// probability its law gives it. (Sums of 64 bits overflow on outcomes of probability below 2⁻²⁹⁰⁰.)

// uniform draws from [0, n), n > 0, by rejection.
func uniform(w Words, n uint64) uint64 {
	mask := uint64(1)<<bits.Len64(n-1) - 1
	for {
		if u := w.Uint64() & mask; u < n {
			return u
		}
	}
}

// bernoulli is true with probability min(1, n/d). It compares the digits of a uniform number to the
// base 2⁶⁴ with those of n/d until they differ, nearly always at the first.
func bernoulli(w Words, n, d uint64) bool {
	for n < d {
		var digit, rest uint64
		if d&(d-1) == 0 { // as most scales are: no need to divide
			digit = n << (64 - bits.TrailingZeros64(d))
		} else {
			digit, rest = bits.Div64(n, 0, d)
		}
		if u := w.Uint64(); u != digit {
			return u < digit
		}
		n = rest
	}
	return true
}

// bernoulliExp1 is true with probability exp(-n/d), n ≤ d (Algorithm 1). A trial that succeeds with
// probability n/(dk) is one of n/d and one of 1/k.
func bernoulliExp1(w Words, n, d uint64) bool {
	k := uint64(1)
	for bernoulli(w, n, d) && bernoulli(w, 1, k) {
		k++
	}
	return k%2 == 1
}

// bernoulliExp is true with probability exp(-γ), γ = (2⁶⁴·high + low)/d.
func bernoulliExp(w Words, high, low, d uint64) bool {
	for high > 0 || low > d {
		if !bernoulliExp1(w, 1, 1) {
			return false
		}
		var borrow uint64
		low, borrow = bits.Sub64(low, d, 0)
		high -= borrow
	}
	return bernoulliExp1(w, low, d)
}

// discreteLaplace draws y with probability proportional to exp(-|y|·s/t) (Algorithm 2).
// t ≤ 2⁵², s ≥ 1.
func discreteLaplace(w Words, s, t uint64) int64 {
	for {
		y := int64(geometricSize(w, s, t))
		if w.Uint64()&1 == 0 {
			return y
		}
		if y != 0 { // or zero would count twice
			return -y
		}
	}
}

// geometricSize draws y ≥ 0 with probability proportional to exp(-y·s/t).
func geometricSize(w Words, s, t uint64) uint64 {
	for {
		u := uniform(w, t)
		if !bernoulliExp1(w, u, t) {
			continue
		}
		v := uint64(0)
		for bernoulliExp1(w, 1, 1) {
			v++
		}
		return (u + t*v) / s
	}
}

// laplaceRate is the fraction s/t ≤ rate that a rate is rounded down to, so that there is never
// less noise than asked for: by a part in 2²⁶ or less. Rates above 1024 are 1024, where noise is 0
// but for a chance of 2⁻¹⁴⁷⁶.
func laplaceRate(rate float64) (s, t uint64) {
	rate = min(rate, 1<<10)
	_, exponent := math.Frexp(rate)
	k := min(max(0, 27-exponent), 52)
	return uint64(math.Ldexp(rate, k)), 1 << k
}

// minLaplaceRate is the least rate that laplaceRate rounds to as close as it says.
const minLaplaceRate = 0x1p-25

// gaussianVariance is a variance of discrete Gaussian noise as t·m/q. t is the scale of the Laplace
// noise it is drawn from.
type gaussianVariance struct{ t, m, q uint64 }

// The range of standard deviations of discrete Gaussian noise, in which all products keep to 64
// bits. Below the lower end, noise is 0 but for a chance of 2⁻¹⁸³; such noise has the lower end's.
const minGaussianSigma, maxGaussianSigma = 1.0 / 16, 1 << 28

// variance rounds a variance up, so that there is never less noise than asked for: by a part in 2²⁰
// or less. sigma is at most maxGaussianSigma.
func variance(sigma float64) gaussianVariance {
	sigma = max(sigma, minGaussianSigma)
	t := uint64(sigma) + 1
	_, exponent := math.Frexp(sigma)
	q := uint64(1) << (29 - max(0, exponent))
	return gaussianVariance{t, uint64(math.Ceil(sigma*sigma*float64(q)/float64(t))) + 1, q}
}

// discreteGaussian draws y with probability proportional to exp(-y²/(2σ²)) (Algorithm 3), σ² = v:
// Laplace noise of scale t, kept with probability exp(-(|y| - σ²/t)²/(2σ²)).
func discreteGaussian(w Words, v gaussianVariance) int64 {
	for {
		y := discreteLaplace(w, 1, v.t)
		distance := uint64(max(y, -y)) * v.q
		if distance > v.m {
			distance -= v.m
		} else {
			distance = v.m - distance
		}
		if high, low := bits.Mul64(distance, distance); bernoulliExp(w, high, low, 2*v.t*v.m*v.q) {
			return y
		}
	}
}
