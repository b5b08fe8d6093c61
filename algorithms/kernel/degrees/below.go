// Package degrees is the kernel under the baselines that release a graph's degree sequence: the
// bound on degrees, stated or chosen privately, the projection of a graph onto one, isotonic
// regression, and degrees from cumulative counts. It leaves out how degrees are partitioned and
// counted.
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
