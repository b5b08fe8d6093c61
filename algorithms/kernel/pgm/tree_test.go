package pgm

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestEmbeddings: sums and copies along runs are those cell by cell, in the same order.
func TestEmbeddings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(1, 4), 1, 5).Draw(t, "sizes")
		outer := rapid.Permutation([]int{0, 1, 2, 3, 4}[:len(sizes)]).Draw(t, "outer")
		var inner []int
		for a := range sizes {
			if rapid.Bool().Draw(t, "inner") {
				inner = append(inner, a)
			}
		}
		e, cells := embed(sizes, outer, inner), cellMap(sizes, outer, inner)
		large, small := make([]float64, len(cells)), make([]float64, slices.Max(cells)+1)
		for i := range large {
			large[i] = 1 / float64(i+3)
		}
		for i := range small {
			small[i] = float64(i)
		}
		sums, spread := slices.Clone(small), slices.Clone(large)
		for cell, at := range cells {
			sums[at] += large[cell]
			spread[cell] += small[at]
		}
		own, to := slices.Clone(small), slices.Clone(large)
		e.sum(large, own)
		e.spread(to, small)
		if !slices.Equal(own, sums) || !slices.Equal(to, spread) {
			t.Fatalf("sizes %v, %v in %v: %+v", sizes, inner, outer, e)
		}
	})
}
