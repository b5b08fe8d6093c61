package forest

import (
	"math"
	"testing"

	"ppdp/numeric/random"
)

// TestPoisson compares frequencies with the law e^-m m^k/k!, and the moments of large means.
func TestPoisson(t *testing.T) {
	stream := random.NewKey(1).Stream()
	for _, mean := range []float64{0.3, 1, 7} {
		const n = 200_000
		counts := make([]float64, 40)
		for range n {
			counts[poisson(stream, mean, math.Exp(-mean))]++
		}
		p := math.Exp(-mean)
		for k, got := range counts {
			if e := math.Sqrt(n * p * (1 - p)); math.Abs(got-n*p) > 5*e+3 {
				t.Errorf("mean %v: %v times %d, must be %v within %v", mean, got, k, n*p, 5*e)
			}
			p *= mean / float64(k+1)
		}
	}
	sum, squares := 0.0, 0.0
	const n, mean = 20_000, 5000.0
	for range n {
		x := float64(poisson(stream, mean, math.Exp(-mean))) - mean
		sum += x
		squares += x * x
	}
	if math.Abs(sum/n) > 5*math.Sqrt(mean/n) || math.Abs(squares/n/mean-1) > 0.05 {
		t.Errorf("mean %v and variance %v of %v", mean+sum/n, squares/n, mean)
	}
}
