package partition

import (
	"math/bits"
	"slices"
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
	t.sorted = SortKeys(t.keys, t.sorted)
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

// A digit of a radix sort, and how few keys are sorted by comparison: counting digits would cost
// more.
const (
	digitBits = 11
	fewKeys   = 1 << digitBits
)

// SortKeys sorts keys in place, digit by digit from the lowest up to that of the largest. Keys of
// records are cells or codes with a class, mostly of two digits, which takes a fifth of the time of
// comparing them. It returns its scratch memory, which may be nil, for the next call.
func SortKeys(keys, scratch []uint64) []uint64 {
	if len(keys) < fewKeys {
		slices.Sort(keys)
		return scratch
	}
	used := bits.Len64(slices.Max(keys))
	from, to := keys, slices.Grow(scratch[:0], len(keys))[:len(keys)]
	scratch = to
	for shift := 0; shift < used; shift += digitBits {
		var next [1 << digitBits]int32 // where the next key of a digit goes
		for _, key := range from {
			next[key>>shift%(1<<digitBits)]++
		}
		at := int32(0)
		for digit, n := range next {
			next[digit] = at
			at += n
		}
		for _, key := range from {
			digit := key >> shift % (1 << digitBits)
			to[next[digit]] = key
			next[digit]++
		}
		from, to = to, from
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
	return scratch
}
