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
	if err := checkFolds(n, k); err != nil {
		return nil, err
	}
	return deal(permutation(key.Derive("folds"), n), k), nil
}

// Stratified is Folds with every class spread evenly: beside the folds' sizes, the counts of each
// label differ by at most 1 between folds (Kohavi 1995, section 3.2). labels holds one class code
// for each position.
func Stratified(key random.Key, labels []uint32, k int) ([]Fold, error) {
	if err := checkFolds(len(labels), k); err != nil {
		return nil, err
	}
	order := permutation(key.Derive("stratified folds"), len(labels))
	// Dealing the permuted positions class by class, without starting again at the first fold for
	// each class, balances the classes and the sizes at once.
	slices.SortStableFunc(order,
		func(a, b int32) int { return int(int64(labels[a]) - int64(labels[b])) })
	return deal(order, k), nil
}

func checkFolds(n, k int) error {
	if k < 2 || k > n {
		return fmt.Errorf("%d folds of %d rows, must be at least 2 and at most the number of rows",
			k, n)
	}
	return nil
}

func permutation(key random.Key, n int) []int32 {
	order := datasets.InOrder(n)
	key.Stream().Permute(order)
	return order
}

// deal gives position order[i] to the test part of fold i mod k.
func deal(order []int32, k int) []Fold {
	home := make([]int32, len(order))
	for i, position := range order {
		home[position] = int32(i % k)
	}
	folds := make([]Fold, k)
	for f := range folds {
		size := (len(order) - f + k - 1) / k
		folds[f] = Fold{Train: make([]int32, 0, len(order)-size), Test: make([]int32, 0, size)}
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
	return folds
}
