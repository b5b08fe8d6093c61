package claims

import (
	"cmp"
	"fmt"
	"math"

	"ppdp/internal/results"
)

// A predicate is what a check requires of its sides. From them it makes one number, its statistic,
// at every point of the check's grid, and it says within which bounds that number must lie. A new
// predicate is a type with these methods, a field in predicates and a line in its list.
type predicate interface {
	// sides returns the sides to evaluate, with those that a reading replaces.
	sides(r *Reading) []*Side
	// statistics evaluates the sides of a scope, which sides returned.
	statistics(s *scope) ([]*quantity, error)
	bounds() bounds
	// describe puts the predicate into words, given those of its sides.
	describe(sides []string) string
	// validate reports values that a claims file must not have.
	validate(problem func(format string, args ...any))
}

// predicates are those that a claims file gives a check. A valid check has exactly one.
type predicates struct {
	Order    *Order    `yaml:"order"`
	Range    *Range    `yaml:"range"`
	Near     *Near     `yaml:"near"`
	Monotone *Monotone `yaml:"monotone"`
	Growth   *Growth   `yaml:"growth"`
}

type namedPredicate struct {
	name  string
	given bool
	predicate
}

func (p *predicates) list() []namedPredicate {
	return []namedPredicate{
		{"order", p.Order != nil, p.Order},
		{"range", p.Range != nil, p.Range},
		{"near", p.Near != nil, p.Near},
		{"monotone", p.Monotone != nil, p.Monotone},
		{"growth", p.Growth != nil, p.Growth},
	}
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

func (o *Order) validate(problem func(string, ...any)) {
	if o.Is != "below" && o.Is != "above" {
		problem("is: %q, must be below or above", o.Is)
	}
	if o.Margin < 0 {
		problem("margin: %v, must be 0 or more", o.Margin)
	}
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

func (l *limits) validate(problem func(string, ...any)) {
	switch {
	case l.Min == nil && l.Max == nil:
		problem("neither min nor max, must have one")
	case l.Min != nil && l.Max != nil && *l.Min > *l.Max:
		problem("min %v is above max %v", *l.Min, *l.Max)
	}
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

func (n *Near) validate(problem func(string, ...any)) {
	if n.Tolerance < 0 {
		problem("tolerance: %v, must be 0 or more", n.Tolerance)
	}
}
