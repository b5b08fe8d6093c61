package mondrian

import (
	"slices"

	"ppdp/elementary"
)

// classes finds the cuts of split: class. Its slices are scratch memory.
type classes struct {
	codes  []uint32 // the values that may occur, ascending
	counts []int32  // of each value's rows, by class
	packed []uint64
	left   []int32
	right  []int32
	whole  []int32
}

// leastGain is the information, in nats over all rows of a region, that a cut must give to be one
// that separates classes: far below the gain of moving a single record, far above rounding.
const leastGain = 1e-6

// purest returns the allowable cut of the largest information gain about the class: rows with codes
// below at go left. ok is false where no allowable cut gains anything. Ties go to the first
// dimension and its lowest cut. Dimensions found to have no allowable cut are marked as spent.
func (s *splitter) purest(rows []int32, spans []span) (dim int, at uint32, ok bool) {
	c, k := &s.class, s.params.K
	n := s.space.Classes()
	c.whole = append(c.whole[:0], make([]int32, n)...)
	s.space.ClassCounts(rows, c.whole)
	best := certainty(c.whole) + leastGain
	for d := range spans {
		if spans[d].spent || spans[d].low == spans[d].high {
			continue
		}
		s.tabulate(rows, d, &spans[d])
		c.left = append(c.left[:0], make([]int32, n)...)
		c.right = append(c.right[:0], c.whole...)
		before, allowable := 0, false
		for i, code := range c.codes {
			here := 0
			for y, count := range c.counts[i*n : (i+1)*n] {
				here += int(count)
				c.left[y] += count
				c.right[y] -= count
			}
			before += here
			if len(rows)-before < k {
				break
			}
			if here == 0 || before < k {
				continue
			}
			allowable = true
			if value := certainty(c.left) + certainty(c.right); value > best {
				best, dim, at, ok = value, d, code+1, true
			}
		}
		spans[d].spent = !allowable
	}
	return dim, at, ok
}

// tabulate counts the rows of each value and class on a dimension: by a table over the span where
// that is not much longer than the region, else by sorting.
func (s *splitter) tabulate(rows []int32, dim int, whole *span) {
	c, n := &s.class, s.space.Classes()
	c.codes = c.codes[:0]
	if width := int(whole.high-whole.low) + 1; width <= 4*len(rows)+64 {
		for i := range width {
			c.codes = append(c.codes, whole.low+uint32(i))
		}
		c.counts = slices.Grow(c.counts[:0], width*n)[:width*n]
		clear(c.counts)
		s.space.ClassHistogram(rows, dim, whole.low, c.counts)
		return
	}
	codes := slices.Grow([]uint32(nil), 2*len(rows))[:2*len(rows)]
	labels := codes[len(rows):]
	s.space.Codes(rows, dim, codes[:len(rows)])
	s.space.Labels(rows, labels)
	c.packed = c.packed[:0]
	for i := range rows {
		c.packed = append(c.packed, uint64(codes[i])<<32|uint64(labels[i]))
	}
	slices.Sort(c.packed)
	c.counts = c.counts[:0]
	for _, pair := range c.packed {
		if code := uint32(pair >> 32); len(c.codes) == 0 || c.codes[len(c.codes)-1] != code {
			c.codes = append(c.codes, code)
			c.counts = append(c.counts, make([]int32, n)...)
		}
		c.counts[len(c.counts)-n+int(uint32(pair))]++
	}
}

// certainty is -n·H = Σ n_y ln n_y - n ln n, where n_y rows are of class y, n are all of them and H
// is the entropy of the class in nats. It is 0 where all rows are of one class.
func certainty(counts []int32) float64 {
	sum, n := 0.0, int32(0)
	for _, count := range counts {
		sum += timesLog(count)
		n += count
	}
	return sum - timesLog(n)
}

// logs holds n ln n for the numbers that regions mostly have.
var logs = func() (table [1 << 12]float64) {
	for n := 2; n < len(table); n++ {
		table[n] = float64(n) * elementary.Log(float64(n))
	}
	return table
}()

func timesLog(n int32) float64 {
	if int(n) < len(logs) {
		return logs[n]
	}
	return float64(n) * elementary.Log(float64(n))
}
