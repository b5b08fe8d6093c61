package classifiers

import (
	"sort"

	"ppdp/datasets"
)

// Tree is a decision tree of tests with a branch for each code, or with two by a number.
type Tree struct {
	Columns []TreeColumn
	Steps   []TreeStep
	Next    []int32 // by branch: a step, or ^leaf
	Root    int32   // alike
	Ends    Leaves
}

// TreeColumn is an attribute that some test reads.
type TreeColumn struct {
	Attribute int
	// Limits are the thresholds on a continuous attribute, ascending: its codes are then the number
	// of limits below the value. Nil for all other attributes, whose codes are the table's.
	Limits []float64
}

// TreeStep is one test. The branch taken is Next[First + branch].
type TreeStep struct {
	Column  int32
	Numeric bool
	Cut     uint32 // numeric: codes up to here take branch 0, others branch 1
	First   int32
}

// each calls use with the position of each row and the leaf it comes to.
func (t *Tree) each(table *datasets.Table, rows []int32, use func(i int, leaf int32)) {
	const block = 512 // rows whose codes are gathered at a time, so that they stay in the cache
	codes := make([]uint32, len(t.Columns)*block)
	for from := 0; from < len(rows); from += block {
		part := rows[from:min(from+block, len(rows))]
		for c := range t.Columns {
			t.Columns[c].gather(codes[c*block:c*block+len(part)], table, part)
		}
		for i := range part {
			at := t.Root
			for at >= 0 {
				s := &t.Steps[at]
				branch := codes[int(s.Column)*block+i]
				if s.Numeric {
					if branch > s.Cut {
						branch = 1
					} else {
						branch = 0
					}
				}
				at = t.Next[s.First+int32(branch)]
			}
			use(from+i, ^at)
		}
	}
}

// Predict sends each row down the tree.
func (t *Tree) Predict(dst []uint32, table *datasets.Table, rows []int32) {
	t.each(table, rows, func(i int, leaf int32) { dst[i] = t.Ends.Class(leaf) })
}

// Probabilities writes the class shares of each row's leaf. They are those of the training cases,
// not smoothed.
func (t *Tree) Probabilities(dst []float64, table *datasets.Table, rows []int32) {
	t.each(table, rows, func(i int, leaf int32) {
		shares := t.Ends.Shares(leaf)
		copy(dst[i*len(shares):], shares)
	})
}

// gather writes the rows' codes to dst.
func (c *TreeColumn) gather(dst []uint32, table *datasets.Table, rows []int32) {
	if c.Limits == nil {
		table.Column(c.Attribute).Gather(rows, dst)
		return
	}
	for i, row := range rows {
		dst[i] = uint32(sort.SearchFloat64s(c.Limits, table.Number(row, c.Attribute)))
	}
}
