package metrics

import "math"

// Wasserstein1 is the distance W₁ = ∫₀¹ |F⁻¹(u) − G⁻¹(u)| du between two samples, F⁻¹ and G⁻¹ being
// their quantile functions: the mean distance mass has to be moved (the earth mover's distance on
// the line). It is NaN when a sample has no mass, and takes O(len(x)+len(y)).
func Wasserstein1(x, y Sample) float64 {
	return transport(x, y, math.Abs)
}

// Wasserstein2 is W₂ = (∫₀¹ |F⁻¹(u) − G⁻¹(u)|² du)^½. For samples of equal size it is the root mean
// square of the sorted differences, the formula Qardaji & Li 2012 print for the earth mover's
// distance (errata R6); W₁ ≤ W₂ always. It is NaN when a sample has no mass, and takes
// O(len(x)+len(y)).
func Wasserstein2(x, y Sample) float64 {
	return math.Sqrt(transport(x, y, func(d float64) float64 { return float64(d * d) }))
}

// transport merges the breakpoints of both quantile functions and integrates cost(F⁻¹ − G⁻¹). On
// the line the plan that matches quantiles is optimal for every convex cost.
func transport(x, y Sample, cost func(float64) float64) float64 {
	xMass, yMass := x.Mass(), y.Mass()
	if !(xMass > 0 && yMass > 0) {
		return math.NaN()
	}
	// Both sides are scaled to the total xMass·yMass instead of 1: whole-numbered masses stay
	// whole, so that breakpoints which coincide do so exactly.
	total := 0.0
	i, j := -1, -1
	xLeft, yLeft := 0.0, 0.0
	for {
		for xLeft <= 0 {
			if i++; i == len(x.Values) {
				return total / xMass / yMass
			}
			xLeft = float64(x.weight(i) * yMass)
		}
		for yLeft <= 0 {
			if j++; j == len(y.Values) {
				return total / xMass / yMass
			}
			yLeft = float64(y.weight(j) * xMass)
		}
		step := min(xLeft, yLeft)
		total += float64(step * cost(x.Values[i]-y.Values[j]))
		xLeft -= step
		yLeft -= step
	}
}
