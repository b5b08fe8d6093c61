package plots

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"ppdp/internal/results"
)

// panel is a chart with its styles: it makes the gonum plot of the left and bottom axes and is
// itself the plotter of everything inside the frame and along the top axis.
type panel struct {
	*chart
	heading string
	width   vg.Length // of the panel with its axes
	style   pageStyle
	styles  curveStyles
}

const (
	xTicks = 7 // labels wanted along an axis
	yTicks = 6

	tickLength vg.Length = 3.5 // points
)

// tickMiddle aligns the middle of a digit with its tick; the library's own centre, that of the
// whole line with its descent, is a point higher.
const tickMiddle = -0.6

// plot makes the gonum plot of a height with the bottom axis. Title and legend are outside it.
func (p *panel) plot(height vg.Length) *plot.Plot {
	g := plot.New()
	g.BackgroundColor = nil
	for _, a := range []struct {
		axis   *plot.Axis
		span   span
		label  string
		wanted int
	}{{&g.X, p.x, p.xLabel, xTicks}, {&g.Y, p.y, p.yLabel, yTicks}} {
		// The axes run over positions, not values: the library's own log scale panics at 0 and
		// reserves room for labels as if it were linear.
		a.axis.Min, a.axis.Max = 0, 1
		ticks, power := a.span.ticks(a.wanted)
		a.axis.Tick.Marker = plot.ConstantTicks(ticks)
		a.axis.Padding = 0
		a.axis.LineStyle.Width = 0 // the frame is drawn in one piece by Plot
		a.axis.Tick.LineStyle = p.style.line(0.7, ink, nil)
		a.axis.Tick.Length = p.style.points(tickLength)
		text, label := &a.axis.Tick.Label, &a.axis.Label.TextStyle
		text.Font, text.Color = p.style.text(smallText, ink).Font, ink
		label.Font, label.Color = p.style.text(mediumText, ink).Font, ink
		a.axis.Label.Text = inPowers(a.label, power)
		a.axis.Label.Padding = p.style.points(2.5)
	}
	g.Y.Tick.Label.YAlign = tickMiddle
	// A label longer than its axis would take height from the frame.
	g.Y.Label.Text = strings.Join(wrap(g.Y.Label.TextStyle, g.Y.Label.Text,
		height-p.style.points(bottomAxis)), "\n")
	g.Add(p)
	return g
}

// inPowers is an axis' label with the power of ten that its ticks leave out.
func inPowers(label string, power int) string {
	if power != 0 {
		label += " (×" + scientific(1, power) + ")"
	}
	return label
}

// topStrip is the height of heading and second axis, which are above the frame.
func (p *panel) topStrip() vg.Length {
	height := p.style.points(2)
	if p.heading != "" {
		lines := vg.Length(len(p.headingLines()))
		height += p.style.points(mediumText*lineSpacing*lines + headingGap)
	}
	if p.hasTop {
		height += p.style.points(tickLength + 2.5 + smallText + 2.5 + mediumText)
	}
	return height
}

const (
	headingGap vg.Length = 3  // points below the heading
	leftAxis   vg.Length = 48 // points that the left axis takes at most, as a rule
	bottomAxis vg.Length = 36 // and the bottom axis
	rightStrip vg.Length = 10 // points for half of the last tick label, which is beyond the frame
)

func (p *panel) headingLines() []string {
	return wrap(p.style.text(mediumText, ink), p.heading, p.width-p.style.points(leftAxis))
}

// Plot draws the inside of the frame, the frame and the top axis. c is the data area.
func (p *panel) Plot(c draw.Canvas, g *plot.Plot) {
	x := func(v float64) vg.Length { return c.X(p.x.position(v)) }
	y := func(v float64) vg.Length { return c.Y(p.y.position(v)) }
	grid := p.style.line(0.5, gridColour, nil)
	for _, tick := range g.X.Tick.Marker.Ticks(0, 1) {
		if x := c.X(tick.Value); !tick.IsMinor() {
			c.StrokeLine2(grid, x, c.Min.Y, x, c.Max.Y)
		}
	}
	for _, tick := range g.Y.Tick.Marker.Ticks(0, 1) {
		if y := c.Y(tick.Value); !tick.IsMinor() {
			c.StrokeLine2(grid, c.Min.X, y, c.Max.X, y)
		}
	}
	for _, r := range p.references {
		if p.y.contains(r.level()) {
			p.drawCurve(&c, r, x, y)
		}
	}
	if p.isMap {
		p.drawMap(&c, x, y)
	}
	for _, cv := range p.curves {
		along := x
		if p.onTop(cv) {
			along = func(v float64) vg.Length { return c.X(p.x2.position(v)) }
		}
		p.drawCurve(&c, cv, along, y)
	}
	c.SetLineStyle(p.style.line(0.7, ink, nil))
	c.Stroke(c.Rectangle.Path())
	above := c.Max.Y
	if p.hasTop {
		above = p.drawTopAxis(&c)
	}
	if p.heading != "" {
		lines := p.headingLines()
		height := p.style.points(mediumText * lineSpacing)
		above += p.style.points(headingGap) + height*vg.Length(len(lines))
		drawLines(&c, p.style.text(mediumText, ink), height, vg.Point{X: c.Min.X, Y: above}, lines)
	}
}

func (p *panel) drawCurve(c *draw.Canvas, cv curve, x, y func(float64) vg.Length) {
	style := p.styles[cv.name]
	line := p.style.curveLine(style)
	tag(c, `<g class="curve"><title>%s</title>`, cv.Label)
	defer tag(c, "</g>")
	if cv.Axis == "" {
		for _, pt := range cv.Points {
			if p.y.contains(pt.Mean) {
				c.StrokeLine2(line, c.Min.X, y(pt.Mean), c.Max.X, y(pt.Mean))
				tagPoint(c, vg.Point{X: c.Max.X, Y: y(pt.Mean)}, pt.Text(""))
			}
		}
		return
	}
	whisker := p.style.line(0.8, style.colour, nil)
	for _, pt := range cv.Points {
		if lo, hi := pt.bar(); lo < hi {
			p.drawWhisker(c, whisker, x(pt.X), lo, hi, y)
		}
	}
	var piece []vg.Point
	flush := func() {
		if len(piece) > 1 {
			c.StrokeLines(line, c.ClipLinesXY(piece)...)
		}
		piece = nil
	}
	for _, pt := range cv.Points {
		if math.IsNaN(pt.Mean) {
			flush()
			continue
		}
		piece = append(piece, vg.Point{X: x(pt.X), Y: y(pt.Mean)})
	}
	flush()
	for _, pt := range cv.Points {
		if math.IsNaN(pt.Mean) {
			continue
		}
		if at := (vg.Point{X: x(pt.X), Y: y(pt.Mean)}); c.Contains(at) {
			p.style.drawMarker(c, style, at)
			tagPoint(c, at, pt.Text(strconv.FormatFloat(pt.X, 'f', -1, 64)))
		}
	}
}

// drawWhisker draws an error bar as far as the axes reach, with a cap only where the bar really
// ends. On a log axis a lower end at or below zero lies beyond every limit.
func (p *panel) drawWhisker(c *draw.Canvas, line draw.LineStyle, at vg.Length, lo, hi float64,
	y func(float64) vg.Length) {
	if !c.ContainsX(at) || hi < p.y.min || lo > p.y.max {
		return
	}
	from, to := c.Min.Y, c.Max.Y
	half := p.style.points(2.2)
	if lo >= p.y.min {
		from = y(lo)
		c.StrokeLine2(line, at-half, from, at+half, from)
	}
	if hi <= p.y.max {
		to = y(hi)
		c.StrokeLine2(line, at-half, to, at+half, to)
	}
	c.StrokeLine2(line, at, from, at, to)
}

// drawTopAxis draws the second horizontal axis and returns the height it reaches.
func (p *panel) drawTopAxis(c *draw.Canvas) vg.Length {
	length := p.style.points(tickLength)
	line := p.style.line(0.7, ink, nil)
	tickText := p.style.text(smallText, ink)
	tickText.XAlign = draw.XCenter
	base := c.Max.Y + length + p.style.points(2.5)
	ticks, power := p.x2.ticks(xTicks)
	for _, tick := range ticks {
		x := c.X(tick.Value)
		c.StrokeLine2(line, x, c.Max.Y, x, c.Max.Y+length)
		drawText(c, tickText, vg.Point{X: x, Y: base}, tick.Label)
	}
	base += tickText.Font.Size + p.style.points(2.5)
	label := p.style.text(mediumText, ink)
	label.XAlign = draw.XCenter
	drawText(c, label, vg.Point{X: c.Center().X, Y: base}, inPowers(p.x2Label, power))
	return base + label.Font.Size
}

// sample draws a curve's line and marker, or a benchmark's line, for the legend.
func (p *panel) sample(c *draw.Canvas, cv curve) {
	style, middle := p.styles[cv.name], c.Center()
	c.StrokeLine2(p.style.curveLine(style), c.Min.X, middle.Y, c.Max.X, middle.Y)
	if cv.Axis != "" {
		p.style.drawMarker(c, style, middle)
	}
}

// heading is the text above a panel: "(a) Naive Bayes", for a figure called a, a-nb or the like.
func heading(f results.Figure) string {
	if letter, _, _ := strings.Cut(f.Name, "-"); len(letter) == 1 {
		return strings.TrimSpace("(" + letter + ") " + f.Title)
	}
	return f.Title
}
