package claims

import (
	"math"
	"slices"

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

// Thresholds of the decision rule.
const (
	standardErrors = 2.0  // how far beyond the bound a point must lie to count
	most           = 0.8  // the part of supporting points that makes holds-mostly
	familyError    = 0.05 // chance that a verdict takes a side without an effect
	power          = 0.8  // with which an excess of Evidence.Detectable is seen
)

// States of a point.
const (
	supports  = "supports"
	opposes   = "opposes"
	undecided = "undecided"
)

// place decides a point's state and its p-value, not yet adjusted.
func (b bounds) place(p Point) Point {
	if !b.open { // a value computed to be the end itself must not miss it by its last bit
		b.lo -= float64(rounding * math.Abs(b.lo))
		b.hi += float64(rounding * math.Abs(b.hi))
	}
	lo, hi := p.Value-float64(standardErrors*p.SE), p.Value+float64(standardErrors*p.SE)
	inside, outside := lo >= b.lo && hi <= b.hi, hi < b.lo || lo > b.hi
	if b.open {
		inside = lo > b.lo && hi < b.hi
	}
	in := max(pAbove(p.Value, p.SE, p.N, b.lo), pAbove(-p.Value, p.SE, p.N, -b.hi))
	out := min(pAbove(-p.Value, p.SE, p.N, -b.lo), pAbove(p.Value, p.SE, p.N, b.hi))
	if !math.IsInf(b.lo, -1) && !math.IsInf(b.hi, 1) {
		out = min(1, 2*out) // either end may be passed
	}
	if inside && p.SE == 0 { // a closed bound includes its end
		in = 0
	}
	switch {
	case inside:
		p.State, p.P = supports, in
	case outside:
		p.State, p.P = opposes, out
	default:
		p.State, p.P = undecided, min(in, out)
	}
	return p
}

// fromBest orders the verdicts of checks.
var fromBest = []Verdict{Holds, HoldsMostly, NotReproduced, Contradicted}

// decide applies the rule of Evaluate to points whose state is known and whose P is not yet
// adjusted.
func decide(j *Judgement) {
	var p []float64
	for _, c := range j.Checks {
		for _, point := range c.Points {
			p = append(p, point.P)
		}
	}
	p = results.Holm(p)
	worst := 0
	for i := range j.Checks {
		c := &j.Checks[i]
		c.decide(p)
		p = p[len(c.Points):]
		worst = max(worst, slices.Index(fromBest, c.Verdict))
	}
	j.Verdict = fromBest[worst]
}

// decide fills in the verdict of a check and the adjusted p-values of its points, the first of p.
func (e *Evidence) decide(p []float64) {
	surestSupport, surestOpposite := 1.0, 1.0
	for i := range e.Points {
		point := &e.Points[i]
		point.P = p[i]
		switch point.State {
		case supports:
			e.Supports++
			surestSupport = min(surestSupport, point.P)
		case opposes:
			e.Opposes++
			surestOpposite = min(surestOpposite, point.P)
		}
	}
	n := len(e.Points)
	switch {
	case e.Supports == n && surestSupport <= familyError:
		e.Verdict = Holds
	case float64(e.Supports) >= most*float64(n) && surestSupport <= familyError:
		e.Verdict = HoldsMostly
	case 2*e.Opposes > n && surestOpposite <= familyError:
		e.Verdict = Contradicted
	default:
		e.Verdict = NotReproduced
	}
}
