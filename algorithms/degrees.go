package algorithms

import "math"

// DegreesBelow returns n ascending degrees of which cumulative[i], rounded and brought into [0, n], are below starts[i+1], each
// of them the lowest of its interval; starts, ascending, are the lowest degrees of one interval more than there are
// cumulative counts. Where a count is less than the one before it, its interval is empty.
func DegreesBelow(starts []int32, cumulative []float64, n int) []int32 {
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
