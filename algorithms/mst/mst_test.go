package mst

import (
	"fmt"
	"math"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/margins"
	"ppdp/audit/conformance"
	"ppdp/privacy"
)

// TestThirds: the three parts of the budget cost a third each, in either unit; choices by
// distances, which are not monotone, are not credited half.
func TestThirds(t *testing.T) {
	table := conformance.Table(200)
	for _, a := range []algorithms.Algorithm{Algorithm, Target} {
		for _, delta := range []float64{0, 1e-9} {
			params := a.Params().(*margins.Params)
			params.Iterations, params.Cut = 5, margins.Equal
			in := testinput.Input(table, params, algorithms.Strict, 1, 1)
			in.Budget = privacy.NewApproximate(2, delta)
			testinput.LazyRelease(t, a, in)
			calls := [3]int64{6, 5, 5} // one-way marginals, choices, pairs
			if a == Target {
				calls = [3]int64{5, 4, 4}
			}
			total := 0.0
			for i, e := range in.Budget.Ledger() {
				total += e.Cost
				if math.Abs(3*e.Cost/in.Budget.Total()-1) > 1e-12 || float64(e.Loss) != e.Cost ||
					e.Calls != calls[i] {
					t.Errorf("%s, delta %v: %+v of %v", a.Info().Name, delta, e, in.Budget.Total())
				}
			}
			if math.Abs(total/in.Budget.Total()-1) > 1e-12 {
				t.Errorf("%s, delta %v: %v of %v", a.Info().Name, delta, total, in.Budget.Total())
			}
		}
	}
}

// TestFindsTheTree: a chain of attributes that repeat their neighbour, and a class that follows the
// last: at a large epsilon the records keep it from end to end, though only pairs are measured.
func TestFindsTheTree(t *testing.T) {
	var rows [][]uint32
	for i := range uint32(3000) {
		x := i % 6
		rows = append(rows, []uint32{x, x / 2, x / 3, i % 5, x / 3})
	}
	table := testinput.Numbers(2, []int{6, 3, 2, 5}, rows...)
	for _, a := range []algorithms.Algorithm{Algorithm, Target} {
		in := testinput.Input(table, a.Params(), algorithms.Strict, 1, 5)
		in.Budget = privacy.NewApproximate(10, 1e-9)
		records := testinput.LazyRelease(t, a, in).Table
		wrong, spurious := 0, [5]int{}
		for row := range int32(records.Len()) {
			x, class := records.Column(0).At(row), records.Column(4).At(row)
			if x/3 != class || x/2 != records.Column(1).At(row) {
				wrong++
			}
			if class == 1 {
				spurious[records.Column(3).At(row)]++
			}
		}
		n := float64(records.Len())
		if share := float64(wrong) / n; share > 0.04 || n < 2900 || n > 3100 {
			t.Errorf("%s: %.1f %% of %v records are wrong", a.Info().Name, 100*share, n)
		}
		for value, count := range spurious {
			if math.Abs(float64(count)-n/10) > n/30 {
				t.Errorf("%s: value %d has %d records of class 1, want %v", a.Info().Name, value,
					count, n/10)
			}
		}
	}
}

// BenchmarkWide is a release of many attributes.
func BenchmarkWide(b *testing.B) {
	for _, attributes := range []int{20, 80, 200, 500} {
		table := testinput.Wide(attributes, 50_000)
		a := Algorithm
		b.Run(fmt.Sprint("attributes=", attributes), func(b *testing.B) {
			for i := uint64(0); b.Loop(); i++ {
				testinput.LazyRelease(b, a, testinput.Input(table, a.Params(), algorithms.Strict,
					1, i))
			}
		})
	}
}
