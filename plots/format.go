package plots

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// formats make an empty canvas of a size, by file name extension. What is drawn on it is written by
// its WriteTo. Equal drawings give equal bytes in each of them.
var formats = map[string]func(width, height vg.Length) vg.CanvasWriterTo{
	"pdf": newPDF,
	"png": newPNG,
	"svg": func(w, h vg.Length) vg.CanvasWriterTo { return &svgCanvas{Canvas: vgsvg.New(w, h)} },
}

// Formats lists the names of the formats.
func Formats() []string { return slices.Sorted(maps.Keys(formats)) }

// Render returns the picture in one of Formats.
func (s *Page) Render(format string) ([]byte, error) {
	width, height := s.width, s.height()
	canvas := formats[format](width, height)
	s.draw(draw.NewCanvas(canvas, width, height))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("%s: %w", format, err)
	}
	return b.Bytes(), nil
}
