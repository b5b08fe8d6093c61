package plots

import (
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// raisedText draws plain text in which what stands between raise and lower is small and high: the fonts at hand have no
// raised minus, nought or nine. The marks are control characters, so that no label holds them by chance.
type raisedText struct{ text.Handler }

var _ text.Handler = raisedText{}

const (
	raise = "\x0e"
	lower = "\x0f"

	raisedSize vg.Length = 0.7  // of the text's own size
	raisedBy   vg.Length = 0.38 // of the text's own size, so that the tops of raised digits stand a little above the others'
)

// powerOfTen is 10 with its exponent raised.
func powerOfTen(exponent string) string {
	return "10" + raise + strings.ReplaceAll(exponent, "-", "−") + lower
}

// piece is a stretch of text in one size.
type piece struct {
	text   string
	raised bool
}

func pieces(s string) []piece {
	var all []piece
	for s != "" {
		before, rest, found := strings.Cut(s, raise)
		if before != "" {
			all = append(all, piece{before, false})
		}
		if !found {
			break
		}
		inside, after, _ := strings.Cut(rest, lower)
		all = append(all, piece{inside, true})
		s = after
	}
	return all
}

func small(f font.Font) font.Font {
	f.Size *= raisedSize
	return f
}

// Box is as wide as all pieces and as high as a line without raised ones, so that lines keep their distance.
func (h raisedText) Box(s string, f font.Font) (width, height, depth vg.Length) {
	_, height, depth = h.Handler.Box("", f)
	for _, p := range pieces(s) {
		own := f
		if p.raised {
			own = small(f)
		}
		w, _, _ := h.Handler.Box(p.text, own)
		width += w
	}
	return width, height, depth
}

// Draw draws one line.
func (h raisedText) Draw(c vg.Canvas, s string, style text.Style, at vg.Point) {
	if !strings.Contains(s, raise) {
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
	width, height, _ := h.Box(s, style.Font)
	face := h.Cache().Lookup(style.Font, style.Font.Size)
	// As the plain handler places a line: aligned by its box, the base line one size below its top.
	at.X += vg.Length(style.XAlign) * width
	at.Y += style.Height(s)*vg.Length(style.YAlign) - height + style.Font.Size
	c.SetColor(style.Color)
	for _, p := range pieces(s) {
		here, own := at, face
		if p.raised {
			here.Y += style.Font.Size * raisedBy
			own = h.Cache().Lookup(small(style.Font), small(style.Font).Size)
		}
		c.FillString(own, here, p.text)
		at.X += own.Width(p.text)
	}
}
