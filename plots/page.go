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
	margin   vg.Length = 6  // points around the page
	stripGap vg.Length = 6  // between strips
	panelGap vg.Length = 12 // between panels
)

func (s *Page) inner() vg.Length { return s.width - 2*s.style.points(margin) }

func (s *Page) rows() int { return (len(s.panels) + s.columns - 1) / s.columns }

func (s *Page) titleLines() []string {
	if s.title == "" {
		return nil
	}
	return wrap(s.style.text(largeText, ink), s.title, s.inner())
}

func (s *Page) noteLines() []string {
	var names []string
	for _, p := range s.panels {
		names = results.Union(names, p.standIns...)
	}
	if len(names) == 0 {
		return nil
	}
	note := "STAND-IN DATA, not the original: " + strings.Join(names, ", ")
	return wrap(s.style.text(smallText, noteColour), note, s.inner()-2*s.style.points(margin))
}

// captionLines explain points and bars, the number of trials and where the figure comes from.
func (s *Page) captionLines() []string {
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
	var text string
	switch {
	case maps == len(s.panels):
	case hi == 1:
		text = "Points: a single trial (n = 1), no error bars."
	case lo == hi:
		text = fmt.Sprintf("Points and error bars: %s of n = %d trials.", bars, hi)
	default:
		text = fmt.Sprintf("Points and error bars: %s of n = %d to %d trials.", bars, lo, hi)
	}
	if maps > 0 {
		text = strings.TrimSpace(text + " Rectangles: the regions of one release. " +
			"Dots: the original rows, larger where several share a place.")
	}
	if failed == 1 {
		text += " Trials without a value are left out at 1 point."
	} else if failed > 1 {
		text += fmt.Sprintf(" Trials without a value are left out at %d points.", failed)
	}
	if hidden := s.listed(func(p *panel) []string { return p.hidden() }); hidden != "" {
		text += " Hidden under another curve: " + hidden + "."
	}
	if outside := s.listed(func(p *panel) []string { return p.outside }); outside != "" {
		text += " Beyond the axes: " + outside + "."
	}
	for _, note := range s.notes {
		text += " " + note
	}
	if s.source != "" {
		text += " After " + strings.TrimSuffix(s.source, ".") + "."
	}
	return wrap(s.style.text(smallText, softInk), text, s.inner())
}

// listed joins what is said of curves, and on a page of several panels where.
func (s *Page) listed(of func(p *panel) []string) string {
	var texts []string
	for _, p := range s.panels {
		for _, text := range of(p) {
			if len(s.panels) > 1 {
				text += " in " + p.figure.Name
			}
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "; ")
}

// stripHeight is the height of lines of text with the gap below or above them, 0 without lines.
func (s *Page) stripHeight(size vg.Length, lines []string, padding vg.Length) vg.Length {
	if len(lines) == 0 {
		return 0
	}
	return s.style.points(size*lineSpacing*vg.Length(len(lines)) + padding + stripGap)
}

const (
	lineSpacing vg.Length = 1.3
	notePadding vg.Length = 5 // points inside the note's frame, above and below together
)

func (s *Page) height() vg.Length {
	return 2*s.style.points(margin) +
		s.stripHeight(largeText, s.titleLines(), 0) +
		s.stripHeight(smallText, s.noteLines(), notePadding) +
		s.panelsHeight() +
		s.style.points(stripGap) + newLegend(s.style, s.panels).height(s.inner()) +
		s.stripHeight(smallText, s.captionLines(), 0)
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

	c = s.drawTitle(c)
	c = s.drawNote(c)
	s.drawPanels(draw.Crop(c, 0, 0, (c.Max.Y-c.Min.Y)-s.panelsHeight(), 0))
	c = draw.Crop(c, 0, 0, 0, -s.panelsHeight()-s.style.points(stripGap))

	key := newLegend(s.style, s.panels)
	key.draw(c)
	c = draw.Crop(c, 0, 0, 0, -key.height(s.inner())-s.style.points(stripGap))
	drawLines(&c, s.style.text(smallText, softInk), s.style.points(smallText*lineSpacing),
		vg.Point{X: c.Min.X, Y: c.Max.Y}, s.captionLines())
}

func (s *Page) drawTitle(c draw.Canvas) draw.Canvas {
	lines := s.titleLines()
	drawLines(&c, s.style.text(largeText, ink), s.style.points(largeText*lineSpacing),
		vg.Point{X: c.Min.X, Y: c.Max.Y}, lines)
	return draw.Crop(c, 0, 0, 0, -s.stripHeight(largeText, lines, 0))
}

// drawNote frames the note on stand-in data, so that it is not overlooked, nor cropped off with the
// caption.
func (s *Page) drawNote(c draw.Canvas) draw.Canvas {
	lines := s.noteLines()
	if len(lines) == 0 {
		return c
	}
	below := s.stripHeight(smallText, lines, notePadding)
	bottom := c.Max.Y - below + s.style.points(stripGap)
	box := vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: bottom}, Max: c.Max}
	c.SetColor(noteGround)
	c.Fill(box.Path())
	c.SetLineStyle(s.style.line(0.8, noteColour, nil))
	c.Stroke(box.Path())
	at := vg.Point{X: c.Min.X + s.style.points(margin), Y: c.Max.Y - s.style.points(notePadding/2)}
	spacing := s.style.points(smallText * lineSpacing)
	drawLines(&c, s.style.text(smallText, noteColour), spacing, at, lines)
	return draw.Crop(c, 0, 0, 0, -below)
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
