package privacy

import (
	"math"

	"ppdp/numeric/elementary"
)

// VectorLaw is the law of the integer noise that one call of a mechanism adds to each element.
type VectorLaw struct {
	Mechanism   string // "discrete laplace" or "discrete gaussian"
	Sensitivity float64
	Cost        float64 // what the call asked for, epsilon or rho
}

// Variance is the variance of one draw, by Noise.Variance; ok is false for other mechanisms.
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

// Within is a distance from 0 that sums of noise keep to with a probability of 0.95 or more. It is
// that of a normal law with the correction of Cornish and Fisher for the excess kurtosis of
// discrete Laplace noise: of one such draw 2 % more than it need be at 0.95 and a quarter at
// 0.9975, of three or more nearly the least. Where nearly all draws are 0, Markov's inequality for
// the fourth power gives less. What integers do to them is rounded up.
func Within(probability float64, sums []Summed) float64 {
	variance, fourth, widest, same := 0.0, 0.0, 0.0, true
	for _, s := range sums {
		one, _ := s.Variance()
		square := float64(s.Weight * s.Weight)
		part := float64(square * one)
		variance += float64(float64(s.Draws) * part)
		if s.Mechanism == discreteLaplaceKind { // of an excess kurtosis of 3 + 1/variance
			fourth += float64(float64(s.Draws) * part * (float64(3*part) + square))
		}
		same = same && (widest == 0 || math.Abs(s.Weight) == widest)
		widest = max(widest, math.Abs(s.Weight))
	}
	if variance == 0 {
		return 0
	}
	z := elementary.NormalUpper((1 - probability) / 2)
	z += float64(fourth / variance / variance / 24 * (float64(z*z*z) - float64(3*z)))
	deviation := math.Sqrt(variance)
	markov := math.Sqrt(math.Sqrt((float64(3*variance*variance) + fourth) / (1 - probability)))
	distance := min(float64(z*deviation), markov)
	switch { // integers in place of a density
	case same:
		return max(0, math.Ceil(distance/widest-0.5)*widest)
	case widest > deviation/4:
		return distance + float64(widest/2)
	}
	return distance
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
