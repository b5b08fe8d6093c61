package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppdp/internal/results"
)

// describe puts a check into words.
func (s *scope) describe() string {
	sides := results.Mapped(s.sides, func(side *Side) string { return side.describe(s.replaced) })
	text := s.check.predicate().describe(sides)
	if s.check.By == medians {
		text = "median of the trials: " + text
	}
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
	switch s.Stat {
	case "se":
		text = "standard error at " + text
	case "min":
		text = "least of the trials at " + text
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

// Words is the verdict as readers see it, with the numbers that go with it.
func (j *Judgement) Words() string {
	all := j.Counts()
	var margins []string
	seen := 0.0
	for c := range results.Each(j.Checks) {
		if margin := short(c.Margin); c.Equal > 0 && !slices.Contains(margins, margin) {
			margins = append(margins, margin)
		}
		if c.Open > 0 {
			seen = max(seen, c.Detectable)
		}
	}
	switch {
	case j.Verdict == HoldsInPart && all.All() > 0:
		return fmt.Sprintf("holds in part (%d of %d points)", all.Supports, all.All())
	case j.Verdict == Contradicted && all.Opposes < all.All():
		return fmt.Sprintf("contradicted (at %d of %d points)", all.Opposes, all.All())
	case j.Verdict == NoDifference && len(margins) > 0:
		return "no difference (below " + strings.Join(margins, " and ") + ")"
	case j.Verdict == Undecided && seen > 0:
		return "undecided (could have seen " + short(seen) + ")"
	}
	return j.Verdict.Text()
}

// Reasons are what the claims file says of the verdict, each as a paragraph of Markdown.
func (j *Judgement) Reasons() (reasons []string) {
	if j.PaperWords != "" {
		reasons = append(reasons, "*Reading:* "+j.Reading+". "+j.PaperWords)
	}
	as := j.Verdict == j.Expect || j.Verdict == ByTests
	if j.Note != "" && as && j.Variant == Published {
		reasons = append(reasons, "*Cause:* "+j.Note)
	}
	if j.Calibration != "" {
		reasons = append(reasons, "*Calibration:* "+j.Calibration)
	}
	if j.Debt != "" && j.Verdict == Undecided {
		reasons = append(reasons, "*Undecided:* "+j.Debt)
	}
	return reasons
}

// Summary puts a check's evidence into a line: the extremes of the statistic, how many points
// support and oppose, how many trials there were and what could have been seen.
func (e *Evidence) Summary() string {
	byTrials := func(a, b Point) int { return a.N - b.N }
	lo, hi := slices.MinFunc(e.Points, byValue), slices.MaxFunc(e.Points, byValue)
	fewest, most := slices.MinFunc(e.Points, byTrials).N, slices.MaxFunc(e.Points, byTrials).N
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
	for _, state := range []struct {
		points int
		text   string
	}{{e.Opposes, "oppose"}, {e.Equal, "equal"}, {e.Open, "open"}} {
		if state.points > 0 {
			fmt.Fprintf(&b, ", %d %s", state.points, state.text)
		}
	}
	if e.Where != "" {
		b.WriteString(" (" + e.Where + ")")
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

// EffectText is the statistic of the check that decided the verdict, at its median point, with its
// standard error and unit; "" where nothing was measured. A difference has a sign.
func (j *Judgement) EffectText() string {
	if j.Effect == nil {
		return ""
	}
	text := minus(j.Effect.estimate())
	e := j.deciding()
	if e.Difference && j.Effect.Value > 0 {
		text = "+" + text
	}
	if e.Unit == ratioUnit || e.Unit == exponentUnit {
		return e.Unit + " " + text
	}
	return strings.TrimSpace(text + " " + e.Unit)
}

// BoundText is the bound that EffectText is compared with: ", bound above 0"; "" without one.
func (j *Judgement) BoundText() string {
	if e := j.deciding(); j.Effect != nil && e.Bound != "" {
		return ", bound " + minus(e.Bound)
	}
	return ""
}

func minus(text string) string { return strings.ReplaceAll(text, "-", "−") }

// deciding is the first check with the worst verdict, if there are checks.
func (j *Judgement) deciding() (worst Evidence) {
	if len(j.Checks) > 0 {
		worst = slices.MaxFunc(j.Checks, func(a, b Evidence) int {
			return slices.Index(fromBest, a.Verdict) - slices.Index(fromBest, b.Verdict)
		})
	}
	return worst
}

// Units of what has none of a metric.
const (
	ratioUnit    = "ratio"
	exponentUnit = "exponent"
)

// units are those of metrics whose values are not said best by the metric's name.
var units = map[string]string{
	"accuracy-published": "accuracy", "accuracy-generalised": "accuracy",
	"ncp": "certainty penalty", "discernibility": "records²", "match-point": "match point",
	"count-error": "records", "count-error-std": "records",
	"cavg": "average size of regions in k", "spent": "ε", results.RuntimeMetric: "s",
	"tree-depth": "levels", "tree-leaves": "leaves",
	"w1": "W1", "w2": "W2", "ks": "KS distance", "ks-joint": "KS distance",
}

// unit is that of a check's statistic, and whether the statistic is a difference.
func (s *scope) unit() (unit string, difference bool) {
	side := s.sides[0]
	difference = len(s.sides) > 1 || s.check.Monotone != nil || side.Minus != nil && side.Per == nil
	switch {
	case s.check.Growth != nil:
		return exponentUnit, false
	case side.Per != nil:
		return ratioUnit, difference
	}
	for _, t := range s.where.with(side.Where).replaced(s.replaced) {
		if t.key == "metric" {
			unit, _, _ = strings.Cut(t.wanted, " ") // without its parameters
		}
	}
	return cmp.Or(units[unit], unit), difference
}

// text puts bounds into words.
func (b bounds) text() string {
	number := func(x float64) string { // six digits tell 0.7 + 0.1 from 0.8 no more; -0 is 0
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x+0, 'g', 6, 64), 64)
		return results.FormatNumber(rounded)
	}
	lo, hi := number(b.lo), number(b.hi)
	switch {
	case b.open && math.IsInf(b.hi, 1):
		return "above " + lo
	case b.open:
		return "below " + hi
	case math.IsInf(b.lo, -1):
		return "at most " + hi
	case math.IsInf(b.hi, 1):
		return "at least " + lo
	}
	return "from " + lo + " to " + hi
}

// where says at which places of a grid the points of each state are, "" if all have one state.
func (e *Evidence) where(axes []string) string {
	var values []string // of the axis with the most, which are written as ranges
	main := -1
	for axis := range axes {
		var own []string
		for _, p := range e.Points {
			own = results.Union(own, p.place[axis])
		}
		if len(own) > len(values) {
			main, values = axis, own
		}
	}
	var parts []string
	for _, state := range []string{supports, opposes, equal, open} {
		of := slices.DeleteFunc(slices.Clone(e.Points),
			func(p Point) bool { return p.State != state })
		if len(of) == len(e.Points) {
			return ""
		}
		if len(of) > 0 {
			parts = append(parts, state+": "+places(of, axes, main, values))
		}
	}
	return strings.Join(parts, "; ")
}

// fewPlaces are listed; of more, only the number is given.
const fewPlaces = 4

// places lists points: for each combination of the other axes the ranges of the main one, which has
// these values. There is none without axes.
func places(points []Point, axes []string, main int, values []string) string {
	others := func(p Point) string {
		var texts []string
		for i, value := range p.place {
			switch {
			case value == "" || i == main:
			case i < len(axes):
				texts = append(texts, axes[i]+" "+value)
			default:
				texts = append(texts, value)
			}
		}
		return strings.Join(texts, ", ")
	}
	groups := results.Grouped(points, others)
	if len(groups) > fewPlaces {
		return fmt.Sprintf("%d points", len(points))
	}
	var texts []string
	for _, group := range groups {
		text := others(group[0])
		if main >= 0 {
			at := results.Mapped(group,
				func(p Point) int { return slices.Index(values, p.place[main]) })
			text = strings.TrimPrefix(text+", "+axes[main]+" "+ranges(values, at), ", ")
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " and ")
}

// ranges lists the values at places in ascending order: "0.1 to 0.5, 2".
func ranges(values []string, at []int) string {
	var texts []string
	for first := 0; first < len(at); {
		last := first
		for last+1 < len(at) && at[last+1] == at[last]+1 {
			last++
		}
		text := values[at[first]]
		if last > first {
			text += " to " + values[at[last]]
		}
		texts = append(texts, text)
		first = last + 1
	}
	return strings.Join(texts, ", ")
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
