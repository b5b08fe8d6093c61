package claims

import "math"

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
