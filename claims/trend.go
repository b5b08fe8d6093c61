package claims

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"ppdp/elementary"
	"ppdp/internal/results"
)

// Monotone requires that Spearman's rank correlation of Of with the axis Along is above Rho
// (increasing) or below -Rho (decreasing).
type Monotone struct {
	subject `yaml:",inline"`
	Along   string  `yaml:"along"`
	Is      string  `yaml:"is"` // increasing or decreasing
	Rho     float64 `yaml:"rho"`
}

func (m *Monotone) statistics(s *scope) ([]*quantity, error) {
	return s.curves(m.Along, minTrend, spearman)
}

func (m *Monotone) bounds() bounds { return beyond(m.Rho, m.Is == "decreasing") }

func (m *Monotone) describe(sides []string) string {
	return fmt.Sprintf("%s %s along %s (rank correlation beyond %s)",
		sides[0], m.Is, m.Along, results.FormatNumber(m.Rho))
}

func (m *Monotone) validate(problem func(string, ...any)) {
	if m.Is != "increasing" && m.Is != "decreasing" {
		problem("is: %q, must be increasing or decreasing", m.Is)
	}
	if m.Along == "" {
		problem("no along, must name a fact such as epsilon")
	}
	if m.Rho < 0 || m.Rho >= 1 {
		problem("rho: %v, must be from 0 to below 1", m.Rho)
	}
}

// Growth requires that Of grows along an axis like Order times a power of the axis with an exponent
// from Min to Max. The exponent is the slope, by least squares, of ln(Of/Order) against the
// logarithm of the axis: 0 for what grows like Order, 1 for what grows like n² where Order is n.
type Growth struct {
	subject `yaml:",inline"`
	Along   string `yaml:"along"`
	Order   string `yaml:"order"`
	limits  `yaml:",inline"`
}

func (g *Growth) statistics(s *scope) ([]*quantity, error) {
	return s.curves(g.Along, minGrowth, g.exponent)
}

func (g *Growth) describe(sides []string) string {
	return fmt.Sprintf("%s grows along %s like %s and a power of it with exponent %s",
		sides[0], g.Along, g.Order, g.between())
}

func (g *Growth) validate(problem func(string, ...any)) {
	if g.Along == "" {
		problem("no along, must name a fact such as n")
	}
	if growthOrders[g.Order] == nil {
		problem("order: %q, must be one of n, n log n, n log² n", g.Order)
	}
	g.limits.validate(problem)
}

// growthOrders are the orders of growth in n that a claims file may name, as their logarithm at n,
// for n above 1.
var growthOrders = map[string]func(n float64) float64{
	"n":        func(n float64) float64 { return logOrder(n, 0) },
	"n log n":  func(n float64) float64 { return logOrder(n, 1) },
	"n log² n": func(n float64) float64 { return logOrder(n, 2) },
}

// logOrder is the logarithm of n·logᵖ n.
func logOrder(n, p float64) float64 {
	ln := elementary.Log(n)
	return ln + float64(p*elementary.Log(ln))
}

// exponent is the slope of ln(y/order) against ln x by least squares; NaN where y is not positive,
// x is not above 1 or all x are the same.
func (g *Growth) exponent(x, y []float64) float64 {
	logs, beyond := make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		if x[i] <= 1 || y[i] <= 0 {
			return math.NaN()
		}
		logs[i] = elementary.Log(x[i])
		beyond[i] = elementary.Log(y[i]) - growthOrders[g.Order](x[i])
	}
	_, slope := stat.LinearRegression(logs, beyond, nil, false)
	return slope
}

// spearman is the rank correlation of two lists: 0 when one of them is constant, NaN when a value
// of y is undefined.
func spearman(x, y []float64) float64 {
	if slices.ContainsFunc(y, math.IsNaN) {
		return math.NaN()
	}
	if rho := stat.Correlation(ranks(x), ranks(y), nil); !math.IsNaN(rho) {
		return rho
	}
	return 0
}

// ranks are the places of values in ascending order, from 1; equal values share their mean place.
func ranks(x []float64) []float64 {
	r := make([]float64, len(x))
	for i := range x { // a handful: compared pair by pair
		r[i] = 0.5
		for _, other := range x {
			switch {
			case other < x[i]:
				r[i]++
			case other == x[i]:
				r[i] += 0.5
			}
		}
	}
	return r
}

// The fewest points of a curve. A rank correlation needs five: three points without a trend are in
// order one time in six, and trials that repeat that chance order say nothing of it. A slope needs
// one more than it has parameters.
const (
	minTrend  = 5
	minGrowth = 3
)

// curves evaluates a function f of each curve of the scope's side along an axis, from its points'
// places on the axis and their values.
func (s *scope) curves(
	along string, fewest int, f func(x, y []float64) float64,
) ([]*quantity, error) {
	each := s.check.Each
	s.along = along
	points, err := s.side(s.sides[0], append(slices.Clip(each), along))
	if err != nil {
		return nil, err
	}
	for _, p := range points {
		if math.IsNaN(p.along) {
			return nil, fmt.Errorf("%s: along: %s of %s is %q, must be a number",
				s.check.at, along, s.experiment, p.facts[along])
		}
	}
	var curves []*quantity
	key := func(p *quantity) string { return keyOf(p.facts, each) + p.label }
	for _, group := range results.Grouped(points, key) {
		if len(group) < fewest {
			return nil, missing("%s: points along %s: %d, must be at least %d",
				s.experiment, along, len(group), fewest)
		}
		x := make([]float64, len(group))
		for i, p := range group {
			x[i] = p.along
		}
		curve := combined(group[0].facts, group, func(y []float64) float64 { return f(x, y) })
		curve.label = group[0].label
		curves = append(curves, curve)
	}
	return curves, nil
}
