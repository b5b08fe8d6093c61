package partition

import (
	"context"
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/random"
)

// AddRecords publishes records of a release's regions, drawn when they are first needed:
// sizes[r·Classes+y] of class y from region r (synthesize), at most d.MaxRows of them altogether.
// Beyond that every size is thinned by the same factor, which all the records get as their weight,
// and the release a warning that says so. Sizes are finite and not negative; they need not be
// whole: remainders are carried from one to the next, so that no sum of consecutive sizes is off by
// more than one record. Sizes, regions and stream belong to the records from here on.
func AddRecords(release *algorithms.Release, schema *datasets.Schema, sizes []float64,
	d Drawing, stream *random.Stream) error {
	total := 0.0
	for _, size := range sizes {
		total += size
	}
	if !(total >= 0) || math.IsInf(total, 1) {
		return fmt.Errorf("%w: noisy counts beyond all numbers, epsilon is too small",
			algorithms.ErrTooLarge)
	}
	factor, rows := 1.0, total
	if limit := float64(d.MaxRows); total > limit {
		factor, rows = total/limit, 0
		for _, size := range sizes { // as wholeRecords adds them
			rows += size / factor
		}
		release.Warnings = append(release.Warnings,
			fmt.Sprintf("the noisy counts add up to %.0f records: the table holds one in %.4g of"+
				" them, with that weight (max_rows %d)", total, factor, d.MaxRows))
	}
	regions := release.Regions
	release.Lazy = &algorithms.LazyRecords{
		Rows: int(math.Round(rows)), Weight: factor,
		Draw: func(ctx context.Context) (*datasets.Table, error) {
			return synthesize(ctx, schema, regions, wholeRecords(sizes, factor), d.Values, stream)
		},
	}
	for i := range schema.Attributes {
		if a := &schema.Attributes[i]; a.Role == datasets.Sensitive {
			release.Warnings = append(release.Warnings,
				fmt.Sprintf("%s: a sensitive attribute, drawn uniformly from its public domain",
					a.Name))
		}
	}
	return nil
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
