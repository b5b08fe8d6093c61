package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ppdp/internal/results"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legendEntry has no sample where no panel shows the line.
type legendEntry struct {
	label  string // of the curve
	text   string
	lines  []string // the text, broken by columnsOf
	sample func(c *draw.Canvas)
}

const (
	sampleWidth vg.Length = 26 // points
	sampleGap   vg.Length = 5
	columnGap   vg.Length = 14
)

// entriesOf lists every curve and reference of the panels once, in the order of the panels: nothing
// for a map, which its caption explains.
func entriesOf(panels []*panel) (entries []legendEntry) {
	add := func(label, text string, sample func(c *draw.Canvas)) {
		if !slices.ContainsFunc(entries, func(e legendEntry) bool { return e.text == text }) {
			entries = append(entries, legendEntry{label: label, text: text, sample: sample})
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
	return entries
}

// legend is the strip below the panels, where it never covers data.
func (s *Page) legend() strip {
	entries := entriesOf(s.panels)
	widths := columnsOf(s.style, entries, s.inner())
	rows := slices.Collect(slices.Chunk(entries, max(len(widths), 1)))
	lineHeight := s.style.points(smallText * 1.35)
	heights := results.Mapped(rows, func(row []legendEntry) vg.Length {
		lines := 0
		for _, e := range row {
			lines = max(lines, len(e.lines))
		}
		return lineHeight * vg.Length(lines)
	})
	return strip{sum(heights), func(c draw.Canvas) {
		gap := s.style.points(columnGap)
		left := c.Min.X + (s.inner()-sum(widths)-gap*vg.Length(len(widths)-1))/2
		y := c.Max.Y
		for i, row := range rows {
			x := left
			for j, e := range row {
				s.drawEntry(c, e, vg.Point{X: x, Y: y}, lineHeight)
				x += widths[j] + gap
			}
			y -= heights[i]
		}
	}}
}

// drawEntry draws an entry of the legend to the right of and below a point.
func (s *Page) drawEntry(c draw.Canvas, e legendEntry, at vg.Point, lineHeight vg.Length) {
	tag(&c, `<g class="entry"><title>%s</title>`, e.label)
	if e.sample != nil {
		e.sample(&draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: at.X, Y: at.Y - lineHeight},
			Max: vg.Point{X: at.X + s.style.points(sampleWidth), Y: at.Y},
		}})
	}
	at.X += s.style.points(sampleWidth + sampleGap)
	drawLines(&c, s.style.text(smallText, ink), lineHeight, at, e.lines)
	tag(&c, "</g>")
}

func sum(lengths []vg.Length) (all vg.Length) {
	for _, l := range lengths {
		all += l
	}
	return all
}

// columnsOf breaks texts that are wider than the legend and finds how many columns fit, each as
// wide as its widest entry.
func columnsOf(style pageStyle, entries []legendEntry, width vg.Length) (columns []vg.Length) {
	text, beside := style.text(smallText, ink), style.points(sampleWidth+sampleGap)
	widths := make([]vg.Length, len(entries))
	for i := range entries {
		e := &entries[i]
		e.lines = wrap(text, e.text, width-beside)
		for _, line := range e.lines {
			widths[i] = max(widths[i], beside+text.Width(line))
		}
	}
	for n := len(widths); n > 0; n-- {
		// The fewest columns for a number of rows make an even block: 2 + 2 instead of 3 + 1.
		if rows := (len(widths) + n - 1) / n; (len(widths)+rows-1)/rows != n {
			continue
		}
		columns = make([]vg.Length, n)
		for i, w := range widths {
			columns[i%n] = max(columns[i%n], w)
		}
		if sum(columns)+style.points(columnGap)*vg.Length(n-1) <= width {
			break
		}
	}
	return columns
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
		if r.Epsilon != nil {
			deltas = results.Union(deltas, r.DeltaText())
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
