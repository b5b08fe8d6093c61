package diffgen

import (
	"fmt"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

func tooLarge(format string, args ...any) error {
	return fmt.Errorf("diffgen: %w: %s", algorithms.ErrTooLarge, fmt.Sprintf(format, args...))
}

// tooMany is the one error of all tables of more cells or regions than may be published: whether a
// cell that holds records was the one too many is private.
func tooMany(most int) error { return tooLarge("more than %d regions (max_nodes)", most) }

// listAllBelow is up to how many times as many cells as listed ones every cell becomes a region.
const listAllBelow = 4

// writer makes regions of a sparse table: a tree over the dimensions that the cut divides, one
// after the other.
type writer struct {
	poll    *partition.Poll
	grid    *grid
	table   *table
	active  []int // dimensions of more than one value
	listAll bool
	most    int // regions

	regions algorithms.Regions
	whole   []uint32 // of each dimension: the side of all values, before those of one
	box     []uint32 // the current box's sides
	zeros   []float64
}

// write returns regions that tile the domain: each cell of the table, and the rest one by one or
// joined.
func write(poll *partition.Poll, g *grid, t *table, attributes []int, axes []*datasets.Axis,
	most int) (*algorithms.Regions, error) {
	w := &writer{poll: poll, grid: g, table: t, most: most, zeros: make([]float64, t.classes)}
	w.listAll = g.cells <= listAllBelow*uint64(len(t.cells)) && g.cells <= uint64(most)
	size := len(t.cells)
	if w.listAll {
		size = int(g.cells)
	}
	w.regions = algorithms.Regions{
		Attributes: attributes, Axes: axes, Classes: t.classes,
		Sides:  make([]uint32, 0, size*len(attributes)),
		Counts: make([]float64, 0, size*t.classes), Tree: make([]algorithms.Cut, 0, size),
	}
	for d, members := range g.members {
		all := members[0]
		w.whole = append(w.whole, uint32(len(w.regions.Low)))
		if len(members) > 1 {
			w.active = append(w.active, d)
			all.high = members[len(members)-1].high
			all.node = min(all.node, 0) // the root, if it is a node
			w.side(all)
		}
		for _, m := range members {
			w.side(m)
		}
	}
	w.box = slices.Clone(w.whole)
	if _, err := w.attribute(0, 0, 0, len(t.cells)); err != nil {
		return nil, err
	}
	regions := w.regions // a pointer into the writer would keep the table in memory
	return &regions, nil
}

// side adds a side that regions share.
func (w *writer) side(m member) {
	r := &w.regions
	r.Low, r.High = append(r.Low, m.low), append(r.High, m.high)
	r.Nodes = append(r.Nodes, m.node)
}

// attribute divides the current box along the i-th active dimension and all that follow. cell is
// the first cell of the box and the table's cells from to to lie in it. It returns the child that
// stands for the box in the tree.
func (w *writer) attribute(i int, cell uint64, from, to int) (int32, error) {
	if i == len(w.active) || from == to && !w.listAll {
		return w.leaf(from, to)
	}
	d := w.active[i]
	child, err := w.values(i, d, 0, len(w.grid.members[d]), cell, from, to)
	w.box[d] = w.whole[d]
	return child, err
}

// values divides the current box among the values [first, end) of dimension d.
func (w *writer) values(i, d, first, end int, cell uint64, from, to int) (int32, error) {
	if end-first == 1 {
		w.box[d] = w.whole[d] + 1 + uint32(first)
		return w.attribute(i+1, cell, from, to)
	}
	middle := first + (end-first)/2
	next := cell + uint64(middle-first)*w.grid.strides[d]
	split := from
	if from < to {
		at, _ := slices.BinarySearch(w.table.cells[from:to], next)
		split += at
	}
	cut := int32(len(w.regions.Tree))
	w.regions.Tree = append(w.regions.Tree,
		algorithms.Cut{Dim: d, At: w.grid.members[d][middle].low})
	left, err := w.values(i, d, first, middle, cell, from, split)
	if err != nil {
		return 0, err
	}
	right, err := w.values(i, d, middle, end, next, split, to)
	if err != nil {
		return 0, err
	}
	w.regions.Tree[cut].Left, w.regions.Tree[cut].Right = left, right
	return cut, nil
}

// leaf makes the current box a region: that of the table's cell from or, where from is to, one
// without counts.
func (w *writer) leaf(from, to int) (int32, error) {
	region := len(w.regions.Counts) / w.table.classes
	if region >= w.most {
		return 0, tooMany(w.most)
	}
	if err := w.poll.After(1); err != nil {
		return 0, err
	}
	w.regions.Sides = append(w.regions.Sides, w.box...)
	counts := w.zeros
	if from < to {
		counts = w.table.counts[from*w.table.classes : (from+1)*w.table.classes]
	}
	w.regions.Counts = append(w.regions.Counts, counts...)
	return ^int32(region), nil
}
