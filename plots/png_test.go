package plots

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"pgregory.net/rapid"
)

// TestPNG: another program's decoder reads the picture that was written, to the pixel.
func TestPNG(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 40)
		width, height := size.Draw(t, "width"), size.Draw(t, "height")
		m := image.NewRGBA(image.Rect(0, 0, width, height))
		for i := range m.Pix {
			m.Pix[i] = 0xff
		}
		for range rapid.IntRange(0, 60).Draw(t, "dots") { // rows between them repeat
			x := rapid.IntRange(0, width-1).Draw(t, "x")
			y := rapid.IntRange(0, height-1).Draw(t, "y")
			m.SetRGBA(x, y, color.RGBA{rapid.Byte().Draw(t, "r"), rapid.Byte().Draw(t, "g"),
				rapid.Byte().Draw(t, "b"), 0xff})
		}
		var b bytes.Buffer
		noError(t, writePNG(&b, m))
		read := must(png.Decode(&b))
		if read.Bounds() != m.Rect || b.Len() > 0 {
			t.Fatalf("%v, must be %v; %d bytes left", read.Bounds(), m.Rect, b.Len())
		}
		for y := range height {
			for x := range width {
				if r, g, b, a := read.At(x, y).RGBA(); m.RGBAAt(x, y) !=
					(color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), uint8(a >> 8)}) {
					t.Fatalf("%d, %d: %v, must be %v", x, y, read.At(x, y), m.RGBAAt(x, y))
				}
			}
		}
	})
}

// noError ends the test or benchmark on an error.
func noError(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
