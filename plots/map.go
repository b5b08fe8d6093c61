package plots

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"sort"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"ppdp/results"
)

// rectangle is a region's extent along a map's two attributes.
type rectangle struct{ left, right, low, high float64 }

// dot is a place where original rows lie.
type dot struct {
	x, y float64
	rows int
}

// newMap makes the chart of a figure that shows one release's regions.
func newMap(figure results.Figure, o *results.Outcome) (*chart, error) {
	cell, err := chooseCell(&figure, o.Records)
	if err != nil {
		return nil, err
	}
	c := &chart{figure: figure, isMap: true, minN: math.MaxInt}
	if c.rectangles, err = rectanglesOf(&figure, o.Regions, cell); err != nil {
		return nil, err
	}
	record := &o.Records[cell]
	if record.StandIn {
		c.standIns = append(c.standIns, record.Dataset)
	}
	if c.dots = dotsOf(&figure, o.Original, record.Dataset); len(c.dots) == 0 {
		c.warn("the run kept no rows of %s; write keep: [regions, rows] in the spec to see them", record.Dataset)
	}
	c.x, c.y = emptySpan(false), emptySpan(false)
	for _, r := range c.rectangles {
		c.x.add(r.left)
		c.x.add(r.right)
		c.y.add(r.low)
		c.y.add(r.high)
	}
	for _, d := range c.dots {
		c.x.add(d.x)
		c.y.add(d.y)
	}
	c.x, c.y = limited(c.x.padded(mapRoom), figure.XLim), limited(c.y.padded(mapRoom), figure.YLim)
	c.xLabel, c.yLabel = axisLabel(figure.X, figure.XLabel), axisLabel(figure.Y, figure.YLabel)
	return c, nil
}

// mapRoom is the share of a map's axes left free at each end, so that outer edges do not lie on the frame.
const mapRoom = 0.015

func limited(fitted span, limits []float64) span {
	if limits == nil {
		return fitted
	}
	return span{limits[0], limits[1], false}
}

// chooseCell is the first trial's record of the one configuration that a figure's where selects.
func chooseCell(figure *results.Figure, records []results.Record) (int, error) {
	var chosen []int
	for i := range records {
		r := &records[i]
		if r.Trial == 0 && (r.Fold == nil || *r.Fold == 0) && figure.Selects(recordFacts(r)) {
			chosen = append(chosen, i)
		}
	}
	wanted := make([]string, 0, len(figure.Where))
	for _, key := range sortedKeys(figure.Where) {
		wanted = append(wanted, key+" "+figure.Where[key])
	}
	switch {
	case len(chosen) == 0:
		return 0, fmt.Errorf("figure %q: no release with %s", figure.Name, strings.Join(wanted, ", "))
	case len(chosen) > 1:
		return 0, fmt.Errorf("figure %q: %d releases with %s, but a map shows one; where must choose it", figure.Name, len(chosen), strings.Join(wanted, ", "))
	case records[chosen[0]].Status != results.OK:
		return 0, fmt.Errorf("figure %q: its release failed: %s", figure.Name, records[chosen[0]].Error)
	}
	return chosen[0], nil
}

// recordFacts is all that a figure's where may ask of a record.
func recordFacts(r *results.Record) map[string]string {
	known := make(map[string]string, len(r.Params)+5)
	for name, value := range r.Params { // order-free: a copy
		known[name] = value
	}
	known["variant"], known["dataset"], known["algorithm"], known["series"] = r.Variant, r.Dataset, r.Algorithm, r.Series
	if r.Epsilon != nil {
		known[epsilonName] = strconv.FormatFloat(*r.Epsilon, 'g', -1, 64)
	}
	return known
}

// rectanglesOf projects a cell's regions onto the figure's attributes.
func rectanglesOf(figure *results.Figure, sides []results.RegionSide, cell int) ([]rectangle, error) {
	type known struct {
		rectangle
		x, y bool
	}
	var regions []known
	at := make(map[int]int) // by region
	var attributes []string
	seen := make(map[string]bool)
	for i := range sides {
		s := &sides[i]
		if s.Cell != cell {
			continue
		}
		if !seen[s.Attribute] {
			seen[s.Attribute] = true
			attributes = append(attributes, s.Attribute)
		}
		place, ok := at[s.Region]
		if !ok {
			place = len(regions)
			at[s.Region] = place
			regions = append(regions, known{})
		}
		switch r := &regions[place]; s.Attribute {
		case figure.X:
			r.left, r.right, r.x = s.Low, s.High, true
		case figure.Y:
			r.low, r.high, r.y = s.Low, s.High, true
		}
	}
	if len(regions) == 0 {
		return nil, fmt.Errorf("figure %q: the run kept no regions of its release", figure.Name)
	}
	var problems []error
	for _, name := range []string{figure.X, figure.Y} {
		if !seen[name] {
			problems = append(problems, fmt.Errorf("figure %q: the regions have no attribute %q, must be one of %s", figure.Name, name, strings.Join(attributes, ", ")))
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	var all []rectangle
	for _, r := range regions {
		if r.x && r.y {
			all = append(all, r.rectangle)
		}
	}
	return all, nil
}

// dotsOf gathers the original rows of a dataset by where they lie, from left to right and up.
func dotsOf(figure *results.Figure, values []results.RowValue, dataset string) []dot {
	type point struct{ x, y float64 }
	var rows []point
	at := make(map[int]int) // by row
	for i := range values {
		v := &values[i]
		if v.Dataset != dataset || v.Attribute != figure.X && v.Attribute != figure.Y {
			continue
		}
		place, ok := at[v.Row]
		if !ok {
			place = len(rows)
			at[v.Row] = place
			rows = append(rows, point{math.NaN(), math.NaN()})
		}
		if v.Attribute == figure.X {
			rows[place].x = v.Value
		} else {
			rows[place].y = v.Value
		}
	}
	var dots []dot
	dotAt := make(map[point]int)
	for _, p := range rows {
		if math.IsNaN(p.x) || math.IsNaN(p.y) {
			continue
		}
		place, ok := dotAt[p]
		if !ok {
			place = len(dots)
			dotAt[p] = place
			dots = append(dots, dot{x: p.x, y: p.y})
		}
		dots[place].rows++
	}
	sort.Slice(dots, func(i, j int) bool {
		if dots[i].x != dots[j].x {
			return dots[i].x < dots[j].x
		}
		return dots[i].y < dots[j].y
	})
	return dots
}

const dotRadius vg.Length = 0.75 // points, of one row; the area grows with the rows

// dotColour lets the outlines stand out where dots crowd.
var dotColour = color.RGBA{0x9C, 0x9C, 0x9C, 0xFF}

// drawMap draws dots, and the regions' outlines over them.
func (p *panel) drawMap(c *draw.Canvas, x, y func(float64) vg.Length) {
	c.SetColor(dotColour)
	// One shape of all dots: they have one colour and turn the same way, so that overlaps stay filled.
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
	c.Fill(all)
	c.SetLineStyle(p.style.line(0.7, palette[0], nil))
	for _, r := range p.rectangles {
		left, right := max(r.left, p.x.min), min(r.right, p.x.max)
		low, high := max(r.low, p.y.min), min(r.high, p.y.max)
		if left >= right || low >= high {
			continue
		}
		outline := vg.Rectangle{Min: vg.Point{X: x(left), Y: y(low)}, Max: vg.Point{X: x(right), Y: y(high)}}
		c.Stroke(outline.Path())
	}
}
