package mondrian

import (
	"ppdp/algorithms/kernel/partition"
	"ppdp/numeric/elementary"
)

// classes finds the cuts of split: class. Its slices are scratch memory.
type classes struct {
	tally partition.Tally
	left  []int32
	right []int32
	whole []int32
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
		s.space.Tally(&c.tally, rows, d, spans[d].low, spans[d].high+1, true)
		c.left = append(c.left[:0], make([]int32, n)...)
		c.right = append(c.right[:0], c.whole...)
		before, allowable := 0, false
		for i, code := range c.tally.Values {
			here := 0
			for y, count := range c.tally.Counts[i*n : (i+1)*n] {
				here += int(count)
				c.left[y] += count
				c.right[y] -= count
			}
			before += here
			if len(rows)-before < k {
				break
			}
			if before < k {
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
