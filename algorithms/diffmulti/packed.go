package diffmulti

import (
	"slices"

	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// packed holds the rows of a release one after the other, each as a few words, so that a pass over
// a part reads every row's attributes together and counts them into independent places. A row is
// addressed by its position in Input.Rows. Words have 16 bits, and a number takes two where they do
// not hold all of its column: words of 32 bits throughout take 17 % to 35 % more of the time of
// diffmulti/scalability.
//
// A row has, for each attribute with an axis, the slot of statistics that counts its rank and
// class; then for each numeric attribute the place of its value among the distinct ones; then the
// class.
type packed struct {
	*layout
	words []uint16
	inner *packed // the memory of compact, used again
}

// column is where a row has a number.
type column struct {
	word int
	wide bool // in two words, the upper half first
}

// half is how many things a word can number.
const half = 1 << 16

func (c column) of(record []uint16) uint32 {
	if c.wide {
		return uint32(record[c.word])*half + uint32(record[c.word+1])
	}
	return uint32(record[c.word])
}

// layout says where the statistics of a part are:
//
//	for each axis:              rows by rank and class, first[dim] + rank·classes + class
//	for all attributes:         rows by class, total + class
//	for each numeric attribute: rows below its split point by class, first[dim] + class
type layout struct {
	classes int
	axes    []*datasets.Axis // by dimension, nil for numeric ones
	first   []int            // by dimension
	total   int              // where the class counts of all rows begin
	slots   int              // the size of the statistics

	numbers  []int    // numeric dimensions
	columns  []column // by dimension
	narrow   int      // the axes of one word, which are the first words of a row
	wideAxes []int    // the other axes
	class    column
	width    int        // words of a row
	values   [][]uint32 // by numeric dimension: its distinct codes, ascending; else nil
}

// pack reads the rows of the space's dimensions.
func pack(space *partition.Space, rows []int32, axes []*datasets.Axis) *packed {
	l := &layout{classes: space.Classes(), axes: axes, first: make([]int, len(axes)),
		columns: make([]column, len(axes)), values: make([][]uint32, len(axes))}
	for dim, axis := range axes {
		if axis == nil {
			l.numbers = append(l.numbers, dim)
			continue
		}
		l.first[dim] = l.slots
		l.slots += len(axis.Code) * l.classes
		if l.columns[dim] = l.column(l.slots); l.columns[dim].wide {
			l.wideAxes = append(l.wideAxes, dim) // as are all from here on
		} else {
			l.narrow++
		}
	}
	l.total = l.slots
	l.slots += l.classes
	for _, dim := range l.numbers {
		l.first[dim] = l.slots
		l.slots += l.classes
		l.columns[dim] = l.column(min(int(space.Cells(dim)), len(rows))) // no more values occur
	}
	l.class = l.column(l.classes)
	p := &packed{layout: l, words: make([]uint16, len(rows)*l.width)}
	codes, labels := make([]uint32, len(rows)), make([]uint32, len(rows))
	space.Labels(rows, labels)
	p.write(l.class, labels)
	for dim, axis := range axes {
		space.Codes(rows, dim, codes)
		if axis == nil {
			l.values[dim] = datasets.Ranks(codes)
		} else {
			for i, code := range codes {
				codes[i] = uint32(l.first[dim]+int(axis.Rank[code])*l.classes) + labels[i]
			}
		}
		p.write(l.columns[dim], codes)
	}
	return p
}

// column adds a column for numbers below n to a row.
func (l *layout) column(n int) column {
	c := column{l.width, n > half}
	if l.width++; c.wide {
		l.width++
	}
	return c
}

func (p *packed) write(c column, numbers []uint32) {
	for i, n := range numbers {
		record := p.words[i*p.width:][:p.width]
		if c.wide {
			record[c.word], record[c.word+1] = uint16(n/half), uint16(n%half)
		} else {
			record[c.word] = uint16(n)
		}
	}
}

// record is the words of a row.
func (p *packed) record(row int32) []uint16 { return p.words[int(row)*p.width:][:p.width] }

// tally adds change for each of the rows to the statistics; cuts are the numeric attributes' split
// points as places among the distinct values.
func (p *packed) tally(rows []int32, cuts []uint32, stats []int32, change int32) {
	total, below := stats[p.total:], stats[p.total+p.classes:]
	words, width, narrow, class := p.words, p.width, p.narrow, p.class
	numbers := make([]column, len(p.numbers))
	for i, dim := range p.numbers {
		numbers[i] = p.columns[dim]
	}
	for _, row := range rows {
		record := words[int(row)*width:][:width]
		for _, slot := range record[:narrow] {
			stats[slot] += change
		}
		for _, dim := range p.wideAxes {
			stats[p.columns[dim].of(record)] += change
		}
		y := int(class.of(record))
		total[y] += change
		for i, c := range numbers {
			if c.of(record) < cuts[i] {
				below[i*p.classes+y] += change
			}
		}
	}
}

// cut sorts rows by whether their value on a numeric dimension is below a place, keeping their
// order, and writes the sizes of both sides.
func (p *packed) cut(rows []int32, s *divideScratch, dim int, at uint32, sizes []int32) {
	which, c := s.fit(len(rows)), p.columns[dim]
	for i, row := range rows {
		which[i] = 0
		if c.of(p.record(row)) >= at {
			which[i] = 1
		}
	}
	s.sort(rows, sizes)
}

// specialise sorts rows by the child of a taxonomy node that they lie under.
func (p *packed) specialise(rows []int32, s *divideScratch, dim int, n *nodeChildren,
	sizes []int32) {
	which, c, base := s.fit(len(rows)), p.columns[dim], uint32(p.first[dim]+n.start)
	for i, row := range rows {
		which[i] = n.child[c.of(p.record(row))-base]
	}
	s.sort(rows, sizes)
}

// divideScratch is memory for sorting rows: which child each of them is in.
type divideScratch struct{ moved, which []int32 }

func (s *divideScratch) fit(n int) (which []int32) {
	if len(s.moved) < n {
		s.moved, s.which = make([]int32, n), make([]int32, n)
	}
	return s.which[:n]
}

// sort sorts rows by child and writes the children's sizes.
func (s *divideScratch) sort(rows, sizes []int32) {
	clear(sizes)
	for _, c := range s.which[:len(rows)] {
		sizes[c]++
	}
	if int(slices.Max(sizes)) == len(rows) {
		return // all in one child: nothing moves
	}
	// sizes become the children's next places, and sizes again when all have moved.
	start := int32(0)
	for c, n := range sizes {
		sizes[c] = start
		start += n
	}
	for i, row := range s.moved[:copy(s.moved, rows)] {
		c := s.which[i]
		rows[sizes[c]] = row
		sizes[c]++
	}
	for c := len(sizes) - 1; c > 0; c-- {
		sizes[c] -= sizes[c-1]
	}
}

func (p *packed) size() int { return len(p.words) / p.width }

// compact returns a store of these rows alone, one after the other, and numbers them anew. It is
// good until the next call.
func (p *packed) compact(rows []int32) *packed {
	if p.inner == nil {
		p.inner = &packed{layout: p.layout}
	}
	words := slices.Grow(p.inner.words[:0], len(rows)*p.width)
	for i, row := range rows {
		words = append(words, p.record(row)...)
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

// gather fills out's Values and Counts from rows whose codes on dim lie in its interval.
func (f *frequencies) gather(p *packed, rows []int32, dim int) {
	out, values, classes := &f.out, p.values[dim], uint32(p.classes)
	out.Values, out.Counts = out.Values[:0], out.Counts[:0]
	f.keys = f.keys[:0] // place·classes + class
	c := p.columns[dim]
	for _, row := range rows {
		record := p.record(row)
		f.keys = append(f.keys, c.of(record)*classes+p.class.of(record))
	}
	first, _ := slices.BinarySearch(values, out.Low)
	last, _ := slices.BinarySearch(values, out.High)
	if possible := (last - first) * p.classes; possible <= keysPerRow*len(rows)+64 {
		f.tally(values[first:last], uint32(first), p.classes)
	} else {
		f.sort(values, p.classes)
	}
}

// tally fills out by counting. Values are the region's; first is the place of the lowest among all.
func (f *frequencies) tally(values []uint32, first uint32, classes int) {
	possible := len(values) * classes
	if len(f.counts) < possible {
		f.counts = make([]int32, 2*possible)
	}
	counts := f.counts[:possible]
	clear(counts)
	base := first * uint32(classes)
	for _, key := range f.keys {
		counts[key-base]++
	}
	for i, value := range values {
		if of := counts[i*classes : (i+1)*classes]; slices.Max(of) > 0 {
			f.out.Values = append(f.out.Values, value)
			f.out.Counts = append(f.out.Counts, of...)
		}
	}
}

// sort fills out by sorting the keys. Values are all of the dimension.
func (f *frequencies) sort(values []uint32, classes int) {
	out, each := &f.out, uint32(classes)
	slices.Sort(f.keys)
	for i, key := range f.keys {
		if place := key / each; i == 0 || place != f.keys[i-1]/each {
			out.Values = append(out.Values, values[place])
			out.Counts = append(out.Counts, make([]int32, classes)...)
		}
		out.Counts[len(out.Counts)-classes+int(key%each)]++
	}
}
