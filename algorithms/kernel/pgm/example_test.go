package pgm_test

import (
	"context"
	"fmt"

	"ppdp/algorithms/kernel/pgm"
	"ppdp/numeric/random"
)

// Counts of the attributes 0 and 1, and of 1 and 2, say nothing of 0 with 2 but through 1. The
// distribution of the largest entropy has them independent given attribute 1:
// 30·40/50 + 10·5/50 = 25 records of value 0 in both.
func ExampleFit() {
	measured := []pgm.Measurement{
		{Attributes: []int{0, 1}, Counts: []float64{30, 10, 20, 40}, Variances: []float64{1}},
		{Attributes: []int{1, 2}, Counts: []float64{40, 10, 5, 45}, Variances: []float64{1}},
	}
	model, err := pgm.Fit(context.Background(), []int{2, 2, 2}, measured, pgm.Total(measured),
		pgm.Options{Iterations: 1000, Tolerance: 1e-6, MaxCells: 1000}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.0f\n", model.Marginal([]int{0, 2}))
	columns := model.Records(100, random.NewKey(1).Stream(), nil)
	fmt.Println(len(columns), "columns of", len(columns[0].U8), "records")
	// Output:
	// [25 15 20 40]
	// 3 columns of 100 records
}
