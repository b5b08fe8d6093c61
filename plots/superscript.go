package plots

import (
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// superscriptText draws plain text in which what lies between superscriptStart and superscriptEnd
// is small and high: the fonts have no superscript minus, zero or nine. The marks are control
// characters, so that no label holds them by chance.
type superscriptText struct {
	text.Handler
	widths map[measured]vg.Length
}

// measured is a line in a font whose width is known: a page asks several times in every format.
type measured struct {
	text string
	font font.Font
}

const (
	superscriptStart = "\x0e"
	superscriptEnd   = "\x0f"

	// As shares of the text's own size; the tops of superscript digits lie a little above the
	// others'.
	superscriptSize  vg.Length = 0.7
	superscriptShift vg.Length = 0.38
)

// powerOfTen is 10 with its exponent as a superscript.
func powerOfTen(exponent string) string {
	return "10" + superscriptStart + strings.ReplaceAll(exponent, "-", "−") + superscriptEnd
}

// piece is a stretch of text in one font.
type piece struct {
	text string
	font font.Font
	up   vg.Length // above the line
}

func pieces(s string, f font.Font) []piece {
	var all []piece
	for s != "" {
		before, rest, _ := strings.Cut(s, superscriptStart)
		inside, after, _ := strings.Cut(rest, superscriptEnd)
		all = append(all, piece{before, f, 0}, piece{inside, small(f), f.Size * superscriptShift})
		s = after
	}
	return all
}

func small(f font.Font) font.Font {
	f.Size *= superscriptSize
	return f
}

// Box is as wide as all pieces and as high as a line without superscripts, so that lines keep their
// distance.
func (h superscriptText) Box(s string, f font.Font) (width, height, depth vg.Length) {
	_, height, depth = h.Handler.Box("", f)
	if width, known := h.widths[measured{s, f}]; known {
		return width, height, depth
	}
	for _, p := range pieces(s, f) {
		w, _, _ := h.Handler.Box(p.text, p.font)
		width += w
	}
	h.widths[measured{s, f}] = width
	return width, height, depth
}

// Draw draws lines below each other.
func (h superscriptText) Draw(c vg.Canvas, s string, style text.Style, at vg.Point) {
	if !strings.Contains(s, superscriptStart) {
		style.Handler = h.Handler
		h.Handler.Draw(c, s, style, at)
		return
	}
	if style.Rotation != 0 {
		c.Push()
		defer c.Pop()
		c.Translate(at)
		c.Rotate(style.Rotation)
		at, style.Rotation = vg.Point{}, 0
	}
	c.SetColor(style.Color)
	lines := h.Lines(s)
	for i, line := range lines {
		width, height, _ := h.Box(line, style.Font)
		// As the plain handler places a line: aligned by its box, the base line one size below its
		// top.
		x := at.X + vg.Length(style.XAlign)*width
		y := at.Y + style.Height(s)*vg.Length(style.YAlign) - height +
			style.Font.Size*vg.Length(len(lines)-i)
		for _, p := range pieces(line, style.Font) {
			if p.text == "" {
				continue
			}
			face := h.Cache().Lookup(p.font, p.font.Size)
			c.FillString(face, vg.Point{X: x, Y: y + p.up}, p.text)
			x += face.Width(p.text)
		}
	}
}
