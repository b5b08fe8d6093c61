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
	class      *datasets.Column // nil without a class attribute
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
func (s *Space) Codes(rows []int32, dim int, codes []uint32) {
	s.table.Column(s.attributes[dim]).Gather(rows, codes)
}

// Labels writes the rows' class codes into labels, which must be as long as rows; all 0 without
// a class attribute.
func (s *Space) Labels(rows []int32, labels []uint32) {
	if s.class == nil {
		clear(labels[:len(rows)])
		return
	}
	s.class.Gather(rows, labels)
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
	codedOf(s.class).histogram(rows, 0, counts)
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

// Tally is how many rows have each value on a dimension. Its memory is used again by the next.
type Tally struct {
	Values []uint32 // that occur, ascending
	Counts []int32  // Counts[i·classes+y] are the rows of class y at Values[i]

	cells  []int32
	codes  []uint32
	keys   []uint64
	sorted []uint64
}

// Wide reports that an interval of codes is so much longer than the list of rows that sorting their
// codes is cheaper than a table over the interval.
func Wide(cells, rows int) bool { return cells > 4*rows+64 }

// Tally counts the rows by their values on dim, which must lie in [low, high), and by their classes
// or, not byClass, as if of one: O(n + high-low) when the interval is short, else by sorting.
func (s *Space) Tally(t *Tally, rows []int32, dim int, low, high uint32, byClass bool) {
	classes := 1
	if byClass {
		classes = s.classes
	}
	t.Values, t.Counts = t.Values[:0], t.Counts[:0]
	if cells := int(high - low); !Wide(cells, len(rows)) {
		t.cells = slices.Grow(t.cells[:0], cells*classes)[:cells*classes]
		clear(t.cells)
		if classes == 1 {
			s.Histogram(rows, dim, low, t.cells)
		} else {
			s.ClassHistogram(rows, dim, low, t.cells)
		}
		for i := range cells {
			of := t.cells[i*classes : (i+1)*classes]
			for _, n := range of {
				if n > 0 {
					t.Values, t.Counts = append(t.Values, low+uint32(i)), append(t.Counts, of...)
					break
				}
			}
		}
		return
	}
	n := len(rows)
	t.codes = slices.Grow(t.codes[:0], 2*n)[:2*n]
	codes, labels := t.codes[:n], t.codes[n:]
	s.Codes(rows, dim, codes)
	if clear(labels); byClass {
		s.Labels(rows, labels)
	}
	t.keys = slices.Grow(t.keys[:0], n)[:n]
	for i, code := range codes {
		t.keys[i] = uint64(code)*uint64(classes) + uint64(labels[i])
	}
	t.sorted = radix.Sort(t.keys, t.sorted)
	for i := 0; i < n; {
		code := t.keys[i] / uint64(classes)
		first := len(t.Counts)
		t.Values = append(t.Values, uint32(code))
		t.Counts = append(t.Counts, make([]int32, classes)...)
		for ; i < n && t.keys[i] < (code+1)*uint64(classes); i++ {
			t.Counts[first+int(t.keys[i]-code*uint64(classes))]++
		}
	}
}
