package rps

import (
	"math"

	"ppdp/algorithms/kernel/partition"
	"ppdp/numeric/elementary"
	"ppdp/numeric/radix"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// evenQuality is eq. 2, (n-|r₁-r₂|)/4, for sides of r₁ and r₂ records.
func evenQuality(r1, r2 int32) float64 { return float64(min(r1, r2)) / 2 }

// classQuality is eq. 3, (n-|r₁-r₂|+max(x₁+y₂, y₁+x₂))/2, for a side of x₁ records of the first
// class and x₂ of the second and another of y₁ and y₂ (read as errata R8 says).
func classQuality(x1, x2, y1, y2 int32) float64 {
	return float64(2*min(x1+x2, y1+y2)+max(x1+y2, y1+x2)) / 2
}

// candidates is the list of a region's cuts, in groups of equal quality: neighbouring cuts of
// one attribute between which no record lies. A group is drawn by its number of cuts and the cut
// uniformly inside it, which is the law of drawing from all the cuts one by one, at a cost that
// depends on the records of the region and not on its volume.
type candidates struct {
	space   *partition.Space
	quality Quality

	dims    []int     // each group's dimension,
	first   []uint32  // its first cut: codes below go left,
	weights []float64 // its number of cuts
	scores  []float64 // and their quality

	draws *random.Stream // of cuts inside a group

	tally         partition.Tally
	codes, sorted []uint32 // scratch of medians
}

// group adds cuts at first and after, up to and without end. Most groups are single cuts.
func (c *candidates) group(dim int, first, end uint32, score float64) {
	c.dims = append(c.dims, dim)
	c.first = append(c.first, first)
	c.weights = append(c.weights, float64(end-first))
	c.scores = append(c.scores, score)
}

// Draw draws a cut of group i: its dimension in the upper half, its place in the lower one.
func (c *candidates) Draw(i int) uint64 {
	cut := c.First(i)
	if n := uint32(c.weights[i]); n > 1 {
		cut += uint64(c.draws.Uint32N(n))
	}
	return cut
}

// First is the first cut of group i.
func (c *candidates) First(i int) uint64 { return uint64(c.dims[i])<<32 | uint64(c.first[i]) }

// Find returns the group of a cut.
func (c *candidates) Find(cut uint64) (i int, share, score float64) {
	for i, n := range c.weights {
		if first := c.First(i); cut >= first && cut < first+uint64(n) {
			return i, 1 / n, c.scores[i]
		}
	}
	return -1, 0, 0
}

// add appends the cuts strictly inside [low, high) on dim. Only the cut just above a value that
// occurs has another quality than the cut before it.
func (c *candidates) add(rows []int32, dim int, low, high uint32) {
	var x, y [2]int32 // records of each class below the cut, and above
	classes, t := 1, &c.tally
	if c.quality == Class {
		classes = 2
	}
	c.space.Tally(t, rows, dim, low, high, c.quality == Class)
	for i, n := range t.Counts {
		y[i%classes] += n
	}
	start := low + 1
	for i, code := range t.Values {
		if code >= start { // the cuts from start up to and with this code leave it above
			c.group(dim, start, code+1, c.score(x, y))
			start = code + 1
		}
		for k, n := range t.Counts[i*classes : (i+1)*classes] {
			x[k], y[k] = x[k]+n, y[k]-n
		}
	}
	if start < high {
		c.group(dim, start, high, c.score(x, y))
	}
}

func (c *candidates) score(x, y [2]int32) float64 {
	if c.quality == Class {
		return classQuality(x[0], x[1], y[0], y[1])
	}
	return evenQuality(x[0], y[0])
}

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
