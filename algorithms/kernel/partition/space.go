// Package partition is the kernel that all recursive-partitioning baselines use: row indices
// that are split in place, frequency sets over one attribute's interval, a builder that collects
// leaves into algorithms.Regions, and the drawing of synthetic records from regions with counts.
//
// It decides nothing: which cut to take, when to stop and what to publish is the baseline's
// business, and so are budget and noise. The only randomness here is that of drawn values, which
// is post-processing. Boxes are half-open intervals of codes throughout, [low, high).
package partition

import (
	"slices"

	"ppdp/datasets"
)

// Space is the part of a table that some attributes, its dimensions, span. Its methods take
// slices of row indices; a release holds one slice of all its rows, and a region is a sub-slice of
// it. Every method switches on a column's integer width once and then runs a plain loop.
// A Space owns scratch memory: one release, one Space, no concurrent use.
type Space struct {
	table      *datasets.Table
	attributes []int
	columns    []*datasets.Column
	cells      []uint32
	class      *datasets.Column // nil without a class attribute
	classes    int

	moved     []int32  // rows on their way to the right side of a split
	frequency []int32  // scratch of Median
	codes     []uint32 // scratch of Median on wide intervals
}

// NewSpace returns the space of the given schema positions. The table's class attribute, if it
// has one, labels the rows and should not be among them.
func NewSpace(table *datasets.Table, attributes []int) *Space {
	schema := table.Schema()
	s := &Space{table: table, attributes: attributes, classes: schema.Classes()}
	for _, attribute := range attributes {
		s.columns = append(s.columns, table.Column(attribute))
		s.cells = append(s.cells, uint32(schema.Attributes[attribute].Cells()))
	}
	if class := schema.Class(); class >= 0 {
		s.class = table.Column(class)
	}
	return s
}

// nearRows is the number of rows that a region must come down to for them to be copied together.
// All of a region's columns are then close in memory, which on a table far larger than the
// processor's caches is what most of the time depends on. FarRows is how many rows such a table has
// at least.
const (
	nearRows = 1 << 15
	FarRows  = 8 * nearRows
)

// Near is the space of the given rows alone, numbered from 0 in their order: copied together where
// that pays, else nil.
func (s *Space) Near(rows []int32) *Space {
	if len(rows) > nearRows || len(rows) < nearRows/64 || s.table.Len() < FarRows {
		return nil
	}
	return NewSpace(s.table.Select(rows), s.attributes)
}

// Dims is the number of dimensions.
func (s *Space) Dims() int { return len(s.attributes) }

// Attributes are the dimensions' schema positions; not to be changed.
func (s *Space) Attributes() []int { return s.attributes }

// Cells is the domain size of a dimension.
func (s *Space) Cells(dim int) uint32 { return s.cells[dim] }

// Classes is the number of class values; 1 when the table has no class attribute.
func (s *Space) Classes() int { return s.classes }

// Split moves the rows whose code on dim is below at to the front, keeping the order on both
// sides, and returns how many they are. It works in place, in time linear in the rows.
func (s *Space) Split(rows []int32, dim int, at uint32) int {
	if len(s.moved) < len(rows) {
		s.moved = make([]int32, len(rows))
	}
	if len(rows) >= sharedRows {
		return s.splitShared(rows, dim, at)
	}
	left := splitOf(s.columns[dim], rows, s.moved, at)
	copy(rows[left:], s.moved[:len(rows)-left])
	return left
}

// splitOf moves the rows on the left side to the front, and copies those on the right to moved.
func splitOf(column *datasets.Column, rows, moved []int32, at uint32) int {
	switch {
	case column.U8 != nil:
		return split(column.U8, rows, moved, at)
	case column.U16 != nil:
		return split(column.U16, rows, moved, at)
	default:
		return split(column.U32, rows, moved, at)
	}
}

// split writes every row to both sides and advances only the side it belongs to: around a good
// cut the comparison is a coin toss, which a branch would mispredict every other time.
func split[T uint8 | uint16 | uint32](codes []T, rows, moved []int32, at uint32) int {
	moved = moved[:len(rows)]
	left := 0
	for i, row := range rows {
		below := 0
		if uint32(codes[row]) < at {
			below = 1
		}
		rows[left] = row // left <= i: this place has been read
		moved[i-left] = row
		left += below
	}
	return left
}

// Codes writes the rows' codes on dim into codes, which must be as long as rows.
func (s *Space) Codes(rows []int32, dim int, codes []uint32) { Codes(s.columns[dim], rows, codes) }

// Codes writes the rows' codes in a column into codes, which must be as long as rows.
func Codes(column *datasets.Column, rows []int32, codes []uint32) {
	switch {
	case column.U8 != nil:
		gather(column.U8, rows, codes)
	case column.U16 != nil:
		gather(column.U16, rows, codes)
	default:
		gather(column.U32, rows, codes)
	}
}

func gather[T uint8 | uint16 | uint32](from []T, rows []int32, codes []uint32) {
	codes = codes[:len(rows)]
	for i, row := range rows {
		codes[i] = uint32(from[row])
	}
}

// Same reports whether two rows have the same code on dim.
func (s *Space) Same(a, b int32, dim int) bool {
	return s.columns[dim].At(a) == s.columns[dim].At(b)
}

// Labels writes the rows' class codes into labels, which must be as long as rows; all 0 without
// a class attribute.
func (s *Space) Labels(rows []int32, labels []uint32) {
	if s.class == nil {
		clear(labels[:len(rows)])
		return
	}
	Codes(s.class, rows, labels)
}

// Histogram adds the rows' frequencies on dim to counts: counts[c-low] for code c. All the rows'
// codes must lie in [low, low+len(counts)).
func (s *Space) Histogram(rows []int32, dim int, low uint32, counts []int32) {
	column := s.columns[dim]
	if len(rows) >= max(sharedRows, 8*len(counts)) {
		countShared(rows, counts, func(rows, counts []int32) {
			histogramOf(column, rows, low, counts)
		})
		return
	}
	histogramOf(column, rows, low, counts)
}

func histogramOf(column *datasets.Column, rows []int32, low uint32, counts []int32) {
	switch {
	case column.U8 != nil:
		histogram(column.U8, rows, low, counts)
	case column.U16 != nil:
		histogram(column.U16, rows, low, counts)
	default:
		histogram(column.U32, rows, low, counts)
	}
}

func histogram[T uint8 | uint16 | uint32](codes []T, rows []int32, low uint32, counts []int32) {
	for _, row := range rows {
		counts[uint32(codes[row])-low]++
	}
}

// ClassHistogram adds the rows' frequencies for each code and class to counts:
// counts[(c-low)·Classes+y] for code c and class y.
func (s *Space) ClassHistogram(rows []int32, dim int, low uint32, counts []int32) {
	if s.class == nil {
		s.Histogram(rows, dim, low, counts)
		return
	}
	if len(rows) >= max(sharedRows, 8*len(counts)) {
		countShared(rows, counts, func(rows, counts []int32) {
			s.classHistogramOf(s.columns[dim], rows, low, counts)
		})
		return
	}
	s.classHistogramOf(s.columns[dim], rows, low, counts)
}

func (s *Space) classHistogramOf(column *datasets.Column, rows []int32, low uint32,
	counts []int32) {
	switch {
	case column.U8 != nil:
		classHistogram(s, column.U8, rows, low, counts)
	case column.U16 != nil:
		classHistogram(s, column.U16, rows, low, counts)
	default:
		classHistogram(s, column.U32, rows, low, counts)
	}
}

func classHistogram[T uint8 | uint16 | uint32](s *Space, codes []T, rows []int32, low uint32,
	counts []int32) {
	switch {
	case s.class.U8 != nil:
		jointHistogram(codes, s.class.U8, rows, low, uint32(s.classes), counts)
	case s.class.U16 != nil:
		jointHistogram(codes, s.class.U16, rows, low, uint32(s.classes), counts)
	default:
		jointHistogram(codes, s.class.U32, rows, low, uint32(s.classes), counts)
	}
}

func jointHistogram[T, C uint8 | uint16 | uint32](codes []T, labels []C, rows []int32, low,
	classes uint32, counts []int32) {
	for _, row := range rows {
		counts[(uint32(codes[row])-low)*classes+uint32(labels[row])]++
	}
}

// ClassCounts adds the rows' class frequencies to counts, one element for each class.
func (s *Space) ClassCounts(rows []int32, counts []int32) {
	if s.class == nil {
		counts[0] += int32(len(rows))
		return
	}
	histogramOf(s.class, rows, 0, counts)
}

// Extent is the smallest and the largest code on dim; rows must not be empty.
func (s *Space) Extent(rows []int32, dim int) (lowest, highest uint32) {
	column := s.columns[dim]
	switch {
	case column.U8 != nil:
		return extent(column.U8, rows)
	case column.U16 != nil:
		return extent(column.U16, rows)
	default:
		return extent(column.U32, rows)
	}
}

func extent[T uint8 | uint16 | uint32](codes []T, rows []int32) (uint32, uint32) {
	lowest := codes[rows[0]]
	highest := lowest
	for _, row := range rows {
		lowest = min(lowest, codes[row])
		highest = max(highest, codes[row])
	}
	return uint32(lowest), uint32(highest)
}

// Median is the lower median on dim of at least one row, the code of rank ⌈n/2⌉, with the numbers
// of rows below it and equal to it. All codes must lie in [low, high); the tighter the interval
// (Extent), the cheaper the call: O(n + high-low) when it is short, O(n log n) when it is not.
func (s *Space) Median(rows []int32, dim int, low, high uint32) (median uint32, below, equal int) {
	rank := (len(rows) - 1) / 2
	if width := int(high - low); width <= 4*len(rows)+64 {
		if len(s.frequency) < width {
			s.frequency = make([]int32, 2*width)
		}
		frequency := s.frequency[:width]
		clear(frequency)
		s.Histogram(rows, dim, low, frequency)
		for cell := 0; ; cell++ {
			equal = int(frequency[cell])
			if below+equal > rank {
				return low + uint32(cell), below, equal
			}
			below += equal
		}
	}
	if len(s.codes) < len(rows) {
		s.codes = make([]uint32, len(rows))
	}
	codes := s.codes[:len(rows)]
	s.Codes(rows, dim, codes)
	slices.Sort(codes)
	median = codes[rank]
	below, _ = slices.BinarySearch(codes, median)
	above := rank
	for above < len(codes) && codes[above] == median {
		above++
	}
	return median, below, above - below
}
