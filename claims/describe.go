package claims

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// describe puts a check into words.
func (s *scope) describe() string {
	sides := make([]string, len(s.sides))
	for i, side := range s.sides {
		sides[i] = side.describe(s.replaced)
	}
	text := s.check.predicate.describe(sides)
	if where := s.where.String(); where != "" {
		text += "; " + where
	}
	if len(s.check.Each) > 0 {
		text += "; at each " + strings.Join(s.check.Each, ", ")
	}
	return text + " (" + s.experiment + ")"
}

// describe puts a side into words, with terms replaced as for a reading or a variant.
func (s *Side) describe(replaced Selector) string {
	text := cmp.Or(s.Where.replaced(replaced).String(), "value")
	if s.Experiment != "" {
		text += " (" + s.Experiment + ")"
	}
	if s.Stat == "se" {
		text = "standard error at " + text
	}
	for _, take := range s.Take {
		text = take.text + " of " + text
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

// Summary puts a check's evidence into a line: the extremes of the statistic, how many points
// support and oppose, how many trials there were and what could have been seen.
func (e *Evidence) Summary() string {
	lo, hi := e.Points[0], e.Points[0]
	fewest, most := lo.N, lo.N
	for _, p := range e.Points {
		if p.Value < lo.Value {
			lo = p
		}
		if p.Value > hi.Value {
			hi = p
		}
		fewest, most = min(fewest, p.N), max(most, p.N)
	}
	var b strings.Builder
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
