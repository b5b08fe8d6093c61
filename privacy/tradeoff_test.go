package privacy

import (
	"math"
	"testing"

	"ppdp/internal/must"

	"pgregory.net/rapid"
)

// TestMostTruePositives: the rates p and q of an event are allowed if and only if both
// inequalities of differential privacy hold, for the event and for its complement, in the direction
// in which the true-positive rate is the larger.
func TestMostTruePositives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epsilon := rapid.Float64Range(0, 5).Draw(t, "epsilon")
		delta := rapid.Float64Range(0, 1).Draw(t, "delta")
		q, p := rapid.Float64Range(0, 1).Draw(t, "fpr"), rapid.Float64Range(0, 1).Draw(t, "tpr")
		e := math.Exp(epsilon)
		slack := min(e*q+delta-p, e*(1-p)+delta-(1-q))
		if math.Abs(slack) < 1e-9 {
			return
		}
		if allowed := p <= MostTruePositives(epsilon, delta, q); allowed != (slack > 0) {
			t.Fatalf("a true-positive rate of %v at %v: %t", p, q, allowed)
		}
	})
}

// TestMostArea: the area under MostTruePositives, strip by strip.
func TestMostArea(t *testing.T) {
	for _, epsilon := range []float64{0, 0.1, 1, 5} {
		for _, delta := range []float64{0, 1e-6, 0.3, 1} {
			const strips = 100_000
			sum := 0.0
			for i := range strips {
				sum += MostTruePositives(epsilon, delta, (float64(i)+0.5)/strips) / strips
			}
			must.Near(t, MostArea(epsilon, delta), sum, 1e-6, epsilon, delta)
		}
	}
}
