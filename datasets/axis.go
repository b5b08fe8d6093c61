package datasets

// Axis orders an attribute's codes along one dimension of a space of boxes such that every node of
// its taxonomy is an interval of ranks: a depth-first walk meets the leaves below any node one
// after the other. Algorithms that generalise along taxonomies cut ranks as others cut codes.
// An axis is immutable and safe for concurrent readers.
type Axis struct {
	// Taxonomy is the tree of the nodes.
	Taxonomy *Taxonomy
	// Rank is the place of each code; Code is the code at each place.
	Rank, Code []uint32
	// Low and High hold, for each node of the taxonomy, the interval [Low, High) of the ranks of
	// the leaves below it. The children of a node tile its interval in their order.
	Low, High []uint32
}

// Axis returns the order that a categorical attribute's taxonomy gives its codes, or nil for a
// numeric attribute, whose codes are in order as they are. An attribute without a taxonomy has
// one of height 1: a root of the attribute's name over the values in the order of their codes. (An
// attribute of one value has nothing to generalise: its tree is that value.)
func (a *Attribute) Axis() *Axis {
	if a.Kind != Categorical {
		return nil
	}
	t := a.Taxonomy
	if t == nil {
		t = flat(a.Name, a.Values)
	}
	codes := make(map[string]uint32, len(a.Values))
	for code, value := range a.Values {
		codes[value] = uint32(code)
	}
	x := &Axis{
		Taxonomy: t,
		Rank:     make([]uint32, len(a.Values)),
		Code:     make([]uint32, 0, len(a.Values)),
		Low:      make([]uint32, len(t.Nodes)),
		High:     make([]uint32, len(t.Nodes)),
	}
	var walk func(node int)
	walk = func(node int) {
		n := &t.Nodes[node]
		x.Low[node] = uint32(len(x.Code))
		if len(n.Children) == 0 {
			code := codes[n.Name]
			x.Rank[code] = uint32(len(x.Code))
			x.Code = append(x.Code, code)
		}
		for _, child := range n.Children {
			walk(child)
		}
		x.High[node] = uint32(len(x.Code))
	}
	walk(0)
	return x
}

// flat is the taxonomy of height 1 over values.
func flat(root string, values []string) *Taxonomy {
	if len(values) == 1 {
		return &Taxonomy{Nodes: []TaxonomyNode{{Name: values[0], Parent: -1}}}
	}
	t := &Taxonomy{Nodes: []TaxonomyNode{{Name: root, Parent: -1}}}
	for i, value := range values {
		t.Nodes[0].Children = append(t.Nodes[0].Children, i+1)
		t.Nodes = append(t.Nodes, TaxonomyNode{Name: value, Parent: 0})
	}
	return t
}

// Child is the child of an inner node under which a rank lies; the rank must lie under the node.
func (x *Axis) Child(node int, rank uint32) int {
	for _, child := range x.Taxonomy.Nodes[node].Children {
		if rank < x.High[child] {
			return child
		}
	}
	panic("datasets: a rank outside its taxonomy node")
}

// Penalty is the normalised certainty penalty of a node (Xu et al. 2006; Al-Hussaeni et al. 2018,
// equation 5): 0 of a leaf, otherwise the share of all leaves that lie below it.
func (x *Axis) Penalty(node int) float64 {
	if len(x.Taxonomy.Nodes[node].Children) == 0 {
		return 0
	}
	return float64(x.High[node]-x.Low[node]) / float64(len(x.Code))
}
