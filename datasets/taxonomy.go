package datasets

import (
	"errors"
)

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

// Validate checks that the tree is a tree whose leaves are exactly the values.
func (t *Taxonomy) Validate(values []string) error {
	if len(t.Nodes) == 0 {
		return errors.New("an empty taxonomy, must have a root")
	}
	var bad Problems
	listed := make([]bool, len(t.Nodes)) // as a child
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if i == 0 && n.Parent != -1 || i > 0 && (n.Parent < 0 || n.Parent >= i) {
			bad.Add("taxonomy node %q has parent %d, must come after its parent", n.Name, n.Parent)
		}
		for _, child := range n.Children {
			if child <= i || child >= len(t.Nodes) || t.Nodes[child].Parent != i || listed[child] {
				bad.Add("taxonomy node %q lists child %d, must be a node of that parent, once",
					n.Name, child)
				continue
			}
			listed[child] = true
		}
		if i > 0 && !listed[i] {
			bad.Add("taxonomy node %q is not among the children of its parent", n.Name)
		}
	}
	if err := bad.Err(); err != nil {
		return err
	}
	known := make(map[string]bool, len(values))
	for _, value := range values {
		known[value] = true
	}
	seen := make(map[string]bool)
	for _, leaf := range t.Leaves() {
		switch {
		case seen[leaf]:
			bad.Add("duplicate taxonomy leaf %q", leaf)
		case !known[leaf]:
			bad.Add("taxonomy leaf %q is not a value of the attribute", leaf)
		}
		seen[leaf] = true
	}
	for _, value := range values {
		if !seen[value] {
			bad.Add("value %q is not a leaf of the taxonomy", value)
		}
	}
	return bad.Err()
}
