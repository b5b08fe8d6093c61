package privacy

import (
	"math"
	"slices"

	"ppdp/numeric/elementary"
)

// VectorLaw is the law of the integer noise that one call of a mechanism adds to each element.
type VectorLaw struct {
	Mechanism   string // "discrete laplace" or "discrete gaussian"
	Sensitivity float64
	Cost        float64 // what the call asked for, epsilon or rho
}

// Variance is that of one draw, by Noise.Variance; ok is false for other mechanisms.
func (l VectorLaw) Variance() (variance float64, ok bool) {
	noise := Noise{&mechanism{kind: l.Mechanism, sensitivity: Exact(l.Sensitivity)}}
	return noise.Variance(l.Cost), l.Mechanism == discreteLaplaceKind ||
		l.Mechanism == discreteGaussianKind
}

// Summed are independent draws of a law that are added up, each times a weight.
type Summed struct {
	VectorLaw
	Draws  int
	Weight float64
}

// gridStep is the step of the grid that sums of discrete Laplace noise are computed on, in standard
// deviations of the sum; gridEnd is how many of these it reaches to either side.
const gridStep, gridEnd = 1. / 256, 14

// nearlyNormal is the excess kurtosis from which on down quantiles of a sum are those of a normal
// law with the correction of Cornish and Fisher for it, which is then right to 0.002 standard
// deviations at 0.95 and to 0.03 at 0.9999. Of more than manyDraws, that many stand for all.
const nearlyNormal, manyDraws = 0.1, 100

// Within is the least distance from 0 that sums of noise keep to with a probability, above 0 and
// below 1. The laws of sums of few discrete Laplace draws are computed on a grid, which holds every
// outcome where all weights are the same and noise is not wide; sums of many, and of Gaussian
// noise, are nearly normal. What integers do to them is rounded up.
func Within(probability float64, sums []Summed) float64 {
	variance, fourth, widest, same := 0.0, 0.0, 0.0, true
	for _, s := range sums {
		one, _ := s.Variance()
		part := float64(s.Weight * s.Weight * one)
		variance += float64(float64(s.Draws) * part)
		if s.Mechanism == discreteLaplaceKind {
			fourth += float64(float64(s.Draws) * part * part * (3 + 1/one))
		}
		same = same && (widest == 0 || math.Abs(s.Weight) == widest)
		widest = max(widest, math.Abs(s.Weight))
	}
	if variance == 0 {
		return 0
	}
	deviation := math.Sqrt(variance)
	if fourth > nearlyNormal*variance*variance {
		return withinGrid(probability, sums, deviation, widest, same)
	}
	z := elementary.NormalUpper((1 - probability) / 2)
	z += float64(fourth / variance / variance / 24 * (float64(z*z*z) - float64(3*z)))
	distance := float64(z * deviation)
	switch { // integers in place of a density
	case same:
		return math.Ceil(distance/widest-0.5) * widest
	case widest > deviation/4:
		return distance + float64(widest/2)
	}
	return distance
}

// withinGrid is Within by the law itself: noise of discrete Laplace is the difference of two
// geometric variates, each of which is a recursion over the grid.
func withinGrid(probability float64, sums []Summed, deviation, widest float64, same bool) float64 {
	step := deviation * gridStep
	if same && widest > step {
		step = widest / math.Ceil(widest/step)
	}
	centre := int(math.Ceil(gridEnd * deviation / step))
	law := make([]float64, 2*centre+1)
	law[centre] = 1
	for _, s := range sums {
		variance, _ := s.Variance()
		if !same && s.Draws > manyDraws {
			s.Weight *= math.Sqrt(float64(s.Draws) / manyDraws)
			s.Draws = manyDraws
		}
		stride := max(1, int(math.Round(math.Abs(s.Weight)/step)))
		// of noise on the stride's own integers: variance is 2a/(1-a)²
		variance *= float64(s.Weight*s.Weight) / (float64(stride*stride) * step * step)
		if variance == 0 {
			continue
		}
		c := 1 + 1/variance
		a := 1 / (c + math.Sqrt(float64(c*c)-1))
		for range 2 * s.Draws { // up the grid, and after turning it round down
			for i := range law {
				law[i] = float64(law[i] * (1 - a))
				if i >= stride {
					law[i] += float64(a * law[i-stride])
				}
				if law[i] < 1e-100 { // numbers near the smallest are slow
					law[i] = 0
				}
			}
			slices.Reverse(law)
		}
	}
	within, k := law[centre], 0
	for ; within < probability && k < centre; k++ {
		within += float64(2 * law[centre+k+1])
	}
	return float64(k) * step
}

// Beyond bounds the chance that sums of noise are a distance or more from 0 by Chernoff's bound,
// the least 2·exp(-t·distance)·E exp(t·sum) of some t. E exp(tX) is 1/(1 - v·(cosh t - 1)) for
// discrete Laplace noise of variance v, and at most exp(vt²/2) for discrete Gaussian noise
// (Canonne, Kamath & Steinke 2020). Of one discrete Laplace draw it is the chance. All weights must
// be 1.
func Beyond(distance float64, sums []Summed) float64 {
	if len(sums) == 1 && sums[0].Draws == 1 && sums[0].Mechanism == discreteLaplaceKind {
		return sums[0].beyond(math.Abs(distance))
	}
	variance, least := 0.0, 0.0 // of the logarithm
	for _, s := range sums {
		one, _ := s.Variance()
		variance += float64(float64(s.Draws) * one)
	}
	t := min(1, 1/math.Sqrt(variance)) / 16
tries:
	for range 160 { // to 60,000 times as much
		t *= 1.09
		log := math.Ln2 - float64(t*math.Abs(distance))
		for _, s := range sums {
			one, _ := s.Variance()
			part := float64(one * t * t / 2)
			if s.Mechanism == discreteLaplaceKind {
				rise := elementary.Expm1(t)
				if part = one * rise * rise / 2 / (1 + rise); !(part < 1) {
					break tries
				}
				part = -elementary.Log1p(-part)
			}
			log += float64(float64(s.Draws) * part)
		}
		least = min(least, log)
	}
	return elementary.Exp(least)
}

// beyond is the chance that one discrete Laplace draw is a whole distance or more from 0.
func (l VectorLaw) beyond(distance float64) float64 {
	rate := l.Cost / l.Sensitivity
	return min(1, float64(2*elementary.Exp(-rate*distance))/(1+elementary.Exp(-rate)))
}

// Inside bounds the chance that a sum of noise is at most a distance from 0, and so that it is as
// near to any other number. Of one discrete Laplace draw it is the chance. Laws of sums are
// symmetric and log-concave. Of all such laws with the same chance p of 0 the geometric one has the
// largest variance, v = (1/p² - 1)/2, so that p is at most 1/√(1 + 2v), and no other outcome is
// likelier. Discrete Gaussian noise with σ < 1 has a smaller variance than σ²: it gives no bound.
func Inside(distance float64, s Summed) float64 {
	variance, _ := s.Variance()
	whole := math.Floor(math.Abs(distance))
	switch {
	case s.Mechanism == discreteLaplaceKind && s.Draws == 1:
		return 1 - s.beyond(whole+1)
	case s.Mechanism == discreteGaussianKind && variance < 1:
		return 1
	}
	return min(1, (float64(2*whole)+1)/math.Sqrt(1+float64(2*float64(s.Draws)*variance)))
}
