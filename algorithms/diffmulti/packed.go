package diffmulti

import (
	"slices"

	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// packed holds the rows of a release one after the other, each as a few words, so that a pass over
// a region reads every row's attributes together and counts them into independent places. A row is
// addressed by its position in Input.Rows.
//
// The words of a row are, for each attribute with an axis, the slot of statistics that counts its
// rank and class; then for each numeric attribute the place of its value among the distinct ones,
// in two halves of 16 bits where it has many; then the class.
type packed[T uint16 | uint32] struct {
	*layout
	words []T
	inner *packed[T] // the memory of compact, used again
}

// layout says where the statistics of a region are:
//
//	for each axis:              rows by rank and class, at[dim] + rank·classes + class
//	for all attributes:         rows by class, total + class
//	for each numeric attribute: rows below its cut point by class, at[dim] + class
type layout struct {
	classes int
	axes    []*datasets.Axis // by dimension, nil for numeric ones
	at      []int            // by dimension
	total   int              // where the class counts of all rows begin
	slots   int              // the size of the statistics
	tops    []int            // dimensions with an axis
	numbers []int            // numeric dimensions
	word    []int            // by dimension: its (first) word in a row
	// by numeric dimension, in the order of numbers: whether its place takes two words
	halves []bool
	width  int // words of a row
	// by dimension: a numeric attribute's distinct codes, ascending; nil otherwise
	values [][]uint32
}

// store is a packed of either width.
type store interface {
	// tally adds change for each of the rows to the statistics; cuts are the numeric attributes'
	// cut points as places among the distinct values.
	tally(rows []int32, cuts []uint32, stats []int32, change int32)
	// divide sorts the rows by the child they belong to, keeping their order within a child, and
	// writes the children's sizes. On an axis n is the node that all rows lie under; on a numeric
	// dimension values below the place cut are child 0, others child 1.
	divide(rows []int32, scratch *divideScratch, dim int, n *nodeChildren, cut uint32,
		sizes []int32)
	// keys appends value·classes+class of each row on a numeric dimension.
	keys(rows []int32, dim int, keys []uint32) []uint32
	// classCounts adds the rows' class counts.
	classCounts(rows []int32, counts []int32)
	// size is the number of rows held.
	size() int
	// compact returns a store of these rows alone, one after the other, and numbers them anew. It
	// is good until the next call.
	compact(rows []int32) store
}

// half is how many things 16 bits can number.
const half = 1 << 16

// pack reads the rows of the dimensions' attributes. Places among more than single distinct values
// take two words, half of which is the most.
func pack(table *datasets.Table, rows []int32, attributes []int, axes []*datasets.Axis,
	single int) (*layout, store) {
	schema := table.Schema()
	l := &layout{classes: schema.Classes(), axes: axes, at: make([]int, len(axes)),
		word: make([]int, len(axes)), values: make([][]uint32, len(axes))}
	for dim, axis := range axes {
		if axis != nil {
			l.at[dim], l.word[dim] = l.slots, len(l.tops)
			l.slots += len(axis.Code) * l.classes
			l.tops = append(l.tops, dim)
		}
	}
	most := max(l.slots, l.classes)
	l.total = l.slots
	l.slots += l.classes
	l.width = len(l.tops)
	for dim, axis := range axes {
		if axis != nil {
			continue
		}
		l.at[dim], l.word[dim] = l.slots, l.width
		l.slots += l.classes
		l.numbers = append(l.numbers, dim)
		a := attributes[dim]
		l.values[dim] = distinct(table.Column(a), rows, schema.Attributes[a].Cells())
		halves := len(l.values[dim]) > single
		l.halves = append(l.halves, halves)
		if l.width++; halves {
			l.width++
		}
	}
	l.width++ // the class
	if most <= half {
		return l, fill[uint16](l, table, rows, attributes)
	}
	return l, fill[uint32](l, table, rows, attributes)
}

func fill[T uint16 | uint32](l *layout, table *datasets.Table, rows []int32,
	attributes []int) *packed[T] {
	p := &packed[T]{layout: l, words: make([]T, len(rows)*l.width)}
	labels := make([]uint32, len(rows))
	if class := table.Schema().Class(); class >= 0 {
		partition.Codes(table.Column(class), rows, labels)
	}
	for dim, axis := range l.axes {
		column := table.Column(attributes[dim])
		words := p.words
		if len(words) > 0 {
			words = words[l.word[dim]:]
		}
		if axis == nil {
			place := placer(l.values[dim], table.Schema().Attributes[attributes[dim]].Cells())
			if l.halves[slices.Index(l.numbers, dim)] {
				for i, row := range rows {
					at := place(column.At(row))
					words[i*l.width], words[i*l.width+1] = T(at/half), T(at%half)
				}
				continue
			}
			for i, row := range rows {
				words[i*l.width] = T(place(column.At(row)))
			}
			continue
		}
		for i, row := range rows {
			words[i*l.width] = T(l.at[dim] + int(axis.Rank[column.At(row)])*l.classes +
				int(labels[i]))
		}
	}
	for i, y := range labels {
		p.words[i*l.width+l.width-1] = T(y)
	}
	return p
}

// markedCells is the largest domain whose values are found by marking them, in 16 MiB.
const markedCells = 1 << 22

// distinct returns the distinct codes of the rows, ascending.
func distinct(column *datasets.Column, rows []int32, cells int) []uint32 {
	var values []uint32
	if cells <= markedCells {
		marks := make([]bool, cells)
		for _, row := range rows {
			marks[column.At(row)] = true
		}
		for code, marked := range marks {
			if marked {
				values = append(values, uint32(code))
			}
		}
		return values
	}
	values = make([]uint32, len(rows))
	partition.Codes(column, rows, values)
	slices.Sort(values)
	return slices.Compact(values)
}

// placer returns the function from a code to its place among the values it is one of.
func placer(values []uint32, cells int) func(code uint32) uint32 {
	if cells <= markedCells {
		places := make([]uint32, cells)
		for place, code := range values {
			places[code] = uint32(place)
		}
		return func(code uint32) uint32 { return places[code] }
	}
	return func(code uint32) uint32 {
		place, _ := slices.BinarySearch(values, code)
		return uint32(place)
	}
}

func (p *packed[T]) tally(rows []int32, cuts []uint32, stats []int32, change int32) {
	tops, numbers, width := len(p.tops), len(p.numbers), p.width
	below := stats[len(stats)-numbers*p.classes:]
	total := stats[p.total:]
	for _, row := range rows {
		record := p.words[int(row)*width : int(row)*width+width]
		for _, slot := range record[:tops] {
			stats[slot] += change
		}
		y := int(record[width-1])
		total[y] += change
		at := tops
		for i, halves := range p.halves {
			place := uint32(record[at])
			at++
			if halves {
				place = place*half + uint32(record[at])
				at++
			}
			if place < cuts[i] {
				below[i*p.classes+y] += change
			}
		}
	}
}

func (p *packed[T]) divide(rows []int32, scratch *divideScratch, dim int, n *nodeChildren,
	cut uint32, sizes []int32) {
	scratch.fit(len(rows))
	which := scratch.which[:len(rows)]
	word, width := p.word[dim], p.width
	clear(sizes)
	if p.axes[dim] == nil {
		halves := p.halves[slices.Index(p.numbers, dim)]
		for i, row := range rows {
			c := int32(0)
			if p.place(int(row)*width+word, halves) >= cut {
				c = 1
			}
			which[i] = c
			sizes[c]++
		}
	} else {
		base, child := T(p.at[dim]+n.start), n.child
		for i, row := range rows {
			c := child[p.words[int(row)*width+word]-base]
			which[i] = c
			sizes[c]++
		}
	}
	for _, n := range sizes {
		if int(n) == len(rows) {
			return // all in one child: nothing moves
		}
	}
	// sizes become the children's next places, and sizes again when all have moved.
	start := int32(0)
	for c, n := range sizes {
		sizes[c] = start
		start += n
	}
	moved := scratch.moved[:len(rows)]
	copy(moved, rows)
	for i, row := range moved {
		c := which[i]
		rows[sizes[c]] = row
		sizes[c]++
	}
	for c := len(sizes) - 1; c > 0; c-- {
		sizes[c] -= sizes[c-1]
	}
}

// divideScratch is memory for divide.
type divideScratch struct{ moved, which []int32 }

func (s *divideScratch) fit(n int) {
	if len(s.moved) < n {
		s.moved, s.which = make([]int32, n), make([]int32, n)
	}
}

func (p *packed[T]) keys(rows []int32, dim int, keys []uint32) []uint32 {
	word, width, classes := p.word[dim], p.width, uint32(p.classes)
	halves := p.halves[slices.Index(p.numbers, dim)]
	for _, row := range rows {
		first := int(row) * width
		keys = append(keys, p.place(first+word, halves)*classes+uint32(p.words[first+width-1]))
	}
	return keys
}

// place is the place among the distinct values at a word, or at it and the next.
func (p *packed[T]) place(at int, halves bool) uint32 {
	if halves {
		return uint32(p.words[at])*half + uint32(p.words[at+1])
	}
	return uint32(p.words[at])
}

func (p *packed[T]) classCounts(rows []int32, counts []int32) {
	for _, row := range rows {
		counts[p.words[int(row)*p.width+p.width-1]]++
	}
}

func (p *packed[T]) size() int { return len(p.words) / p.width }

func (p *packed[T]) compact(rows []int32) store {
	if p.inner == nil {
		p.inner = &packed[T]{layout: p.layout}
	}
	width, words := p.width, slices.Grow(p.inner.words[:0], len(rows)*p.width)
	for i, row := range rows {
		words = append(words, p.words[int(row)*width:int(row)*width+width]...)
		rows[i] = int32(i)
	}
	p.inner.words = words
	return p.inner
}

// frequencies gathers the values of a region on a numeric dimension.
type frequencies struct {
	keys   []uint32
	counts []int32
	out    partition.Frequencies
}

// keysPerRow is how many possible keys for each row still make counting cheaper than sorting.
const keysPerRow = 8

// gather fills out's Values and Counts from rows whose codes on dim lie in [low, high).
func (f *frequencies) gather(l *layout, s store, rows []int32, dim int, low, high uint32) {
	values, classes := l.values[dim], l.classes
	f.out.Low, f.out.High = low, high
	f.out.Values, f.out.Counts = f.out.Values[:0], f.out.Counts[:0]
	if len(rows) == 0 {
		return
	}
	f.keys = s.keys(rows, dim, f.keys[:0])
	first, _ := slices.BinarySearch(values, low)
	last, _ := slices.BinarySearch(values, high)
	if possible := (last - first) * classes; possible <= keysPerRow*len(rows)+64 {
		if len(f.counts) < possible {
			f.counts = make([]int32, 2*possible)
		}
		counts := f.counts[:possible]
		clear(counts)
		base := uint32(first * classes)
		for _, key := range f.keys {
			counts[key-base]++
		}
		for i := range last - first {
			of := counts[i*classes : (i+1)*classes]
			for _, n := range of {
				if n > 0 {
					f.out.Values = append(f.out.Values, values[first+i])
					f.out.Counts = append(f.out.Counts, of...)
					break
				}
			}
		}
		return
	}
	slices.Sort(f.keys)
	place := -1
	for _, key := range f.keys {
		if at := int(key) / classes; at != place {
			place = at
			f.out.Values = append(f.out.Values, values[place])
			for range classes {
				f.out.Counts = append(f.out.Counts, 0)
			}
		}
		f.out.Counts[len(f.out.Counts)-classes+int(key)%classes]++
	}
}
