package privacy

import (
	"math"
	"slices"
	"testing"
)

// bruteLaw is P(|sum| ≤ k) for each k, by adding up the products of the weights of all outcomes of
// a few integer draws.
func bruteLaw(weight func(y int) float64, reach, draws int) (within []float64) {
	one, total := make([]float64, 2*reach+1), 0.0
	for i := range one {
		one[i] = weight(i - reach)
		total += one[i]
	}
	law := []float64{1}
	for range draws {
		next := make([]float64, len(law)+2*reach)
		for x, q := range law {
			for y, w := range one {
				next[x+y] += q * w / total
			}
		}
		law = next
	}
	centre, sum := draws*reach, 0.0
	for k := range centre + 1 {
		if sum += law[centre+k]; k > 0 {
			sum += law[centre-k]
		}
		within = append(within, sum)
	}
	return within
}

// bruteWithin is the least k with P(|sum| ≤ k) ≥ p.
func bruteWithin(p float64, weight func(y int) float64, reach, draws int) int {
	return slices.IndexFunc(bruteLaw(weight, reach, draws), func(is float64) bool {
		return is >= p
	})
}

// TestWithin compares with the laws of sums of integer noise as their definitions say.
func TestWithin(t *testing.T) {
	for _, draws := range []int{1, 2, 3, 7} {
		for _, cost := range []float64{0.2, 0.7, 2, 5} {
			for _, p := range []float64{0.95, 0.999} {
				law := VectorLaw{discreteLaplaceKind, 1, cost}
				got := Within(p, []Summed{{law, draws, 1}})
				want := bruteWithin(p, func(y int) float64 {
					return math.Exp(-cost * math.Abs(float64(y)))
				}, int(30/cost)+2, draws)
				if got < float64(want) || got > float64(1.5*float64(want))+2 ||
					p == 0.95 && got > float64(want)+1 {
					t.Errorf("%d draws at epsilon %v: within %v for %v, want %d", draws, cost, got,
						p, want)
				}
				law.Mechanism = discreteGaussianKind
				got = Within(p, []Summed{{law, draws, 1}})
				want = bruteWithin(p, func(y int) float64 {
					return math.Exp(-float64(y*y) * cost) // 1/(2σ²) is rho
				}, int(12/math.Sqrt(cost))+2, draws)
				// never below; one above where that is near, more where nearly all draws are 0
				above := got - float64(want)
				if above < 0 || above > 2 || above > 1 && cost < 5 {
					t.Errorf("%d draws at rho %v: within %v for %v, want %d", draws, cost, got, p,
						want)
				}
			}
		}
	}
}

// TestWithinClosedForms: one wide draw is Laplace's law, whose quantiles are logarithms; the sum of
// two has P(|x| > z) = (1 + z/2)·exp(-z) in scales; a sum of many is normal; weights are scales.
func TestWithinClosedForms(t *testing.T) {
	const scale = 5000.
	law := VectorLaw{discreteLaplaceKind, 1, 1 / scale}
	two := 4.1128 // (1 + z/2)·exp(-z) is 0.05
	if p := (1 + two/2) * math.Exp(-two); math.Abs(p-0.05) > 1e-4 {
		t.Fatalf("%v is the wrong root: %v", two, p)
	}
	// P(|x| ≤ z) = (2/π)∫ sin(tz)/t·φ(t) dt of a Laplace variate and a normal one of variance 2
	mixed := 0.0
	for half := 4.0; half > 0.0001; half /= 2 {
		within := 0.0
		for t := 0.0005; t < 8; t += 0.001 {
			law := math.Exp(-t*t) / (1 + t*t)
			within += 2 / math.Pi * math.Sin(t*(mixed+half)) / t * law * 0.001
		}
		if within < 0.95 {
			mixed += half
		}
	}
	for _, c := range []struct {
		sums []Summed
		want float64
	}{
		{[]Summed{{law, 1, 1}}, math.Log(20) * scale},
		{[]Summed{{law, 1, -0.25}}, math.Log(20) * scale / 4},
		{[]Summed{{law, 1, 3}, {law, 1, -3}}, 3 * two * scale},
		{[]Summed{{law, 1, 0.5}, {VectorLaw{discreteLaplaceKind, 2, 2 / scale}, 1, 0.5}},
			two * scale / 2},
		// one draw beside a normal part: the characteristic function inverted
		{[]Summed{{law, 1, 1}, {law, 4000, 1 / math.Sqrt(4000)}}, mixed * scale},
		{[]Summed{{law, 5000, 1}}, 1.959964 * math.Sqrt(2*5000) * scale},
		{[]Summed{{VectorLaw{discreteGaussianKind, 1, 0.5e-6}, 3, 1},
			{VectorLaw{discreteGaussianKind, 1, 2e-6}, 1, 2}}, 1.959964 * 2000},
		{nil, 0},
		{[]Summed{{law, 1, 0}}, 0},
	} {
		if got := Within(0.95, c.sums); got < 0.995*c.want || got > 1.025*c.want {
			t.Errorf("%v: within %v, want %v", c.sums, got, c.want)
		}
	}
	if _, ok := (VectorLaw{cauchy, 1, 1}).Variance(); ok {
		t.Error("Cauchy noise has a variance")
	}
}

// TestBeyondInside: both bound the chances that the laws' definitions give, added up outcome by
// outcome, and are not far above them.
func TestBeyondInside(t *testing.T) {
	for _, kind := range []string{discreteLaplaceKind, discreteGaussianKind} {
		for _, cost := range []float64{0.02, 0.2, 0.7, 5} {
			weight := func(y int) float64 { return math.Exp(-cost * math.Abs(float64(y))) }
			reach := int(40/cost) + 2
			if kind == discreteGaussianKind {
				weight = func(y int) float64 { return math.Exp(-float64(y*y) * cost) }
				reach = int(8/math.Sqrt(cost)) + 2
			}
			for _, draws := range []int{1, 2, 5} {
				within := bruteLaw(weight, reach, draws)
				sum := Summed{VectorLaw{kind, 1, cost}, draws, 1}
				for d := 1; within[d] < 1-1e-12; d += 1 + d/8 {
					far, near := 1-within[d-1], within[d]
					beyond, inside := Beyond(float64(-d), []Summed{sum}), Inside(float64(d), sum)
					if beyond < far*(1-1e-9)-1e-12 || inside < near-1e-9 {
						t.Errorf("%d %s draws at %v: beyond %d with %v, at most %v; inside with "+
							"%v, at most %v", draws, kind, cost, d, far, beyond, near, inside)
					}
					if inside > 1.8*near && inside < 0.5 {
						t.Errorf("%d %s draws at %v: inside %d with %v, bound is only %v", draws,
							kind, cost, d, near, inside)
					}
					if far < 1e-4 && math.Log(beyond) > 0.6*math.Log(far) {
						t.Errorf("%d %s draws at %v: beyond %d with %v, bound is only %v", draws,
							kind, cost, d, far, beyond)
					}
				}
			}
		}
	}
	two := []Summed{{VectorLaw{discreteLaplaceKind, 1, 0.5}, 3, 1},
		{VectorLaw{discreteGaussianKind, 2, 0.01}, 4, 1}}
	// its variance is 3·2a/(1-a)² + 4·2²/0.02 with a = exp(-0.5)
	deviation := math.Sqrt(3*2*math.Exp(-0.5)/math.Pow(1-math.Exp(-0.5), 2) + 4*4/0.02)
	if p := Beyond(5*deviation, two); p < math.Erfc(5/math.Sqrt2) || p > 1e-5 {
		t.Errorf("five standard deviations with %v", p)
	}
	for _, kind := range []string{discreteLaplaceKind, discreteGaussianKind} {
		if p := Beyond(3, []Summed{{VectorLaw{kind, 1, 40}, 1, 1}}); p > math.Exp(-100) {
			t.Errorf("%s noise of a chance below exp(-120) with %v", kind, p)
		}
	}
}
