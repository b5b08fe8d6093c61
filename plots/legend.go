package plots

import (
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legend is the strip below the panels. It has its own part of the sheet and so never covers data.
type legend struct {
	style   sheetStyle
	entries []legendEntry
}

type legendEntry struct {
	text   string
	sample func(c *draw.Canvas)
}

const (
	sampleWidth vg.Length = 26 // points
	sampleGap   vg.Length = 5
	columnGap   vg.Length = 14
)

// newLegend lists every curve and reference of the panels once, in the order they come.
func newLegend(style sheetStyle, panels []*panel) legend {
	l := legend{style: style}
	seen := make(map[string]bool)
	add := func(text string, sample func(c *draw.Canvas)) {
		if !seen[text] {
			seen[text] = true
			l.entries = append(l.entries, legendEntry{text, sample})
		}
	}
	for _, p := range panels {
		for _, cv := range p.curves {
			look, marked := p.styles[cv.label], cv.axis != nowhere
			add(p.legendText(cv), func(c *draw.Canvas) { p.sample(c, look, marked) })
		}
	}
	for _, p := range panels {
		for _, r := range p.references {
			line := style.referenceLine(p.referenceStyles[r.label])
			add(r.label+offScale(r.label, panels), func(c *draw.Canvas) {
				c.StrokeLine2(line, c.Min.X, c.Center().Y, c.Max.X, c.Center().Y)
			})
		}
	}
	return l
}

// offScale tells the values of a benchmark line that fixed limits keep out of some panels.
func offScale(label string, panels []*panel) string {
	var values, named []string
	for _, p := range panels {
		for _, r := range p.references {
			if r.label != label || p.y.contains(r.value) {
				continue
			}
			value := strconv.FormatFloat(r.value, 'g', 4, 64)
			values, named = append(values, value), append(named, p.figure.Name+": "+value)
		}
	}
	if len(values) == 0 {
		return ""
	}
	if slices.Sort(values); len(values) == len(panels) && values[0] == values[len(values)-1] {
		return " (off scale: " + values[0] + ")" // the same everywhere
	}
	values = named
	return " (off scale: " + strings.Join(values, ", ") + ")"
}

// legendText is a curve's name with the axis it is read against, where that is not the bottom one.
func (p *panel) legendText(cv curve) string {
	if cv.axis == top {
		return cv.label + " (top axis)"
	}
	return cv.label
}

// layout breaks texts that are wider than the strip and finds how many columns fit.
func (l legend) layout(width vg.Length) (columns int, columnWidth vg.Length, texts [][]string) {
	style := l.style.text(smallText, ink)
	beside := l.style.points(sampleWidth + sampleGap)
	var widest vg.Length
	for _, e := range l.entries {
		lines := wrap(style, e.text, width-beside)
		texts = append(texts, lines)
		for _, line := range lines {
			widest = max(widest, style.Width(line))
		}
	}
	columnWidth = beside + widest
	gap := l.style.points(columnGap)
	columns = max(1, int((width+gap)/(columnWidth+gap)))
	if len(l.entries) == 0 {
		return columns, columnWidth, nil // a map is explained by its caption
	}
	columns = min(columns, len(l.entries))
	// The fewest columns that need no further row make an even block: 2 + 2 instead of 3 + 1.
	rows := (len(l.entries) + columns - 1) / columns
	columns = (len(l.entries) + rows - 1) / rows
	return columns, columnWidth, texts
}

func (l legend) lineHeight() vg.Length { return l.style.points(smallText * 1.35) }

// rowHeights are the heights of the legend's rows, from the top.
func (l legend) rowHeights(columns int, texts [][]string) []vg.Length {
	var heights []vg.Length
	for i, lines := range texts {
		if i%columns == 0 {
			heights = append(heights, 0)
		}
		row := len(heights) - 1
		heights[row] = max(heights[row], l.lineHeight()*vg.Length(len(lines)))
	}
	return heights
}

func (l legend) height(width vg.Length) vg.Length {
	columns, _, texts := l.layout(width)
	var sum vg.Length
	for _, h := range l.rowHeights(columns, texts) {
		sum += h
	}
	return sum
}

// draw fills the strip c, whose height is what height said.
func (l legend) draw(c draw.Canvas) {
	width := c.Max.X - c.Min.X
	columns, columnWidth, texts := l.layout(width)
	gap := l.style.points(columnGap)
	left := c.Min.X + (width-vg.Length(columns)*columnWidth-vg.Length(columns-1)*gap)/2
	style := l.style.text(smallText, ink)
	heights := l.rowHeights(columns, texts)
	y := c.Max.Y
	for i, e := range l.entries {
		row, column := i/columns, i%columns
		if column == 0 && row > 0 {
			y -= heights[row-1]
		}
		x := left + vg.Length(column)*(columnWidth+gap)
		line := l.lineHeight()
		e.sample(&draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: y - line},
			Max: vg.Point{X: x + l.style.points(sampleWidth), Y: y},
		}})
		drawLines(&c, style, line, vg.Point{X: x + l.style.points(sampleWidth+sampleGap), Y: y}, texts[i])
	}
}

// drawLines writes lines of text below each other, centred in lines of the given height, down from at.
func drawLines(c *draw.Canvas, style draw.TextStyle, height vg.Length, at vg.Point, lines []string) {
	// Centres the capitals, which Liberation Sans draws 0.72 of its size high.
	const capitals = 0.72
	for i, line := range lines {
		base := at.Y - height*vg.Length(i) - height/2 - style.Font.Size*capitals/2
		drawText(c, style, vg.Point{X: at.X, Y: base}, line)
	}
}

// drawText writes one line with its base line at at.Y.
func drawText(c *draw.Canvas, style draw.TextStyle, at vg.Point, line string) {
	// The text handler puts the base line of a bottom-aligned line one font size less the ascent above
	// the point it is given.
	style.YAlign = draw.YBottom
	at.Y += style.FontExtents().Ascent - style.Font.Size
	c.FillText(style, at, line)
}

// wrap breaks a text at spaces into lines no wider than width; a longer word has a line of its own.
func wrap(style draw.TextStyle, text string, width vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case style.Width(line+" "+word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}
