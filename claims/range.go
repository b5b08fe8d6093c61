package claims

import (
	"fmt"
	"math"

	"ppdp/results"
)

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

func (l *limits) between() string {
	switch {
	case l.Min == nil:
		return "at most " + results.FormatNumber(*l.Max)
	case l.Max == nil:
		return "at least " + results.FormatNumber(*l.Min)
	}
	return "from " + results.FormatNumber(*l.Min) + " to " + results.FormatNumber(*l.Max)
}

// Range requires that Of lies between Min and Max, both included. One of them may be left out.
type Range struct {
	subject `yaml:",inline"`
	limits  `yaml:",inline"`
}

func (r *Range) describe(sides []string) string { return sides[0] + " " + r.between() }

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
