package classifiers

import (
	"fmt"
	"slices"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

// Fold is one division of positions 0..n-1 into training and test positions, both ascending.
type Fold struct {
	Train, Test []int32
}

// Folds divides the positions 0..n-1 into k folds by a seeded permutation. Every position is in
// the test part of exactly one fold; the sizes of the test parts differ by at most 1. The key must
// leave algorithm and classifier out, so that all methods are compared on the same folds.
//
// It is an error when k is below 2 or above n.
func Folds(key random.Key, n, k int) ([]Fold, error) {
	return deal(key.Derive("folds"), n, k, nil)
}

// Stratified is Folds with every class spread evenly: beside the folds' sizes, the counts of each
// label differ by at most 1 between folds (Kohavi 1995, section 3.2). labels holds one class code
// for each position.
func Stratified(key random.Key, labels []uint32, k int) ([]Fold, error) {
	return deal(key.Derive("stratified folds"), len(labels), k, labels)
}

// deal gives the i-th position of a random order to the test part of fold i mod k: class by class
// where there are labels.
func deal(key random.Key, n, k int, labels []uint32) ([]Fold, error) {
	if k < 2 || k > n {
		return nil, fmt.Errorf("%d folds of %d rows, must be at least 2 and at most the number of "+
			"rows", k, n)
	}
	order := datasets.InOrder(n)
	key.Stream().Permute(order)
	if labels != nil {
		// Not starting again at the first fold for each class balances the classes and the sizes
		// at once.
		slices.SortStableFunc(order,
			func(a, b int32) int { return int(int64(labels[a]) - int64(labels[b])) })
	}
	home := make([]int32, n)
	for i, position := range order {
		home[position] = int32(i % k)
	}
	folds := make([]Fold, k)
	for f := range folds {
		size := (n - f + k - 1) / k
		folds[f] = Fold{Train: make([]int32, 0, n-size), Test: make([]int32, 0, size)}
	}
	for position, at := range home {
		for f := range folds {
			if int32(f) == at {
				folds[f].Test = append(folds[f].Test, int32(position))
			} else {
				folds[f].Train = append(folds[f].Train, int32(position))
			}
		}
	}
	return folds, nil
}
