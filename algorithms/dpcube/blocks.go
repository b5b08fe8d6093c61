package dpcube

import (
	"context"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
)

// blocks is the kd-tree of the second phase. The box under consideration, [low, high) on each
// dimension of the grid, is cut in place.
type blocks struct {
	poll  partition.Poll
	grid  *grid
	cells []float64 // noisy, for the whole grid
	// explained is the squared deviation for each cell beyond the first that ends a block.
	explained float64
	// publish is called for each block; it reads the current box.
	publish func() error

	low, high []int
	margins   [][]float64 // sums of the box's cells over all but one dimension
	at        []int       // coordinates on a walk over the box
	structure algorithms.Structure
}

func newBlocks(ctx context.Context, g *grid, cells []float64) *blocks {
	b := &blocks{poll: partition.NewPoll(ctx), grid: g, cells: cells,
		low: make([]int, len(g.sides)), high: make([]int, len(g.sides)),
		at: make([]int, len(g.sides))}
	copy(b.high, g.sides)
	for _, side := range g.sides {
		b.margins = append(b.margins, make([]float64, side))
	}
	return b
}

func (b *blocks) size() int {
	n := 1
	for d, low := range b.low {
		n *= b.high[d] - low
	}
	return n
}

// runs calls do with each run of consecutive cells of the current box: they lie at indices [from,
// to) of the grid, and share the coordinates at but for the last one. do must not walk the box
// itself.
func (b *blocks) runs(do func(at []int, from, to int)) { b.walk(0, 0, do) }

// walk is runs of the part of the box at the coordinates chosen before dimension d, which begin at
// index first of the grid.
func (b *blocks) walk(d, first int, do func(at []int, from, to int)) {
	switch last := len(b.low) - 1; {
	case last < 0:
		do(nil, 0, 1)
	case d == last:
		do(b.at, first+b.low[d], first+b.high[d])
	default:
		for at := b.low[d]; at < b.high[d]; at++ {
			b.at[d] = at
			b.walk(d+1, first+at*b.grid.strides[d], do)
		}
	}
}

// partition cuts the current box into blocks and publishes each.
func (b *blocks) partition(depth int) error {
	n := b.size()
	if err := b.poll.After(n + 64); err != nil {
		return err
	}
	b.structure.Nodes++
	mean, deviation := 0.0, 0.0
	if n > 1 {
		mean, deviation = b.measure(n)
	}
	if n == 1 || deviation <= float64(b.explained*float64(n-1)) {
		b.structure.Leaves++
		b.structure.Depth = max(b.structure.Depth, depth)
		return b.publish()
	}
	d, at := b.cut(n, mean)
	low, high := b.low[d], b.high[d]
	b.high[d] = at
	if err := b.partition(depth + 1); err != nil {
		return err
	}
	b.low[d], b.high[d] = at, high
	if err := b.partition(depth + 1); err != nil {
		return err
	}
	b.low[d] = low
	return nil
}

// measure computes the box's margins, the mean of its n cells and their summed squared deviation
// from it.
func (b *blocks) measure(n int) (mean, deviation float64) {
	for d, low := range b.low {
		clear(b.margins[d][low:b.high[d]])
	}
	last := len(b.low) - 1
	sum := 0.0
	b.runs(func(at []int, from, to int) {
		run := 0.0
		margin := b.margins[last][b.low[last]:]
		for i, x := range b.cells[from:to] {
			run += x
			margin[i] += x
		}
		for d, place := range at[:last] {
			b.margins[d][place] += run
		}
		sum += run
	})
	mean = sum / float64(n)
	b.runs(func(_ []int, from, to int) {
		for _, x := range b.cells[from:to] {
			deviation += float64((x - mean) * (x - mean))
		}
	})
	return mean, deviation
}

// cut returns the cut of the longest dimension, the first of equal ones, that leaves the least
// squared deviation inside the two parts: the one for which D²(1/l+1/r) is largest, where a part of
// l cells exceeds l times the mean by D and the other has r cells. Of equal ones it is the first.
func (b *blocks) cut(n int, mean float64) (dim, at int) {
	for d := range b.low {
		if b.high[d]-b.low[d] > b.high[dim]-b.low[dim] {
			dim = d
		}
	}
	low, high := b.low[dim], b.high[dim]
	layer := n / (high - low)
	best, sum := -1.0, 0.0
	for place := low; place+1 < high; place++ {
		sum += b.margins[dim][place]
		left := layer * (place + 1 - low)
		excess := sum - float64(float64(left)*mean)
		gain := float64(excess * excess * (1/float64(left) + 1/float64(n-left)))
		if gain > best {
			best, at = gain, place+1
		}
	}
	return dim, at
}
