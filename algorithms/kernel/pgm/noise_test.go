package pgm

import (
	"fmt"
	"math"
	"testing"

	"ppdp/numeric/random"
)

// TestLittleNoise: in a few steps little noise is fitted as closely as much of it: to a deviation,
// or three records in 30,000. Counts of one attribute fall by a factor of .6 from each value to the
// next; the fit is their projection.
func TestLittleNoise(t *testing.T) {
	const total = 30000
	for _, deviation := range []float64{20, 2, 0.2} {
		stream := random.NewKey(1).Stream()
		y, left := make([]float64, 24), float64(total)
		for i := range y {
			y[i] = 0.4*left + deviation*(stream.Float64()-0.5)*math.Sqrt(12)
			left *= 0.6
		}
		noisy := Measurement{[]int{0}, y, []float64{deviation * deviation}}
		m := mustFit(t, []int{len(y)}, []Measurement{noisy}, total,
			Options{Iterations: 200, Tolerance: 1e-3, MaxCells: 1e6})
		compare(t, fmt.Sprint("deviation ", deviation), m.Marginal([]int{0}), simplex(y, total),
			max(3, deviation))
	}
}
