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
	"ppdp/numeric/radix"
)

// Space is the part of a table that some attributes, its dimensions, span. Its methods take
// slices of row indices; a release holds one slice of all its rows, and a region is a sub-slice of
// it. Every method switches on a column's integer width once and then runs a plain loop.
// A Space owns scratch memory: one release, one Space, no concurrent use.
type Space struct {
	table      *datasets.Table
	attributes []int
	columns    []coded // of the dimensions
	cells      []uint32
	class      *datasets.Column // nil without a class attribute, as is
	labels     coded            // its codes
	classes    int

	moved         []int32  // rows on their way to the right side of a split
	frequency     []int32  // scratch of Median
	codes, sorted []uint32 // scratch of Median on wide intervals
}

// NewSpace returns the space of the given schema positions. The table's class attribute, if it
// has one, labels the rows and should not be among them.
func NewSpace(table *datasets.Table, attributes []int) *Space {
	schema := table.Schema()
	s := &Space{table: table, attributes: attributes, classes: schema.Classes()}
	for _, attribute := range attributes {
		s.columns = append(s.columns, codedOf(table.Column(attribute)))
		s.cells = append(s.cells, uint32(schema.Attributes[attribute].Cells()))
	}
	if class := schema.Class(); class >= 0 {
		s.class = table.Column(class)
		s.labels = codedOf(s.class)
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
	left := s.columns[dim].split(rows, s.moved, at)
	copy(rows[left:], s.moved[:len(rows)-left])
	return left
}

// Codes writes the rows' codes on dim into codes, which must be as long as rows.
func (s *Space) Codes(rows []int32, dim int, codes []uint32) { s.columns[dim].gather(rows, codes) }

// Codes writes the rows' codes in a column into codes, which must be as long as rows.
func Codes(column *datasets.Column, rows []int32, codes []uint32) {
	codedOf(column).gather(rows, codes)
}

// Labels writes the rows' class codes into labels, which must be as long as rows; all 0 without
// a class attribute.
func (s *Space) Labels(rows []int32, labels []uint32) {
	if s.class == nil {
		clear(labels[:len(rows)])
		return
	}
	s.labels.gather(rows, labels)
}

// Histogram adds the rows' frequencies on dim to counts: counts[c-low] for code c. All the rows'
// codes must lie in [low, low+len(counts)).
func (s *Space) Histogram(rows []int32, dim int, low uint32, counts []int32) {
	if !sharing(rows, counts) {
		s.columns[dim].histogram(rows, low, counts)
		return
	}
	countShared(rows, counts, func(rows, counts []int32) {
		s.columns[dim].histogram(rows, low, counts)
	})
}

// ClassHistogram adds the rows' frequencies for each code and class to counts:
// counts[(c-low)·Classes+y] for code c and class y.
func (s *Space) ClassHistogram(rows []int32, dim int, low uint32, counts []int32) {
	switch {
	case s.class == nil:
		s.Histogram(rows, dim, low, counts)
	case !sharing(rows, counts):
		s.columns[dim].classHistogram(s.class, uint32(s.classes), rows, low, counts)
	default:
		countShared(rows, counts, func(rows, counts []int32) {
			s.columns[dim].classHistogram(s.class, uint32(s.classes), rows, low, counts)
		})
	}
}

// ClassCounts adds the rows' class frequencies to counts, one element for each class.
func (s *Space) ClassCounts(rows []int32, counts []int32) {
	if s.class == nil {
		counts[0] += int32(len(rows))
		return
	}
	s.labels.histogram(rows, 0, counts)
}

// Extent is the smallest and the largest code on dim of rows whose codes are known to lie in [low,
// high]; rows must not be empty. It reads no further once both ends have been met, which in a large
// region is after a small part of its rows.
func (s *Space) Extent(rows []int32, dim int, low, high uint32) (lowest, highest uint32) {
	return s.columns[dim].extent(rows, low, high)
}

// Median is the lower median on dim of at least one row, the code of rank ⌈n/2⌉, with the numbers
// of rows below it and equal to it. All codes must lie in [low, high); the tighter the interval
// (Extent), the cheaper the call: O(n + high-low) when it is short, O(n log n) when it is not.
func (s *Space) Median(rows []int32, dim int, low, high uint32) (median uint32, below, equal int) {
	rank := (len(rows) - 1) / 2
	if width := int(high - low); !Wide(width, len(rows)) {
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
	s.sorted = radix.Sort(codes, s.sorted)
	median = codes[rank]
	below, _ = slices.BinarySearch(codes, median)
	above := rank
	for above < len(codes) && codes[above] == median {
		above++
	}
	return median, below, above - below
}
