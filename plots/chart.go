package plots

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"ppdp/results"
)

// chart is what one panel shows, before any of it has a place or a colour.
type chart struct {
	figure     results.Figure
	measure    results.MeasureUse // y
	curves     []curve
	references []reference
	x, x2, y   span
	hasTop     bool // some curves run along the top axis
	xLabel     string
	x2Label    string
	yLabel     string
	standIns   []string // datasets drawn that stand in for real data
	minN, maxN int      // trials behind the points drawn
	// failedPoints counts the points where trials failed, with or without a value left.
	failedPoints int
	warnings     []string

	isMap      bool // shows the regions of one release instead of curves
	rectangles []rectangle
	dots       []dot
}

// axis says along which axis a curve's points lie.
type axis int

const (
	bottom  axis = iota
	top          // the curve has the figure's x2 and no x
	nowhere      // it has neither and is the same all along: drawn as a horizontal line
)

type curve struct {
	label   string
	series  string
	variant string // that the label ends with; "" for none
	setting string // the label without the variant
	axis    axis
	points  []point // by ascending x
}

// point is a mean with its standard error; a NaN mean is a gap, a NaN error one that is not known.
type point struct {
	x, mean, se float64
	n, failed   int
}

type reference struct {
	label string
	value float64
}

func (c *chart) warn(format string, args ...any) {
	c.warnings = append(c.warnings, fmt.Sprintf("figure %q: ", c.figure.Name)+fmt.Sprintf(format, args...))
}

// newChart selects and arranges the rows of a figure whose y is measured as measure says.
func newChart(figure results.Figure, measure results.MeasureUse, rows []results.Row) (*chart, error) {
	if err := validateFigure(&figure); err != nil {
		return nil, err
	}
	chosen, err := choose(&figure, rows)
	if err != nil {
		return nil, err
	}
	c := &chart{figure: figure, measure: measure}
	if err := c.addCurves(chosen.curves); err != nil {
		return nil, err
	}
	for _, name := range figure.Reference {
		c.addReference(name, chosen.references[name])
	}
	if err := c.fit(); err != nil {
		return nil, err
	}
	c.describe(chosen)
	return c, nil
}

func validateFigure(f *results.Figure) error {
	var problems []error
	problem := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("figure %q: "+format, append([]any{f.Name}, args...)...))
	}
	if f.Kind == results.RegionsKind {
		problem("a map of regions needs a whole run, not rows of its summary")
	} else if f.Kind != "" {
		problem("kind: %q, must be %s, or not given for curves", f.Kind, results.RegionsKind)
	}
	if f.X == "" {
		problem("x is empty, must be epsilon or a parameter's name")
	}
	if f.Y == "" {
		problem("y is empty, must be a metric's name")
	}
	for _, s := range []struct{ key, value string }{{"xscale", f.XScale}, {"yscale", f.YScale}} {
		if s.value != "" && s.value != "linear" && s.value != "log" {
			problem("%s: %q, must be linear or log", s.key, s.value)
		}
	}
	for _, l := range []struct {
		key    string
		limits []float64
		log    bool
	}{{"xlim", f.XLim, f.XScale == "log"}, {"ylim", f.YLim, f.YScale == "log"}} {
		if l.limits == nil {
			continue
		}
		if len(l.limits) != 2 || !(l.limits[0] < l.limits[1]) || math.IsInf(l.limits[0], 0) || math.IsInf(l.limits[1], 0) {
			problem("%s: %v, must be [low, high] with low below high", l.key, l.limits)
		} else if l.log && l.limits[0] <= 0 {
			problem("%s: %v, must be above 0 on a log scale", l.key, l.limits)
		}
	}
	return errors.Join(problems...)
}

// member is a row with its place on an axis.
type member struct {
	row  *results.Row
	axis axis
	x    float64
}

// addCurves makes the curves: one per series, split wherever a series holds more than one line, so
// that no hidden dimension is averaged away or joined by a zigzag.
func (c *chart) addCurves(rows []*results.Row) error {
	var order []string
	bySeries := make(map[string][]member)
	var problems []error
	for _, r := range rows {
		m, err := c.place(r)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		series := r.Label()
		if _, known := bySeries[series]; !known {
			order = append(order, series)
		}
		bySeries[series] = append(bySeries[series], m)
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	for _, series := range order {
		lines, err := c.split(series, bySeries[series])
		if err != nil {
			problems = append(problems, err)
			continue
		}
		c.curves = append(c.curves, lines...)
	}
	return errors.Join(problems...)
}

// place finds the axis and coordinate of a row.
func (c *chart) place(r *results.Row) (member, error) {
	for _, candidate := range []struct {
		name string
		axis axis
	}{{c.figure.X, bottom}, {c.figure.X2, top}} {
		if candidate.name == "" {
			continue
		}
		text, ok := r.Fact(candidate.name)
		if !ok {
			continue
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return member{}, fmt.Errorf("figure %q: series %q has %s = %q, must be a finite number to be drawn along an axis",
				c.figure.Name, r.Label(), candidate.name, text)
		}
		return member{r, candidate.axis, x}, nil
	}
	return member{r, nowhere, 0}, nil
}

// split cuts a series into lines: always by axis, variant, dataset, algorithm and classifier, and by
// epsilon and parameters as far as two rows would else share a point. What differs goes into the label.
func (c *chart) split(series string, members []member) ([]curve, error) {
	type line struct {
		suffix  []string
		members []member
	}
	lines := []line{{nil, members}}
	by := func(name string, of func(member) string) {
		var next []line
		distinct := make(map[string]bool)
		for _, m := range members {
			distinct[of(m)] = true
		}
		if len(distinct) < 2 {
			return
		}
		for _, l := range lines {
			parts := make(map[string][]member)
			var order []string
			for _, m := range l.members {
				value := of(m)
				if _, known := parts[value]; !known {
					order = append(order, value)
				}
				parts[value] = append(parts[value], m)
			}
			for _, value := range order {
				suffix := l.suffix
				if text := suffixText(name, value); text != "" {
					suffix = append(append([]string(nil), suffix...), text)
				}
				next = append(next, line{suffix, parts[value]})
			}
		}
		lines = next
	}
	by("axis", func(m member) string { return strconv.Itoa(int(m.axis)) })
	for _, name := range []string{"variant", "dataset", "algorithm", "classifier"} {
		by(name, func(m member) string {
			if name == "dataset" { // a curve may run along one of its parameters
				return m.row.Dataset.Label(c.figure.X, c.figure.X2)
			}
			v, _ := m.row.Fact(name)
			return v
		})
	}
	for _, name := range c.freeNames(members) {
		clash := false
		for _, l := range lines {
			clash = clash || clashOn(l.members, name)
		}
		if clash {
			by(name, func(m member) string { v, _ := m.row.Fact(name); return v })
		}
	}
	var curves []curve
	for _, l := range lines {
		label := series
		if len(l.suffix) > 0 {
			label += " (" + strings.Join(l.suffix, ", ") + ")"
		}
		cv := curve{label: label, series: series, axis: l.members[0].axis}
		row := l.members[0].row
		cv.setting = label
		switch {
		case len(l.suffix) == 0 && row.ShowVariant:
			cv.setting, cv.variant = row.Series, row.Variant
		case slices.Equal(l.suffix, []string{row.Variant}):
			cv.setting, cv.variant = series, row.Variant
		}
		for _, m := range l.members {
			cv.points = append(cv.points, point{m.x, m.row.Mean, m.row.SE, m.row.N, m.row.Failed})
		}
		sort.SliceStable(cv.points, func(i, j int) bool { return cv.points[i].x < cv.points[j].x })
		for i := 1; i < len(cv.points); i++ {
			if cv.points[i].x == cv.points[i-1].x {
				return nil, fmt.Errorf("figure %q: series %q has two rows at %s that differ in nothing a figure can show; where must choose one",
					c.figure.Name, label, c.at(cv.axis, cv.points[i].x))
			}
		}
		curves = append(curves, cv)
	}
	return curves, nil
}

func suffixText(name, value string) string {
	switch name {
	case "axis":
		return "" // told by the curve's own note, "top axis"
	case "variant", "dataset", "algorithm", "classifier":
		return value
	case epsilonName:
		return "ε = " + value
	}
	return name + " = " + value
}

// freeNames are the parameters, and epsilon, that a curve does not run along.
func (c *chart) freeNames(members []member) []string {
	params := make(map[string]bool)
	for _, m := range members {
		for name := range m.row.AllParams() { // order-free: fills a set
			params[name] = true
		}
	}
	names := append([]string{epsilonName}, slices.Sorted(maps.Keys(params))...)
	free := names[:0]
	for _, name := range names {
		if name != c.figure.X {
			free = append(free, name)
		}
	}
	return free
}

// clashOn says whether rows of different value share a point.
func clashOn(members []member, name string) bool {
	type seen struct {
		axis axis
		x    float64
	}
	values := make(map[seen]string)
	for _, m := range members {
		value, _ := m.row.Fact(name)
		at := seen{m.axis, m.x}
		if other, taken := values[at]; taken && other != value {
			return true
		}
		values[at] = value
	}
	return false
}

// at names a point on an axis.
func (c *chart) at(a axis, x float64) string {
	switch a {
	case bottom:
		return fmt.Sprintf("%s = %v", c.figure.X, x)
	case top:
		return fmt.Sprintf("%s = %v", c.figure.X2, x)
	}
	return "its only point"
}

// disagreement is how far the rows behind one reference line may lie apart before it is told: more
// than the rounding of a mean.
const disagreement = 1e-9

func (c *chart) addReference(name string, rows []*results.Row) {
	var sum float64
	var n int
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		if math.IsNaN(r.Mean) {
			continue
		}
		sum += r.Mean
		n++
		lo, hi = math.Min(lo, r.Mean), math.Max(hi, r.Mean)
	}
	if n == 0 {
		c.warn("reference %q: no algorithm or classifier of that name has a value here, its line is left out", name)
		return
	}
	value := sum / float64(n)
	if hi-lo > disagreement {
		c.warn("reference %q: its %d rows run from %v to %v, the line is their mean", name, n, lo, hi)
	}
	c.references = append(c.references, reference{referenceLabel(name), value})
}

// span is an axis' range.
type span struct {
	min, max float64
	log      bool
}

func emptySpan(log bool) span { return span{math.Inf(1), math.Inf(-1), log} }

func (s *span) add(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) || s.log && v <= 0 {
		return
	}
	s.min, s.max = math.Min(s.min, v), math.Max(s.max, v)
}

func (s span) empty() bool { return s.min > s.max }

// contains is false for NaN.
func (s span) contains(v float64) bool { return v >= s.min && v <= s.max }

// unplaceable says whether a log axis cannot have a place for the value, whatever its limits.
func (s span) unplaceable(v float64) bool { return s.log && v <= 0 }

// position is a value's place along the axis, 0 to 1 within its range.
func (s span) position(v float64) float64 {
	if s.log {
		return math.Log(v/s.min) / math.Log(s.max/s.min)
	}
	return (v - s.min) / (s.max - s.min)
}

// padded widens the range by a share on each side, so that no marker sits on the frame.
func (s span) padded(share float64) span {
	if s.log {
		if s.min == s.max {
			return span{s.min / 2, s.max * 2, true}
		}
		factor := math.Pow(s.max/s.min, share)
		return span{s.min / factor, s.max * factor, true}
	}
	if s.min == s.max {
		room := math.Max(math.Abs(s.min)*0.1, 1e-3)
		return span{s.min - room, s.max + room, false}
	}
	room := float64((s.max - s.min) * share)
	return span{s.min - room, s.max + room, false}
}

const (
	xRoom = 0.035 // shares of the range left free at each end of an axis
	yRoom = 0.06
)

// fit decides the axes' ranges and drops what they cannot show.
func (c *chart) fit() error {
	f := &c.figure
	c.promoteTop()
	c.dropUnshowable()
	c.x, c.x2, c.y = emptySpan(f.XScale == "log"), emptySpan(false), emptySpan(f.YScale == "log")
	drawable := 0
	for _, cv := range c.curves {
		c.hasTop = c.hasTop || cv.axis == top
		for _, p := range cv.points {
			switch cv.axis {
			case bottom:
				c.x.add(p.x)
			case top:
				c.x2.add(p.x)
			}
			if math.IsNaN(p.mean) {
				continue
			}
			drawable++
			c.y.add(p.mean)
			if !math.IsNaN(p.se) {
				c.y.add(p.mean - p.se)
				c.y.add(p.mean + p.se)
			}
		}
	}
	for _, r := range c.references {
		c.y.add(r.value)
	}
	if drawable == 0 || c.y.empty() {
		return fmt.Errorf("figure %q: none of its points can be drawn: %s", f.Name, strings.Join(c.warnings, "; "))
	}
	if c.x.empty() {
		return fmt.Errorf("figure %q: no series has a value of x, %q; it must be epsilon or a parameter that some algorithm has", f.Name, f.X)
	}
	c.x, c.x2 = c.x.padded(xRoom), c.x2.padded(xRoom)
	fromZero := !c.y.log && c.y.min >= 0
	c.y = c.y.padded(yRoom)
	if fromZero && c.y.min < 0 {
		c.y.min = 0
	}
	if f.XLim != nil {
		c.x.min, c.x.max = f.XLim[0], f.XLim[1]
	}
	if f.YLim != nil {
		c.y.min, c.y.max = f.YLim[0], f.YLim[1]
	}
	c.warnOutside()
	return nil
}

// promoteTop uses the bottom axis when only the top one has data.
func (c *chart) promoteTop() {
	for _, cv := range c.curves {
		if cv.axis == bottom {
			return
		}
	}
	for i := range c.curves {
		if c.curves[i].axis == top {
			c.curves[i].axis = bottom
			c.figure.X, c.figure.XLabel = c.figure.X2, c.figure.X2Label
		}
	}
}

// dropUnshowable turns points that have no value or no place on a log axis into gaps.
func (c *chart) dropUnshowable() {
	for i := range c.curves {
		cv := &c.curves[i]
		kept := cv.points[:0]
		for _, p := range cv.points {
			where := c.at(cv.axis, p.x)
			if cv.axis == bottom && c.figure.XScale == "log" && p.x <= 0 {
				c.warn("%s: %s has no place on a log axis, the point is left out", cv.label, where)
				continue
			}
			switch {
			case math.IsNaN(p.mean):
				c.warn("%s: no value at %s (%d failed trials), the line has a gap", cv.label, where, p.failed)
			case c.figure.YScale == "log" && p.mean <= 0:
				c.warn("%s: %v at %s has no place on a log axis, the line has a gap", cv.label, p.mean, where)
				p.mean = math.NaN()
			case p.failed > 0:
				c.warn("%s: %d of %d trials failed at %s", cv.label, p.failed, p.n+p.failed, where)
			}
			kept = append(kept, p)
		}
		cv.points = kept
	}
}

// warnOutside tells which fixed limits cut data off.
func (c *chart) warnOutside() {
	for _, cv := range c.curves {
		outside := 0
		for _, p := range cv.points {
			if math.IsNaN(p.mean) {
				continue
			}
			if !c.y.contains(p.mean) || cv.axis == bottom && !c.x.contains(p.x) {
				outside++
			}
		}
		if outside > 0 {
			c.warn("%s: %d of %d points lie outside the axes' limits", cv.label, outside, len(cv.points))
		}
	}
	for _, r := range c.references {
		// On a log axis nobody could choose limits that show nought: the legend says it, and that is all there is to say.
		if !c.y.contains(r.value) && !c.y.unplaceable(r.value) {
			c.warn("reference %s at %v lies outside the axes' limits, its value is in the legend", r.label, r.value)
		}
	}
}

// hidden lists the curves that a later one covers: the same axis and places, and means no further apart than the eye can see.
func (c *chart) hidden() []string {
	var labels []string
	for i, below := range c.curves {
		for _, above := range c.curves[i+1:] {
			if below.axis == above.axis && slices.EqualFunc(below.points, above.points, c.covers) {
				labels = append(labels, below.label)
				break
			}
		}
	}
	return labels
}

// seen is the least distance of two curves that shows, as a share of the axis: half a marker.
const seen = 0.008

func (c *chart) covers(a, b point) bool {
	if math.IsNaN(a.mean) || math.IsNaN(b.mean) {
		return a.x == b.x && math.IsNaN(a.mean) == math.IsNaN(b.mean)
	}
	return a.x == b.x && math.Abs(c.y.position(a.mean)-c.y.position(b.mean)) < seen
}

// describe gathers what the labels and the caption say.
func (c *chart) describe(chosen selection) {
	c.xLabel = parameterLabel(c.figure.X, c.figure.XLabel)
	c.x2Label = parameterLabel(c.figure.X2, c.figure.X2Label)
	if names := c.topSeries(); c.figure.X2Label == "" && len(names) == 1 {
		c.x2Label += " (" + names[0] + ")"
	}
	c.yLabel = measureLabel(c.measure, c.figure.YLabel)
	rows := append([]*results.Row(nil), chosen.curves...)
	for _, name := range c.figure.Reference {
		rows = append(rows, chosen.references[name]...)
	}
	seen := make(map[string]bool)
	for _, r := range rows {
		if label := r.Dataset.Label(); r.Dataset.StandIn() && !seen[label] {
			seen[label] = true
			c.standIns = append(c.standIns, label)
		}
	}
	c.minN = math.MaxInt
	for _, cv := range c.curves {
		for _, p := range cv.points {
			if p.failed > 0 {
				c.failedPoints++
			}
			if !math.IsNaN(p.mean) {
				c.minN, c.maxN = min(c.minN, p.n), max(c.maxN, p.n)
			}
		}
	}
}

// topSeries names the series along the top axis.
func (c *chart) topSeries() []string {
	var names []string
	seen := make(map[string]bool)
	for _, cv := range c.curves {
		if cv.axis == top && !seen[cv.series] {
			seen[cv.series] = true
			names = append(names, cv.series)
		}
	}
	return names
}
