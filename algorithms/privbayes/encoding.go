package privbayes

import (
	"math/bits"
	"slices"

	"ppdp/algorithms/kernel/margins"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
	"ppdp/numeric/random"
)

// domain is one attribute as the network sees it: a public number of values, each a bin of the
// attribute's cells.
type domain struct {
	margins.Bins
	width   int  // bits that number the values
	missing bool // the last value, which has the last bit alone
}

func newDomain(b margins.Bins, a *datasets.Attribute) domain {
	if a.Numbers() == a.Cells() {
		return domain{b, bits.Len64(uint64(b.Size) - 1), false}
	}
	return domain{b, bits.Len64(uint64(b.Size)-2) + 1, true}
}

func newDomains(schema *datasets.Schema, bins int) []domain {
	domains := make([]domain, len(schema.Attributes))
	for i := range domains {
		a := &schema.Attributes[i]
		domains[i] = newDomain(margins.PublicBins(a, bins), a)
	}
	return domains
}

// valuesOf fills to with the values of some rows' cells.
func (d domain) valuesOf(to []uint32, column *datasets.Column, rows []int32) {
	column.Gather(rows, to)
	d.Codes(to)
}

// bitColumns are the columns of all attributes' bits, an attribute's lowest bit first: column j has
// bit r%64 of word r/64 for the r-th row. An attribute of one value has no bits.
func bitColumns(table *datasets.Table, rows []int32, domains []domain) [][]uint64 {
	words := (len(rows) + 63) / 64
	var columns [][]uint64
	scratch := make([]uint32, len(rows))
	for i, d := range domains {
		first := len(columns)
		for range d.width {
			columns = append(columns, make([]uint64, words))
		}
		d.valuesOf(scratch, table.Column(i), rows)
		for r, value := range scratch {
			code := uint64(value)
			if d.missing && int(value) == d.Size-1 {
				code = 1 << (d.width - 1)
			}
			for j := range d.width {
				columns[first+j][r>>6] |= code >> j & 1 << (r & 63)
			}
		}
	}
	return columns
}

// levels says how a node may be generalised as a parent. of[l][v] is value v at level l, size[l]
// the number of values there. Level 0 is the value itself, and sizes descend to at least 2.
type levels struct {
	of   [][]uint32
	size []int
}

// newLevels lists an attribute's levels.
func newLevels(a *datasets.Attribute, d domain) levels {
	l := levels{}
	add := func(of []uint32, size int) {
		if len(l.size) == 0 || size >= 2 && size < l.size[len(l.size)-1] {
			l.of, l.size = append(l.of, of), append(l.size, size)
		}
	}
	join := func(shift int) { // runs of 2^shift values, missing ones apart
		numbers := d.Size - (a.Cells() - a.Numbers())
		runs := (numbers-1)>>shift + 1
		of := make([]uint32, d.Size)
		for v := range of {
			if of[v] = uint32(runs); v < numbers {
				of[v] = uint32(v) >> shift
			}
		}
		add(of, runs+d.Size-numbers)
	}
	join(0)
	switch {
	case a.Kind == datasets.Numeric:
		for shift := 1; shift < d.width; shift++ {
			join(shift)
		}
	case a.Taxonomy != nil:
		hierarchy := a.Axis().Hierarchy().Levels
		for i := range hierarchy[1:] {
			add(ancestors(&hierarchy[i+1]))
		}
	}
	return l
}

// ancestors maps a categorical attribute's values to the taxonomy nodes of a level, numbered in the
// order of the taxonomy's nodes.
func ancestors(level *datasets.Level) (of []uint32, size int) {
	nodes := slices.Sorted(slices.Values(level.Node))
	of = make([]uint32, len(level.Group))
	for v, group := range level.Group {
		number, _ := slices.BinarySearch(nodes, level.Node[group])
		of[v] = uint32(number)
	}
	return of, len(nodes)
}

// writer turns drawn nodes back into records.
type writer struct {
	*fit
	stream  *random.Stream
	builder *datasets.Builder
	values  []uint32 // of the current record, one for each attribute
	crowds  []margins.Crowd
}

// read decodes drawn nodes into values and reports whether all lie in their domains.
func (w *writer) read(nodes []uint32) bool {
	if w.params.Encoding != Binary {
		copy(w.values, nodes)
		return true
	}
	valid := true
	for i, d := range w.domains {
		code := uint32(0)
		for j, bit := range nodes[:d.width] {
			code |= bit << j
		}
		nodes = nodes[d.width:]
		if d.missing && code>>(d.width-1) == 1 { // whatever the other bits are
			code = uint32(d.Size - 1)
		}
		w.values[i] = code
		valid = valid && int(code) < d.Size
	}
	return valid
}

// mend draws values outside their domains anew, uniformly.
func (w *writer) mend() {
	for i, d := range w.domains {
		if int(w.values[i]) >= d.Size {
			w.values[i] = uint32(w.stream.Uint64N(uint64(d.Size)))
		}
	}
}

// write adds a record of the current values.
func (w *writer) write() {
	row, schema := w.builder.AddRow(), w.in.Table.Schema()
	for i, value := range w.values {
		low, high := w.domains[i].Leaf(value, w.stream)
		partition.SetWithin(w.builder, row, i, &schema.Attributes[i], low, high, w.params.Values,
			w.stream)
		w.crowds[i].Add(low, high)
	}
}
