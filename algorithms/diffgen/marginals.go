package diffgen

import (
	"sort"

	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// marginal is one attribute's frequencies over all records. Specialisation is of whole attributes,
// so that scores and cut points never need more than this.
type marginal struct {
	axis  *datasets.Axis // nil of a numeric attribute
	cells uint32         // of its domain
	// values are the codes that occur, or all ranks of an axis, ascending; counts[i·classes+y] are
	// the records of class y at values[i].
	values []uint32
	counts []int32
	// sums[i·classes+y] are the records of class y before values[i].
	sums []int32
}

// newMarginal counts the records on one dimension.
func newMarginal(space *partition.Space, dim int, axis *datasets.Axis, rows []int32) marginal {
	m := marginal{axis: axis, cells: space.Cells(dim)}
	classes := space.Classes()
	if axis == nil {
		var t partition.Tally
		space.Tally(&t, rows, dim, 0, m.cells, true)
		m.values, m.counts = t.Values, t.Counts
	} else {
		histogram := make([]int32, int(m.cells)*classes)
		space.ClassHistogram(rows, dim, 0, histogram)
		for at, code := range axis.Code {
			m.values = append(m.values, uint32(at))
			m.counts = append(m.counts, histogram[int(code)*classes:(int(code)+1)*classes]...)
		}
	}
	m.sums = make([]int32, len(m.counts)+classes)
	for i, n := range m.counts {
		m.sums[i+classes] = m.sums[i] + n
	}
	return m
}

// place is the number of values before a code or rank.
func (m *marginal) place(code uint32) int {
	return sort.Search(len(m.values), func(i int) bool { return m.values[i] >= code })
}

// add appends the class counts of the records in [low, high) to counts.
func (m *marginal) add(counts []int32, low, high uint32, classes int) []int32 {
	from, to := m.place(low)*classes, m.place(high)*classes
	for y := range classes {
		counts = append(counts, m.sums[to+y]-m.sums[from+y])
	}
	return counts
}

// frequencies are the records of a numeric interval by value.
func (m *marginal) frequencies(low, high uint32, classes int) partition.Frequencies {
	from, to := m.place(low), m.place(high)
	return partition.Frequencies{Low: low, High: high, Root: m.cells, Values: m.values[from:to],
		Counts: m.counts[from*classes : to*classes]}
}
