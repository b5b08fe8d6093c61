package privacy

import (
	"cmp"
	"math"
	"slices"

	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
)

// SparseTable is the counts of cells 0 to Cells-1, Width counts in each. Occupied lists the cells
// with a count above 0, ascending, and Counts their counts, Width for each; all other counts are 0.
type SparseTable struct {
	Cells    uint64
	Width    int
	Occupied []uint64
	Counts   []float64
}

// Sparse is the noisy counts of a SparseTable, rounded to the nearest integer (halves upwards) and
// raised to at least 0, one cell after the other without those that come out at 0. Nothing is drawn
// for these: what is drawn is how many empty counts come before the next that is seen. So a table
// costs as much as those of its cells that are seen, and has the law it would have if every count
// got noise of its own.
type Sparse struct {
	table  SparseTable
	stream *random.Stream
	rate   float64 // epsilon over sensitivity
	miss   float64 // the logarithm of the probability of 0 or less
	next   int     // of the occupied cells
	// place numbers the counts of empty cells, of which there are places. It is that of the next
	// one seen, whose noisy count is value.
	place, places uint64
	value         float64
	exact         *skips     // of a Publication
	call          *call      // when a transcript is kept
	seen          []seenCell // still to come, when answered by the record
	forced        bool
}

// Sparse charges epsilon to the path for Laplace or geometric noise of the counts, which it
// replaces. It is AddAll for the cells of a table most of which are empty.
func (n *Noise) Sparse(path *Path, epsilon float64, table SparseTable) (*Sparse, error) {
	rate, scale := epsilon/n.sensitivity.Claimed, n.sensitivity.Claimed/epsilon
	how := countLaw{rate: rate, law: geometricLaw,
		miss: -elementary.Log1p(elementary.Exp(-rate)), // P(x ≤ 0) = 1/(1+e^(-rate))
		draw: func() float64 { return drawGeometric(n.stream, rate) }}
	switch {
	case n.kind == laplace:
		how = countLaw{rate: rate, law: laplaceLaw,
			miss: elementary.Log1p(-elementary.Exp(-rate/2) / 2), // P(x ≥ ½) = e^(-rate/2)/2
			draw: func() float64 { return float64(drawLaplace(n.stream) * scale) }}
	case path.budget.exact:
		s, t, err := path.exactRate(n.mechanism, epsilon)
		if err == nil {
			err = n.whole(table.Counts)
		}
		if err != nil {
			return nil, err
		}
		how = countLaw{rate: float64(s) / float64(t), law: geometricLaw,
			draw:  func() float64 { return float64(discreteLaplace(n.stream, s, t)) },
			skips: func(places uint64) *skips { return newSkips(n.stream, s, t, places) }}
	}
	return newSparse(path, n.mechanism, epsilon, table, how)
}

// countLaw is how the counts of a Sparse are drawn.
type countLaw struct {
	rate, miss float64                              // as in Sparse
	law        func(k, count, rate float64) float64 // laplaceLaw or geometricLaw
	draw       func() float64                       // noise of an occupied cell's count
	skips      func(places uint64) *skips           // of a Publication
}

func newSparse(path *Path, m *mechanism, epsilon float64, table SparseTable,
	how countLaw) (*Sparse, error) {
	if err := path.charge(m, epsilon, m.sensitivity.Claimed/epsilon); err != nil {
		return nil, err
	}
	s := &Sparse{table: table, stream: m.stream, rate: how.rate, miss: how.miss}
	watch := path.budget.watch
	c, forced, err := watch.begin(m, epsilon, how.rate, table.Counts...)
	switch {
	case err != nil:
		return nil, err
	case forced:
		watch.sparse(c, m, &table, how.law)
		s.forced, s.seen = true, c.seen
		return s, nil
	case c != nil:
		s.call, c.grouped = c, true
		c.cells = slices.Clone(table.Occupied)
	}
	for i, n := range table.Counts {
		table.Counts[i] = math.Max(0, math.Floor(n+how.draw()+0.5))
	}
	s.places = (table.Cells - uint64(len(table.Occupied))) * uint64(table.Width)
	if how.skips != nil {
		s.exact = how.skips(s.places)
	}
	s.pass(0)
	return s, nil
}

// pass moves to the next count of an empty cell that is seen, at or after the place from. It draws
// how many counts are passed, and the value of the one that is seen.
func (s *Sparse) pass(from uint64) {
	if s.exact != nil {
		s.place, s.value = s.exact.next(from, s.places)
		return
	}
	// The number of places before it is geometric; beyond ½, or beyond 0 of the integers, both
	// tails are memoryless with the same rate.
	u := s.stream.Open01()
	hit := elementary.Log(fine(u, s.stream))
	if u > 1-rare { // likewise: the next count is seen at once
		hit = elementary.Log1p(-rare * fine(s.stream.Open01(), s.stream))
	}
	before := hit / s.miss
	s.value = 1 + math.Floor(-elementary.Log(fine(s.stream.Open01(), s.stream))/s.rate)
	if s.place = s.places; before < float64(s.places-min(from, s.places)) {
		s.place = min(from+uint64(before), s.places)
	}
}

// Next returns the next cell with a count above 0 and writes its counts. ok is false at the end.
func (s *Sparse) Next(counts []float64) (cell uint64, ok bool) {
	if s.forced {
		if len(s.seen) == 0 {
			return 0, false
		}
		cell = s.seen[0].cell
		copy(counts, s.seen[0].counts)
		s.seen = s.seen[1:]
		return cell, true
	}
	width := uint64(s.table.Width)
	for {
		// The empty cell of a place is found by passing the occupied ones before it.
		occupied := s.next < len(s.table.Occupied)
		cell = s.place/width + uint64(s.next)
		if occupied && (s.place >= s.places || s.table.Occupied[s.next] <= cell) {
			own := s.table.Counts[s.next*s.table.Width : (s.next+1)*s.table.Width]
			cell = s.table.Occupied[s.next]
			s.next++
			if slices.Max(own) > 0 {
				copy(counts, own)
				break
			}
			continue
		}
		if s.place >= s.places {
			return 0, false
		}
		clear(counts)
		for last := s.place / width; s.place < s.places && s.place/width == last; {
			counts[s.place%width] = s.value
			s.pass(s.place + 1)
		}
		break
	}
	if s.call != nil {
		s.call.seen = append(s.call.seen, seenCell{cell, slices.Clone(counts)})
	}
	return cell, true
}

// sparse compares the tables of a replayed call. All counts that are not 0 in either are compared.
func (w *watch) sparse(c *call, m *mechanism, table *SparseTable,
	law func(k, count, rate float64) float64) {
	outcome := func(cell uint64, y int) float64 {
		i, found := slices.BinarySearchFunc(c.seen, cell, func(s seenCell, cell uint64) int {
			return cmp.Compare(s.cell, cell)
		})
		if !found {
			return 0
		}
		return c.seen[i].counts[y]
	}
	distance, loss := 0.0, 0.0
	i, j := 0, 0
	for i < len(c.cells) || j < len(table.Occupied) {
		was, now := i < len(c.cells), j < len(table.Occupied)
		if was && now {
			was, now = c.cells[i] <= table.Occupied[j], table.Occupied[j] <= c.cells[i]
		}
		for y := range table.Width {
			before, after := 0.0, 0.0
			cell := uint64(0)
			if was {
				before, cell = c.values[i*table.Width+y], c.cells[i]
			}
			if now {
				after, cell = table.Counts[j*table.Width+y], table.Occupied[j]
			}
			if before != after {
				distance += math.Abs(before - after)
				k := outcome(cell, y)
				loss += law(k, before, c.rate) - law(k, after, c.rate)
			}
		}
		if was {
			i++
		}
		if now {
			j++
		}
	}
	w.compared(m, c.amount, distance, loss)
}

// laplaceLaw is the logarithm of the probability that a count with Laplace noise is rounded to k
// or, for k = 0, to at most 0.
func laplaceLaw(k, count, rate float64) float64 {
	// below is P(noise < x).
	below := func(x float64) float64 {
		if x < 0 {
			return float64(elementary.Exp(float64(x*rate)) / 2)
		}
		return 1 - float64(elementary.Exp(float64(-x*rate))/2)
	}
	if k == 0 {
		return elementary.Log(below(0.5 - count))
	}
	if d := k - count; d > 0.5 { // in one tail, without cancellation
		return float64(-(d-0.5)*rate) + elementary.Log(-elementary.Expm1(-rate)/2)
	} else if d < -0.5 {
		return float64((d+0.5)*rate) + elementary.Log(-elementary.Expm1(-rate)/2)
	}
	return elementary.Log(below(k+0.5-count) - below(k-0.5-count))
}

// geometricLaw is laplaceLaw for two-sided geometric noise.
func geometricLaw(k, count, rate float64) float64 {
	if k > 0 {
		// tanh(rate/2) is (1-e^(-rate))/(1+e^(-rate))
		return float64(-math.Abs(k-count)*rate) + elementary.Log(-elementary.Expm1(-rate)) -
			elementary.Log1p(elementary.Exp(-rate))
	}
	if count <= 0 {
		return elementary.Log1p(-elementary.Exp((count-1)*rate) / (1 + elementary.Exp(-rate)))
	}
	return float64(-count*rate) - elementary.Log1p(elementary.Exp(-rate)) // P(noise ≤ -count)
}
