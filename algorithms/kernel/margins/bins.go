package margins

import (
	"math/bits"
	"slices"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

// Bins divide an attribute's cells. Leaves are intervals of cells that tile the domain, in their
// order; a bin is one leaf, or a run of leaves where noisy counts say how often each occurs in it.
type Bins struct {
	Size   int
	ends   []uint32  // one after the last cell of each leaf
	lasts  []int     // one after the last leaf of each bin
	shares []float64 // of each leaf: its count added to those before it in its bin
	// hidden are cells of which noise says more than their counts do
	hidden leaf
}

// alone puts each of n leaves in a bin of its own.
func alone(n int) []int {
	lasts := make([]int, n)
	for leaf := range lasts {
		lasts[leaf] = leaf + 1
	}
	return lasts
}

// PublicBins cuts an attribute without its data: as its schema says, or into so many bins, equal up
// to one cell. An attribute of fewer cells keeps them, as a categorical one does. Missing numbers
// have a bin of their own, the last.
func PublicBins(a *datasets.Attribute, bins int) Bins {
	cells := uint64(a.Numbers())
	n := cells
	var ends []uint32
	if a.Kind == datasets.Numeric {
		ends = slices.Clone(a.PublicBins(bins))
		n = min(n, uint64(bins))
	}
	if ends == nil {
		ends = make([]uint32, n)
		for i := range ends {
			ends[i] = uint32((uint64(i+1)*cells + n - 1) / n)
		}
	}
	if a.Numbers() < a.Cells() {
		ends = append(ends, uint32(a.Cells()))
	}
	return Bins{Size: len(ends), ends: ends, lasts: alone(len(ends))}
}

// Codes replaces cells by their bins.
func (b *Bins) Codes(cells []uint32) {
	if b.Size == int(b.ends[len(b.ends)-1]) {
		return // a bin is a cell
	}
	of, first := make([]uint32, len(b.ends)), 0 // the leaves' bins
	for bin, last := range b.lasts {
		for leaf := first; leaf < last; leaf++ {
			of[leaf] = uint32(bin)
		}
		first = last
	}
	find := NewFinder(b.ends)
	for row, cell := range cells {
		cells[row] = of[find.Leaf(cell)]
	}
}

// Finder finds the leaf that a cell is in, of leaves that tile a domain.
type Finder struct {
	ends  []uint32 // one after the last cell of each leaf
	shift int
	first []uint32 // the leaf of each 2^shift-th cell, and of the last one
}

// NewFinder divides the domain into at most 4096 places of equal length, of which most lie in one
// leaf. ends are one after the last cell of each leaf.
func NewFinder(ends []uint32) Finder {
	last := ends[len(ends)-1] - 1
	f := Finder{ends: ends, shift: max(0, bits.Len32(last)-12)}
	f.first = make([]uint32, last>>f.shift+2)
	for i, leaf := 0, uint32(0); i < len(f.first); i++ {
		cell := min(uint64(i)<<f.shift, uint64(last))
		for uint64(ends[leaf]) <= cell {
			leaf++
		}
		f.first[i] = leaf
	}
	return f
}

// Leaf is the leaf of a cell.
func (f *Finder) Leaf(cell uint32) uint32 {
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

// whole is the cells [low, high) of a bin.
func (b *Bins) whole(bin uint32) (low, high uint32) {
	first, last := b.leaves(bin)
	return b.low(first), b.ends[last-1]
}

// Ends are one after the last cell of each bin.
func (b *Bins) Ends() []uint32 {
	ends := make([]uint32, b.Size)
	for bin, last := range b.lasts {
		ends[bin] = b.ends[last-1]
	}
	return ends
}

// Leaf draws the leaf of a bin that a record lies in, by the leaves' shares: the cells [low, high).
func (b *Bins) Leaf(bin uint32, stream *random.Stream) (low, high uint32) {
	leaf, last := b.leaves(bin)
	if last-leaf > 1 {
		u := stream.Open01() * b.shares[last-1]
		for leaf < last-1 && b.shares[leaf] <= u {
			leaf++
		}
	}
	return b.low(leaf), b.ends[leaf]
}

// leaves are those [first, last) of a bin.
func (b *Bins) leaves(bin uint32) (first, last int) {
	if bin > 0 {
		first = b.lasts[bin-1]
	}
	return first, b.lasts[bin]
}

// low is the first cell of a leaf.
func (b *Bins) low(leaf int) uint32 {
	if leaf == 0 {
		return 0
	}
	return b.ends[leaf-1]
}
