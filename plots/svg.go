package plots

import (
	"bytes"
	"io"
	"regexp"
	"strconv"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// svgCanvas is vgsvg's canvas with three changes: it names fonts that take the place of Liberation Sans; it says how wide each
// text is, so that a reader's own font neither reaches over what follows nor out of the picture; and it draws neighbouring
// lines of one style as one path, which halves the file.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length // of the texts, in the order drawn
}

// fontFamily names fonts of the same widths for machines without Liberation Sans.
const fontFamily = "'Liberation Sans',Arimo,Arial,Helvetica,sans-serif"

// FillString draws a text and notes its width.
func (c *svgCanvas) FillString(face font.Face, at vg.Point, s string) {
	c.widths = append(c.widths, face.Width(s))
	c.Canvas.FillString(face, at, s)
}

var (
	svgText = regexp.MustCompile(`(?m)^<text `)
	// svgLine is a line without ground: dashes begin anew with every part of a path, so that parts may be joined.
	svgLine = regexp.MustCompile(`^<path d="([^"]*)" style="(fill:none;[^"]*)" />\n$`)
)

// WriteTo writes the picture.
func (c *svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if _, err := c.Canvas.WriteTo(&b); err != nil {
		return 0, err
	}
	text := bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:"+fontFamily+";"))
	next := 0
	text = svgText.ReplaceAllFunc(text, func([]byte) []byte {
		width := c.widths[next].Points()
		next++
		return append([]byte(`<text `), `textLength="`+strconv.FormatFloat(width, 'f', 2, 64)+`" lengthAdjust="spacingAndGlyphs" `...)
	})
	n, err := w.Write(joinLines(text))
	return int64(n), err
}

// joinLines makes one path of lines of the same style that follow each other.
func joinLines(picture []byte) []byte {
	var out bytes.Buffer
	var path, style []byte // of the line not yet written
	flush := func() {
		if path != nil {
			out.WriteString(`<path d="`)
			out.Write(path)
			out.WriteString(`" style="`)
			out.Write(style)
			out.WriteString("\" />\n")
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
