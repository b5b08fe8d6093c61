package partition

import "ppdp/datasets"

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

// Specialisation replaces the taxonomy node of the current box by each of its children in turn:
//
//	s, err := b.Specialise(dim) // the box is now that of the first child
//	for more := err == nil; more; more, err = b.Next(&s) {
//		... partition it further, or b.Leaf() ...
//	}
//	// the box is whole again
//
// It counts as one node of the partition and one level of its depth, however many children there
// are.
type Specialisation struct {
	dim       int
	parent    int32
	child     int // its place among the children
	low       uint32
	depth     int
	between   Node // the cut between this child and those to come
	remaining bool // whether there are any
}

// Child is the place of the current child among its siblings.
func (s *Specialisation) Child() int { return s.child }

// Specialise moves to the first child of the current box's node on dim, which must have children.
// It returns an error that wraps algorithms.ErrTooLarge at the cap on nodes.
func (b *Builder) Specialise(dim int) (Specialisation, error) {
	s := Specialisation{dim: dim, parent: b.Nodes[dim], low: b.Low[dim], depth: b.depth}
	err := b.descend(&s)
	return s, err
}

// Next moves to the next child; after the last one it moves back to the whole box and returns
// false.
func (b *Builder) Next(s *Specialisation) (more bool, err error) {
	if !s.remaining {
		b.Low[s.dim], b.Nodes[s.dim], b.depth = s.low, s.parent, s.depth
		return false, nil
	}
	b.Cross(s.between)
	s.child++
	return true, b.descend(s)
}

// descend enters the child whose turn it is; the box spans it and the children after it.
func (b *Builder) descend(s *Specialisation) error {
	axis := b.regions.Axes[s.dim]
	children := axis.Taxonomy.Nodes[s.parent].Children
	child := children[s.child]
	s.remaining = s.child+1 < len(children)
	nodes := b.nodes
	if s.remaining {
		var err error
		if s.between, err = b.Enter(s.dim, axis.High[child]); err != nil {
			return err
		}
		b.nodes = nodes // cuts between siblings are one node together,
	}
	if s.child == 0 {
		if err := b.count(); err != nil { // counted here, an only child's too
			return err
		}
	}
	b.Nodes[s.dim] = int32(child)
	b.depth = s.depth + 1
	return nil
}
