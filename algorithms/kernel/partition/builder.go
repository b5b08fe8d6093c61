package partition

import (
	"fmt"
	"slices"

	"ppdp/algorithms"
)

// Builder collects the leaves of a recursive partition into Regions, with the tree of its cuts. It
// carries the box of the region under consideration along: Halve and Specialise make it a part and
// whole again, Leaf makes it a region. Nothing is allocated for one node.
type Builder struct {
	// Low and High are the current box, [Low, High) on each dimension; read only for callers.
	Low, High []uint32

	// Nodes are the taxonomy nodes of the current box, -1 on dimensions without an axis; nil before
	// Generalise. Read only for callers.
	Nodes []int32

	regions  algorithms.Regions
	maxNodes int
	nodes    int
	depth    int
	deepest  int
	parent   int32 // the cut whose child comes next
	right    bool  // and which of its children
}

// node is an inner node on the way from the root to the current box.
type node struct {
	cut           int32
	dim           int
	low, at, high uint32
}

// NewBuilder returns a builder whose current box is the whole space. maxNodes caps the inner
// nodes and leaves together.
func NewBuilder(space *Space, maxNodes int) *Builder {
	b := &Builder{
		Low:      make([]uint32, space.Dims()),
		High:     make([]uint32, space.Dims()),
		maxNodes: maxNodes,
	}
	copy(b.High, space.cells)
	b.regions.Attributes = space.attributes
	b.regions.Classes = space.classes
	b.regions.Low = []uint32{} // a partition has boxes even before its first leaf
	b.regions.High = []uint32{}
	return b
}

// Width is the number of cells of the current box along dim.
func (b *Builder) Width(dim int) uint32 { return b.High[dim] - b.Low[dim] }

// Depth is the number of cuts above the current box.
func (b *Builder) Depth() int { return b.depth }

// Halve cuts the current box on dim at code at, which must lie strictly inside it. It calls below
// and above while the box is the part below at and the part from at on: they partition it further
// or call Leaf. The first error ends it; at the cap on nodes it wraps algorithms.ErrTooLarge.
func (b *Builder) Halve(dim int, at uint32, below, above func() error) error {
	n, err := b.enter(dim, at)
	if err != nil {
		return err
	}
	if err := below(); err != nil {
		return err
	}
	b.cross(n)
	if err := above(); err != nil {
		return err
	}
	b.Low[dim] = n.low
	b.depth--
	return nil
}

// enter cuts the current box and moves to the part below.
func (b *Builder) enter(dim int, at uint32) (node, error) {
	if at <= b.Low[dim] || at >= b.High[dim] {
		panic(fmt.Sprintf("partition: cut at %d outside (%d, %d)", at, b.Low[dim], b.High[dim]))
	}
	if err := b.count(); err != nil {
		return node{}, err
	}
	cut := int32(len(b.regions.Tree))
	b.link(cut)
	b.regions.Tree = append(b.regions.Tree, algorithms.Cut{Dim: dim, At: at})
	n := node{cut: cut, dim: dim, low: b.Low[dim], at: at, high: b.High[dim]}
	b.High[dim] = at
	b.parent, b.right = cut, false
	b.depth++
	return n, nil
}

// cross moves from the lower part of a node to its upper part.
func (b *Builder) cross(n node) {
	b.Low[n.dim], b.High[n.dim] = n.at, n.high
	b.parent, b.right = n.cut, true
}

// Leaf makes the current box a region and returns its number and the place of its counts, all 0,
// one for each class. The place is valid until the next call of Leaf.
func (b *Builder) Leaf() (region int, counts []float64, err error) {
	if err := b.count(); err != nil {
		return 0, nil, err
	}
	region = len(b.regions.Counts) / b.regions.Classes
	b.link(^int32(region))
	b.regions.Low = append(b.regions.Low, b.Low...)
	b.regions.High = append(b.regions.High, b.High...)
	b.regions.Nodes = append(b.regions.Nodes, b.Nodes...)
	for range b.regions.Classes {
		b.regions.Counts = append(b.regions.Counts, 0)
	}
	b.deepest = max(b.deepest, b.depth)
	return region, b.regions.Count(region), nil
}

func (b *Builder) count() error {
	if b.nodes >= b.maxNodes {
		return fmt.Errorf("max_nodes: %w: more than %d nodes (%d leaves so far, depth up to %d)",
			algorithms.ErrTooLarge, b.maxNodes, b.Leaves(), max(b.deepest, b.depth))
	}
	b.nodes++
	return nil
}

// link hangs a child below the cut whose turn it is; the root hangs nowhere.
func (b *Builder) link(child int32) {
	if len(b.regions.Tree) == 0 {
		return
	}
	if b.right {
		b.regions.Tree[b.parent].Right = child
	} else {
		b.regions.Tree[b.parent].Left = child
	}
}

// Grow makes room for so many regions more, and the cuts between them.
func (b *Builder) Grow(regions int) {
	r := &b.regions
	r.Low = slices.Grow(r.Low, regions*len(b.Low))
	r.High = slices.Grow(r.High, regions*len(b.Low))
	r.Counts = slices.Grow(r.Counts, regions*r.Classes)
	r.Tree = slices.Grow(r.Tree, regions-1)
}

// Room makes room for the regions to come once there is none left, as many as so many done of all
// rows make likely, and returns for how many it has.
func (b *Builder) Room(done, all int) int {
	n := b.Leaves()
	if n < cap(b.regions.Counts)/b.regions.Classes {
		return 0
	}
	more := n/8 + 64
	if done > 0 {
		more = max(more, min(n*(all-done)/done*9/8, 8*n)) // the first few may be unlike the rest
	}
	b.Grow(more)
	return more
}

// Part returns a builder of its own for a box of b's space, which Graft puts in its place.
func (b *Builder) Part(low, high []uint32) *Builder {
	return &Builder{Low: slices.Clone(low), High: slices.Clone(high), maxNodes: b.maxNodes,
		regions: algorithms.Regions{Attributes: b.regions.Attributes, Classes: b.regions.Classes,
			Low: []uint32{}, High: []uint32{}}}
}

// Graft makes what a part of the current box has collected b's own, in place of a leaf. The cap on
// nodes does not count it.
func (b *Builder) Graft(part *Builder) {
	to, from := &b.regions, &part.regions
	cuts, leaves := int32(len(to.Tree)), int32(b.Leaves())
	child := func(c int32) int32 {
		if c < 0 {
			return ^(^c + leaves)
		}
		return c + cuts
	}
	if len(from.Tree) > 0 {
		b.link(cuts)
	} else {
		b.link(^leaves)
	}
	for _, cut := range from.Tree {
		cut.Left, cut.Right = child(cut.Left), child(cut.Right)
		to.Tree = append(to.Tree, cut)
	}
	to.Low, to.High = append(to.Low, from.Low...), append(to.High, from.High...)
	to.Nodes, to.Counts = append(to.Nodes, from.Nodes...), append(to.Counts, from.Counts...)
	b.nodes += part.nodes
	b.deepest = max(b.deepest, b.depth+part.deepest)
}

// Leaves is the number of regions collected so far.
func (b *Builder) Leaves() int { return len(b.regions.Counts) / b.regions.Classes }

// Regions returns what was collected. The builder must not be used afterwards.
func (b *Builder) Regions() *algorithms.Regions {
	if len(b.regions.Tree) == 0 {
		b.regions.Tree = nil // also where there is room for one
	}
	return &b.regions
}

// Structure describes the tree built.
func (b *Builder) Structure() algorithms.Structure {
	return algorithms.Structure{Nodes: b.nodes, Leaves: b.Leaves(), Depth: b.deepest}
}
