package rps

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
)

// TestLawOfLeaves: a root of three classes that always stops leaves 3ε/4 to its counts. Those of 0,
// 2 and 3 records all get noise, an empty class too; the majority label is that of the noisy
// counts; records lie anywhere in the box although all of the data lie in one cell. Frequencies may
// be off by 4.9 standard deviations, which a right program exceeds with probability 1e-6.
func TestLawOfLeaves(t *testing.T) {
	t.Parallel()
	const trials, epsilon, cells = 5000, 0.8, 4
	exact := [3]float64{0, 2, 3}
	table := testinput.Numbers(3, []int{cells}, slices.Concat(times(2, 1, 1), times(3, 1, 2))...)
	near := func(name string, hits, n, p float64) {
		if tolerance := 4.9 * math.Sqrt(n*p*(1-p)); math.Abs(hits-n*p) > tolerance {
			t.Errorf("%s: %v of %v, want %v ± %v", name, hits, n, n*p, tolerance)
		}
	}
	alpha := math.Exp(-epsilon * 3 / 4)
	// that a count is exactly right, and that one of 0 is: P(X = 0) and P(X <= 0) for two-sided
	// geometric noise, P(|X| < ½) and P(X < ½) for Laplace noise
	right := map[algorithms.Variant][2]float64{
		algorithms.Strict:    {(1 - alpha) / (1 + alpha), 1 / (1 + alpha)},
		algorithms.Published: {1 - math.Sqrt(alpha), 1 - math.Sqrt(alpha)/2},
	}
	params := DefaultParams()
	params.Depth, params.Stop = 1, 1e6
	for _, variant := range []algorithms.Variant{algorithms.Published, algorithms.Strict} {
		var hits [3]float64
		var places [cells]float64
		records, wrong := 0.0, 0
		for seed := range uint64(trials) {
			r := testinput.Release(t, Algorithm{}, testinput.Input(table, params, variant,
				epsilon, seed))
			counts := r.Regions.Count(0)
			for y, n := range counts {
				if n == exact[y] {
					hits[y]++
				}
			}
			for row := range int32(r.Table.Len()) {
				places[r.Table.Column(0).At(row)]++
				records++
				if counts[r.Table.Column(1).At(row)] != slices.Max(counts) {
					wrong++
				}
			}
		}
		name := string(variant)
		near(name+": class 0", hits[0], trials, right[variant][1])
		near(name+": class 1", hits[1], trials, right[variant][0])
		near(name+": class 2", hits[2], trials, right[variant][0])
		for cell, n := range places {
			near(fmt.Sprintf("%s: cell %d", name, cell), n, records, 1./cells)
		}
		if wrong > 0 {
			t.Errorf("%s: %d records of a class that is not the majority after noise", name,
				wrong)
		}
	}
}
