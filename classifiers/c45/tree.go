package c45

import (
	"slices"
	"sort"

	"ppdp/classifiers"
	"ppdp/datasets"
)

// Tree is a fitted decision tree.
type Tree struct {
	columns []column
	steps   []step
	next    []int32
	root    int32
	leaves  classifiers.Leaves
}

// column is an attribute that some test reads.
type column struct {
	attribute int
	// limits are the thresholds on a continuous attribute, ascending: its codes are then the number
	// of limits below the value. Nil for all other attributes, whose codes are the table's.
	limits []float64
}

// step is one test. The branch taken is next[first + branch]: a step, or ^leaf.
type step struct {
	column  int32
	numeric bool
	cut     uint32 // numeric: codes up to here take branch 0, others branch 1
	first   int32
}

// Leaves is the number of leaves, branches without training cases included.
func (t *Tree) Leaves() int { return t.leaves.Len() }

// Nodes is the number of leaves and tests.
func (t *Tree) Nodes() int { return t.leaves.Len() + len(t.steps) }

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
	t.steps, t.next = make([]step, 0, tests), make([]int32, 0, links)
	index := make([]int32, len(g.features))
	for i := range g.features {
		if used[i] {
			index[i] = int32(len(t.columns))
			limits[i] = distinct(limits[i])
			t.columns = append(t.columns, column{g.features[i].attribute, limits[i]})
		}
	}
	var emit func(at int32) int32
	emit = func(at int32) int32 {
		n := &g.nodes[at]
		if n.feature < 0 {
			return ^t.leaves.Add(g.distribution(at))
		}
		f := &g.features[n.feature]
		s := step{column: index[n.feature], numeric: f.numeric, cut: n.cut,
			first: int32(len(t.next))}
		switch {
		case schema.Attributes[f.attribute].Continuous:
			rank, _ := slices.BinarySearch(limits[n.feature], f.values[n.cut])
			s.cut = uint32(rank)
		case f.numeric:
			s.cut = f.cells[n.cut]
		}
		here := int32(len(t.steps))
		t.steps = append(t.steps, s)
		t.next = append(t.next, make([]int32, f.branches())...)
		for branch, child := range g.below(at) {
			if child < 0 {
				t.next[int(s.first)+branch] = ^t.leaves.Add(g.distribution(at))
			} else {
				t.next[int(s.first)+branch] = emit(child)
			}
		}
		return here
	}
	t.root = emit(root)
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

// block is the number of rows whose codes are gathered at a time, so that they stay in the cache.
const block = 512

// each calls use with the position of each row and the leaf it comes to.
func (t *Tree) each(table *datasets.Table, rows []int32, use func(i int, leaf int32)) {
	codes := make([]uint32, len(t.columns)*block)
	for from := 0; from < len(rows); from += block {
		part := rows[from:min(from+block, len(rows))]
		for c := range t.columns {
			t.columns[c].gather(codes[c*block:c*block+len(part)], table, part)
		}
		for i := range part {
			at := t.root
			for at >= 0 {
				s := &t.steps[at]
				branch := codes[int(s.column)*block+i]
				if s.numeric {
					if branch > s.cut {
						branch = 1
					} else {
						branch = 0
					}
				}
				at = t.next[s.first+int32(branch)]
			}
			use(from+i, ^at)
		}
	}
}

// Predict sends each row down the tree.
func (t *Tree) Predict(dst []uint32, table *datasets.Table, rows []int32) {
	t.each(table, rows, func(i int, leaf int32) { dst[i] = t.leaves.Class(leaf) })
}

// Probabilities writes the class shares of each row's leaf. They are those of the training cases,
// not smoothed.
func (t *Tree) Probabilities(dst []float64, table *datasets.Table, rows []int32) {
	t.each(table, rows, func(i int, leaf int32) {
		shares := t.leaves.Shares(leaf)
		copy(dst[i*len(shares):], shares)
	})
}

// gather writes the rows' codes to dst.
func (c *column) gather(dst []uint32, table *datasets.Table, rows []int32) {
	if c.limits == nil {
		classifiers.Codes(dst, table.Column(c.attribute), rows)
		return
	}
	for i, row := range rows {
		dst[i] = uint32(sort.SearchFloat64s(c.limits, table.Number(row, c.attribute)))
	}
}
