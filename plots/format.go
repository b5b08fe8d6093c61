package plots

import (
	"bytes"
	"fmt"
	"image/png"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
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

// resolution of PNG files, in dots per inch: sharp on a screen at twice the size. SVG and PDF are
// for print.
const resolution = 200

func init() {
	RegisterFormat("svg", func(w, h vg.Length) vg.CanvasWriterTo {
		return &svgCanvas{Canvas: vgsvg.New(w, h)}
	})
	RegisterFormat("png", func(w, h vg.Length) vg.CanvasWriterTo {
		return pngCanvas{vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(resolution))}
	})
	RegisterFormat("pdf", func(w, h vg.Length) vg.CanvasWriterTo { return newPDF(w, h) })
}

// pngCanvas compresses quickly: figures are mostly white, and the best compression gains little.
type pngCanvas struct{ *vgimg.Canvas }

// WriteTo writes the picture.
func (c pngCanvas) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&b, c.Image()); err != nil {
		return 0, err
	}
	return b.WriteTo(w)
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
