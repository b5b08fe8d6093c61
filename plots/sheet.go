package plots

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sheet is one picture: title, note on stand-in data, panels side by side, legend and caption, each in
// a strip of its own from top to bottom.
type sheet struct {
	style       sheetStyle
	width       vg.Length
	panelHeight vg.Length
	columns     int
	title       string
	source      string
	panels      []*panel
}

const (
	margin   vg.Length = 6  // points around the sheet
	stripGap vg.Length = 6  // between strips
	panelGap vg.Length = 12 // between panels
)

func (s *sheet) inner() vg.Length { return s.width - 2*s.style.points(margin) }

func (s *sheet) rows() int { return (len(s.panels) + s.columns - 1) / s.columns }

func (s *sheet) titleLines() []string {
	if s.title == "" {
		return nil
	}
	return wrap(s.style.text(largeText, ink), s.title, s.inner())
}

func (s *sheet) noteLines() []string {
	var names []string
	seen := make(map[string]bool)
	for _, p := range s.panels {
		for _, name := range p.standIns {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	note := fmt.Sprintf("STAND-IN DATA, not the original: %s", strings.Join(names, ", "))
	return wrap(s.style.text(smallText, noteColour), note, s.inner()-2*s.style.points(margin))
}

// captionLines say what points and bars are, over how many trials, and where the figure comes from.
func (s *sheet) captionLines() []string {
	lo, hi, failed, maps := s.panels[0].minN, s.panels[0].maxN, 0, 0
	for _, p := range s.panels {
		lo, hi, failed = min(lo, p.minN), max(hi, p.maxN), failed+p.failedPoints
		if p.isMap {
			maps++
		}
	}
	var text string
	switch {
	case maps == len(s.panels):
	case hi == 1:
		text = "Points: a single trial (n = 1), no error bars."
	case lo == hi:
		text = fmt.Sprintf("Points and error bars: mean ± standard error of n = %d trials.", hi)
	default:
		text = fmt.Sprintf("Points and error bars: mean ± standard error of n = %d to %d trials.", lo, hi)
	}
	if maps > 0 {
		text = strings.TrimSpace(text + " Rectangles: the regions of one release. Dots: the original rows, larger where several share a place.")
	}
	if failed > 0 {
		text += fmt.Sprintf(" Failed trials are left out at %s.", count(failed, "point"))
	}
	if hidden := s.hidden(); hidden != "" {
		text += " Hidden under another curve: " + hidden + "."
	}
	if s.source != "" {
		text += " After " + strings.TrimSuffix(s.source, ".") + "."
	}
	return wrap(s.style.text(smallText, softInk), keepTogether.Replace(text), s.inner())
}

// hidden names the curves that others cover, and on a sheet of several panels where.
func (s *sheet) hidden() string {
	var labels []string
	where := make(map[string][]string)
	for _, p := range s.panels {
		for _, label := range p.hidden() {
			if where[label] == nil {
				labels = append(labels, label)
			}
			where[label] = append(where[label], p.figure.Name)
		}
	}
	if len(s.panels) > 1 {
		for i, label := range labels {
			labels[i] = label + " in " + strings.Join(where[label], ", ")
		}
	}
	return strings.Join(labels, "; ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// stripHeight is the height of lines of text with the gap below or above them; none without lines.
func (s *sheet) stripHeight(size vg.Length, lines []string, padding vg.Length) vg.Length {
	if len(lines) == 0 {
		return 0
	}
	return s.style.points(size*lineSpacing*vg.Length(len(lines)) + padding + stripGap)
}

const (
	lineSpacing vg.Length = 1.3
	notePadding vg.Length = 5 // points inside the note's frame, above and below together
)

func (s *sheet) height() vg.Length {
	return 2*s.style.points(margin) +
		s.stripHeight(largeText, s.titleLines(), 0) +
		s.stripHeight(smallText, s.noteLines(), notePadding) +
		s.panelsHeight() +
		s.style.points(stripGap) + newLegend(s.style, s.panels).height(s.inner()) +
		s.stripHeight(smallText, s.captionLines(), 0)
}

func (s *sheet) panelsHeight() vg.Length {
	height := vg.Length(s.rows())*s.panelHeight + vg.Length(s.rows()-1)*s.style.points(panelGap)
	for _, strip := range s.topStrips() {
		height += strip
	}
	return height
}

// topStrips are the heights above the frames, row by row: the tallest of a row's panels, so that frames beside each other
// have the same height.
func (s *sheet) topStrips() []vg.Length {
	heights := make([]vg.Length, s.rows())
	for i, p := range s.panels {
		heights[i/s.columns] = max(heights[i/s.columns], p.topStrip())
	}
	return heights
}

// draw fills a canvas of the sheet's width and height.
func (s *sheet) draw(c draw.Canvas) {
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

func (s *sheet) drawTitle(c draw.Canvas) draw.Canvas {
	lines := s.titleLines()
	drawLines(&c, s.style.text(largeText, ink), s.style.points(largeText*lineSpacing), vg.Point{X: c.Min.X, Y: c.Max.Y}, lines)
	return draw.Crop(c, 0, 0, 0, -s.stripHeight(largeText, lines, 0))
}

// drawNote frames the note on stand-in data, so that it cannot be overlooked or cropped off with a caption.
func (s *sheet) drawNote(c draw.Canvas) draw.Canvas {
	lines := s.noteLines()
	if len(lines) == 0 {
		return c
	}
	below := s.stripHeight(smallText, lines, notePadding)
	box := vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: c.Max.Y - below + s.style.points(stripGap)}, Max: c.Max}
	c.SetColor(noteGround)
	c.Fill(box.Path())
	c.SetLineStyle(s.style.line(0.8, noteColour, nil))
	c.Stroke(box.Path())
	drawLines(&c, s.style.text(smallText, noteColour), s.style.points(smallText*lineSpacing),
		vg.Point{X: c.Min.X + s.style.points(margin), Y: c.Max.Y - s.style.points(notePadding/2)}, lines)
	return draw.Crop(c, 0, 0, 0, -below)
}

// drawPanels lines the frames up in rows and columns.
func (s *sheet) drawPanels(c draw.Canvas) {
	strips, right := s.topStrips(), s.panels[0].rightStrip()
	above := slices.Max(strips)
	grid := make([][]*plot.Plot, s.rows())
	for i := range grid {
		grid[i] = make([]*plot.Plot, s.columns)
		for j := range grid[i] {
			if k := i*s.columns + j; k < len(s.panels) {
				grid[i][j] = s.panels[k].plot()
			}
		}
	}
	gap := s.style.points(panelGap)
	tiles := draw.Tiles{Rows: s.rows(), Cols: s.columns, PadX: gap + right, PadRight: right, PadY: gap + above, PadTop: above}
	// The tiles all have the tallest strip; a row with a lower one moves up, and those below it with it.
	for _, strip := range strips {
		c.Min.Y -= above - strip
	}
	canvases := plot.Align(grid, tiles, c)
	var up vg.Length
	for i := range grid {
		up += above - strips[i]
		for j, g := range grid[i] {
			if g != nil {
				canvases[i][j].Min.Y += up
				canvases[i][j].Max.Y += up
				g.Draw(canvases[i][j])
			}
		}
	}
}
