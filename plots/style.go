package plots

import (
	"image/color"
	"slices"

	"ppdp/internal/results"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes. A panel drawn alone is 12 cm wide; printed in a column of 8.9 cm (3.5 inch) it shrinks to
// 0.74, so 9.5 pt come out as 7 pt, the least that reads well. The combined figure fills a page's
// width of 17.8 cm and is printed as it is.
const (
	panelWidth    = 12 * vg.Centimeter
	panelHeight   = 8.5 * vg.Centimeter
	combinedWidth = 17.8 * vg.Centimeter
	pageHeight    = 23.5 * vg.Centimeter // of text and figures on A4 and letter paper
	lowestPanel   = 4 * vg.Centimeter    // with its axes: a lower one has more axis than data

	smallText  vg.Length = 9.5  // points: tick labels, legend, caption
	mediumText vg.Length = 10.5 // axis labels, panel headings
	largeText  vg.Length = 11.5 // the title

	combinedScale = 0.79 // keeps smallText at 7.5 pt in the combined figure
)

// palette was searched for: all of its colours stand out from white and differ from each other as
// much as they can to every kind of colour blindness (see its test). The first ones differ in grey.
var palette = []color.RGBA{
	{0x00, 0x72, 0xB2, 0xFF}, // blue
	{0xC6, 0x83, 0x1A, 0xFF}, // ochre
	{0x84, 0x17, 0x59, 0xFF}, // plum
	{0xFF, 0x45, 0x6C, 0xFF}, // rose
	{0x4D, 0x51, 0x16, 0xFF}, // olive
	{0x92, 0x62, 0xFF, 0xFF}, // violet
	{0x00, 0x00, 0x00, 0xFF}, // black
}

// dashes distinguish lines where colours do not, in points. Six markers and five dashes have no
// common divisor, so that no combination returns before the 30th curve, nor before the 210th as far
// as the seven colours follow one another too.
var dashes = [][]vg.Length{
	nil,
	{6, 2},
	{2, 1.6},
	{7, 2, 1.5, 2},
	{9, 2, 1.5, 2, 1.5, 2},
}

// marker is a glyph, filled or with white inside.
type marker struct {
	shape draw.GlyphDrawer
	open  bool
}

var markers = []marker{
	{draw.CircleGlyph{}, false}, {draw.BoxGlyph{}, false}, {draw.PyramidGlyph{}, false},
	{draw.CircleGlyph{}, true}, {draw.BoxGlyph{}, true}, {draw.PyramidGlyph{}, true},
}

var referenceDashes = [][]vg.Length{{8, 3}, {1.2, 2}, {8, 2, 1.2, 2}, {3, 3}}

var (
	ink        = color.RGBA{0x20, 0x20, 0x20, 0xFF}
	softInk    = color.RGBA{0x55, 0x55, 0x55, 0xFF}
	gridColour = color.RGBA{0xE2, 0xE2, 0xE2, 0xFF}
	noteColour = color.RGBA{0xA8, 0x3A, 0x00, 0xFF} // darker vermilion, for text on white
	noteGround = color.RGBA{0xFD, 0xF1, 0xE7, 0xFF}
)

// curveStyle is how one curve looks on every panel it is on.
type curveStyle struct {
	colour color.RGBA
	width  vg.Length // of its line
	dashes []vg.Length
	marker marker
}

func styleOf(i int) curveStyle {
	return curveStyle{palette[i%len(palette)], 1.25, dashes[i%len(dashes)], markers[i%len(markers)]}
}

// pageStyle is everything that has a size, for one page.
type pageStyle struct{ scale vg.Length }

func (s pageStyle) text(size vg.Length, colour color.Color) text.Style {
	return text.Style{
		Color:   colour,
		Font:    font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size*s.scale),
		XAlign:  draw.XLeft,
		YAlign:  draw.YBottom,
		Handler: plot.DefaultTextHandler,
	}
}

func (s pageStyle) points(p vg.Length) vg.Length { return p * s.scale }

func (s pageStyle) line(width vg.Length, colour color.Color, dashes []vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: colour, Width: s.points(width),
		Dashes: results.Mapped(dashes, s.points)}
}

func (s pageStyle) curveLine(c curveStyle) draw.LineStyle {
	return s.line(c.width, c.colour, c.dashes)
}

// drawMarker draws a curve's marker about a point.
func (s pageStyle) drawMarker(c *draw.Canvas, style curveStyle, at vg.Point) {
	glyph := draw.GlyphStyle{Color: style.colour, Radius: s.points(2.7), Shape: style.marker.shape}
	c.DrawGlyph(glyph, at)
	if style.marker.open {
		glyph.Color, glyph.Radius = color.White, glyph.Radius-s.points(1.1)
		c.DrawGlyph(glyph, at)
	}
}

// curveStyles are the styles of curves and benchmark lines on all the panels of an experiment, by
// name.
type curveStyles map[string]curveStyle

// newCurveStyles gives every curve its style, in the given order of the series. Series that are not
// listed follow, in the order of the charts.
func newCurveStyles(charts []*chart, order []string) curveStyles {
	all := make(curveStyles)
	var curves []curve
	for _, c := range charts {
		curves = append(curves, c.curves...)
		for _, r := range c.references {
			if _, known := all[r.name]; !known {
				dashes := referenceDashes[len(all)%len(referenceDashes)]
				all[r.name] = curveStyle{colour: softInk, width: 1, dashes: dashes}
			}
		}
	}
	place := func(cv curve) int {
		if at := slices.Index(order, cv.series); at >= 0 {
			return at
		}
		return len(order)
	}
	slices.SortStableFunc(curves, func(a, b curve) int { return place(a) - place(b) })
	references := len(all)
	for _, cv := range curves {
		if _, known := all[cv.name]; !known {
			all[cv.name] = styleOf(len(all) - references)
		}
	}
	return all
}
