package partition

import (
	"fmt"

	"ppdp/algorithms"
)

// Builder collects the leaves of a recursive partition into Regions, with the tree of its cuts.
// It carries the box of the region under consideration along:
//
//	node, err := b.Enter(dim, at) // the box is now the part below at
//	... partition it further, or b.Leaf() ...
//	b.Cross(node)                 // the box is now the part from at on
//	... partition it further, or b.Leaf() ...
//	b.Leave(node)                 // the box is whole again
//
// Memory grows by doubling; nothing is allocated for a single node.
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

// Node is an inner node on the way from the root to the current box.
type Node struct {
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

// Enter cuts the current box on dim at code at, which must lie strictly inside it, and moves to
// the part below. It returns an error that wraps algorithms.ErrTooLarge at the cap on nodes.
func (b *Builder) Enter(dim int, at uint32) (Node, error) {
	if at <= b.Low[dim] || at >= b.High[dim] {
		panic(fmt.Sprintf("partition: cut at %d outside (%d, %d)", at, b.Low[dim], b.High[dim]))
	}
	if err := b.count(); err != nil {
		return Node{}, err
	}
	cut := int32(len(b.regions.Tree))
	b.link(cut)
	b.regions.Tree = append(b.regions.Tree, algorithms.Cut{Dim: dim, At: at})
	node := Node{cut: cut, dim: dim, low: b.Low[dim], at: at, high: b.High[dim]}
	b.High[dim] = at
	b.parent, b.right = cut, false
	b.depth++
	return node, nil
}

// Cross moves from the lower part of a node to its upper part.
func (b *Builder) Cross(n Node) {
	b.Low[n.dim], b.High[n.dim] = n.at, n.high
	b.parent, b.right = n.cut, true
}

// Leave moves from the upper part of a node back to the whole.
func (b *Builder) Leave(n Node) {
	b.Low[n.dim] = n.low
	b.depth--
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

// count books one more node.
func (b *Builder) count() error {
	if b.nodes >= b.maxNodes {
		return fmt.Errorf("%w: more than %d nodes (%d leaves so far, depth up to %d)",
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

// Leaves is the number of regions collected so far.
func (b *Builder) Leaves() int { return len(b.regions.Counts) / b.regions.Classes }

// Regions returns what was collected. The builder must not be used afterwards.
func (b *Builder) Regions() *algorithms.Regions { return &b.regions }

// Structure describes the tree built.
func (b *Builder) Structure() algorithms.Structure {
	return algorithms.Structure{Nodes: b.nodes, Leaves: b.Leaves(), Depth: b.deepest}
}
