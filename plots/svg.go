package plots

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"unicode"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// svgCanvas is vgsvg's canvas with two changes. It names fonts for readers without Liberation Sans.
// And it gives the width of each text, so that another font stays within its place.
type svgCanvas struct {
	*vgsvg.Canvas
	tagged bool     // has the tags of Inline
	marks  []string // what stands in place of each text's beginning and of each empty path
}

func newSVG(w, h vg.Length, tagged bool) *svgCanvas {
	return &svgCanvas{Canvas: vgsvg.New(w, h), tagged: tagged}
}

// tag writes markup between shapes where a canvas is that of a tagged SVG. Texts are escaped.
func tag(c *draw.Canvas, format string, texts ...any) {
	inner := c.Canvas
	for cropped, is := inner.(draw.Canvas); is; cropped, is = inner.(draw.Canvas) {
		inner = cropped.Canvas
	}
	if s, is := inner.(*svgCanvas); is && s.tagged {
		for i, text := range texts {
			texts[i] = html.EscapeString(xmlText(fmt.Sprint(text)))
		}
		s.marks = append(s.marks, fmt.Sprintf(format, texts...)+"\n")
		s.Fill(nil)
	}
}

// tagPoint writes a point's circle.
func tagPoint(c *draw.Canvas, at vg.Point, text string) {
	tag(c, `<circle cx="%s" cy="%s" r="6"><title>%s</title></circle>`,
		fmt.Sprintf("%.5g", at.X.Points()), fmt.Sprintf("%.5g", at.Y.Points()), text)
}

// fontFamily names fonts of the same widths for machines without Liberation Sans.
const fontFamily = "'Liberation Sans',Arimo,Arial,Helvetica,sans-serif"

// FillString draws a text and notes its width.
func (c *svgCanvas) FillString(face font.Face, at vg.Point, s string) {
	s = xmlText(s)
	c.marks = append(c.marks, fmt.Sprintf(
		`<text textLength="%.2f" lengthAdjust="spacingAndGlyphs" `, face.Width(s).Points()))
	c.Canvas.FillString(face, at, s)
}

// marked is what marks stand in place of.
var marked = regexp.MustCompile(`<text |<path d="" .*\n`)

// WriteTo writes the picture.
func (c *svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if _, err := c.Canvas.WriteTo(&b); err != nil {
		return 0, err
	}
	picture := bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:"+fontFamily+";"))
	picture = marked.ReplaceAllFunc(picture, func([]byte) []byte {
		mark := c.marks[0]
		c.marks = c.marks[1:]
		return []byte(mark)
	})
	n, err := w.Write(picture)
	return int64(n), err
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

var (
	svgColour = regexp.MustCompile(`(fill|stroke):#([0-9A-F]{6})`)
	svgSize   = regexp.MustCompile(`width="[0-9.]+pt" height="[0-9.]+pt" viewBox="0 0 ([0-9.]+) `)
	svgFont   = regexp.MustCompile(`font-family:[^;"]*;(font-(variant|weight|style):normal;){3}`)
)

// Inline returns the picture as an SVG element of an HTML page. It is as wide as its surroundings
// allow, up to its printed size. Every colour #RRGGBB is the page's custom property --plot-RRGGBB
// where it has one, so that a page can swap ink and paper in the dark. alt describes what the
// picture shows. A curve, and its entry in the legend, is a group with its label as title; each
// point is an unseen circle whose title has its numbers.
func (s *Page) Inline(alt string) ([]byte, error) {
	picture, err := s.on(newSVG(s.width, s.height(), true))
	if err != nil {
		return nil, err
	}
	start := bytes.Index(picture, []byte("<svg "))
	size := svgSize.FindSubmatch(picture)
	if start < 0 || size == nil {
		return nil, fmt.Errorf("the SVG canvas has changed: no size in %.200q", picture)
	}
	picture = picture[start:]
	picture = svgFont.ReplaceAll(picture, nil)
	picture = svgColour.ReplaceAll(picture, []byte("$1:var(--plot-$2,#$2)"))
	attributes := fmt.Sprintf(`role="img" aria-label="%s" font-family="%s" `+
		`style="width:100%%;max-width:%spt;height:auto" viewBox=`,
		html.EscapeString(alt), fontFamily, size[1])
	old, _, _ := bytes.Cut(size[0], []byte(`"0 0`))
	return bytes.Replace(picture, old, []byte(attributes), 1), nil
}
