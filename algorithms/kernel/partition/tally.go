package partition

import (
	"slices"

	"ppdp/numeric/radix"
)

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
