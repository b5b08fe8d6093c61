package partition

import (
	"context"
	"errors"
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/privacy"
)

// Records draws sizes[r·Classes+y] records of class y from region r (Synthesize), at most maxRows
// of them altogether: beyond that every size is thinned by the same factor, which all the records get
// as their weight, and the warning says so. Sizes are finite and not negative; they need not be whole:
// remainders are carried from one to the next, so that no sum of consecutive sizes is off by more than
// one record.
func Records(ctx context.Context, schema *datasets.Schema, regions *algorithms.Regions, sizes []float64, values Values, maxRows int, stream *privacy.Stream) (table *datasets.Table, weights []float64, warning string, err error) {
	total := 0.0
	for _, size := range sizes {
		total += size
	}
	if !(total >= 0) || math.IsInf(total, 1) {
		return nil, nil, "", fmt.Errorf("%w: noisy counts beyond all numbers, epsilon is too small", algorithms.ErrTooLarge)
	}
	if maxRows < 1 {
		return nil, nil, "", errors.New("a table of no rows at most")
	}
	factor := 1.0
	if limit := float64(maxRows); total > limit {
		factor = total / limit
		warning = fmt.Sprintf("the noisy counts add up to %.0f records: the table holds one in %.4g of them, with that weight (max_rows %d)", total, factor, maxRows)
	}
	table, err = Synthesize(ctx, schema, regions, wholeRecords(sizes, factor), values, stream)
	if err != nil {
		return nil, nil, "", err
	}
	if factor > 1 {
		weights = make([]float64, table.Len())
		for i := range weights {
			weights[i] = factor
		}
	}
	return table, weights, warning, nil
}

// wholeRecords divides sizes by factor and rounds them, carrying the remainder along.
func wholeRecords(sizes []float64, factor float64) []int {
	whole := make([]int, len(sizes))
	sum, given := 0.0, 0.0
	for i, size := range sizes {
		sum += size / factor
		target := math.Round(sum)
		whole[i] = int(target - given)
		given = target
	}
	return whole
}
