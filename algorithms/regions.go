package algorithms

// Regions is a published partition of the space spanned by some attributes into boxes, with
// counts for each class. Boxes are half-open intervals of codes. All slices are region-major.
type Regions struct {
	// Attributes are the schema positions of the boxes' dimensions.
	Attributes []int
	// Low and High hold, for region r and dimension d, the interval [Low, High) at index
	// r·len(Attributes)+d.
	Low, High []uint32
	// Classes is the number of class values, at least 1.
	Classes int
	// Counts holds, for region r and class c, the published count at index r·Classes+c: noisy under
	// differential privacy (possibly fractional, never negative), exact otherwise.
	Counts []float64
	// Tree finds the region of a point by descent; nil when the boxes come from no tree of binary cuts.
	Tree []Cut
	// TightLow and TightHigh, for statistics releases, bound the data inside each region (half-open, like
	// Low and High); Means are the numeric attributes' means (NaN for categorical ones). Nil otherwise.
	TightLow, TightHigh []uint32
	Means               []float64
	// Assignment is the region of each input row, in the order of Input.Rows; nil under differential privacy.
	Assignment []int32
}

// Cut is an inner node of the tree of binary cuts: points with code < At on dimension Dim go to
// Left, others to Right. A child c ≥ 0 is the index of a Cut, c < 0 is the region ^c. The root is
// Cut 0; a tree of no cuts has the one region 0.
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
	return len(r.Low) / len(r.Attributes)
}

// Box returns the intervals of a region, one for each dimension.
func (r *Regions) Box(region int) (low, high []uint32) {
	d := len(r.Attributes)
	return r.Low[region*d : (region+1)*d], r.High[region*d : (region+1)*d]
}

// Count returns the counts of a region, one for each class.
func (r *Regions) Count(region int) []float64 {
	return r.Counts[region*r.Classes : (region+1)*r.Classes]
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
		if codes[cut.Dim] < cut.At {
			node = cut.Left
		} else {
			node = cut.Right
		}
	}
	return int(^node)
}
