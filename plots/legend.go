package plots

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"ppdp/internal/results"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legend is the strip below the panels, where it never covers data.
type legend struct {
	style   pageStyle
	entries []legendEntry
}

// legendEntry has no sample where no panel shows the line.
type legendEntry struct {
	label  string // of the curve
	text   string
	lines  []string // the text, broken by layout
	sample func(c *draw.Canvas)
}

const (
	sampleWidth vg.Length = 26 // points
	sampleGap   vg.Length = 5
	columnGap   vg.Length = 14
)

// newLegend lists every curve and reference of the panels once, in the order of the panels.
func newLegend(style pageStyle, panels []*panel) legend {
	l := legend{style: style}
	seen := make(map[string]bool)
	add := func(label, text string, sample func(c *draw.Canvas)) {
		if !seen[text] {
			seen[text] = true
			l.entries = append(l.entries, legendEntry{label: label, text: text,
				sample: sample})
		}
	}
	for _, p := range panels {
		for _, cv := range p.curves {
			add(cv.Label, p.legendText(cv), func(c *draw.Canvas) { p.sample(c, cv) })
		}
	}
	for _, p := range panels {
		for _, r := range p.references {
			note, shown := offScale(r.Label, panels)
			sample := func(c *draw.Canvas) { p.sample(c, r) }
			if !shown {
				sample = nil
			}
			add(r.Label, r.Label+note, sample)
		}
	}
	return l
}

// layout breaks texts that are wider than the strip and finds how many columns fit, each as wide as
// its widest entry.
func (l legend) layout(width vg.Length) (columnWidths []vg.Length) {
	style := l.style.text(smallText, ink)
	beside := l.style.points(sampleWidth + sampleGap)
	widths := make([]vg.Length, len(l.entries))
	for i := range l.entries {
		e := &l.entries[i]
		e.lines = wrap(style, e.text, width-beside)
		for _, line := range e.lines {
			widths[i] = max(widths[i], beside+style.Width(line))
		}
	}
	for columns := len(widths); columns > 0; columns-- {
		// The fewest columns for a number of rows make an even block: 2 + 2 instead of 3 + 1.
		if rows := (len(widths) + columns - 1) / columns; (len(widths)+rows-1)/rows != columns {
			continue
		}
		columnWidths = make([]vg.Length, columns)
		sum := l.style.points(columnGap) * vg.Length(columns-1)
		for i, w := range widths {
			columnWidths[i%columns] = max(columnWidths[i%columns], w)
		}
		for _, w := range columnWidths {
			sum += w
		}
		if sum <= width {
			break
		}
	}
	return columnWidths
}

// rows are the entries row by row: none for a map, which its caption explains.
func (l legend) rows(columns int) iter.Seq[[]legendEntry] {
	return slices.Chunk(l.entries, max(columns, 1))
}

func (l legend) lineHeight() vg.Length { return l.style.points(smallText * 1.35) }

func (l legend) rowHeight(row []legendEntry) vg.Length {
	lines := 0
	for _, e := range row {
		lines = max(lines, len(e.lines))
	}
	return l.lineHeight() * vg.Length(lines)
}

func (l legend) height(width vg.Length) (sum vg.Length) {
	for row := range l.rows(len(l.layout(width))) {
		sum += l.rowHeight(row)
	}
	return sum
}

// draw fills the strip c, which has the legend's height.
func (l legend) draw(c draw.Canvas) {
	width := c.Max.X - c.Min.X
	columnWidths := l.layout(width)
	gap := l.style.points(columnGap)
	left := c.Min.X + (width+gap)/2
	for _, w := range columnWidths {
		left -= (w + gap) / 2
	}
	style, height, y := l.style.text(smallText, ink), l.lineHeight(), c.Max.Y
	for row := range l.rows(len(columnWidths)) {
		x := left
		for i, e := range row {
			tag(&c, `<g class="entry"><title>%s</title>`, e.label)
			if e.sample != nil {
				e.sample(&draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
					Min: vg.Point{X: x, Y: y - height},
					Max: vg.Point{X: x + l.style.points(sampleWidth), Y: y},
				}})
			}
			at := vg.Point{X: x + l.style.points(sampleWidth+sampleGap), Y: y}
			drawLines(&c, style, height, at, e.lines)
			tag(&c, "</g>")
			x += columnWidths[i] + gap
		}
		y -= l.rowHeight(row)
	}
}

// drawLines writes lines of text below each other, centred in lines of the given height, down from
// at.
func drawLines(c *draw.Canvas, style draw.TextStyle, height vg.Length, at vg.Point, text []string) {
	// Centres the capitals, which Liberation Sans draws 0.72 of its size high.
	const capitals = 0.72
	for i, line := range text {
		base := at.Y - height*vg.Length(i) - height/2 - style.Font.Size*capitals/2
		drawText(c, style, vg.Point{X: at.X, Y: base}, line)
	}
}

// drawText writes one line with its base line at at.Y.
func drawText(c *draw.Canvas, style draw.TextStyle, at vg.Point, line string) {
	// The text handler puts the base line of a bottom-aligned line one font size less the ascent
	// above the point it is given.
	style.YAlign = draw.YBottom
	at.Y += style.FontExtents().Ascent - style.Font.Size
	c.FillText(style, at, line)
}

// wrap breaks a text at spaces into lines no wider than width, or of a single word.
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

// legendText is a curve's label with the axis it is read against, where that is not the bottom one,
// and with a note where a search for the least cost was ended by its limit.
func (p *panel) legendText(cv curve) string {
	text := cv.Label
	if p.onTop(cv) {
		text += " (top axis)"
	}
	return text + gapText(cv.gaps[0], cv.gaps[1])
}

// gapText says that costs are the least found, and how much of them is not proven necessary.
func gapText(least, most float64) string {
	if most == 0 {
		return ""
	}
	low, high := fmt.Sprintf("%.1f", 100*least), fmt.Sprintf("%.1f", 100*most)
	if low == high {
		return fmt.Sprintf(", best found (gap %s %%)", high)
	}
	return fmt.Sprintf(", best found (gap %s to %s %%)", low, high)
}

// parameterLabels are the axis labels of parameters that need more than their names.
var parameterLabels = map[string]string{
	epsilonName: "Privacy budget ε",
	"h":         "Specialisations h",
	"n":         "Records",
}

// parameterLabel is the label of an axis along a parameter: the one given in the spec, if any.
func parameterLabel(name, given string) string {
	return cmp.Or(given, parameterLabels[name], strings.ReplaceAll(name, "-", " "))
}

// besideEpsilon is what an axis along epsilon says of the deltas of its points: nothing where all
// are pure. The curves' names have each.
func besideEpsilon(rows []*results.Row) string {
	var deltas []string
	for _, r := range rows {
		if text := r.DeltaText(); r.Epsilon != nil && !slices.Contains(deltas, text) {
			deltas = append(deltas, text)
		}
	}
	switch {
	case len(deltas) > 1:
		return ", at the δ named"
	case len(deltas) == 1 && deltas[0] != "":
		return ", δ = " + deltas[0]
	}
	return ""
}

// measureLabel is the label of an axis along a metric: its title, with its unit in brackets.
func measureLabel(m results.MeasureUse) string {
	label := cmp.Or(m.Title, m.Metric)
	if m.Unit != "" && m.Unit != "fraction" {
		label += " (" + m.Unit + ")"
	}
	return label
}

// referenceLabels name the benchmarks that many figures have.
var referenceLabels = map[string]string{
	"identity": "Original data",
	"majority": "Majority class",
	"zeros":    "n zeros",
	"perfect":  "True degree sequence",
	"mondrian": "Mondrian",
}

// referenceLabel is the label of a benchmark line; averaged is how many rows of different values it
// is the mean of, 0 where it is no mean.
func referenceLabel(name string, averaged int) string {
	text := cmp.Or(referenceLabels[name], name)
	if averaged > 0 {
		text += fmt.Sprintf(", mean of %d", averaged)
	}
	return text
}

// offScale notes the values of a benchmark line that fixed limits, or a log axis, keep out of some
// panels. shown reports whether any panel has the line.
func offScale(label string, panels []*panel) (note string, shown bool) {
	var values []string
	for _, p := range panels {
		for _, r := range p.references {
			switch v := r.level(); {
			case r.Label != label:
			case p.y.contains(v):
				shown = true
			default:
				values = results.Union(values, Number(v))
			}
		}
	}
	if len(values) == 0 {
		return "", shown
	}
	return " (off scale: " + strings.Join(values, ", ") + ")", shown
}

// measureText is a metric's title with its unit and, for measured metrics, which way is better.
func measureText(m *results.Manifest, measure results.MeasureUse) string {
	measured := func(u results.MeasureUse) bool { return u.Metric == measure.Metric }
	switch {
	case !slices.ContainsFunc(m.Measures, measured):
		return measureLabel(measure)
	case measure.HigherIsBetter:
		return measureLabel(measure) + ", higher is better"
	}
	return measureLabel(measure) + ", lower is better"
}
