package rps

import (
	"slices"

	"ppdp/algorithms/kernel/partition"
	"ppdp/random"
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

	histogram []int32
	codes     []uint32
	labels    []uint32
}

func (c *candidates) reset() {
	c.dims, c.first, c.weights, c.scores = c.dims[:0], c.first[:0], c.weights[:0], c.scores[:0]
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

// sparseFactor is how many times more cells than records make sorting the records cheaper than
// walking over the cells.
const sparseFactor = 4

// add appends the cuts strictly inside [low, high) on dim.
func (c *candidates) add(rows []int32, dim int, low, high uint32) {
	width := int(high - low)
	switch {
	case len(rows) == 0:
		c.group(dim, low+1, high, 0)
	case len(rows) <= width/sparseFactor:
		c.addSparse(rows, dim, low, high)
	case c.quality == Class:
		c.addDenseClass(rows, dim, low, high)
	default:
		c.addDenseEven(rows, dim, low, high)
	}
}

// cells returns n zeros.
func (c *candidates) cells(n int) []int32 {
	if len(c.histogram) < n {
		c.histogram = make([]int32, 2*n)
	}
	cells := c.histogram[:n]
	clear(cells)
	return cells
}

func (c *candidates) addDenseEven(rows []int32, dim int, low, high uint32) {
	counts := c.cells(int(high - low))
	c.space.Histogram(rows, dim, low, counts)
	left, right := int32(0), int32(len(rows))
	start, score := low+1, 0.0 // no record left of the first cut, until one is found
	for i, n := range counts[:len(counts)-1] {
		cut := low + 1 + uint32(i)
		if n == 0 && i > 0 {
			continue
		}
		if cut > start {
			c.group(dim, start, cut, score)
		}
		left, right = left+n, right-n
		start, score = cut, evenQuality(left, right)
	}
	c.group(dim, start, high, score)
}

func (c *candidates) addDenseClass(rows []int32, dim int, low, high uint32) {
	counts := c.cells(2 * int(high-low))
	c.space.ClassHistogram(rows, dim, low, counts)
	var x1, x2, y1, y2 int32
	for i := 0; i < len(counts); i += 2 {
		y1, y2 = y1+counts[i], y2+counts[i+1]
	}
	start, score := low+1, 0.0
	for i := 0; i < len(counts)-2; i += 2 {
		cut := low + 1 + uint32(i/2)
		n1, n2 := counts[i], counts[i+1]
		if n1|n2 == 0 && i > 0 {
			continue
		}
		if cut > start {
			c.group(dim, start, cut, score)
		}
		x1, x2, y1, y2 = x1+n1, x2+n2, y1-n1, y2-n2
		start, score = cut, classQuality(x1, x2, y1, y2)
	}
	c.group(dim, start, high, score)
}

// addSparse sorts the records by code and walks over the distinct ones. Codes are below 2³¹, so
// that a binary class fits beside them.
func (c *candidates) addSparse(rows []int32, dim int, low, high uint32) {
	n := len(rows)
	if len(c.codes) < n {
		c.codes, c.labels = make([]uint32, 2*n), make([]uint32, 2*n)
	}
	keys := c.codes[:n]
	c.space.Codes(rows, dim, keys)
	var y1, y2 int32
	if c.quality == Class {
		labels := c.labels[:n]
		c.space.Labels(rows, labels)
		for i, label := range labels {
			keys[i] = keys[i]<<1 | label
			y2 += int32(label)
		}
	} else {
		for i := range keys {
			keys[i] <<= 1
		}
	}
	y1 = int32(n) - y2
	slices.Sort(keys)
	var x1, x2 int32
	start := low + 1
	for i := 0; i < n; {
		// the cuts from start up to and with this code leave it on the right
		if code := keys[i] >> 1; code >= start {
			c.group(dim, start, code+1, c.score(x1, x2, y1, y2))
			start = code + 1
		}
		for code := keys[i] >> 1; i < n && keys[i]>>1 == code; i++ {
			label := int32(keys[i] & 1)
			x1, x2, y1, y2 = x1+1-label, x2+label, y1-1+label, y2-label
		}
	}
	if start < high {
		c.group(dim, start, high, c.score(x1, x2, y1, y2))
	}
}

func (c *candidates) score(x1, x2, y1, y2 int32) float64 {
	if c.quality == Class {
		return classQuality(x1, x2, y1, y2)
	}
	return evenQuality(x1+x2, y1+y2)
}
