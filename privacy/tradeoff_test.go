package privacy

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestMostTruePositives: randomised response and the Laplace mechanism reach the bound where their
// best tests do, a guarantee without noise allows all, and none at epsilon 0 only guesses.
func TestMostTruePositives(t *testing.T) {
	for _, epsilon := range []float64{0.1, 1, 3} {
		truth := math.Exp(epsilon) / (1 + math.Exp(epsilon)) // how often a random response is true
		for _, c := range []struct{ delta, fpr, want float64 }{
			{0, 1 - truth, truth},
			// A value of scale 1/epsilon around 1 exceeds the x that one around 0 exceeds with
			// probability p: with p·e^ε where x > 1, with 1 - e^-ε/(4p) where x is from 0 to 1.
			{0, math.Exp(-epsilon) / 4, 0.25},
			{0.01, 0, 0.01}, // a mechanism that gives everything away once in a hundred
			{0.01, 1, 1},
		} {
			if got := MostTruePositives(epsilon, c.delta, c.fpr); math.Abs(got-c.want) > 1e-12 {
				t.Errorf("epsilon %v, delta %v, at %v: %v, want %v", epsilon, c.delta, c.fpr, got,
					c.want)
			}
		}
	}
	for fpr := 0.0; fpr <= 1; fpr += 0.125 {
		if got := MostTruePositives(0, 0, fpr); math.Abs(got-fpr) > 1e-15 {
			t.Errorf("epsilon 0, at %v: %v", fpr, got)
		}
		if got := MostTruePositives(50, 0, fpr); fpr > 0 && got != 1 {
			t.Errorf("epsilon 50, at %v: %v", fpr, got)
		}
	}
}

// TestMostTruePositivesDefinition: the rates p and q of an event are allowed if and only if both
// inequalities of differential privacy hold, for the event and for its complement, in the direction
// in which the true-positive rate is the larger.
func TestMostTruePositivesDefinition(t *testing.T) {
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
			if got := MostArea(epsilon, delta); math.Abs(got-sum) > 1e-6 {
				t.Errorf("epsilon %v, delta %v: %v, want %v", epsilon, delta, got, sum)
			}
		}
	}
}
