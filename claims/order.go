package claims

import (
	"cmp"

	"ppdp/results"
)

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

func (o *Order) statistics(s *scope) ([]*placed, error) {
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
