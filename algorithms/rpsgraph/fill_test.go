package rpsgraph

import (
	"math"
	"slices"
	"testing"

	"ppdp/algorithms/kernel/partition"
	"ppdp/numeric/random"
)

// TestFill works the readings out by hand: leaves begin at degrees 0, 2, 5 and 9.
func TestFill(t *testing.T) {
	starts := []int32{0, 2, 5, 9}
	for _, test := range []struct {
		how    Fill
		counts []float64
		n      int
		want   []int32
	}{
		// 2, 0, 1 (half away from 0), 2
		{Lowest, []float64{1.6, -3, 0.5, 2}, 5, []int32{0, 0, 5, 9, 9}},
		// the highest leaf gets what is missing
		{Lowest, []float64{1, 1, 0, 0}, 5, []int32{0, 2, 9, 9, 9}},
		// full before the second
		{Lowest, []float64{9, 1, 1, 1}, 3, []int32{0, 0, 0}},
		// a tail of Cauchy's
		{Lowest, []float64{math.MaxFloat64, 1, 1, 1}, 3, []int32{0, 0, 0}},
		// 4 scaled to 4
		{Rescale, []float64{2, -9, 2, 0}, 4, []int32{0, 0, 5, 5}},
		// 40 scaled to 4
		{Rescale, []float64{10, 10, 10, 10}, 4, []int32{0, 2, 5, 9}},
		// nothing known: all alike
		{Rescale, []float64{-1, 0, -1, -1}, 4, []int32{0, 2, 5, 9}},
		// no overflow
		{Rescale, []float64{0, math.MaxFloat64, 0, 0}, 2, []int32{2, 2}},
		// sums 2, 1, 3, 4: 1.5, 1.5, 3, 4 rounds to 2, 2, 3
		{Cumulative, []float64{2, -1, 2, 1}, 4, []int32{0, 0, 5, 9}},
		// sums below 0
		{Cumulative, []float64{-5, 2, 1, 9}, 3, []int32{9, 9, 9}},
		// no overflow
		{Cumulative, []float64{-math.MaxFloat64, 0, 0, 0}, 2, []int32{9, 9}},
		//
		{Cumulative, []float64{math.MaxFloat64, 0, 0, 0}, 2, []int32{0, 0}},
		// no nodes
		{Lowest, []float64{0, 0, 0, 0}, 0, []int32{}}, {Rescale, []float64{1, 1, 1, 1}, 0,
			[]int32{}},
	} {
		counts := slices.Clone(test.counts)
		if got := fill(test.how, starts, counts, test.n); !slices.Equal(got, test.want) {
			t.Errorf("%s of %v: %v, want %v", test.how, test.counts, got, test.want)
		}
	}
}

// TestPlace works the readings of values out by hand: intervals 0 and 1, 2 to 4, 5 to 8, 9 to 12.
// Uniform values are within them, in order, and each of the four of the third is drawn a quarter of
// the time: within five standard deviations, which one seed in 400,000 misses.
func TestPlace(t *testing.T) {
	starts := []int32{0, 2, 5, 9}
	released := []int32{0, 2, 2, 5, 9, 9}
	for _, test := range []struct {
		values partition.Values
		want   []int32
	}{{partition.Low, released}, {partition.Midpoint, []int32{0, 3, 3, 6, 10, 10}}} {
		got := slices.Clone(released)
		place(test.values, nil, starts, 12, got)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.values, got, test.want)
		}
	}
	const n = 40_000
	many := slices.Concat(slices.Repeat([]int32{2}, 3), slices.Repeat([]int32{5}, n))
	place(partition.Uniform, random.NewKey(7).Stream(), starts, 12, many)
	if many[0] < 2 || many[2] > 4 || !slices.IsSorted(many) {
		t.Errorf("not ascending from 2 to 4: %v", many[:4])
	}
	var drawn [13]float64
	for _, d := range many[3:] {
		drawn[d]++
	}
	for d := 5; d <= 8; d++ {
		if math.Abs(drawn[d]-n/4) > 5*math.Sqrt(n*0.25*0.75) {
			t.Errorf("degree %d drawn %v times of %d", d, drawn[d], n)
		}
	}
	if drawn[5]+drawn[6]+drawn[7]+drawn[8] != n {
		t.Errorf("drawn outside 5 to 8: %v", drawn)
	}
}
