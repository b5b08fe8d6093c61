package plots

import (
	"fmt"
	"image/color"
	"math"
	"testing"
)

// deficiencies turn linear RGB into what people see who lack one kind of cone (Machado, Oliveira &
// Fernandes 2009, Table 1, severity 1.0).
var deficiencies = map[string][3][3]float64{
	"full colour": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
		{-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
		{-0.011820, 0.042940, 0.968881}},
	"tritanopia": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
		{0.004733, 0.691367, 0.303900}},
}

// toXYZ are the tristimulus values of linear sRGB (IEC 61966-2-1); its second row is the luminance.
var toXYZ = [3][3]float64{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750},
	{0.0193339, 0.1191920, 0.9503041}}

func times(m [3][3]float64, v [3]float64) (out [3]float64) {
	for i := range m {
		for j, x := range v {
			out[i] += float64(m[i][j] * x)
		}
	}
	return out
}

func linear(c color.RGBA) (out [3]float64) {
	for i, v := range []uint8{c.R, c.G, c.B} {
		x := float64(v) / 255
		if out[i] = x / 12.92; x > 0.04045 {
			out[i] = math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	return out
}

// lab is CIE L*a*b* of linear sRGB, against sRGB's white.
func lab(rgb [3]float64) [3]float64 {
	for i, x := range rgb {
		rgb[i] = min(max(x, 0), 1)
	}
	xyz, white := times(toXYZ, rgb), times(toXYZ, [3]float64{1, 1, 1})
	var f [3]float64
	for i := range f {
		t := xyz[i] / white[i]
		if f[i] = (24389./27*t + 16) / 116; t > 216./24389 {
			f[i] = math.Cbrt(t)
		}
	}
	return [3]float64{116*f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])}
}

// difference is CIE 1976's; 2.3 can just be noticed on large fields side by side.
func difference(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// TestPalette: each colour has a contrast with white of 3 or more (WCAG 2.1, criterion 1.4.11), any
// two differ by 29 or more whatever cones an eye lacks (Okabe and Ito's colours: 16), and the first
// three by 13 in lightness alone.
func TestPalette(t *testing.T) {
	if got := lab(linear(color.RGBA{0xFF, 0, 0, 0xFF})); difference(got,
		[3]float64{53.24, 80.09, 67.20}) > 0.05 { // as published for sRGB's red
		t.Fatalf("red is %v in L*a*b*", got)
	}
	for i, c := range palette {
		luminance := times(toXYZ, linear(c))[1]
		if contrast := 1.05 / (luminance + 0.05); contrast < 3 {
			t.Errorf("colour %d has a contrast of %.2f with white", i, contrast)
		}
		for j, other := range palette[:i] {
			for name, m := range deficiencies {
				d := difference(lab(times(m, linear(c))), lab(times(m, linear(other))))
				if d < 29 {
					t.Errorf("colours %d and %d differ by %.1f under %s", j, i, d, name)
				}
			}
			lighter := math.Abs(lab(linear(c))[0] - lab(linear(other))[0])
			if i < 3 && lighter < 13 {
				t.Errorf("colours %d and %d differ by %.1f in grey", j, i, lighter)
			}
		}
	}
}

// TestLooks: the first 280 curves all look different, and the first 40 without colour.
func TestLooks(t *testing.T) {
	seen := make(map[string]bool)
	for i := range 280 {
		style := styleOf(i)
		look, grey := fmt.Sprint(style), fmt.Sprint(style.dashes, style.marker)
		if seen[look] || i < 40 && seen[grey] {
			t.Errorf("curve %d looks like an earlier one", i)
		}
		seen[look], seen[grey] = true, true
	}
}
