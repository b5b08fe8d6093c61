package elementary

import "math"

// The complementary error function is e^(-x²)·g(x) with a smooth g, which is tabulated as Taylor
// series around points whose distance grows with x.
const (
	erfcSteps   = 16 // points for each doubling of 1+x
	erfcTerms   = 11
	erfcLargest = 27.3 // beyond it the result is 0
	erfcRows    = 77   // points of 1+x from 1 to 1+erfcLargest
)

// Erfc is 2/√π times the integral of e^(-t²) from x to infinity, with an error below 3.3 units in
// the last place.
func Erfc(x float64) float64 {
	switch {
	case x != x:
		return x
	case x >= erfcLargest:
		return 0
	case x < -6:
		return 2
	}
	y := math.Abs(x)
	// x² in two parts
	start := head(y)
	square := float64(start * start)
	rest := float64((y - start) * (y + start))
	n, r, tail := reduce(-square)
	r, tail = add(r, tail-rest)
	entry := &expTable[n&(expSteps-1)]
	p := r + (tail + expSeries(r))
	result := math.Ldexp((entry[0]+(entry[1]+float64(entry[0]*p)))*scaledErfc(y), int(n>>8))
	if x < 0 {
		return 2 - result
	}
	return result
}

// add is the sum of a large and a small number in two parts.
func add(large, small float64) (sum, lost float64) {
	sum = large + small
	return sum, (large - sum) + small
}

// scaledErfc is e^(x²)·Erfc(x), x from 0 to erfcLargest.
func scaledErfc(x float64) float64 {
	const first = 1023 * erfcSteps
	at := math.Float64bits(1+x)>>(mantissaBits-4) - first
	entry := &erfcTable[at]
	d := x - entry[0]
	sum := entry[erfcTerms]
	for i := erfcTerms - 1; i >= 1; i-- {
		sum = entry[i] + float64(sum*d)
	}
	return sum
}

// NormalUpper is the point that a standard normal variate exceeds with a probability, which is
// above 0 and at most ½. Its error is that of Erfc.
func NormalUpper(probability float64) float64 {
	low, high := 0.0, erfcLargest*math.Sqrt2
	for {
		middle := float64((low + high) / 2)
		if middle <= low || middle >= high {
			return middle
		}
		if Erfc(middle/math.Sqrt2) > 2*probability {
			low = middle
		} else {
			high = middle
		}
	}
}
