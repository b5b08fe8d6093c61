package rps

import (
	"math"

	"ppdp/numeric/elementary"
	"ppdp/numeric/radix"
	"ppdp/privacy"
)

// median is a cut of the current box: just above the median on dim, which is released with Cauchy
// noise for its smooth sensitivity and then brought inside the box. It takes O(n) for n rows.
func (r *recursion) median(rows []int32, dim int, path *privacy.Path,
	epsilon float64) (uint32, error) {
	c := &r.candidates
	if len(c.codes) < len(rows) {
		c.codes = make([]uint32, 2*len(rows))
	}
	codes := c.codes[:len(rows)]
	r.space.Codes(rows, dim, codes)
	c.sorted = radix.Sort(codes, c.sorted)
	low, high := r.builder.Low[dim], r.builder.High[dim]
	value, bound := smoothMedian(codes, low, high-1, privacy.Smoothness(epsilon))
	noisy, err := r.medians.Add(path, epsilon, bound, float64(value))
	at := min(max(math.Round(noisy)+1, float64(low+1)), float64(high-1))
	return uint32(at), err
}

// smoothMedian is the lower median of n ascending codes, the one of rank ⌈n/2⌉ (low for none), and
// its β-smooth sensitivity (Nissim, Raskhodnikova & Smith 2007, section 3.1) where neighbours have
// one code more or less, all between low and top.
//
// One code moves the median to the next one below, or above: across a gap that has as many codes
// above it as below, or one more. To make the gap between the codes of ranks i and j such a one,
// all between them are taken out, and codes are added or taken out where there are too few or too
// many. Of all gaps that k steps can make so, that from ⌊(n-k)/2⌋ to ⌊(n+k)/2⌋+1 is the widest,
// where ranks below 1 are low and those above n are top.
func smoothMedian(codes []uint32, low, top uint32, beta float64) (median uint32, bound float64) {
	n := len(codes)
	at := func(rank int) uint32 {
		switch {
		case rank < 1:
			return low
		case rank > n:
			return top
		}
		return codes[rank-1]
	}
	bound = leastBound
	for k := range n + 1 {
		weight := elementary.Exp(-beta * float64(k))
		bound = max(bound, float64(weight*float64(at((n+k)/2+1)-at((n-k)/2))))
		if float64(weight*float64(top-low)) <= bound {
			break // no gap further out is wide enough
		}
	}
	return at((n + 1) / 2), bound
}

// leastBound keeps bounds above 0. The larger one of a smooth bound and a constant is smooth.
const leastBound = 1e-9
