package results

import (
	"math"
	"sort"

	"ppdp/numeric/elementary"
)

// studentQuantile is the t within ±t of which Student's variate with whole degrees of freedom has
// the given coverage, between 0 and 1. It is exact to about 13 digits, and the same everywhere.
//
// With t = √n·tan θ the density is that of cosⁿ⁻¹θ, whose integral from -θ to θ is, by parts, a sum
// of n/2 terms and θ itself where n is odd. It is solved for θ, counted in half turns.
func studentQuantile(coverage float64, degrees int) float64 {
	angle := bisect(func(angle float64) bool { return studentCoverage(angle, degrees) < coverage })
	return math.Sqrt(float64(degrees)) * elementary.TanPi(angle)
}

// bisect returns the angle, in half turns between 0 and 1/2, up to which below holds. It stops
// where no other number lies between the ends of its interval.
func bisect(below func(angle float64) bool) float64 {
	low, high := 0.0, 0.5
	for {
		middle := float64((low + high) / 2)
		switch {
		case middle <= low || middle >= high:
			return middle
		case below(middle):
			low = middle
		default:
			high = middle
		}
	}
}

// studentCoverage is the probability of |t| below √n·tan θ, with θ = π·halfTurns.
func studentCoverage(halfTurns float64, degrees int) float64 {
	tangent := elementary.TanPi(halfTurns)
	cosine2 := 1 / (1 + float64(tangent*tangent))
	sine, cosine := float64(tangent*math.Sqrt(cosine2)), math.Sqrt(cosine2)
	// the terms of odd degrees have factors 2/3, 4/5, ..., of even ones 1/2, 3/4, ...
	term, k := 1.0, 2
	if degrees%2 == 1 {
		term, k = cosine, 3
	}
	sum := 0.0
	for ; k <= degrees; k += 2 {
		sum += term
		term = float64(term * float64(k-1) / float64(k) * cosine2)
	}
	if degrees%2 == 0 {
		return float64(sine * sum)
	}
	return float64(2*halfTurns) + float64(2/math.Pi*float64(sine*sum))
}

// Difference is what a paired test says of two samples.
type Difference struct {
	N    int     // trials that both samples have a value of
	Mean float64 // of the differences, trial by trial
	SE   float64 // standard error of Mean; NaN for fewer than two trials
	// P is the two-sided p-value of Student's test, NaN for fewer than two trials. Where all
	// differences are equal the test has no spread to go by: P is then that of their signs, and 1
	// if they are 0.
	P float64
}

// Paired tests whether two samples have the same mean, by the differences y - x of the trials that
// both have.
func Paired(x, y []float64) Difference {
	var differences []float64
	for trial := range min(len(x), len(y)) {
		if d := y[trial] - x[trial]; !math.IsNaN(d) {
			differences = append(differences, d)
		}
	}
	n := len(differences)
	d := Difference{N: n, Mean: Mean(differences), SE: StandardError(differences)}
	switch {
	case n < 2:
		d.P = math.NaN()
		return d
	case d.SE == 0 && d.Mean == 0:
		d.P = 1
		return d
	case d.SE == 0: // all signs alike, one way or the other
		d.P = math.Ldexp(1, 1-n)
		return d
	}
	tangent := math.Abs(d.Mean) / d.SE / math.Sqrt(float64(n-1))
	angle := bisect(func(angle float64) bool { return elementary.TanPi(angle) < tangent })
	d.P = max(0, 1-studentCoverage(angle, n-1))
	return d
}

// Holm returns p-values adjusted for testing all of them (Holm 1979): where one is at most α, the
// chance that any true hypothesis is among those rejected is at most α, however the tests depend on
// each other.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return p[order[a]] < p[order[b]] })
	adjusted := make([]float64, len(p))
	worst := 0.0
	for rank, i := range order {
		worst = math.Max(worst, math.Min(1, float64(len(p)-rank)*p[i]))
		adjusted[i] = worst
	}
	return adjusted
}
