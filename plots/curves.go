package plots

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"ppdp/internal/results"
)

// Line is a curve of a figure or a benchmark, with its numbers.
type Line struct {
	Label string
	// Axis is the parameter, or "epsilon", that the points' X are values of; "" for a horizontal
	// line.
	Axis   string
	Points []Point // by ascending X; one for a horizontal line
}

// Point is a mean over trials.
type Point struct {
	X         float64
	Mean, SE  float64 // NaN where unknown: no trial has a value, or a single one has no error
	N, Failed int     // trials with a value and without
	// Interval holds the ends of the error bar where they are not Mean ± SE.
	Interval *[2]float64
}

// bar returns the ends of the error bar, NaN where the point has none.
func (p *Point) bar() (lo, hi float64) {
	switch {
	case p.Interval != nil:
		return p.Interval[0], p.Interval[1]
	case p.SE > 0:
		return p.Mean - p.SE, p.Mean + p.SE
	}
	return math.NaN(), math.NaN()
}

// Text has the numbers of a point at a place on an axis, "" for none: "at 0.5: 0.83 ± 0.01, n = 5".
func (p *Point) Text(place string) string {
	text := Number(p.Mean)
	switch lo, hi := p.bar(); {
	case p.Interval != nil:
		text += " (" + Number(lo) + " to " + Number(hi) + ")"
	case p.SE > 0:
		text += " ± " + Number(p.SE)
	}
	if place != "" {
		text = "at " + place + ": " + text
	}
	if p.N > 0 {
		text += fmt.Sprintf(", n = %d", p.N)
	}
	if p.Failed > 0 {
		text += fmt.Sprintf(", %d failed", p.Failed)
	}
	return text
}

// level is the value of a horizontal line.
func (l *Line) level() float64 { return l.Points[0].Mean }

// curve is a Line of a series or a benchmark, with what its label and legend are made from.
type curve struct {
	Line
	series string // the name that the spec gives it
	name   string // its label, but for a broken guarantee: what curves of one style share
	// gaps are the least and the largest share of an optimiser's cost at the points that is not
	// proven necessary.
	gaps [2]float64
}

// member is a row with its place on an axis.
type member struct {
	row  *results.Row
	axis string // as of Line
	x    float64
}

// addCurves makes the curves: one per series, split by axis and, where there are several, by
// classifier, so that no hidden dimension is averaged away or joined by a zigzag. Settings that
// differ in anything else at one place are refused in a spec before it runs.
func (c *chart) addCurves(rows []*results.Row) error {
	var members []member
	var problems []error
	classifiers := make(map[string][]string) // by series
	for _, r := range rows {
		m, err := c.place(r)
		problems = append(problems, err)
		members = append(members, m)
		classifiers[r.Label()] = results.Union(classifiers[r.Label()], r.Classifier)
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	bySeries := results.Grouped(members, func(m member) string { return m.row.Label() })
	for _, series := range bySeries {
		for _, part := range results.Grouped(series,
			func(m member) string { return m.axis + "\x00" + m.row.Classifier }) {
			cv, err := c.newCurve(part, len(classifiers[part[0].row.Label()]) > 1)
			problems = append(problems, err)
			c.curves = append(c.curves, cv)
		}
	}
	return errors.Join(problems...)
}

// place finds the axis and coordinate of a row.
func (c *chart) place(r *results.Row) (member, error) {
	for _, axis := range []string{c.figure.X, c.figure.X2} {
		x, known := r.Number(axis)
		if !known {
			continue
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			text, _ := r.Fact(axis)
			return member{}, c.problem("series %q has %s = %q, must be a finite number to be "+
				"drawn along an axis", r.Label(), axis, text)
		}
		return member{r, axis, x}, nil
	}
	return member{row: r}, nil
}

// newCurve joins the points of rows. The label is that of their series, with the classifier where
// there are several.
func (c *chart) newCurve(members []member, several bool) (curve, error) {
	row := members[0].row
	cv := curve{Line: Line{Axis: members[0].axis}, series: row.Label()}
	setting, variant := row.Label(), ""
	if several {
		setting += results.VariantSuffix(row.Classifier)
	} else if row.ShowVariant {
		setting, variant = row.Series, row.Variant
	}
	broken := slices.ContainsFunc(members, func(m member) bool { return m.row.Broken })
	cv.name, cv.Label = label(setting, variant, false), label(setting, variant, broken)
	cv.gaps[0] = math.Inf(1)
	for _, m := range members {
		point := pointOf(m.row, m.x)
		if c.figure.Axis == results.SampleEquivalent {
			point.SE, point.Interval = math.NaN(), &[2]float64{m.row.Lo95, m.row.Hi95}
		}
		cv.Points = append(cv.Points, point)
		gap := c.gaps[m.row.Setting]
		cv.gaps = [2]float64{min(cv.gaps[0], gap), max(cv.gaps[1], gap)}
	}
	sort.SliceStable(cv.Points, func(i, j int) bool { return cv.Points[i].X < cv.Points[j].X })
	for i := 1; i < len(cv.Points); i++ {
		if cv.Points[i].X == cv.Points[i-1].X {
			return curve{}, c.problem("series %q has two rows at %s that differ in nothing a "+
				"figure can show; where must choose one", cv.Label, cv.at(i))
		}
	}
	return cv, nil
}

// notPrivate is said of curves with a release whose guarantee is broken.
const notPrivate = "not private"

// label is what a figure calls a curve: "RPS, depth 5 (published, not private)".
func label(setting, variant string, broken bool) string {
	note := ""
	if broken && !results.Says(setting, notPrivate) { // by the spec's author
		note = ", " + notPrivate
	}
	if variant == "" {
		return setting + note
	}
	return setting + results.VariantSuffix(variant+note)
}

func pointOf(r *results.Row, x float64) Point {
	return Point{X: x, Mean: r.Mean, SE: r.SE, N: r.N, Failed: r.Failed}
}

// at names the place of a point on the line's axis.
func (l *Line) at(i int) string {
	if l.Axis == "" {
		return "its only point"
	}
	return fmt.Sprintf("%s = %v", l.Axis, l.Points[i].X)
}

// disagreement is how far the rows behind a benchmark line may differ without a warning: more than
// the rounding of a mean.
const disagreement = 1e-9

// addReference adds the benchmark line of some rows: their mean, with its error where it is that of
// a single row.
func (c *chart) addReference(name string, rows []*results.Row) {
	undefined := func(r *results.Row) bool { return math.IsNaN(r.Mean) }
	rows = slices.DeleteFunc(slices.Clone(rows), undefined)
	if len(rows) == 0 {
		c.warn("reference %q: no algorithm or classifier of that name has a value here, "+
			"its line is left out", name)
		return
	}
	value, averaged := pointOf(rows[0], 0), 0
	if len(rows) > 1 {
		means := results.Mapped(rows, func(r *results.Row) float64 { return r.Mean })
		value = Point{Mean: results.Mean(means), SE: math.NaN()}
		if lo, hi := slices.Min(means), slices.Max(means); hi-lo > disagreement {
			c.warn("reference %q: its %d rows run from %v to %v, the line is their mean",
				name, len(rows), lo, hi)
			averaged = len(rows)
		}
	}
	text := referenceLabel(name, averaged)
	c.references = append(c.references, curve{
		Line: Line{Label: text, Points: []Point{value}}, name: "benchmark " + text})
}

// epsilonName is the name of the privacy budget among the names of parameters.
const epsilonName = "epsilon"

// curveRows applies the figure's where. Rows of a reference are left out unless where asks for them
// by name.
func (c *chart) curveRows(rows []results.Row) (chosen []*results.Row, err error) {
	f := &c.figure
	for r := range results.Each(rows) {
		if r.Metric == f.Y && f.Where.Selects(r) && !isReference(f, r) {
			chosen = append(chosen, r)
		}
	}
	if len(chosen) == 0 {
		return nil, c.problem("no rows with %s", strings.Join(
			append([]string{"metric " + f.Y}, filterTexts(f.Where)...), ", "))
	}
	return chosen, nil
}

// isReference reports whether the row belongs to a horizontal line and not to a curve.
func isReference(figure *results.Figure, r *results.Row) bool {
	return slices.ContainsFunc(figure.Reference, func(name string) bool {
		return r.Algorithm == name && figure.Where["algorithm"] == "" ||
			r.Classifier == name && figure.Where["classifier"] == ""
	})
}

// referenceRows are the rows a reference line is the mean of: those of the algorithm called name,
// as far as dataset (with its parameters), metric and classifier are what the figure shows; or
// those of the classifier called name, on the original data where the experiment measured that,
// else on every release.
func referenceRows(figure *results.Figure, rows []results.Row, name string) []*results.Row {
	var algorithm, original, classifier []*results.Row
	sameClassifier := figure.Where.Only("classifier")
	for r := range results.Each(rows) {
		sameDataset := figure.Where.Only("dataset")
		for name, wanted := range figure.Where { // order-free: fills a set
			if _, known := r.Dataset.Params[name]; known {
				sameDataset[name] = wanted
			}
		}
		if r.Metric != figure.Y || !sameDataset.Selects(r) {
			continue
		}
		if r.Classifier == name {
			classifier = append(classifier, r)
			if r.Algorithm == "identity" {
				original = append(original, r)
			}
		} else if r.Algorithm == name && sameClassifier.Selects(r) &&
			!slices.Contains(figure.Reference, r.Classifier) {
			algorithm = append(algorithm, r)
		}
	}
	switch {
	case len(algorithm) > 0:
		return algorithm
	case len(original) > 0:
		return original
	}
	return classifier
}

// filterTexts names what a filter keeps: "classifier c45", "stop 5".
func filterTexts(where results.Filter) []string {
	return results.Mapped(slices.Sorted(maps.Keys(where)),
		func(name string) string { return name + " " + where[name] })
}

// equivalents replaces what a figure shows of a metric by the samples of the true records, in per
// cent, that are as good: with their intervals, without the control and what it does not measure.
func equivalents(f results.Figure, measure results.MeasureUse, sticks results.Yardsticks,
	rows []results.Row) (results.Figure, results.MeasureUse, []results.Row) {
	if f.YScale == "" {
		f.YScale = "log"
	}
	f.YLabel = cmp.Or(f.YLabel, "Equal sample (% of records)")
	measure.Title = "Equal sample: " + measure.Title
	measure.Unit, measure.HigherIsBetter = "% of the records", true
	var shown []results.Row
	for _, r := range rows {
		if e, ok := sticks.Of(&r); ok && r.Algorithm != results.SampleAlgorithm {
			r.Mean, r.Lo95, r.Hi95 = 100*e.Share, 100*e.Lo, 100*e.Hi
			shown = append(shown, r)
		}
	}
	return f, measure, shown
}
