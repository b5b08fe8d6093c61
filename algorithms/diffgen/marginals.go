package diffgen

import (
	"slices"
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

// newMarginal counts the records on one dimension. labels are their classes.
func newMarginal(space *partition.Space, dim int, axis *datasets.Axis, rows []int32,
	labels []uint32) marginal {
	m := marginal{axis: axis, cells: space.Cells(dim)}
	classes := space.Classes()
	if cells := int(m.cells); axis != nil || cells*classes <= 4*len(rows)+1024 {
		histogram := make([]int32, cells*classes)
		space.ClassHistogram(rows, dim, 0, histogram)
		for at := range cells {
			code := at
			if axis != nil {
				code = int(axis.Code[at])
			}
			of := histogram[code*classes : (code+1)*classes]
			if axis == nil && !slices.ContainsFunc(of, func(n int32) bool { return n > 0 }) {
				continue
			}
			m.values = append(m.values, uint32(at))
			m.counts = append(m.counts, of...)
		}
	} else {
		m.sort(space, dim, rows, labels)
	}
	m.sums = make([]int32, len(m.counts)+classes)
	for i, n := range m.counts {
		m.sums[i+classes] = m.sums[i] + n
	}
	return m
}

// sort counts by sorting, where a domain is much larger than the number of records.
func (m *marginal) sort(space *partition.Space, dim int, rows []int32, labels []uint32) {
	classes := space.Classes()
	codes := make([]uint32, len(rows))
	space.Codes(rows, dim, codes)
	keys := make([]uint64, len(rows))
	for i, code := range codes {
		keys[i] = uint64(code)*uint64(classes) + uint64(labels[i])
	}
	sortKeys(keys)
	for _, key := range keys {
		code := uint32(key / uint64(classes))
		if n := len(m.values); n == 0 || m.values[n-1] != code {
			m.values = append(m.values, code)
			for range classes {
				m.counts = append(m.counts, 0)
			}
		}
		m.counts[len(m.counts)-classes+int(key%uint64(classes))]++
	}
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
