package blackbox

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"ppdp/internal/must"
	"ppdp/numeric/random"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	must.Near(t, got, want, tolerance*math.Max(1e-300, math.Abs(want)), what)
}

// TestClopperPearsonDefinition: at each end the hits seen, or more extreme ones, have the
// probability tail. The sums are of binomial probabilities one by one.
func TestClopperPearsonDefinition(t *testing.T) {
	for _, n := range []int{5, 60, 2000, 200000} {
		for _, x := range []int{1, n / 7, n / 2, n - 1} {
			for _, tail := range []float64{0.3, 0.01, 1e-6} {
				if x == 0 || n > 2000 && (x != n/7 || tail != 0.01) {
					continue // no end, or slow
				}
				low, high := lowerBound(x, n, tail), upperBound(x, n, tail)
				above, below := 0.0, 0.0
				for y := range n + 1 {
					if y >= x {
						above += distuv.Binomial{N: float64(n), P: low}.Prob(float64(y))
					}
					if y <= x {
						below += distuv.Binomial{N: float64(n), P: high}.Prob(float64(y))
					}
				}
				near(t, "beyond the lower end", above, tail, 1e-6)
				near(t, "beyond the upper end", below, tail, 1e-6)
				near(t, "atLeast", atLeast(x, n, low), tail, 1e-6)
			}
		}
	}
}

// TestPValue: it is the level at which the bound is the claim, and 1 for hits that the claim fits.
func TestPValue(t *testing.T) {
	for _, c := range []struct {
		high, low, n   int
		epsilon, delta float64
	}{
		{900, 100, 1000, 1, 0}, {30, 1, 1000, 0.5, 0}, {1000, 0, 1000, 1, 0}, {9, 0, 10, 1, 0},
		{900, 100, 1000, 1, 0.2}, {400, 100, 2000, 1, 0.01}, {7, 3, 10, 0, 0},
	} {
		p := pValue(c.high, c.low, c.n, c.epsilon, c.delta)
		if p > 1e-200 { // beyond that tails are too small for numbers
			bound := epsilonBound(c.high, c.low, c.n, p/2, c.delta)
			near(t, "bound at the p-value", bound, c.epsilon, 1e-5)
		}
		if p > 0 && epsilonBound(c.high, c.low, c.n, p/2/1.01, c.delta) > c.epsilon+1e-12 {
			t.Errorf("%+v: the bound is above the claim at less than the p-value %v", c, p)
		}
	}
	must.Be(t, pValue(500, 300, 1000, 1, 0), 1, "p-value")
	must.Be(t, epsilonBound(10, 0, 1000, 0.01, 0.5), 0,
		"an event rarer than delta has a bound above 0")
}

// TestSurely: a bound above the claim is reached again in 80 % of audits or more, of events as
// likely as the hits say. The share's standard deviation is below 0.0127 in 1000 draws; four of
// them are missed by chance once in 30000.
func TestSurely(t *testing.T) {
	const n, tail, draws = 1000, 0.005, 1000
	for i, c := range []struct{ high, low int }{{900, 270}, {90, 20}, {500, 0}, {300, 100}} {
		bound := surely(c.high, c.low, n, tail, 0)
		stream := random.NewKey(uint64(i)).Stream()
		hits := func(x int) (k int) {
			for range n {
				if stream.Uint32N(n) < uint32(x) {
					k++
				}
			}
			return k
		}
		reached := 0
		for range draws {
			if epsilonBound(hits(c.high), hits(c.low), n, tail, 0) >= bound {
				reached++
			}
		}
		share := float64(reached) / draws
		t.Logf("%+v: a bound of %v is reached in %v", c, bound, share)
		if share < 0.8-4*0.0127 || bound <= 0 {
			t.Errorf("%+v: a bound of %v is reached in %v of cases", c, bound, share)
		}
	}
}
