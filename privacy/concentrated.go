package privacy

import (
	"math"

	"ppdp/numeric/elementary"
)

// Unit is what a budget is counted in.
type Unit string

const (
	// Epsilon is pure differential privacy, in nats.
	Epsilon Unit = "epsilon"
	// Rho is zero-concentrated differential privacy (Bun & Steinke 2016): the Rényi divergence of
	// order α between the outputs on neighbours is at most ρα for all α above 1. It adds up along a
	// path, also where later costs depend on earlier answers as long as the sum stays within a cap
	// fixed before (Feldman & Zrnic 2021); over disjoint data the largest counts.
	Rho Unit = "rho"
)

// halvings is how often bisections halve their interval: to the last bit of a float64.
const halvings = 60

// bisect halves an interval as often as times says and returns the last one. It keeps the upper
// half where above holds of the middle.
func bisect(low, high float64, times int, above func(middle float64) bool) (from, to float64) {
	for range times {
		if middle := float64((low + high) / 2); above(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low, high
}

// logDelta is the logarithm of the δ of the (epsilon, δ) that a release of zCDP rho has: of the
// least over α > 1 of exp((α-1)(αρ-ε))/(α-1)·(1-1/α)^α (Canonne, Kamath & Steinke 2020,
// Proposition 12 with Lemma 9). rho and epsilon are above 0. It may be above 0, which says nothing.
func logDelta(rho, epsilon float64) float64 {
	// The logarithm of the bound is convex in α, with a derivative that grows. Every α gives a
	// valid bound, so that the search may end anywhere.
	low, high := bisect(1.01, (epsilon+1)/(2*rho)+2, halvings, func(alpha float64) bool {
		return float64((alpha+alpha-1)*rho)-epsilon+elementary.Log1p(-1/alpha) < 0
	})
	alpha := float64((low + high) / 2)
	return float64((alpha-1)*(float64(alpha*rho)-epsilon)) - elementary.Log(alpha-1) +
		float64(alpha*elementary.Log1p(-1/alpha))
}

// EpsilonOf is the epsilon of the (ε, delta) that a release of zCDP rho has, by logDelta. It is
// rounded up. delta is above 0.
func EpsilonOf(rho, delta float64) float64 {
	if rho == 0 || math.IsInf(rho, 1) {
		return rho
	}
	log := -elementary.Log(delta)
	most := rho + 2*math.Sqrt(rho*log) // Bun & Steinke 2016, Proposition 1.3
	_, high := bisect(0, most, halvings, func(epsilon float64) bool {
		return !(logDelta(rho, epsilon) <= -log)
	})
	return high
}

// RhoOf is the largest zCDP whose (epsilon, delta) is within the one given, by logDelta. It is
// rounded down. epsilon is above 0, delta above 0 and below 1.
func RhoOf(epsilon, delta float64) float64 {
	log := -elementary.Log(delta)
	// rho may be far smaller than the interval
	low, _ := bisect(0, epsilon+log, 2*halvings, func(rho float64) bool {
		return rho > 0 && logDelta(rho, epsilon) <= -log
	})
	return low
}
