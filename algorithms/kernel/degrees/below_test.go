package degrees

import (
	"math"
	"slices"
	"testing"
)

func TestBelow(t *testing.T) {
	for _, c := range []struct {
		starts     []int32
		cumulative []float64
		n          int
		want       []int32
	}{
		{[]int32{0, 2, 5}, []float64{1, 3}, 4, []int32{0, 2, 2, 5}},
		{[]int32{0, 2, 5}, []float64{-3, 1e300}, 3, []int32{2, 2, 2}},
		{[]int32{0, 2, 5}, []float64{math.Inf(1), 1}, 2, []int32{0, 0}},
		// halves go up; a fall leaves an interval empty
		{[]int32{0, 2, 5}, []float64{1.5, 1.4}, 3, []int32{0, 0, 5}},
		{[]int32{7}, nil, 2, []int32{7, 7}},
		{[]int32{0, 1}, []float64{3}, 0, []int32{}},
	} {
		if got := Below(c.starts, c.cumulative, c.n); !slices.Equal(got, c.want) {
			t.Errorf("starts %v, counts %v: %v, want %v", c.starts, c.cumulative, got, c.want)
		}
	}
}
