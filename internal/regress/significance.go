package regress

import (
	"math"

	"ppdp/internal/results"

	"gonum.org/v1/gonum/stat/distuv"
)

// Kinds of comparison.
const (
	TestExact  = "exact"    // the values must be equal
	TestPaired = "paired t" // of the differences, trial by trial
	TestWelch  = "Welch t"  // of two means, each side with its own variance
	TestPooled = "pooled t" // of a mean and a single trial, which is given the others' variance
	// TestPermutation is used where a t has no scale because no sample varies: p counts the ways in
	// which the values, or the signs of the differences, could have fallen.
	TestPermutation = "permutation"
)

// welch tests whether two samples have one mean (Welch 1947, with the degrees of freedom of
// Satterthwaite 1946), two-sided. With a single trial on one side it is Student's test with the
// other side's variance. What cannot be tested, one trial on either side, has a NaN for p.
func welch(old, new []float64) (p float64, test string) {
	n, m := float64(len(old)), float64(len(new))
	if n+m < 3 || n == 0 || m == 0 {
		return math.NaN(), ""
	}
	a, u := momentsOf(old)
	b, v := momentsOf(new)
	if u == 0 && v == 0 {
		if a == b {
			return 1, TestPermutation
		}
		// Of all ways to deal the values to the two sides only this one, and its mirror image where
		// the sides are equally long, has means as far apart.
		ways := binomial(len(old)+len(new), len(old))
		if len(old) == len(new) {
			ways /= 2
		}
		return 1 / ways, TestPermutation
	}
	if n == 1 || m == 1 {
		variance := u + v // that of the single trial is 0
		se := math.Sqrt(variance * (1/n + 1/m))
		return twoSided((b-a)/se, n+m-2), TestPooled
	}
	u, v = u/n, v/m
	df := (u + v) * (u + v) / (u*u/(n-1) + v*v/(m-1))
	return twoSided((b-a)/math.Sqrt(u+v), df), TestWelch
}

func twoSided(t, df float64) float64 {
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.CDF(-math.Abs(t))
}

// momentsOf returns mean and sample variance, 0 for a single value.
func momentsOf(x []float64) (average, variance float64) {
	average = results.Mean(x)
	if len(x) < 2 {
		return average, 0
	}
	squares := 0.0
	for _, v := range x {
		squares += float64((v - average) * (v - average))
	}
	return average, squares / float64(len(x)-1)
}

func binomial(n, k int) float64 {
	ways := 1.0
	for i := 1; i <= k; i++ {
		ways *= float64(n-k+i) / float64(i)
	}
	return ways
}
