package privacy

import (
	"math"
	"testing"
)

// standardRho is the conversion of Bun & Steinke, which the tight one improves on.
func standardRho(epsilon, delta float64) float64 {
	log := math.Log(1 / delta)
	root := math.Sqrt(log+epsilon) - math.Sqrt(log)
	return root * root
}

// gaussianDelta is the exact δ of Gaussian noise with zCDP rho (Balle & Wang 2018, Theorem 8),
// which no bound for all of zCDP can be below.
func gaussianDelta(rho, epsilon float64) float64 {
	mu := math.Sqrt(2 * rho)
	below := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	return below(mu/2-epsilon/mu) - math.Exp(epsilon)*below(-mu/2-epsilon/mu)
}

func near(got, want, relative float64) bool { return math.Abs(got-want) <= relative*math.Abs(want) }

// TestRhoOf compares with values computed by another program: the standard conversion, the tight
// one, and the exact one of Gaussian noise alone.
func TestRhoOf(t *testing.T) {
	for _, c := range []struct{ epsilon, delta, standard, tight, gaussian float64 }{
		{0.1, 1e-9, .000120347, .000177138, .000198332},
		{0.1, 1e-5, .000216209, .000432994, .000528801},
		{1, 1e-9, .0117812, .0149731, .0165574}, {1, 1e-5, .0208199, .0305566, .0359257},
		{2, 1e-9, .0460580, .0561305, .0617936}, {2, 1e-5, 0, .108256, 0},
		{10, 1e-9, .98124, 1.09079, 1.18253}, {10, 1e-5, 1.55036, 1.7827, 2.00089},
	} {
		got := RhoOf(c.epsilon, c.delta)
		if !near(got, c.tight, 5e-6) {
			t.Errorf("rho of (%v, %v) is %v, want %v", c.epsilon, c.delta, got, c.tight)
		}
		if back := EpsilonOf(got, c.delta); !near(back, c.epsilon, 1e-9) {
			t.Errorf("epsilon of rho of (%v, %v) is %v", c.epsilon, c.delta, back)
		}
		if c.standard > 0 && !near(standardRho(c.epsilon, c.delta), c.standard, 5e-6) {
			t.Errorf("the standard conversion of (%v, %v) is %v", c.epsilon, c.delta,
				standardRho(c.epsilon, c.delta))
		}
		if c.gaussian > 0 && !near(gaussianDelta(c.gaussian, c.epsilon), c.delta, 1e-4) {
			t.Errorf("Gaussian noise of %v at %v has δ %v, want %v", c.gaussian, c.epsilon,
				gaussianDelta(c.gaussian, c.epsilon), c.delta)
		}
	}
}

// TestConversionsAreBounds: the tight conversion lies between the standard one and the exact one of
// Gaussian noise, which has the zCDP stated; it grows with both arguments.
func TestConversionsAreBounds(t *testing.T) {
	if EpsilonOf(0, 1e-9) != 0 || !math.IsInf(EpsilonOf(math.Inf(1), 1e-9), 1) {
		t.Error("epsilon of no loss and of an unbounded one")
	}
	for _, delta := range []float64{1e-300, 1e-12, 1e-5, 0.1} {
		last := 0.0
		for _, epsilon := range []float64{1e-4, 0.01, 0.1, 1, 10, 100} {
			rho := RhoOf(epsilon, delta)
			if !(rho > last) || rho < standardRho(epsilon, delta)*(1-1e-9) {
				t.Errorf("rho of (%v, %v) is %v, standard %v, before %v", epsilon, delta, rho,
					standardRho(epsilon, delta), last)
			}
			if exact := gaussianDelta(rho, epsilon); delta > 1e-13 && exact > delta*(1+1e-6) {
				t.Errorf("Gaussian noise of rho %v has δ %v at %v, above %v", rho, exact, epsilon,
					delta)
			}
			last = rho
		}
	}
}
