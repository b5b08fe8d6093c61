package plots

import (
	"cmp"
	"errors"
	"image/color"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"ppdp/internal/results"
)

// rectangle is a region's extent along a map's two attributes.
type rectangle struct{ left, right, low, high float64 }

// dot is a place where original rows lie.
type dot struct {
	x, y float64
	rows int
}

// newMap makes the chart of a figure that shows one release's regions.
func newMap(figure results.Figure, run *results.Summary) (*chart, error) {
	c := &chart{figure: figure, isMap: true, minN: math.MaxInt}
	record, err := c.chooseRecord(run.First)
	if err != nil {
		return nil, err
	}
	if err := c.addRectangles(record.Regions); err != nil {
		return nil, err
	}
	name := record.Dataset.Label()
	if record.Dataset.StandIn() {
		c.standIns = append(c.standIns, name)
	}
	if c.dots = dotsOf(&figure, run.Original(&record.Dataset)); len(c.dots) == 0 {
		c.warn("the run kept no rows of %s; write keep: [regions, rows] in the spec to see them",
			name)
	}
	c.x, c.y = emptySpan(false), emptySpan(false)
	for _, r := range c.rectangles {
		c.x.add(r.left, r.right)
		c.y.add(r.low, r.high)
	}
	for _, d := range c.dots {
		c.x.add(d.x)
		c.y.add(d.y)
	}
	c.x, c.y = c.x.padded(mapRoom).limited(figure.XLim), c.y.padded(mapRoom).limited(figure.YLim)
	c.xLabel = parameterLabel(figure.X, figure.XLabel)
	c.yLabel = parameterLabel(figure.Y, figure.YLabel)
	return c, nil
}

// mapRoom is the share of a map's axes left free at each end, so that outer edges do not lie on the
// frame.
const mapRoom = 0.015

// chooseRecord finds, among the records of first trials, that of the one setting that a figure's
// where selects.
func (c *chart) chooseRecord(records []results.Record) (*results.Record, error) {
	var chosen []*results.Record
	for record := range results.Each(records) {
		if c.figure.Where.Selects(record) {
			chosen = append(chosen, record)
		}
	}
	switch {
	case len(chosen) != 1:
		return nil, c.problem("%d releases with %s, must be one", len(chosen),
			strings.Join(filterTexts(c.figure.Where), ", "))
	case chosen[0].Status != results.OK:
		return nil, c.problem("its release failed: %s", chosen[0].Error)
	}
	return chosen[0], nil
}

// addRectangles projects regions onto the figure's attributes.
func (c *chart) addRectangles(sides []results.RegionSide) error {
	if len(sides) == 0 {
		return c.problem("the run kept no regions of its release")
	}
	along, up := make(map[int]*results.RegionSide), make(map[int]*results.RegionSide) // by region
	var attributes []string
	for s := range results.Each(sides) {
		attributes = results.Union(attributes, s.Attribute)
		switch s.Attribute {
		case c.figure.X:
			along[s.Region] = s
		case c.figure.Y:
			up[s.Region] = s
		}
	}
	var problems []error
	for _, name := range []string{c.figure.X, c.figure.Y} {
		if !slices.Contains(attributes, name) {
			err := c.problem("the regions have no attribute %q, must be one of %s",
				name, strings.Join(attributes, ", "))
			problems = append(problems, err)
		}
	}
	for _, region := range slices.Sorted(maps.Keys(along)) {
		if x, y := along[region], up[region]; y != nil {
			c.rectangles = append(c.rectangles, rectangle{x.Low, x.High, y.Low, y.High})
		}
	}
	return errors.Join(problems...)
}

// dotsOf counts original rows by place, from left to right and up.
func dotsOf(figure *results.Figure, columns []results.Column) []dot {
	var x, y []float64
	for _, column := range columns {
		switch column.Attribute {
		case figure.X:
			x = column.Values
		case figure.Y:
			y = column.Values
		}
	}
	rows := make(map[dot]int)
	for i := range min(len(x), len(y)) {
		rows[dot{x: x[i], y: y[i]}]++
	}
	var dots []dot
	for d, n := range rows { // order-free: sorted below
		d.rows = n
		dots = append(dots, d)
	}
	slices.SortFunc(dots, func(a, b dot) int {
		return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y))
	})
	return dots
}

const dotRadius vg.Length = 0.75 // points, of one row; the area grows with the rows

// dotColour is light, so that outlines can be seen where there are many dots.
var dotColour = color.RGBA{0x9C, 0x9C, 0x9C, 0xFF}

// drawMap draws dots and, over them, the regions' outlines.
func (p *panel) drawMap(c *draw.Canvas, x, y func(float64) vg.Length) {
	c.SetColor(dotColour)
	// One shape of all dots: they have one colour and turn the same way, so that overlaps stay
	// filled.
	var all vg.Path
	for _, d := range p.dots {
		at := vg.Point{X: x(d.x), Y: y(d.y)}
		if !c.Contains(at) {
			continue
		}
		radius := p.style.points(dotRadius) * vg.Length(math.Sqrt(float64(d.rows)))
		all.Move(vg.Point{X: at.X + radius, Y: at.Y})
		all.Arc(at, radius, 0, 2*math.Pi)
		all.Close()
	}
	if len(all) > 0 {
		c.Fill(all)
	}
	c.SetLineStyle(p.style.line(0.7, palette[0], nil))
	for _, r := range p.rectangles {
		left, right := max(r.left, p.x.min), min(r.right, p.x.max)
		low, high := max(r.low, p.y.min), min(r.high, p.y.max)
		if left >= right || low >= high {
			continue
		}
		corner := vg.Point{X: x(left), Y: y(low)}
		outline := vg.Rectangle{Min: corner, Max: vg.Point{X: x(right), Y: y(high)}}
		c.Stroke(outline.Path())
	}
}
