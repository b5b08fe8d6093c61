package partition

import (
	"fmt"

	"ppdp/algorithms"
	"ppdp/datasets"
)

// Builder collects the leaves of a recursive partition into Regions, with the tree of its cuts. It
// has a current box, the region that the recursion has come to. Halve and Specialise make it each
// of its parts in turn and then whole again; Leaf publishes it as a region. No node allocates
// memory of its own.
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

// Overlap divides the current box on dim into parts that may share cells: it calls below while the
// box ends at end, and above while it begins at start. Where dim is negative the box stays whole
// for both. No tree leads to the regions then: a partition is made by Halve or by Overlap.
func (b *Builder) Overlap(dim int, end, start uint32, below, above func() error) error {
	if err := b.count(); err != nil {
		return err
	}
	b.depth++
	defer func() { b.depth-- }()
	if dim < 0 {
		if err := below(); err != nil {
			return err
		}
		return above()
	}
	low, high := b.Low[dim], b.High[dim]
	b.High[dim] = end
	if err := below(); err != nil {
		return err
	}
	b.Low[dim], b.High[dim] = start, high
	err := above()
	b.Low[dim] = low
	return err
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
	b.regions.Counts = append(b.regions.Counts, make([]float64, b.regions.Classes)...)
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

// link enters a child into the tree, below the cut that is being divided; the root is below none.
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

// Axes returns the axis of each dimension, nil for the numeric ones.
func Axes(schema *datasets.Schema, attributes []int) []*datasets.Axis {
	axes := make([]*datasets.Axis, len(attributes))
	for d, attribute := range attributes {
		axes[d] = schema.Attributes[attribute].Axis()
	}
	return axes
}

// Generalise makes the builder's boxes intervals of ranks along axes, which are as many as
// dimensions and nil on those that stay intervals of codes, and sets the current box to the
// taxonomies' roots. It must be called before anything else.
func (b *Builder) Generalise(axes []*datasets.Axis) {
	b.regions.Axes = axes
	b.regions.Nodes = []int32{}
	b.Nodes = make([]int32, len(axes))
	for d, axis := range axes {
		if axis == nil {
			b.Nodes[d] = -1
		}
	}
}

// Specialise replaces the taxonomy node of the current box on dim, which must have children, by
// each of its children in turn, and calls part while the box is that of the child: it partitions it
// further or calls Leaf. The first error ends it; at the cap on nodes it wraps
// algorithms.ErrTooLarge. It counts as one node of the partition and one level of its depth,
// however many children there are.
func (b *Builder) Specialise(dim int, part func(child int) error) error {
	parent, low, depth := b.Nodes[dim], b.Low[dim], b.depth
	axis := b.regions.Axes[dim]
	children := axis.Taxonomy.Nodes[parent].Children
	for c, child := range children {
		var between node // the cut between this child and those to come
		last, nodes := c+1 == len(children), b.nodes
		if !last {
			var err error
			if between, err = b.enter(dim, axis.High[child]); err != nil {
				return err
			}
			b.nodes = nodes // cuts between siblings are one node together,
		}
		if c == 0 {
			if err := b.count(); err != nil { // counted here, an only child's too
				return err
			}
		}
		b.Nodes[dim], b.depth = int32(child), depth+1
		if err := part(c); err != nil {
			return err
		}
		if !last {
			b.cross(between)
		}
	}
	b.Low[dim], b.Nodes[dim], b.depth = low, parent, depth
	return nil
}
