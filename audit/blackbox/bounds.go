package blackbox

import (
	"math"

	"ppdp/numeric/elementary"
)

// lowerBound is the Clopper-Pearson lower bound of a probability after x hits in n trials, wrong
// with probability at most tail.
func lowerBound(x, n int, tail float64) float64 {
	return elementary.LowestProbability(float64(x), float64(n), tail)
}

// upperBound is the other end.
func upperBound(x, n int, tail float64) float64 { return 1 - lowerBound(n-x, n, tail) }

// atLeast is the probability of x hits or more in n trials.
func atLeast(x, n int, p float64) float64 {
	return elementary.AtLeast(float64(x), float64(n), p)
}

// epsilonBound is the least epsilon under which an event may have high hits in n releases of one
// input and low hits in n of the other: wrong with probability at most 2·tail, never negative.
func epsilonBound(high, low, n int, tail, delta float64) float64 {
	p := lowerBound(high, n, tail) - delta
	if p <= 0 {
		return 0
	}
	return max(0, elementary.Log(p/upperBound(low, n, tail)))
}

// pValue is that of the claim P[E | T] ≤ e^ε·P[E | T′] + δ, refuted by high hits in n releases of T
// and low hits in n of T′: 2t for the tail t at which epsilonBound is ε. For a q between 0 and 1
// t = P[X ≥ high] = P[Y ≤ low], where X counts n trials of probability e^ε·q + δ and Y n of q.
func pValue(high, low, n int, epsilon, delta float64) float64 {
	above := func(q float64) float64 {
		return atLeast(high, n, min(1, float64(elementary.Exp(epsilon)*q)+delta))
	}
	q := elementary.Crossing(func(q float64) float64 { return above(q) - atLeast(n-low, n, 1-q) })
	return min(1, 2*above(q))
}

// surely is the bound that an event of these frequencies exceeds in 80 % of cases or more: hits are
// 0.84 standard deviations worse on both sides, and at least one.
func surely(high, low, n int, tail, delta float64) float64 {
	worse := func(x int) int {
		return int(math.Ceil(0.84 * max(1, math.Sqrt(float64(x)*(1-float64(x)/float64(n))))))
	}
	return epsilonBound(max(0, high-worse(high)), min(n, low+worse(low)), n, tail, delta)
}
