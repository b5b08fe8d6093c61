package rpsgraph

import (
	"math"
	"slices"

	"ppdp/algorithms/kernel/degrees"
	"ppdp/algorithms/kernel/partition"
	"ppdp/numeric/random"
)

// fill turns the noisy counts of leaves into n ascending degrees, each the lowest of its leaf. It
// may change counts.
func fill(how Fill, starts []int32, counts []float64, n int) []int32 {
	switch how {
	case Rescale:
		sum := 0.0
		for i, count := range counts {
			// Heavy-tailed counts can be so large that their sum is no number; beyond 2⁵³ n there
			// is no difference to see.
			counts[i] = min(max(count, 0), float64(n)*0x1p53)
			sum += counts[i]
		}
		below := 0.0
		for i, count := range counts {
			if sum > 0 {
				below += count / sum
			} else { // nothing is known
				below = float64(i+1) / float64(len(counts))
			}
			counts[i] = float64(below * float64(n))
		}
	case Cumulative:
		for i := range counts {
			counts[i] = min(max(counts[i], -0x1p53), 0x1p53)
			if i > 0 {
				counts[i] += counts[i-1]
			}
		}
		degrees.Isotonic(counts)
	default:
		return fillLowest(starts, counts, n)
	}
	return degrees.Below(starts, counts[:len(counts)-1], n)
}

// fillLowest returns n ascending degrees, as many of each leaf as its count, rounded, until there
// are n; what is missing is of the last leaf.
func fillLowest(starts []int32, counts []float64, n int) []int32 {
	degrees := make([]int32, n)
	at := 0
	for i, count := range counts {
		if count < 0.5 {
			continue
		}
		if at == n {
			break
		}
		for end := min(n, at+int(math.Round(min(count, float64(n))))); at < end; at++ {
			degrees[at] = starts[i]
		}
	}
	for last := starts[len(starts)-1]; at < n; at++ {
		degrees[at] = last
	}
	return degrees
}

// place gives every node, which comes with the lowest degree of its interval, the degree of it that
// values names. starts are the lowest degrees of all intervals, ascending; the last one ends with
// lambda. released stays ascending. Only uniform values need the stream.
func place(values partition.Values, stream *random.Stream, starts []int32, lambda int,
	released []int32) {
	if values == partition.Low {
		return
	}
	interval := 0
	for from, end := 0, 0; from < len(released); from = end {
		low := released[from]
		for end = from; end < len(released) && released[end] == low; end++ {
		}
		for starts[interval] < low {
			interval++
		}
		high := int32(lambda)
		if interval+1 < len(starts) {
			high = starts[interval+1] - 1
		}
		nodes := released[from:end]
		for i := range nodes {
			if values == partition.Midpoint {
				nodes[i] = low + (high-low)/2
			} else {
				nodes[i] = low + int32(stream.IntN(int(high-low+1)))
			}
		}
		if values == partition.Uniform {
			slices.Sort(nodes)
		}
	}
}
