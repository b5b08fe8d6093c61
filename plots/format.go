package plots

import (
	"bytes"
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"ppdp/internal/registry"
)

// Format makes an empty canvas of a size; what is drawn on it is written by its WriteTo. Equal
// drawings must give equal bytes.
type Format func(width, height vg.Length) vg.CanvasWriterTo

var formats = registry.New[Format]("figure format")

// RegisterFormat adds a format under its file name extension, without the dot.
func RegisterFormat(extension string, format Format) { formats.Register(extension, format) }

// Formats lists the registered formats by extension.
func Formats() []string { return formats.Names() }

func init() {
	RegisterFormat("svg", func(w, h vg.Length) vg.CanvasWriterTo {
		return &svgCanvas{Canvas: vgsvg.New(w, h)}
	})
	RegisterFormat("png", func(w, h vg.Length) vg.CanvasWriterTo { return newPNG(w, h) })
	RegisterFormat("pdf", func(w, h vg.Length) vg.CanvasWriterTo { return newPDF(w, h) })
}

// render draws a sheet in a format.
func (s *sheet) render(format string) ([]byte, error) {
	newCanvas, err := formats.Lookup(format)
	if err != nil {
		return nil, err
	}
	width, height := s.width, s.height()
	canvas := newCanvas(width, height)
	s.draw(draw.NewCanvas(canvas, width, height))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("%s: %w", format, err)
	}
	return b.Bytes(), nil
}
