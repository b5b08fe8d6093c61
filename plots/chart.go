package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ppdp/internal/results"
)

// chart is what one panel shows, before any of it has a place or a colour.
type chart struct {
	figure     results.Figure
	gaps       map[*results.Setting]float64 // where the cost may not be the least
	measure    results.MeasureUse           // y
	curves     []curve
	references []curve // horizontal
	lines      []Line  // curves and references before the axes left anything out
	x, x2, y   span
	hasTop     bool // some curves run along the top axis
	xLabel     string
	x2Label    string
	yLabel     string
	standIns   []string // datasets drawn that stand in for real data
	minN, maxN int      // trials behind the points drawn
	// failedPoints counts the points where trials have no value: failed or undefined ones.
	failedPoints int
	outside      []string // curves with points beyond the axes' limits, and how many
	warnings     []string

	isMap      bool // shows the regions of one release instead of curves
	rectangles []rectangle
	dots       []dot
}

// problem is an error about the figure.
func (c *chart) problem(format string, args ...any) error {
	return fmt.Errorf("figure %q: "+format, append([]any{c.figure.Name}, args...)...)
}

func (c *chart) warn(format string, args ...any) {
	c.warnings = append(c.warnings, c.problem(format, args...).Error())
}

// newChart selects and arranges the rows of a figure. measure describes its y.
func newChart(f results.Figure, measure results.MeasureUse, rows []results.Row) (*chart, error) {
	c := &chart{figure: f, measure: measure, gaps: make(map[*results.Setting]float64)}
	shown, err := c.curveRows(rows)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if rows[i].Metric == results.GapMetric && rows[i].Mean > 0 {
			c.gaps[rows[i].Setting] = rows[i].Mean
		}
	}
	if err := c.addCurves(shown); err != nil {
		return nil, err
	}
	for _, name := range f.Reference {
		benchmark := referenceRows(&f, rows, name)
		c.addReference(name, benchmark)
		shown = append(shown, benchmark...)
	}
	c.lines = results.Mapped(slices.Concat(c.curves, c.references),
		func(cv curve) Line { return cv.Line })
	if err := c.fit(); err != nil {
		return nil, err
	}
	c.describe(shown)
	return c, nil
}

// onTop reports whether a curve runs along the top axis.
func (c *chart) onTop(cv curve) bool { return cv.Axis != "" && cv.Axis != c.figure.X }

const (
	xRoom = 0.035 // shares of the range left free at each end of an axis
	yRoom = 0.06
)

// fit decides the axes' ranges and drops what they cannot show.
func (c *chart) fit() error {
	f := &c.figure
	c.dropUnplaceable()
	c.x, c.x2, c.y = emptySpan(f.XScale == "log"), emptySpan(false), emptySpan(f.YScale == "log")
	for _, cv := range c.curves {
		c.hasTop = c.hasTop || c.onTop(cv)
		for _, p := range cv.Points {
			switch cv.Axis {
			case "":
			case f.X:
				c.x.add(p.X)
			default:
				c.x2.add(p.X)
			}
			c.y.add(p.Mean)
		}
	}
	if c.y.empty() {
		return c.problem("none of its points can be drawn: %s", strings.Join(c.warnings, "; "))
	}
	if c.x.empty() {
		return c.problem("no series has a value of x, %q; it must be epsilon or a parameter of "+
			"some algorithm", f.X)
	}
	for _, cv := range c.curves {
		for _, p := range cv.Points {
			c.y.add(p.bar()) // NaN where unknown
		}
	}
	for _, r := range c.references {
		c.y.add(r.level())
	}
	fromZero := !c.y.log && c.y.min >= 0
	c.x, c.x2, c.y = c.x.padded(xRoom), c.x2.padded(xRoom), c.y.padded(yRoom)
	if fromZero {
		c.y.min = max(c.y.min, 0)
	}
	c.x, c.y = c.x.limited(f.XLim), c.y.limited(f.YLim)
	c.warnOutside()
	return nil
}

// dropUnplaceable leaves out points without a place on a log axis and makes gaps of missing values.
func (c *chart) dropUnplaceable() {
	for cv := range results.Each(c.curves) {
		var kept []Point
		for j, p := range cv.Points {
			at := cv.at(j)
			switch {
			case cv.Axis == c.figure.X && c.figure.XScale == "log" && p.X <= 0:
				c.warn("%s: %s has no place on a log axis, the point is left out", cv.Label, at)
				continue
			case math.IsNaN(p.Mean):
				c.warn("%s: no value at %s (of %d trials), the line has a gap",
					cv.Label, at, p.Failed)
			case c.figure.YScale == "log" && p.Mean <= 0:
				c.warn("%s: %v at %s has no place on a log axis, the line has a gap",
					cv.Label, p.Mean, at)
				p.Mean = math.NaN()
			case p.Failed > 0:
				c.warn("%s: %d of %d trials have no value at %s", cv.Label, p.Failed,
					p.N+p.Failed, at)
			}
			kept = append(kept, p)
		}
		cv.Points = kept
	}
}

// warnOutside warns of points that fixed limits cut off. Of benchmark lines the legend does.
func (c *chart) warnOutside() {
	for _, cv := range c.curves {
		outside := 0
		for _, p := range cv.Points {
			if !math.IsNaN(p.Mean) &&
				(!c.y.contains(p.Mean) || cv.Axis == c.figure.X && !c.x.contains(p.X)) {
				outside++
			}
		}
		if outside > 0 {
			text := fmt.Sprintf("%s, %d of %d points", cv.Label, outside, len(cv.Points))
			c.outside = append(c.outside, text)
			c.warn("beyond the axes' limits: %s", text)
		}
	}
}

// hidden lists the curves that a later one covers: the same places on the same axis, and means that
// cannot be seen to differ.
func (c *chart) hidden() []string {
	var labels []string
	for i, below := range c.curves {
		if slices.ContainsFunc(c.curves[i+1:], func(above curve) bool {
			return below.Axis == above.Axis &&
				slices.EqualFunc(below.Points, above.Points, c.covers)
		}) {
			labels = append(labels, below.Label)
		}
	}
	return labels
}

// leastSeen is the least distance between two curves that can be seen, as a share of the axis: half
// a marker.
const leastSeen = 0.008

func (c *chart) covers(a, b Point) bool {
	if math.IsNaN(a.Mean) || math.IsNaN(b.Mean) {
		return a.X == b.X && math.IsNaN(a.Mean) == math.IsNaN(b.Mean)
	}
	return a.X == b.X && math.Abs(c.y.position(a.Mean)-c.y.position(b.Mean)) < leastSeen
}

// describe gathers what the labels and the caption need.
func (c *chart) describe(shown []*results.Row) {
	c.xLabel = parameterLabel(c.figure.X, c.figure.XLabel)
	if c.figure.X == epsilonName {
		c.xLabel += besideEpsilon(shown)
	}
	c.x2Label = parameterLabel(c.figure.X2, c.figure.X2Label)
	c.yLabel = cmp.Or(c.figure.YLabel, measureLabel(c.measure))
	for _, r := range shown {
		if r.Dataset.StandIn() {
			c.standIns = results.Union(c.standIns, r.Dataset.Label())
		}
	}
	c.minN = math.MaxInt
	for _, cv := range c.curves {
		for _, p := range cv.Points {
			if p.Failed > 0 {
				c.failedPoints++
			}
			if !math.IsNaN(p.Mean) {
				c.minN, c.maxN = min(c.minN, p.N), max(c.maxN, p.N)
			}
		}
	}
}
