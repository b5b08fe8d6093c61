package algorithms

import "ppdp/datasets"

// Regions is a published partition of the space spanned by some attributes into boxes, with
// counts for each class. Boxes are half-open intervals of codes or, along a dimension that has an
// axis, of the ranks its taxonomy gives the codes. All slices are region-major.
type Regions struct {
	// Attributes are the schema positions of the boxes' dimensions.
	Attributes []int
	// Low and High hold the sides of boxes, intervals [Low, High). That of region r along dimension
	// d is at index Side(r, d), which is r·len(Attributes)+d unless sides are shared.
	Low, High []uint32
	// Sides, where regions share sides, are these indices, at r·len(Attributes)+d; else nil: the
	// millions of cells of a grid have few different sides.
	Sides []uint32
	// Axes, for generalisation along taxonomies, are the dimensions' axes
	// (datasets.Attribute.Axis); nil for a dimension whose boxes are intervals of codes, nil
	// altogether when all are. A region's interval of ranks is exactly that of its node.
	Axes []*datasets.Axis
	// Nodes are then the generalised values of the sides: taxonomy nodes, as many as Low and High
	// and in their order, -1 on dimensions without an axis. Nil without Axes.
	Nodes []int32
	// Classes is the number of class values, at least 1.
	Classes int
	// Counts holds, for region r and class c, the published count at index r·Classes+c: noisy under
	// differential privacy (possibly fractional, never negative), exact otherwise.
	Counts []float64
	// Tree finds the region of a point by descent; nil when the boxes come from no tree of binary
	// cuts.
	Tree []Cut
	// TightLow and TightHigh, for statistics releases, bound the data inside each region
	// (half-open, like Low and High); Means are the numeric attributes' means (NaN for categorical
	// ones). All are at r·len(Attributes)+d, and nil otherwise.
	TightLow, TightHigh []uint32
	Means               []float64
	// Assignment is the region of each input row, in the order of Input.Rows, and -1 for a
	// suppressed row; nil under differential privacy.
	Assignment []int32
	// Suppressed are the positions in Input.Rows, ascending, of the rows left out of the release:
	// they are in no region and in no count. Nil for none. Only releases with an Assignment may
	// suppress.
	Suppressed []int32
}

// Cut is an inner node of the tree of binary cuts: points whose code (its rank, on a dimension with
// an axis) is below At on dimension Dim go to Left, others to Right. A taxonomy node with several
// children is a chain of cuts between neighbouring children. A child c ≥ 0 is the index of a Cut, c
// < 0 is the region ^c. The root is Cut 0; a tree of no cuts has the one region 0.
type Cut struct {
	Dim         int
	At          uint32
	Left, Right int32
}

// Len is the number of regions.
func (r *Regions) Len() int {
	if len(r.Attributes) == 0 {
		return len(r.Counts) / max(1, r.Classes)
	}
	if r.Sides != nil {
		return len(r.Sides) / len(r.Attributes)
	}
	return len(r.Low) / len(r.Attributes)
}

// Side is where Low, High and Nodes hold a region's side along a dimension.
func (r *Regions) Side(region, dim int) int {
	i := region*len(r.Attributes) + dim
	if r.Sides != nil {
		return int(r.Sides[i])
	}
	return i
}

// Interval returns the half-open interval of a region along a dimension.
func (r *Regions) Interval(region, dim int) (low, high uint32) {
	i := r.Side(region, dim)
	return r.Low[i], r.High[i]
}

// Box returns the intervals of a region, one for each dimension, in slices of their own.
func (r *Regions) Box(region int) (low, high []uint32) {
	low, high = make([]uint32, len(r.Attributes)), make([]uint32, len(r.Attributes))
	for d := range low {
		low[d], high[d] = r.Interval(region, d)
	}
	return low, high
}

// Count returns the counts of a region, one for each class.
func (r *Regions) Count(region int) []float64 {
	return r.Counts[region*r.Classes : (region+1)*r.Classes]
}

// Place is where a code lies along a dimension: at its rank on an axis, at itself without one.
func (r *Regions) Place(dim int, code uint32) uint32 {
	if r.Axes != nil && r.Axes[dim] != nil {
		return r.Axes[dim].Rank[code]
	}
	return code
}

// Contains reports whether a region holds a point, whose codes are given in the order of
// Attributes.
func (r *Regions) Contains(region int, codes []uint32) bool {
	for d, code := range codes {
		place := r.Place(d, code)
		if low, high := r.Interval(region, d); place < low || place >= high {
			return false
		}
	}
	return true
}

// Locate returns the region of a point, whose codes are given in the order of Attributes. It
// needs Tree.
func (r *Regions) Locate(codes []uint32) int {
	if len(r.Tree) == 0 {
		return 0
	}
	node := int32(0)
	for node >= 0 {
		cut := &r.Tree[node]
		if r.Place(cut.Dim, codes[cut.Dim]) < cut.At {
			node = cut.Left
		} else {
			node = cut.Right
		}
	}
	return int(^node)
}
