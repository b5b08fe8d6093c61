package claims

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ppdp/results"
)

// describe puts a check's predicate into words.
func (s *scope) describe() string {
	c := s.check
	var b strings.Builder
	switch {
	case c.Order != nil:
		fmt.Fprintf(&b, "%s %s %s", c.Order.Left.describe(s.replaced), c.Order.Is, c.Order.Right.describe(s.replaced))
		if c.Order.Margin > 0 {
			fmt.Fprintf(&b, " by more than %s", results.FormatNumber(c.Order.Margin))
		}
	case c.Range != nil:
		fmt.Fprintf(&b, "%s %s", c.Range.Of.describe(s.replaced), between(c.Range.Min, c.Range.Max))
	case c.Near != nil:
		fmt.Fprintf(&b, "%s within %s of %s", c.Near.Of.describe(s.replaced), results.FormatNumber(c.Near.Tolerance), results.FormatNumber(c.Near.Value))
	case c.Growth != nil:
		fmt.Fprintf(&b, "%s grows along %s like %s and a power of it with exponent %s", c.Growth.Of.describe(s.replaced), c.Growth.Along, c.Growth.Order, between(c.Growth.Min, c.Growth.Max))
	default:
		fmt.Fprintf(&b, "%s %s along %s (rank correlation beyond %s)", c.Monotone.Of.describe(s.replaced), c.Monotone.Is, c.Monotone.Along, results.FormatNumber(c.Monotone.Rho))
	}
	if where := s.where.String(); where != "" {
		fmt.Fprintf(&b, "; %s", where)
	}
	if len(c.Each) > 0 {
		fmt.Fprintf(&b, "; at each %s", strings.Join(c.Each, ", "))
	}
	fmt.Fprintf(&b, " (%s)", s.experiment)
	return b.String()
}

// between puts bounds into words; one of them is given.
func between(lo, hi *float64) string {
	switch {
	case lo == nil:
		return "at most " + results.FormatNumber(*hi)
	case hi == nil:
		return "at least " + results.FormatNumber(*lo)
	}
	return "from " + results.FormatNumber(*lo) + " to " + results.FormatNumber(*hi)
}

// describe puts a side into words, with terms replaced as they are for a reading or a variant.
func (s *Side) describe(replaced Selector) string {
	text := s.Where.replaced(replaced).String()
	if text == "" {
		text = "value"
	}
	if s.Experiment != "" {
		text += " (" + s.Experiment + ")"
	}
	if s.Stat == "se" {
		text = "standard error at " + text
	}
	for _, take := range s.Take {
		text = take.String() + " of " + text
	}
	text = "[" + text + "]"
	if s.Minus != nil {
		text += " − " + s.Minus.describe(replaced)
	}
	if s.Per != nil {
		text += " / " + s.Per.describe(replaced)
	}
	return text
}

// Summary puts a check's evidence into a line: the extremes of the statistic, how many points take which
// side, how many trials and what could have been seen.
func (e *Evidence) Summary() string {
	lowest, highest, fewest, most := 0, 0, math.MaxInt, 0
	for i, p := range e.Points {
		if p.Value < e.Points[lowest].Value {
			lowest = i
		}
		if p.Value > e.Points[highest].Value {
			highest = i
		}
		fewest, most = min(fewest, p.N), max(most, p.N)
	}
	var b strings.Builder
	lo, hi := e.Points[lowest], e.Points[highest]
	switch {
	case len(e.Points) == 1:
		b.WriteString(lo.estimate())
	case lo.Value == hi.Value:
		fmt.Fprintf(&b, "%s everywhere", short(lo.Value))
	default:
		fmt.Fprintf(&b, "from %s at %s to %s at %s", lo.estimate(), lo.At, hi.estimate(), hi.At)
	}
	fmt.Fprintf(&b, "; %d of %d points support", e.Supports, len(e.Points))
	if e.Opposes > 0 {
		fmt.Fprintf(&b, ", %d oppose", e.Opposes)
	}
	switch {
	case most == 0:
		b.WriteString("; nothing left to chance")
	case fewest == most:
		fmt.Fprintf(&b, "; n = %d", most)
	default:
		fmt.Fprintf(&b, "; n = %d to %d", fewest, most)
	}
	if e.Detectable > 0 {
		fmt.Fprintf(&b, "; %s could have been seen", short(e.Detectable))
	}
	return b.String()
}

func (p *Point) estimate() string {
	if p.SE == 0 {
		return short(p.Value)
	}
	return short(p.Value) + " ± " + short(p.SE)
}

// short writes a number for people, in three significant digits or all those before the point.
func short(x float64) string {
	if math.Abs(x) >= 1000 && math.Abs(x) < 1e15 {
		return strconv.FormatFloat(math.Round(x), 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}
