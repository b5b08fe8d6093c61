package metrics

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestIntervalPublished: R's binom.test(7, 20) prints 0.1539092 and 0.5921885. For no hits and for
// hits only the ends are powers of the tail.
func TestIntervalPublished(t *testing.T) {
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-7*want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	seven := share{7, 20}
	near("7 of 20", seven.at(Estimate), 0.35)
	near("lower end of 7 of 20", seven.at(Low), 0.15390920)
	near("upper end of 7 of 20", seven.at(High), 0.59218853)
	for _, n := range []float64{1, 10, 2000, 1e6} {
		end := math.Pow(tail, 1/n)
		near("hits only", share{n, n}.at(Low), end)
		near("no hits", share{0, n}.at(High), 1-end)
		if (share{0, n}).at(Low) != 0 || (share{n, n}).at(High) != 1 {
			t.Error("ends without hits or without misses are not 0 and 1")
		}
	}
}

// TestIntervalDefinition: at each end the hits seen, or more extreme ones, have the probability
// tail. The sums are of binomial probabilities one by one.
func TestIntervalDefinition(t *testing.T) {
	for _, n := range []int{1, 5, 60, 2000, 20_000} {
		for _, x := range []int{1, n / 7, n / 2, n - 1} {
			if x == 0 || n == 20_000 && x != n/7 {
				continue // no end, or slow
			}
			s := share{float64(x), float64(n)}
			low, high := s.at(Low), s.at(High)
			above, below := 0.0, 0.0
			for y := range n + 1 {
				if y >= x {
					above += distuv.Binomial{N: s.of, P: low}.Prob(float64(y))
				}
				if y <= x && x < n {
					below += distuv.Binomial{N: s.of, P: high}.Prob(float64(y))
				}
			}
			if math.Abs(above-tail) > 1e-7 || x < n && math.Abs(below-tail) > 1e-7 {
				t.Errorf("%d of %d: %v and %v beyond the ends, must be %v", x, n, above, below,
					tail)
			}
		}
	}
}

// TestDifferenceEnds: the interval of equal shares is symmetric, and of a share beside one that is
// known it is that share's own. With Wilson's ends in place of exact ones, which are wider,
// the difference of 56/70 and 48/80 has the lower end .0524 (Newcombe 1998, table II, method 10).
func TestDifferenceEnds(t *testing.T) {
	half := share{50, 100}
	if low, high := half.minus(half, Low), half.minus(half, High); math.Abs(low+high) > 1e-12 {
		t.Errorf("%v and %v", low, high)
	}
	known := share{5e11, 1e12}
	if got, want := half.minus(known, Low), half.at(Low)-0.5; math.Abs(got-want) > 1e-5 {
		t.Errorf("%v, want %v", got, want)
	}
	p, q := share{56, 70}, share{48, 80}
	below, above := 0.8-p.at(Low), q.at(High)-0.6
	if got, want := p.minus(q, Low), 0.2-math.Sqrt(below*below+above*above); math.Abs(got-
		want) > 1e-12 || got < 0.04 || got > 0.0524 {
		t.Errorf("lower end %v, want %v", got, want)
	}
}
