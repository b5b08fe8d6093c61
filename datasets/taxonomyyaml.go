package datasets

import "ppdp/internal/strictyaml"

var _ strictyaml.Unmarshaler = (*Taxonomy)(nil)

// UnmarshalStrict reads a taxonomy written as nested YAML: one root with its children, broader
// terms as keys, leaves as list entries. A list may mix leaves with terms that have children of
// their own:
//
//	any: {low: [primary], high: [secondary, {tertiary: [bachelor, master]}]}
//
// No leaf and no broader term may occur twice; a broader term may have the name of a leaf. Whether
// the leaves are the attribute's values is for Validate.
func (t *Taxonomy) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	if n.Kind != strictyaml.MappingNode {
		r.Problemf(n, "a taxonomy must be a mapping of its root to the root's children")
		return
	}
	roots := r.Entries(n)
	if len(roots) != 1 {
		r.Problemf(n, "a taxonomy with %d roots, must have one", len(roots))
		return
	}
	reader := taxonomyReader{Reader: r, leaves: make(map[string]int), terms: make(map[string]int)}
	reader.entry(roots[0], -1)
	*t = Taxonomy{Nodes: reader.nodes}
}

type taxonomyReader struct {
	*strictyaml.Reader
	nodes         []TaxonomyNode
	leaves, terms map[string]int // the line of each
}

// add appends a node and hangs it under its parent.
func (r *taxonomyReader) add(n *strictyaml.Node, name string, parent int, seen map[string]int,
	what string) int {
	if line, twice := seen[name]; twice {
		r.Problemf(n, "duplicate %s %q, first in line %d", what, name, line)
	} else {
		seen[name] = n.Line
	}
	node := len(r.nodes)
	r.nodes = append(r.nodes, TaxonomyNode{Name: name, Parent: parent})
	if parent >= 0 {
		r.nodes[parent].Children = append(r.nodes[parent].Children, node)
	}
	return node
}

func (r *taxonomyReader) entry(entry strictyaml.Entry, parent int) {
	node := r.add(entry.KeyNode, entry.Key, parent, r.terms, "broader term")
	r.children(entry.Value, node)
	if len(r.nodes[node].Children) == 0 {
		r.Problemf(entry.Value,
			"broader term %q has no children, must be a mapping or a list of them", entry.Key)
	}
}

func (r *taxonomyReader) children(n *strictyaml.Node, parent int) {
	switch n.Kind {
	case strictyaml.MappingNode:
		for _, entry := range r.Entries(n) {
			r.entry(entry, parent)
		}
	case strictyaml.SequenceNode:
		for _, item := range n.Content {
			switch item.Kind {
			case strictyaml.MappingNode:
				r.children(item, parent)
			case strictyaml.ScalarNode:
				var leaf string
				r.Decode(item, &leaf)
				r.add(item, leaf, parent, r.leaves, "leaf")
			default:
				r.Problemf(item, "a list in a list, must be a leaf or a term with its children")
			}
		}
	}
}
