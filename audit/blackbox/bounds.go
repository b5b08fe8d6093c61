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

// claim is what a target says of every event.
type claim struct{ epsilon, delta float64 }

// most is the largest probability that the claim allows on one side where it is p on the other.
func (c claim) most(p float64) float64 {
	return min(1, float64(elementary.Exp(c.epsilon)*p)+c.delta)
}

// pValue is twice the tail at which epsilonBound is the claimed epsilon. There the two ends are at
// probabilities q and most(q) under which the hits of both sides are equally unlikely.
func (c claim) pValue(high, low, n int) float64 {
	q := elementary.Crossing(func(q float64) float64 { // the second is for at most low hits
		return atLeast(high, n, c.most(q)) - atLeast(n-low, n, 1-q)
	})
	return min(1, 2*atLeast(high, n, c.most(q)))
}

// surely is the bound that an event of these frequencies exceeds in 80 % of cases or more: hits are
// 0.84 standard deviations worse on both sides, and at least one.
func surely(high, low, n int, tail, delta float64) float64 {
	worse := func(x int) int {
		return int(math.Ceil(0.84 * max(1, math.Sqrt(float64(x)*(1-float64(x)/float64(n))))))
	}
	return epsilonBound(max(0, high-worse(high)), min(n, low+worse(low)), n, tail, delta)
}
