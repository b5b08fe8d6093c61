package c45

import (
	"slices"

	"ppdp/classifiers"
	"ppdp/datasets"
)

// Tree is a fitted decision tree.
type Tree = classifiers.Tree

// compile turns the grown tree below root into one that predicts. It keeps the attributes that
// tests read, and writes each test before those below it.
func (g *grower) compile(root int32, schema *datasets.Schema) *Tree {
	t := &Tree{}
	tests, links := 0, 0
	limits := make([][]float64, len(g.features))
	used := make([]bool, len(g.features))
	g.visit(root, func(n *node) {
		used[n.feature] = true
		tests, links = tests+1, links+g.features[n.feature].branches()
		if f := &g.features[n.feature]; schema.Attributes[f.attribute].Continuous {
			limits[n.feature] = append(limits[n.feature], f.values[n.cut])
		}
	})
	t.Steps, t.Next = make([]classifiers.TreeStep, 0, tests), make([]int32, 0, links)
	index := make([]int32, len(g.features))
	for i := range g.features {
		if used[i] {
			index[i] = int32(len(t.Columns))
			limits[i] = distinct(limits[i])
			t.Columns = append(t.Columns,
				classifiers.TreeColumn{Attribute: g.features[i].attribute, Limits: limits[i]})
		}
	}
	var emit func(at int32) int32
	emit = func(at int32) int32 {
		n := &g.nodes[at]
		if n.feature < 0 {
			return ^t.Ends.Add(g.distribution(at))
		}
		f := &g.features[n.feature]
		s := classifiers.TreeStep{Column: index[n.feature], Numeric: f.numeric, Cut: n.cut,
			First: int32(len(t.Next))}
		switch {
		case schema.Attributes[f.attribute].Continuous:
			rank, _ := slices.BinarySearch(limits[n.feature], f.values[n.cut])
			s.Cut = uint32(rank)
		case f.numeric:
			s.Cut = f.cells[n.cut]
		}
		here := int32(len(t.Steps))
		t.Steps = append(t.Steps, s)
		t.Next = append(t.Next, make([]int32, f.branches())...)
		for branch, child := range g.below(at) {
			if child < 0 {
				t.Next[int(s.First)+branch] = ^t.Ends.Add(g.distribution(at))
			} else {
				t.Next[int(s.First)+branch] = emit(child)
			}
		}
		return here
	}
	t.Root = emit(root)
	return t
}

// visit calls see for every test below a node, parents before children.
func (g *grower) visit(at int32, see func(n *node)) {
	n := &g.nodes[at]
	if n.feature < 0 {
		return
	}
	see(n)
	for _, child := range g.below(at) {
		if child >= 0 {
			g.visit(child, see)
		}
	}
}
