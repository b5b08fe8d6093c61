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
