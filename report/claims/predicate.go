package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ppdp/internal/results"
	"ppdp/numeric/elementary"

	"gonum.org/v1/gonum/stat"
)

// A predicate is what a check requires of its sides. From them it makes one number, its statistic,
// at every point of the check's grid, and it says within which bounds that number must lie. A new
// predicate is a type with these methods, a field in predicates and a case of their method.
type predicate interface {
	// sides returns the sides to evaluate, with those that a reading replaces.
	sides(r *Reading) []*Side
	// statistics evaluates the sides of a scope, which sides returned.
	statistics(s *scope) ([]*quantity, error)
	bounds() bounds
	// describe puts the predicate into words, given those of its sides.
	describe(sides []string) string
}

// predicates are those that a claims file gives a check. A valid check has exactly one.
type predicates struct {
	Order    *Order    `yaml:"order"`
	Range    *Range    `yaml:"range"`
	Near     *Near     `yaml:"near"`
	Monotone *Monotone `yaml:"monotone"`
	Growth   *Growth   `yaml:"growth"`
}

func (p *predicates) predicate() predicate {
	switch {
	case p.Order != nil:
		return p.Order
	case p.Range != nil:
		return p.Range
	case p.Near != nil:
		return p.Near
	case p.Monotone != nil:
		return p.Monotone
	}
	return p.Growth
}

// subject is the side of a predicate that has one, and is its statistic unless the predicate has
// another.
type subject struct {
	Of Side `yaml:"of"`
}

func (p *subject) sides(r *Reading) []*Side {
	of := p.Of
	if r.Minus != nil && of.Minus != nil {
		of.Minus = r.Minus
	}
	return []*Side{&of}
}

func (p *subject) statistics(s *scope) ([]*quantity, error) {
	return s.side(s.sides[0], s.check.Each)
}

// bounds are the values a predicate accepts. Open bounds exclude the end itself.
type bounds struct {
	lo, hi float64 // -Inf and +Inf where there is no bound
	open   bool
}

// beyond are the bounds of what lies above x or, downwards, below -x.
func beyond(x float64, downwards bool) bounds {
	if downwards {
		return bounds{math.Inf(-1), -x, true}
	}
	return bounds{x, math.Inf(1), true}
}

// Order requires that Left lies below or above Right by more than Margin.
type Order struct {
	Left   Side    `yaml:"left"`
	Right  Side    `yaml:"right"`
	Is     string  `yaml:"is"` // below or above
	Margin float64 `yaml:"margin"`
}

func (o *Order) sides(r *Reading) []*Side {
	return []*Side{cmp.Or(r.Left, &o.Left), cmp.Or(r.Right, &o.Right)}
}

func (o *Order) statistics(s *scope) ([]*quantity, error) {
	left, err := s.side(s.sides[0], s.check.Each)
	if err != nil {
		return nil, err
	}
	return s.pair(left, s.sides[1], s.check.Each, difference)
}

func (o *Order) bounds() bounds { return beyond(o.Margin, o.Is == "below") }

func (o *Order) describe(sides []string) string {
	text := sides[0] + " " + o.Is + " " + sides[1]
	if o.Margin > 0 {
		text += " by more than " + results.FormatNumber(o.Margin)
	}
	return text
}

// limits are a smallest and a largest value, both included; nil where there is no bound.
type limits struct {
	Min *float64 `yaml:"min"`
	Max *float64 `yaml:"max"`
}

func (l *limits) bounds() bounds {
	b := bounds{math.Inf(-1), math.Inf(1), false}
	if l.Min != nil {
		b.lo = *l.Min
	}
	if l.Max != nil {
		b.hi = *l.Max
	}
	return b
}

// Range requires that Of lies between Min and Max, both included. One of them may be left out.
type Range struct {
	subject `yaml:",inline"`
	limits  `yaml:",inline"`
}

func (r *Range) describe(sides []string) string { return sides[0] + " " + r.bounds().text() }

// Near requires that Of is within Tolerance of Value.
type Near struct {
	subject   `yaml:",inline"`
	Value     float64 `yaml:"value"`
	Tolerance float64 `yaml:"tolerance"`
}

func (n *Near) bounds() bounds {
	return bounds{n.Value - n.Tolerance, n.Value + n.Tolerance, false}
}

func (n *Near) describe(sides []string) string {
	return fmt.Sprintf("%s within %s of %s",
		sides[0], results.FormatNumber(n.Tolerance), results.FormatNumber(n.Value))
}

// Monotone requires that Of rises (or falls) along an axis: from the first place to the last, and
// from each to the next at least not the other way by more than the check's margin.
type Monotone struct {
	subject `yaml:",inline"`
	Along   string `yaml:"along"`
	Is      string `yaml:"is"` // increasing or decreasing
}

// statistics are the differences between the ends of each curve, with its steps.
func (m *Monotone) statistics(s *scope) ([]*quantity, error) {
	curves, err := s.curves(m.Along)
	var all []*quantity
	for _, points := range curves {
		between := func(from, to *quantity) *quantity {
			q := combined(points[0].facts, []*quantity{to, from}, difference)
			q.label = strings.TrimSpace(fmt.Sprintf("%s from %s to %s", points[0].label,
				results.FormatNumber(from.along), results.FormatNumber(to.along)))
			return q
		}
		curve := between(points[0], points[len(points)-1])
		for i := range points[1:] {
			curve.made = append(curve.made, points[i].made...)
			curve.steps = append(curve.steps, between(points[i], points[i+1]))
		}
		all = append(all, curve)
	}
	return all, err
}

func (m *Monotone) bounds() bounds { return beyond(0, m.Is == "decreasing") }

func (m *Monotone) describe(sides []string) string {
	return fmt.Sprintf("%s %s along %s", sides[0], m.Is, m.Along)
}

// trend gives a curve the state that it would have alone, from the difference between its ends and
// its steps. It opposes the check when the ends or a single step surely do, which is then the one
// shown; it is equal when all are. It supports the check when the ends do and each step is surely
// less than a margin back. Without trials there is no error: k points are then in order by chance
// once in k! times.
func trend(ends Point, steps []Point, downwards bool, margin float64) Point {
	sign := 1.0
	if downwards {
		sign = -1
	}
	rise, end := float64(sign*ends.Value), -sign*margin
	k := float64(len(steps) + 1)
	against, shown := ends.beyond(-sign, 0), ends
	within, onwards := ends.within(0, margin), ends.beyond(sign, 0)
	back := false
	chance := 1.0
	for i, step := range steps {
		if p := step.beyond(-sign, end); p < against {
			against, shown = p, step
		}
		back = back || sign*step.Value < -margin
		within = max(within, step.within(0, margin))
		onwards = max(onwards, step.beyond(sign, math.Nextafter(end, -sign*math.MaxFloat64)))
		chance /= float64(i + 2)
	}
	if ends.N == 0 {
		onwards = max(onwards, chance)
	}
	switch {
	case back || rise < -margin/2:
		shown.State, shown.P = opposes, min(1, 2*k*against)
		return shown
	case float64(2*rise) <= margin && margin > 0:
		ends.State, ends.P = equal, min(1, 2*within)
	default:
		ends.State, ends.P = supports, min(1, 2*onwards)
	}
	return ends
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
	curves, err := s.curves(g.Along)
	var all []*quantity
	for _, points := range curves {
		x := results.Mapped(points, func(q *quantity) float64 { return q.along })
		exponent := func(y []float64) float64 { return g.exponent(x, y) }
		curve := combined(points[0].facts, points, function{at: exponent})
		curve.label = points[0].label
		all = append(all, curve)
	}
	return all, err
}

func (g *Growth) describe(sides []string) string {
	return fmt.Sprintf("%s grows along %s like %s and a power of it with exponent %s",
		sides[0], g.Along, g.Order, g.bounds().text())
}

// growthOrders are the orders of growth in n that a claims file may name, by the power p of the
// logarithm in n·logᵖ n.
var growthOrders = map[string]float64{"n": 0, "n log n": 1, "n log² n": 2}

// exponent is the slope of ln(y/order) against ln x by least squares; NaN where y is not positive,
// x is not above 1 or all x are the same.
func (g *Growth) exponent(x, y []float64) float64 {
	logs, beyond := make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		if x[i] <= 1 || y[i] <= 0 {
			return math.NaN()
		}
		ln := elementary.Log(x[i])
		order := ln + float64(growthOrders[g.Order]*elementary.Log(ln))
		logs[i], beyond[i] = ln, elementary.Log(y[i])-order
	}
	_, slope := stat.LinearRegression(logs, beyond, nil, false)
	return slope
}

// minTrend is the fewest points of a curve: two have no trend but an order, and a slope needs one
// more than it has parameters.
const minTrend = 3

// curves evaluates the scope's side along an axis. Each curve has its points in the axis's order.
func (s *scope) curves(along string) ([][]*quantity, error) {
	each := s.check.Each
	s.along = along
	points, err := s.side(s.sides[0], append(slices.Clip(each), along))
	if err != nil {
		return nil, err
	}
	for _, p := range points {
		if math.IsNaN(p.along) {
			return nil, fmt.Errorf("%s: along: %s of %s is %q, must be a number",
				s.file.lineOf(s.check.Node), along, s.experiment, p.facts[along])
		}
	}
	key := func(p *quantity) string { return keyOf(p.facts, each) + p.label }
	curves := results.Grouped(points, key)
	for _, curve := range curves {
		if len(curve) < minTrend {
			return nil, missing("%s: points along %s: %d, must be at least %d",
				s.experiment, along, len(curve), minTrend)
		}
		slices.SortStableFunc(curve,
			func(a, b *quantity) int { return cmp.Compare(a.along, b.along) })
	}
	return curves, nil
}
