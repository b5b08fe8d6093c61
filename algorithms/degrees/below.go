// Package degrees is the kernel under the baselines that release a graph's degree sequence: the
// bound on degrees, isotonic regression, and degrees from cumulative counts. It draws no noise and
// leaves out how a graph is partitioned or projected.
package degrees

import "math"

// Below returns n ascending degrees. cumulative[i], rounded and clamped to [0, n], of them are
// below starts[i+1]; each is the lowest degree of its interval. starts, ascending, has one element
// more than cumulative. Where a count is less than the one before it, its interval is empty.
func Below(starts []int32, cumulative []float64, n int) []int32 {
	degrees := make([]int32, n)
	at := 0
	for i, count := range cumulative {
		end := int(math.Round(min(max(count, 0), float64(n))))
		for ; at < end; at++ {
			degrees[at] = starts[i]
		}
	}
	for last := starts[len(cumulative)]; at < n; at++ {
		degrees[at] = last
	}
	return degrees
}
