package random

import (
	"math"

	"ppdp/numeric/elementary"
)

// The ziggurat method (Marsaglia & Tsang 2000, The Ziggurat Method for Generating Random
// Variables): the half of the normal curve exp(-x²/2) right of 0 is covered by 128 strips of equal
// area, one upon the other. A draw takes a strip and a point in it, and keeps the point if it lies
// below the curve. The lowest strip has no end: it holds all beyond tail.
const (
	strips = 128
	tail   = 3.442619855899      // x, where the lowest strip ends in the others' way
	area   = 9.91256303526217e-3 // of each strip
)

// strip is one of them, in units of 2⁻³¹ of its length.
type strip struct {
	inside uint32  // below this, a point lies below the curve whatever its height
	unit   float32 // of length
	height float32 // of the curve at the strip's end
}

var ziggurat = func() (all [strips]strip) {
	const units = 1 << 31
	curve := func(x float64) float64 { return elementary.Exp(-0.5 * x * x) }
	x := tail
	lowest := area / curve(x) // as long as a rectangle of its area and height would be
	all[0] = strip{uint32(x / lowest * units), float32(lowest / units), 1}
	all[strips-1].unit, all[strips-1].height = float32(x/units), float32(curve(x))
	for i := strips - 2; i >= 1; i-- {
		above := math.Sqrt(-2 * elementary.Log(area/x+curve(x)))
		all[i+1].inside = uint32(above / x * units)
		x = above
		all[i].unit, all[i].height = float32(x/units), float32(curve(x))
	}
	return all
}()

// NormFloat64 draws from the standard normal distribution. It draws what math/rand/v2 does, but the
// same on every processor: the library takes logarithms and exponentials from package math.
func (s *Stream) NormFloat64() float64 {
	for {
		word := s.Uint64()
		at, i := int32(word), word>>32%strips
		z := &ziggurat[i]
		x := float64(at) * float64(z.unit)
		switch {
		case uint32(max(int64(at), -int64(at))) < z.inside:
			return x
		case i == 0:
			for {
				beyond := float64(-elementary.Log(s.Float64()) * (1.0 / tail))
				if y := -elementary.Log(s.Float64()); y+y >= beyond*beyond {
					return math.Copysign(tail+beyond, float64(at))
				}
			}
		case z.height+float32(float32(s.Float64())*(ziggurat[i-1].height-z.height)) <
			float32(elementary.Exp(-0.5*x*x)):
			return x
		}
	}
}
