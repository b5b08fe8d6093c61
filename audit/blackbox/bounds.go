package blackbox

import (
	"math"

	"ppdp/elementary"

	"gonum.org/v1/gonum/mathext"
)

// crossing is the point between 0 and 1 where an increasing function reaches 0, from above by less
// than a unit in the last place.
func crossing(f func(p float64) float64) float64 {
	under, over := 0.0, 1.0
	for {
		p := float64((under + over) / 2)
		switch {
		case p == under || p == over:
			return over
		case f(p) < 0:
			under = p
		default:
			over = p
		}
	}
}

// lowerBound is the Clopper-Pearson lower bound of a probability after x hits in n trials, wrong
// with probability at most tail (Clopper & Pearson 1934): there x hits or more have the probability
// tail. mathext.InvRegIncBeta would have it in one call, but is wrong for 100,000 hits in as many
// trials and a tail of 1e-9: 0.937 in place of 0.9998.
func lowerBound(x, n int, tail float64) float64 {
	if x == 0 {
		return 0
	}
	return crossing(func(p float64) float64 { return atLeast(x, n, p) - tail })
}

// upperBound is the other end.
func upperBound(x, n int, tail float64) float64 { return 1 - lowerBound(n-x, n, tail) }

// atLeast is the probability of x hits or more in n trials.
func atLeast(x, n int, p float64) float64 {
	switch {
	case x <= 0:
		return 1
	case x > n || p <= 0:
		return 0
	case p >= 1:
		return 1
	}
	return mathext.RegIncBeta(float64(x), float64(n-x+1), p)
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
	q := crossing(func(q float64) float64 { // the second is for at most low hits
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
