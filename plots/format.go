package plots

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
	if err != nil {
		return nil, fmt.Errorf("%s: %w", format, err)
	}
	return picture, nil
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
