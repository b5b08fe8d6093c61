package elementary

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// TestAtLeast compares with gonum's incomplete beta function, for whole and for half hits.
func TestAtLeast(t *testing.T) {
	for _, a := range []float64{0.5, 1, 3.5, 40, 1000.5, 3e5} {
		for _, b := range []float64{1, 2.5, 70, 5000, 1e6} {
			for _, deviations := range []float64{-3, -1, 0, 1, 3} {
				mean := a / (a + b)
				p := mean + deviations*math.Sqrt(mean*(1-mean)/(a+b))
				if p <= 0 || p >= 1 {
					continue
				}
				got, want := AtLeast(a, a+b-1, p), mathext.RegIncBeta(a, b, p)
				if math.Abs(got-want) > 1e-8 {
					t.Errorf("I(%v; %v, %v) = %v, want %v", p, a, b, got, want)
				}
			}
		}
	}
}

// TestLowestProbability: R's binom.test(7, 20) prints 0.1539092 and 0.5921885; hits only have the
// power 1/n of the tail, and none at all 0.
func TestLowestProbability(t *testing.T) {
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-7*want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("7 of 20", LowestProbability(7, 20, 0.025), 0.15390920)
	near("13 misses of 20", 1-LowestProbability(13, 20, 0.025), 0.59218853)
	for _, tail := range []float64{0.2, 0.025, 1e-4, 1e-9} {
		for _, n := range []float64{1, 10, 2000, 1e6} {
			near("hits only", LowestProbability(n, n, tail), math.Pow(tail, 1/n))
			if got := LowestProbability(0, n, tail); got != 0 {
				t.Errorf("no hits of %v: %v", n, got)
			}
		}
	}
}
