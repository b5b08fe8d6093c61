package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"ppdp/internal/results"
)

// Page is a finished picture, to be written in any format. From top to bottom: title, note on
// stand-in data, panels side by side, legend and caption. It is not safe for concurrent use.
type Page struct {
	style       pageStyle
	width       vg.Length
	panelHeight vg.Length
	columns     int
	title       string
	source      string
	notes       []string // sentences of the caption
	panels      []*panel
}

// newPage lays out a chart alone or several side by side. What a run's manifest has to say stands
// above and below them: title and source, the spec's own note and, where times are drawn, the
// machine.
func newPage(m *results.Manifest, charts []*chart, styles curveStyles) *Page {
	s := &Page{style: pageStyle{1}, width: panelWidth, panelHeight: panelHeight, columns: 1,
		title: m.Title, source: m.After()}
	several := len(charts) > 1
	if several {
		// Two, four or eight panels make rows of two, other numbers rows of three: narrower ones
		// have no room for labels.
		s.columns = min(len(charts), 3)
		if len(charts) == 4 || len(charts) == 8 {
			s.columns = 2
		}
		s.style, s.width = pageStyle{combinedScale}, combinedWidth
	}
	if m.Note != "" {
		s.notes = append(s.notes, strings.TrimSuffix(m.Note, ".")+".")
	}
	timed := func(c *chart) bool { return c.figure.Y == results.RuntimeMetric }
	if m.CPU != "" && slices.ContainsFunc(charts, timed) {
		s.notes = append(s.notes, "Times on "+m.CPU+".")
	}
	width := s.width / vg.Length(s.columns)
	for _, c := range charts {
		p := &panel{chart: c, heading: heading(c.figure), width: width, style: s.style,
			styles: styles}
		if several { // or the panels cannot be distinguished
			p.heading = cmp.Or(p.heading, c.figure.Name)
		}
		s.panels = append(s.panels, p)
	}
	if several {
		s.panelHeight = max(width*0.75, 5*vg.Centimeter)
		if over := s.height() - pageHeight; over > 0 {
			s.panelHeight = max(s.panelHeight-over/vg.Length(s.rows()), lowestPanel)
		}
	}
	return s
}

const (
	margin      vg.Length = 6   // points around the page
	stripGap    vg.Length = 6   // between strips
	panelGap    vg.Length = 12  // between panels
	lineSpacing vg.Length = 1.3 // of a text's size
)

func (s *Page) inner() vg.Length { return s.width - 2*s.style.points(margin) }

func (s *Page) rows() int { return (len(s.panels) + s.columns - 1) / s.columns }

// strip is a part of a page over its whole width: of no height where the page lacks it.
type strip struct {
	height vg.Length
	draw   func(c draw.Canvas)
}

// strips are the page's, from top to bottom.
func (s *Page) strips() []strip {
	return []strip{
		s.text(largeText, ink, nil, s.title),
		s.text(smallText, noteColour, noteGround, s.standInNote()),
		{s.panelsHeight(), s.drawPanels},
		s.legend(),
		s.text(smallText, softInk, nil, s.caption()),
	}
}

// text is a strip of words. On a ground it has a frame, so that it is not overlooked.
func (s *Page) text(size vg.Length, colour, ground color.Color, words string) strip {
	if words == "" {
		return strip{}
	}
	style, spacing := s.style.text(size, colour), s.style.points(size*lineSpacing)
	var inset vg.Length
	if ground != nil {
		inset = s.style.points(margin)
	}
	lines := wrap(style, words, s.inner()-2*inset)
	height := spacing*vg.Length(len(lines)) + inset
	return strip{height, func(c draw.Canvas) {
		if ground != nil {
			c.SetColor(ground)
			c.Fill(c.Rectangle.Path())
			c.SetLineStyle(s.style.line(0.8, colour, nil))
			c.Stroke(c.Rectangle.Path())
		}
		drawLines(&c, style, spacing, vg.Point{X: c.Min.X + inset, Y: c.Max.Y - inset/2}, lines)
	}}
}

func (s *Page) standInNote() string {
	var names []string
	for _, p := range s.panels {
		names = results.Union(names, p.standIns...)
	}
	if len(names) == 0 {
		return ""
	}
	return "STAND-IN DATA, not the original: " + strings.Join(names, ", ")
}

// caption explains points and bars, the number of trials and where the figure comes from.
func (s *Page) caption() string {
	lo, hi, failed, maps := s.panels[0].minN, s.panels[0].maxN, 0, 0
	samples, bars := 0, "mean ± standard error"
	for _, p := range s.panels {
		if p.figure.Axis == results.SampleEquivalent {
			samples++
		}
		lo, hi, failed = min(lo, p.minN), max(hi, p.maxN), failed+p.failedPoints
		if p.isMap {
			maps++
		}
	}
	switch {
	case samples == len(s.panels):
		bars = "equal sample and its 95 % interval"
	case samples > 0:
		bars += ", of samples the 95 % interval,"
	}
	var says []string
	switch {
	case maps == len(s.panels):
	case hi == 1:
		says = append(says, "Points: a single trial (n = 1), no error bars.")
	case lo == hi:
		says = append(says, fmt.Sprintf("Points and error bars: %s of n = %d trials.", bars, hi))
	default:
		says = append(says,
			fmt.Sprintf("Points and error bars: %s of n = %d to %d trials.", bars, lo, hi))
	}
	if maps > 0 {
		says = append(says, "Rectangles: the regions of one release. "+
			"Dots: the original rows, larger where several share a place.")
	}
	if failed > 0 {
		says = append(says,
			fmt.Sprintf("Trials without a value are left out at %d of the points.", failed))
	}
	if hidden := s.listed((*chart).hidden); hidden != "" {
		says = append(says, "Hidden under another curve: "+hidden+".")
	}
	if outside := s.listed(func(c *chart) []string { return c.outside }); outside != "" {
		says = append(says, "Beyond the axes: "+outside+".")
	}
	says = append(says, s.notes...)
	if s.source != "" {
		says = append(says, "After "+strings.TrimSuffix(s.source, ".")+".")
	}
	return strings.Join(says, " ")
}

// listed joins what is said of curves, and on a page of several panels where.
func (s *Page) listed(of func(c *chart) []string) string {
	var texts []string
	for _, p := range s.panels {
		for _, text := range of(p.chart) {
			if len(s.panels) > 1 {
				text += " in " + p.figure.Name
			}
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "; ")
}

// height adds up the strips, a gap below each, and the margins.
func (s *Page) height() vg.Length {
	sum := s.style.points(2*margin - stripGap)
	for _, part := range s.strips() {
		if part.height > 0 {
			sum += part.height + s.style.points(stripGap)
		}
	}
	return sum
}

func (s *Page) panelsHeight() vg.Length {
	rows := vg.Length(s.rows())
	return rows*(s.panelHeight+s.topStrip()) + (rows-1)*s.style.points(panelGap)
}

// topStrip is the height above the frames, of the panel that needs most: all frames have the same
// height.
func (s *Page) topStrip() (height vg.Length) {
	for _, p := range s.panels {
		height = max(height, p.topStrip())
	}
	return height
}

// draw fills a canvas of the page's width and height.
func (s *Page) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	edge := s.style.points(margin)
	c = draw.Crop(c, edge, -edge, edge, -edge)
	for _, part := range s.strips() {
		if part.height > 0 {
			part.draw(draw.Crop(c, 0, 0, c.Max.Y-c.Min.Y-part.height, 0))
			c.Max.Y -= part.height + s.style.points(stripGap)
		}
	}
}

// drawPanels lines the frames up in rows and columns.
func (s *Page) drawPanels(c draw.Canvas) {
	above, right := s.topStrip(), s.style.points(rightStrip)
	grid := make([][]*plot.Plot, s.rows())
	for i := range grid {
		grid[i] = make([]*plot.Plot, s.columns)
		for j := range grid[i] {
			if k := i*s.columns + j; k < len(s.panels) {
				grid[i][j] = s.panels[k].plot(s.panelHeight)
			}
		}
	}
	gap := s.style.points(panelGap)
	tiles := draw.Tiles{Rows: s.rows(), Cols: s.columns, PadX: gap + right, PadRight: right,
		PadY: gap + above, PadTop: above}
	canvases := plot.Align(grid, tiles, c)
	for i := range grid {
		for j, g := range grid[i] {
			if g != nil {
				g.Draw(canvases[i][j])
			}
		}
	}
}
