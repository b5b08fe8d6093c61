package plots

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// svgCanvas is vgsvg's canvas with three changes. It names fonts for readers without Liberation
// Sans. It gives the width of each text, so that another font stays within its place. And it draws
// successive lines of one style as one path, which halves the file.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length // of the texts, in the order drawn
}

// fontFamily names fonts of the same widths for machines without Liberation Sans.
const fontFamily = "'Liberation Sans',Arimo,Arial,Helvetica,sans-serif"

// FillString draws a text and notes its width.
func (c *svgCanvas) FillString(face font.Face, at vg.Point, s string) {
	s = xmlText(s)
	c.widths = append(c.widths, face.Width(s))
	c.Canvas.FillString(face, at, s)
}

var (
	svgText = regexp.MustCompile(`(?m)^<text `)
	// svgLine is a line that is not filled. Dashes begin anew with every part of a path, so that
	// lines may be joined.
	svgLine = regexp.MustCompile(`^<path d="([^"]*)" style="(fill:none;[^"]*)" />\n$`)
)

// WriteTo writes the picture.
func (c *svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if _, err := c.Canvas.WriteTo(&b); err != nil {
		return 0, err
	}
	text := bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:"+fontFamily+";"))
	next := 0
	text = svgText.ReplaceAllFunc(text, func([]byte) []byte {
		width := c.widths[next].Points()
		next++
		return fmt.Appendf(nil, `<text textLength="%.2f" lengthAdjust="spacingAndGlyphs" `, width)
	})
	n, err := w.Write(joinLines(text))
	return int64(n), err
}

// joinLines makes one path of successive lines of one style.
func joinLines(picture []byte) []byte {
	var out bytes.Buffer
	var path, style []byte // of the line not yet written
	flush := func() {
		if path != nil {
			fmt.Fprintf(&out, "<path d=\"%s\" style=\"%s\" />\n", path, style)
			path = nil
		}
	}
	for line := range bytes.Lines(picture) {
		parts := svgLine.FindSubmatch(line)
		switch {
		case parts == nil:
			flush()
			out.Write(line)
		case path != nil && bytes.Equal(style, parts[2]):
			path = append(path, parts[1]...)
		default:
			flush()
			path, style = append([]byte(nil), parts[1]...), parts[2]
		}
	}
	flush()
	return out.Bytes()
}

// xmlText replaces characters that XML does not allow: the library escapes the others.
func xmlText(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' && r != '\n' || r == '\ufffe' || r == '\uffff' {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
}
