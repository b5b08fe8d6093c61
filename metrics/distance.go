package metrics

import (
	"context"
	"errors"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/datasets"
)

func init() {
	const several = "; the mean over the numeric quasi-identifiers where there are several, each " +
		"in its own unit; of a graph, between degree sequences"
	register := func(name, title, unit, source string, between func(x, y Sample) float64) {
		Register(measured{Info{Name: name, Title: title, Unit: unit, Source: source + several,
			Revision: 1, Records: true, GraphNeeds: []algorithms.Product{algorithms.DegreesProduct},
		}, func(ctx context.Context, c Case) (float64, error) {
			return distance(ctx, c, between)
		}})
	}
	register("w1", "Earth mover's distance (W1)", "", "first Wasserstein distance", Wasserstein1)
	register("w2", "Earth mover's distance (W2)", "",
		"Qardaji & Li 2012, section 4.1 (second Wasserstein distance)", Wasserstein2)
	register("ks", "Kolmogorov-Smirnov distance", "fraction",
		"largest difference of the distribution functions", KolmogorovSmirnov)
}

// distance compares the numeric quasi-identifiers of the training rows with those of the published
// records, one marginal at a time, and averages; or a graph's degrees with the published ones. W1,
// W2 and KS differ only in the distance of two samples. It is undefined when nothing was published
// or there was nothing to publish. A table without such an attribute is an error.
func distance(ctx context.Context, c Case, between func(x, y Sample) float64) (float64, error) {
	if c.Graph != nil {
		if c.Release.Degrees == nil {
			return 0, errors.New("the release holds no degrees")
		}
		return between(degreeSample(c.Graph.DegreeSequence()), degreeSample(c.Release.Degrees)), nil
	}
	attributes := slices.DeleteFunc(c.Table.Schema().QuasiIdentifiers(), func(a int) bool {
		return c.Table.Schema().Attributes[a].Kind != datasets.Numeric
	})
	if len(attributes) == 0 {
		return 0, errors.New("the table has no numeric quasi-identifier to compare")
	}
	published, sum := c.Release.Table, 0.0
	rows := published.AllRows()
	for _, attribute := range attributes {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		sum += between(columnSample(c.Table, attribute, c.Train, nil),
			columnSample(published, attribute, rows, c.Release.Weights))
	}
	return sum / float64(len(attributes)), nil
}

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

// KolmogorovSmirnov is max |F(v) − G(v)| over the union of both samples' values, F and G being
// their distribution functions; between 0 and 1. It is NaN when a sample has no mass, and takes
// O(len(x)+len(y)).
func KolmogorovSmirnov(x, y Sample) float64 {
	xMass, yMass := x.Mass(), y.Mass()
	i, j := 0, 0
	xSum, ySum, most := 0.0, 0.0, 0.0
	for i < len(x.Values) && j < len(y.Values) {
		// Both functions step at v before they are compared: a value both samples hold is no
		// difference.
		v := min(x.Values[i], y.Values[j])
		for i < len(x.Values) && x.Values[i] == v {
			xSum += x.weight(i)
			i++
		}
		for j < len(y.Values) && y.Values[j] == v {
			ySum += y.weight(j)
			j++
		}
		most = max(most, math.Abs(float64(xSum*yMass)-float64(ySum*xMass)))
	}
	// Where one sample has ended its function is 1 and the other's only comes nearer. Without mass
	// this is 0/0, as in transport.
	return min(1, most/xMass/yMass)
}
