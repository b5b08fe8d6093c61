package plots

import (
	"bytes"
	"image"
	"image/png"
	"io"

	"git.sr.ht/~sbinet/gg"
	"golang.org/x/image/draw"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// resolution of PNG files, in dots per inch: sharp on a screen at twice the size. SVG and PDF are
// for print.
const resolution = 200

// pngCanvas is vgimg's canvas, packed quickly.
type pngCanvas struct{ *vgimg.Canvas }

func newPNG(w, h vg.Length) vg.CanvasWriterTo {
	pixels := func(l vg.Length) int { return int(l.Dots(resolution) + 0.5) }
	m := image.NewRGBA(image.Rect(0, 0, pixels(w), pixels(h)))
	context := gg.NewContextForRGBA(m)
	// As vgimg's own, but for this: level text is copied as it is. To interpolate at whole pixels
	// takes as long as to pack the file.
	context.SetInterpolator(draw.ApproxBiLinear)
	context.SetLineCapButt()
	context.InvertY()
	return pngCanvas{vgimg.NewWith(vgimg.UseDPI(resolution), vgimg.UseImageWithContext(m, context))}
}

// WriteTo writes the picture.
func (c pngCanvas) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	packing := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := packing.Encode(&b, c.Image()); err != nil {
		return 0, err
	}
	return b.WriteTo(w)
}
