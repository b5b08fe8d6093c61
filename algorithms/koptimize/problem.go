package koptimize

import (
	"fmt"
	"math/bits"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// cut is a boundary on one dimension: rows below at go one way, rows from at on the other.
type cut struct {
	dim int
	at  uint32 // code
}

// problem is a table as the search sees it: which boundaries there are to choose from and how many
// rows share each combination of values. Boundaries that no two rows straddle alone are the same.
type problem struct {
	k        int
	n        int
	suppress bool // classes may be left out
	dims     int
	rows     []int32

	// cuts are all boundaries between values next to each other that occur, by dimension and code;
	// those of dimension d are cuts[first[d]:first[d+1]].
	cuts  []cut
	first []int
	// values are the codes of each dimension that occur, ascending; one cut follows each but the
	// last.
	values [][]uint32
	below  []int32 // rows below each cut

	words int   // of a set of cuts
	masks set   // the cuts of each dimension, words for each
	cells cells // all rows in one class

	// cost[m] is what a class of m rows costs, least[m] the least that further cuts can bring it
	// to, and pieces[m] = ⌊m/k⌋ into how many classes of k rows it can be cut at most.
	cost, least []int64
	pieces      []int32
	// grid is how many classes e cuts on d dimensions make at most, at d·maxGrid + e.
	grid []int64
}

// cells are groups of rows that no cut of some tail separates, class after class. A cell's key is
// the set of the tail's cuts that it lies on the far side of: along a dimension the number of these
// is its place, and leaving a cut out of the tail clears a bit.
type cells struct {
	key    []uint64 // words for each cell
	weight []int32  // rows
	ends   []int32  // where each class ends in weight
	sizes  []int32  // rows of each class
}

// set is a set of cuts by their numbers, one bit each.
type set []uint64

func (s set) has(id int32) bool { return s[id>>6]>>(id&63)&1 == 1 }
func (s set) add(id int32)      { s[id>>6] |= 1 << (id & 63) }
func (s set) remove(id int32)   { s[id>>6] &^= 1 << (id & 63) }

// flip adds a cut, or removes it.
func (s set) flip(id int32) { s[id>>6] ^= 1 << (id & 63) }

// count is the number of cuts in the set.
func (s set) count() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// setOf is the set of some cuts.
func (p *problem) setOf(cuts []int32) set {
	s := make(set, p.words)
	for _, id := range cuts {
		s.add(id)
	}
	return s
}

// listed are the numbers of the cuts in a set.
func (p *problem) listed(s set) (cuts []int32) {
	for id := range int32(len(p.cuts)) {
		if s.has(id) {
			cuts = append(cuts, id)
		}
	}
	return cuts
}

// dimension is the set of a dimension's cuts.
func (p *problem) dimension(dim int) set { return p.masks[dim*p.words : (dim+1)*p.words] }

// maxCuts bounds the search, every node of which counts every class on both sides of every cut.
const maxCuts = 1 << 12

func newProblem(table *datasets.Table, rows []int32, k int, suppress bool) (*problem, error) {
	attributes := table.Schema().QuasiIdentifiers()
	p := &problem{k: k, n: len(rows), suppress: suppress, dims: len(attributes), rows: rows}
	p.first = make([]int, p.dims+1)
	place := make([][]uint32, p.dims) // of each row's value among those that occur
	for d, attribute := range attributes {
		values, places := partition.Occurring(table.Column(attribute), rows)
		p.values = append(p.values, values)
		for i := 1; i < len(values); i++ {
			p.cuts = append(p.cuts, cut{dim: d, at: values[i-1] + 1})
		}
		p.first[d+1] = len(p.cuts)
		if len(p.cuts) > maxCuts {
			return nil, fmt.Errorf("koptimize: more than %d cuts up to %s: %w", maxCuts,
				table.Schema().Attributes[attribute].Name, algorithms.ErrTooLarge)
		}
		frequency := make([]int32, len(values))
		for _, place := range places {
			frequency[place]++
		}
		rows := int32(0)
		for c := p.first[d]; c < p.first[d+1]; c++ {
			rows += frequency[c-p.first[d]]
			p.below = append(p.below, rows)
		}
		place[d] = places
	}
	p.words = max(1, (len(p.cuts)+63)/64)
	p.masks = make(set, p.dims*p.words)
	for c := range p.cuts {
		p.dimension(p.cuts[c].dim).add(int32(c))
	}
	all := cells{key: make([]uint64, len(rows)*p.words), weight: make([]int32, len(rows))}
	for i := range rows {
		all.weight[i] = 1
		for d := range p.dims {
			for c := p.first[d]; c < p.first[d]+int(place[d][i]); c++ {
				all.key[i*p.words+c>>6] |= 1 << (c & 63)
			}
		}
	}
	if len(rows) > 0 {
		all.ends, all.sizes = []int32{int32(len(rows))}, []int32{int32(len(rows))}
	}
	p.cells = all
	p.price()
	p.grids()
	return p, nil
}

// allowed reports whether a cut leaves enough rows on either side.
func (p *problem) allowed(c int) bool {
	return p.suppress || int(p.below[c]) >= p.k && p.n-int(p.below[c]) >= p.k
}

// maxGrid bounds the table grid: of this many cuts or more, any number of classes is taken for
// possible.
const maxGrid = 30

// grids fills in grid: cuts make the most classes when dimensions have equally many, or one more.
func (p *problem) grids() {
	p.grid = make([]int64, (p.dims+1)*maxGrid)
	for d := range p.dims + 1 {
		among := d
		if p.dims > 64 { // sets of dimensions are words, where some share a bit
			among = maxGrid
		}
		for e := range maxGrid {
			classes := int64(1)
			for i := range among {
				classes *= int64((e+i)/among + 1)
			}
			p.grid[d*maxGrid+e] = classes
		}
	}
}

// price fills in the cost of classes.
//
// A class of m ≥ k rows costs m², a smaller one m·n where rows may be suppressed and is not allowed
// where they may not. The least for m ≥ k is reached when it falls into ⌊m/k⌋ classes as equal as
// can be. Suppressing rows is never cheaper than that: it costs n each and no class of fewer than
// 2k rows saves more than 4k by losing one; tables of fewer than 4k rows get the weaker bound of k
// for each row.
func (p *problem) price() {
	p.cost, p.least = make([]int64, p.n+1), make([]int64, p.n+1)
	p.pieces = make([]int32, p.n+1)
	for m := int64(1); m <= int64(p.n); m++ {
		k := int64(p.k)
		p.pieces[m] = int32(m / k)
		switch {
		case m < k:
			p.cost[m] = m * int64(p.n)
			p.least[m] = p.cost[m]
		case p.suppress && int64(p.n) < 4*k:
			p.cost[m] = m * m
			p.least[m] = m * k
		default:
			p.cost[m] = m * m
			p.least[m] = partition.EvenSquares(m, m/k)
		}
	}
}
