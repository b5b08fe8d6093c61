package plots

import (
	"slices"
	"strconv"
	"strings"

	"ppdp/results"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legend is the strip below the panels. It has its own part of the sheet and so never covers data.
type legend struct {
	style   sheetStyle
	entries []legendEntry
}

// legendEntry has no sample where no panel shows the line.
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
			look, marked := p.look.curves[cv.label], cv.axis != nowhere
			add(legendText(cv, panels), func(c *draw.Canvas) { p.sample(c, look, marked) })
		}
	}
	for _, p := range panels {
		for _, r := range p.references {
			note, shown := offScale(r.label, panels)
			var sample func(c *draw.Canvas)
			if shown {
				line := style.referenceLine(p.look.references[r.label])
				sample = func(c *draw.Canvas) { c.StrokeLine2(line, c.Min.X, c.Center().Y, c.Max.X, c.Center().Y) }
			}
			add(r.label+note, sample)
		}
	}
	return l
}

// offScale tells the values of a benchmark line that fixed limits, or a log axis, keep out of some panels, and whether any
// panel shows the line.
func offScale(label string, panels []*panel) (note string, shown bool) {
	var values, named []string
	unplaceable := true // all are nought or below, on log axes
	for _, p := range panels {
		for _, r := range p.references {
			if r.label != label {
				continue
			}
			if p.y.contains(r.value) {
				shown = true
				continue
			}
			unplaceable = unplaceable && p.y.unplaceable(r.value)
			value := strings.Replace(strconv.FormatFloat(r.value, 'g', 4, 64), "-", "−", 1)
			values, named = append(values, value), append(named, p.figure.Name+": "+value)
		}
	}
	if len(values) == 0 {
		return "", shown
	}
	if slices.Sort(values); values[0] == values[len(values)-1] && (unplaceable || len(values) == len(panels)) {
		if unplaceable {
			return ": " + values[0] + ", not on a log axis", shown
		}
		return " (off scale: " + values[0] + ")", shown // the same everywhere
	}
	return " (off scale: " + strings.Join(named, ", ") + ")", shown
}

// legendText is a curve's name with the axis it is read against, where that is not the bottom one. Where panels of several variants
// share a look, it names them all.
func legendText(cv curve, panels []*panel) string {
	text := cv.label
	if cv.variant != "" && panels[0].look.paired {
		var variants []string
		for _, p := range panels {
			for _, other := range p.curves {
				if other.variant != "" && other.setting == cv.setting && other.axis == cv.axis && !slices.Contains(variants, other.variant) {
					variants = append(variants, other.variant)
				}
			}
		}
		text = cv.setting + results.VariantSuffix(strings.Join(variants, ", "))
	}
	if cv.axis == top {
		text += " (top axis)"
	}
	return text
}

// layout breaks texts that are wider than the strip and finds how many columns fit, each as wide as its widest entry.
func (l legend) layout(width vg.Length) (columnWidths []vg.Length, texts [][]string) {
	style := l.style.text(smallText, ink)
	beside := l.style.points(sampleWidth + sampleGap)
	entries := make([]vg.Length, len(l.entries))
	for i, e := range l.entries {
		lines := wrap(style, e.text, width-beside)
		texts = append(texts, lines)
		for _, line := range lines {
			entries[i] = max(entries[i], beside+style.Width(line))
		}
	}
	for columns := len(entries); columns > 0; columns-- {
		// The fewest columns that need no further row make an even block: 2 + 2 instead of 3 + 1.
		if rows := (len(entries) + columns - 1) / columns; (len(entries)+rows-1)/rows != columns {
			continue
		}
		columnWidths = make([]vg.Length, columns)
		sum := l.style.points(columnGap) * vg.Length(columns-1)
		for i, w := range entries {
			columnWidths[i%columns] = max(columnWidths[i%columns], w)
		}
		for _, w := range columnWidths {
			sum += w
		}
		if sum <= width {
			break
		}
	}
	return columnWidths, texts // none for a map: its caption explains it
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
	columnWidths, texts := l.layout(width)
	var sum vg.Length
	for _, h := range l.rowHeights(len(columnWidths), texts) {
		sum += h
	}
	return sum
}

// draw fills the strip c, whose height is what height said.
func (l legend) draw(c draw.Canvas) {
	width := c.Max.X - c.Min.X
	columnWidths, texts := l.layout(width)
	columns := len(columnWidths)
	gap := l.style.points(columnGap)
	left := c.Min.X + (width+gap)/2
	for _, w := range columnWidths {
		left -= (w + gap) / 2
	}
	style := l.style.text(smallText, ink)
	heights := l.rowHeights(columns, texts)
	x, y := left, c.Max.Y
	line := l.lineHeight()
	for i, e := range l.entries {
		row, column := i/columns, i%columns
		if column == 0 && row > 0 {
			x = left
			y -= heights[row-1]
		}
		if e.sample != nil {
			e.sample(&draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: x, Y: y - line},
				Max: vg.Point{X: x + l.style.points(sampleWidth), Y: y},
			}})
		}
		drawLines(&c, style, line, vg.Point{X: x + l.style.points(sampleWidth+sampleGap), Y: y}, texts[i])
		x += columnWidths[column] + gap
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

// wrap breaks a text at spaces into lines no wider than width; a longer word has a line of its own. At a no-break space
// it is not broken: "Fig. 3".
func wrap(style draw.TextStyle, text string, width vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }) {
		word = strings.ReplaceAll(word, noBreak, " ")
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

const noBreak = "\u00a0"

// keepTogether puts no-break spaces between a number and what it is the number of.
var keepTogether = strings.NewReplacer("Fig. ", "Fig."+noBreak, "Figs. ", "Figs."+noBreak, "section ", "section"+noBreak, "sections ", "sections"+noBreak,
	"Table ", "Table"+noBreak, "n = ", "n"+noBreak+"="+noBreak, " trials", noBreak+"trials")
