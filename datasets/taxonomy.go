package datasets

import "errors"

// Taxonomy is a generalisation tree over a categorical attribute's values: its leaves are the
// values, inner nodes are broader terms. Node 0 is the root; a parent comes before its children.
type Taxonomy struct {
	Nodes []TaxonomyNode
}

// TaxonomyNode is one term of a taxonomy.
type TaxonomyNode struct {
	Name     string
	Parent   int // -1 for the root
	Children []int
}

// Leaves lists the names of the leaves in the order of a depth-first walk.
func (t *Taxonomy) Leaves() []string {
	var names []string
	var walk func(node int)
	walk = func(node int) {
		if len(t.Nodes[node].Children) == 0 {
			names = append(names, t.Nodes[node].Name)
			return
		}
		for _, child := range t.Nodes[node].Children {
			walk(child)
		}
	}
	if len(t.Nodes) > 0 {
		walk(0)
	}
	return names
}

// Height is the number of edges on the longest path from the root to a leaf.
func (t *Taxonomy) Height() int {
	_, height := t.depths()
	return height
}

// depths are the numbers of edges from the root to each node, height the largest.
func (t *Taxonomy) depths() (depth []int, height int) {
	depth = make([]int, len(t.Nodes))
	for i := range t.Nodes {
		if parent := t.Nodes[i].Parent; parent >= 0 {
			depth[i] = depth[parent] + 1
		}
		height = max(height, depth[i])
	}
	return depth, height
}

// Validate checks that the leaves are exactly the values.
func (t *Taxonomy) Validate(values []string) error {
	if len(t.Nodes) == 0 {
		return errors.New("an empty taxonomy, must have a root")
	}
	var bad Problems
	leaves := make(map[string]int, len(values)) // how often each value is one
	for _, value := range values {
		leaves[value] = 0
	}
	for _, leaf := range t.Leaves() {
		n, known := leaves[leaf]
		switch {
		case n > 0:
			bad.Add("duplicate taxonomy leaf %q", leaf)
		case !known:
			bad.Add("taxonomy leaf %q is not a value of the attribute", leaf)
		}
		leaves[leaf]++
	}
	for _, value := range values {
		if leaves[value] == 0 {
			bad.Add("value %q is not a leaf of the taxonomy", value)
		}
	}
	return bad.Err()
}
