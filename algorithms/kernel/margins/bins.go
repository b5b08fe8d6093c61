package margins

import (
	"math/bits"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

// Bins are the runs of an attribute's cells that a release works with.
type Bins struct {
	Size  int
	cells uint64   // of the attribute's public domain
	ends  []uint32 // one after the last cell of each leaf; nil for Size equal bins
	// of each bin, one after its last leaf, and of each leaf, its share of its bin added to those
	// before it; nil where bins are leaves
	lasts  []int
	shares []float64
	// hidden are cells of which noise says more than their counts do
	hidden leaf
}

// PublicBins cuts an attribute without its data: as its schema says, or into so many bins, equal up
// to one cell. An attribute of fewer cells keeps them, as a categorical one does.
func PublicBins(a *datasets.Attribute, bins int) Bins {
	b := Bins{Size: a.Cells(), cells: uint64(a.Cells())}
	if a.Kind == datasets.Numeric {
		b.Size = min(b.Size, bins)
		if ends := a.PublicBins(bins); ends != nil {
			b.Size, b.ends = len(ends), ends
		}
	}
	return b
}

// Wide reports whether the bins are public ones of an attribute of more cells, which the schema has
// no bins for: those that may be cut privately.
func (b *Bins) Wide() bool { return b.ends == nil && uint64(b.Size) < b.cells }

// Codes replaces cells by their bins.
func (b *Bins) Codes(cells []uint32) {
	switch {
	case b.ends != nil:
		of := make([]uint32, len(b.ends)) // the leaves' bins
		for leaf, bin := 0, 0; leaf < len(of); leaf++ {
			if of[leaf] = uint32(leaf); b.lasts != nil {
				if leaf == b.lasts[bin] {
					bin++
				}
				of[leaf] = uint32(bin)
			}
		}
		find := newFinder(b.ends)
		for row, cell := range cells {
			cells[row] = of[find.run(cell)]
		}
	case uint64(b.Size) < b.cells:
		for row, cell := range cells {
			cells[row] = uint32(uint64(cell) * uint64(b.Size) / b.cells)
		}
	}
}

// finder finds the run of cells that a cell is in, of runs that tile a domain.
type finder struct {
	ends  []uint32 // one after the last cell of each run
	shift int
	first []uint32 // the run of each 2^shift-th cell, and of the last one
}

// newFinder divides the domain into at most 4096 places of equal length, of which most lie in one
// run.
func newFinder(ends []uint32) finder {
	last := ends[len(ends)-1] - 1
	f := finder{ends: ends, shift: max(0, bits.Len32(last)-12)}
	f.first = make([]uint32, last>>f.shift+2)
	for i, run := 0, uint32(0); i < len(f.first); i++ {
		cell := min(uint64(i)<<f.shift, uint64(last))
		for uint64(ends[run]) <= cell {
			run++
		}
		f.first[i] = run
	}
	return f
}

func (f *finder) run(cell uint32) uint32 {
	place := cell >> f.shift
	low, high := f.first[place], f.first[place+1]
	for low < high {
		if middle := (low + high) / 2; f.ends[middle] <= cell {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// Whole is the cells [low, high) of a bin.
func (b *Bins) Whole(bin uint32) (low, high uint32) {
	if b.ends == nil {
		edge := func(bin uint32) uint32 {
			return uint32((uint64(bin)*b.cells + uint64(b.Size) - 1) / uint64(b.Size))
		}
		return edge(bin), edge(bin + 1)
	}
	first, last := b.leaves(bin)
	return b.first(first), b.ends[last-1]
}

// Span is the cells [low, high) that a record of a bin is drawn from: all of them, or those of one
// of the bin's leaves, by the leaves' shares.
func (b *Bins) Span(bin uint32, stream *random.Stream) (low, high uint32) {
	if b.ends == nil {
		return b.Whole(bin)
	}
	leaf, last := b.leaves(bin)
	if last-leaf > 1 {
		u := stream.Open01() * b.shares[last-1]
		for leaf < last-1 && b.shares[leaf] <= u {
			leaf++
		}
	}
	return b.first(leaf), b.ends[leaf]
}

// leaves are those [first, last) of a bin.
func (b *Bins) leaves(bin uint32) (first, last int) {
	switch {
	case b.lasts == nil:
		return int(bin), int(bin) + 1
	case bin > 0:
		first = b.lasts[bin-1]
	}
	return first, b.lasts[bin]
}

// first is the first cell of a leaf.
func (b *Bins) first(leaf int) uint32 {
	if leaf == 0 {
		return 0
	}
	return b.ends[leaf-1]
}
