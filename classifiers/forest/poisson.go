package forest

import (
	"math"

	"ppdp/numeric/random"
)

// large is the mean above which a Poisson number is a rounded normal one of the same variance.
// Means of real records are far below it; only weights that stand for many records exceed it.
const large = 500

// poisson draws a number with the given mean; p is the chance exp(-mean) of 0.
func poisson(stream *random.Stream, mean, p float64) int64 {
	if mean > large {
		x := mean + float64(math.Sqrt(mean)*stream.NormFloat64())
		return int64(max(0, math.Round(min(x, 1<<40))))
	}
	// The distribution function is passed by inversion.
	u, k := stream.Open01(), int64(0)
	for u > p && k < 10*large {
		u -= p
		k++
		p = float64(p * mean / float64(k))
	}
	return k
}
