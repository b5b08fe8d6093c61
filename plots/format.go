package plots

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ppdp/internal/problem"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"
)

// formats make an empty canvas of a size, by file name extension. What is drawn on it is written by
// its WriteTo. Equal drawings give equal bytes in each of them.
var formats = map[string]func(width, height vg.Length) vg.CanvasWriterTo{
	"pdf": newPDF,
	"png": newPNG,
	"svg": func(w, h vg.Length) vg.CanvasWriterTo { return newSVG(w, h, false) },
}

// Formats lists the names of the formats.
func Formats() []string { return slices.Sorted(maps.Keys(formats)) }

// Render returns the picture in one of Formats.
func (s *Page) Render(format string) ([]byte, error) {
	picture, err := s.on(formats[format](s.width, s.height()))
	return picture, problem.Named(format, err)
}

// on draws on a canvas of the page's width and height and returns what that writes.
func (s *Page) on(canvas vg.CanvasWriterTo) ([]byte, error) {
	s.draw(draw.NewCanvas(canvas, s.width, s.height()))
	var b bytes.Buffer
	_, err := canvas.WriteTo(&b)
	return b.Bytes(), err
}

// Number writes a number with four digits, large ones in full. It is empty for NaN.
func Number(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	text := strconv.FormatFloat(x, 'g', 4, 64)
	if strings.Contains(text, "e+0") {
		text = strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strings.Replace(text, "-", "−", 1)
}

// A PDF would carry the moment it was made and its catalogue in map order. The library's defaults
// are the only way to its documents from here: vgpdf keeps them to itself.
func init() {
	day := time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)
	fpdf.SetDefaultCreationDate(day)
	fpdf.SetDefaultModificationDate(day)
	fpdf.SetDefaultCatalogSort(true)
}

// pdfCanvas is vgpdf's canvas with text beyond ASCII drawn as outlines. vgpdf encodes one byte a
// character, so that "ε" and "±" would come out as two wrong ones.
type pdfCanvas struct {
	*vgpdf.Canvas
	buffer sfnt.Buffer
}

func newPDF(w, h vg.Length) vg.CanvasWriterTo { return &pdfCanvas{Canvas: vgpdf.New(w, h)} }

// FillString draws runs of ASCII as text, which stays searchable, and the rest as shapes.
func (c *pdfCanvas) FillString(face font.Face, at vg.Point, s string) {
	start := 0
	ascii := func(end int) {
		if start < end {
			c.Canvas.FillString(face, at, s[start:end])
			at.X += face.Width(s[start:end])
		}
	}
	for i, r := range s {
		if r < utf8.RuneSelf {
			continue
		}
		ascii(i)
		_, size := utf8.DecodeRuneInString(s[i:])
		start = i + size
		if path := outline(&c.buffer, face, at, r); len(path) > 0 {
			c.Fill(path)
		}
		at.X += face.Width(string(r))
	}
	ascii(len(s))
}

// outline is a character's shape with its origin at a point: nil for one without ink, an empty box
// for one that the font does not have.
func outline(buffer *sfnt.Buffer, face font.Face, at vg.Point, r rune) vg.Path {
	glyph, err := face.Face.GlyphIndex(buffer, r)
	if err != nil {
		return nil
	}
	units := face.Face.UnitsPerEm()
	segments, err := face.Face.LoadGlyph(buffer, glyph, fixed.I(int(units)), nil)
	if err != nil {
		return nil
	}
	scale := face.Font.Size / vg.Length(units) / 64
	point := func(p fixed.Point26_6) vg.Point {
		// Font coordinates run downwards.
		return vg.Point{X: at.X + vg.Length(p.X)*scale, Y: at.Y - vg.Length(p.Y)*scale}
	}
	var path vg.Path
	for _, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if len(path) > 0 {
				path.Close()
			}
			path.Move(point(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(point(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(point(s.Args[0]), point(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(point(s.Args[0]), point(s.Args[1]), point(s.Args[2]))
		}
	}
	if len(path) > 0 {
		path.Close()
	}
	return path
}
