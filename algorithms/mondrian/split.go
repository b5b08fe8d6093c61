package mondrian

import (
	"context"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/disclosure"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
	"ppdp/numeric/elementary"
)

// splitter is a partition in the making. Each level of the recursion keeps, in spans, what is known
// of the ranges of its region's records. A child inherits its parent's ranges as outer bounds and
// measures an attribute only when the bound says that it might be the widest: on most regions
// that is one or two attributes of many. Ranges are never taken for the child's own before they
// are measured on the child.
type splitter struct {
	poll   partition.Poll
	params *Params
	limits *disclosure.Checker
	space  *partition.Space // of the table, or of the rows of a region
	dims   int
	spans  []span   // dims for each level
	codes  []uint32 // scratch of relaxed splits, as is moved
	moved  []int32

	boxes *partition.Builder
	// tightLow and tightHigh are the regions' half-open ranges, as far as they are known.
	tightLow, tightHigh []uint32

	made      partition.Generalised // the finished partition
	structure algorithms.Structure

	class classes // scratch of split: class
}

// span bounds a region's codes on one dimension, both ends included.
type span struct {
	low, high uint32
	measured  bool // the ends are attained
	// spent reports that neither cut beside the median is allowed. By k alone none is in any part
	// of the region either, so that children inherit it. This needs both cuts of errata M1 to have
	// failed: after the printed one alone it would be wrong. Where a cut breaks the limits, one of
	// a part may keep them: children do not inherit it then.
	spent bool
}

// split partitions all rows of the table, listed in order; the list is used up.
func split(ctx context.Context, table *datasets.Table, rows []int32,
	params *Params) (*splitter, error) {
	space := partition.NewSpace(table, table.Schema().QuasiIdentifiers())
	s := &splitter{poll: partition.NewPoll(ctx), params: params, space: space, dims: space.Dims(),
		made: partition.Generalised{Rows: rows}}
	var err error
	if s.limits, err = params.Checker(table, rows, params.K); err == nil {
		err = s.limits.CheckAll()
	}
	if err != nil {
		return nil, err
	}
	if s.limits != nil && !params.limitable() { // persons: their records are counted in their place
		inRecords := *params
		inRecords.K = algorithms.LeastRecords(table.Schema(), params.K)
		s.params, s.limits = &inRecords, nil
	}
	for d := range s.dims {
		s.spans = append(s.spans, span{low: 0, high: space.Cells(d) - 1})
	}
	s.boxes = partition.NewBuilder(space, math.MaxInt)
	switch {
	case len(rows) == 0:
	case params.Split == Workload:
		err = s.anonymizeWorkload(rows)
	default:
		err = s.part(rows, 0)
	}
	if err != nil {
		return nil, err
	}
	s.made.Regions, s.structure = s.boxes.Regions(), s.boxes.Structure()
	s.made.Regions.TightLow, s.made.Regions.TightHigh = s.tightLow, s.tightHigh
	return s, nil
}

// part partitions the rows of the current box: as they are, or copied together where that pays.
func (s *splitter) part(rows []int32, depth int) error {
	recurse := s.anonymize
	if s.params.Mode == Relaxed {
		recurse = s.anonymizeRelaxed
	}
	space := s.space
	var near *partition.Space
	if len(rows) >= 4*s.params.K && s.limits == nil { // which know the rows by their numbers
		near = space.Near(rows)
	}
	if near == nil {
		return recurse(rows, depth)
	}
	places := slices.Clone(rows)
	for i := range rows {
		rows[i] = int32(i)
	}
	s.space = near
	err := recurse(rows, depth)
	s.space = space
	for i, row := range rows {
		rows[i] = places[row]
	}
	return err
}

func (s *splitter) level(depth int) []span { return s.spans[depth*s.dims : (depth+1)*s.dims] }

// descend gives the level below depth a copy of depth's spans, as bounds.
func (s *splitter) descend(depth int) []span {
	if len(s.spans) < (depth+2)*s.dims {
		s.spans = append(s.spans, make([]span, s.dims)...)
	}
	child := s.level(depth + 1)
	for d, parent := range s.level(depth) {
		child[d] = span{low: parent.low, high: parent.high, measured: parent.low == parent.high,
			spent: parent.spent && s.limits == nil}
	}
	return child
}

// chooseDimension is the paper's choose_dimension: the dimension of the largest normalised width
// among those not spent, or -1 when all that are left have width 0. It measures no more of them
// than needed.
func (s *splitter) chooseDimension(rows []int32, spans []span) int {
	for {
		best := -1
		for d := range spans {
			if spans[d].spent || spans[d].low == spans[d].high {
				continue
			}
			if best < 0 || s.wider(spans, d, best) {
				best = d
			}
		}
		if best < 0 || spans[best].measured {
			return best
		}
		low, high := s.space.Extent(rows, best, spans[best].low, spans[best].high)
		spans[best] = span{low: low, high: high, measured: true}
	}
}

// wider compares two normalised widths without rounding, so that ties are ties.
func (s *splitter) wider(spans []span, a, b int) bool {
	of := func(d int) uint64 { return uint64(spans[d].high - spans[d].low) }
	return of(a)*uint64(s.space.Cells(b)) > of(b)*uint64(s.space.Cells(a))
}

// anonymize is the paper's recursion (Fig. 7) over the rows of the builder's current box:
//
//	Anonymize(partition)
//	  if no allowable multidimensional cut: return partition       allowableCut, summarise
//	  dim ← choose_dimension()                                     chooseDimension
//	  fs ← frequency_set(partition, dim)                           Space.Median
//	  splitVal ← find_median(fs)                                   findMedian
//	  lhs ← {t : t.dim ≤ splitVal}, rhs ← {t : t.dim > splitVal}   Space.Split
//	  return Anonymize(rhs) ∪ Anonymize(lhs)                       Builder.Halve
func (s *splitter) anonymize(rows []int32, depth int) error {
	if err := s.poll.After(len(rows)); err != nil {
		return err
	}
	c, ok := s.allowableCut(rows, s.level(depth))
	if !ok {
		return s.summarise(rows, s.level(depth))
	}
	lhs := s.space.Split(rows, c.dim, c.at)
	return s.boxes.Halve(c.dim, c.at, func() error {
		s.descend(depth)[c.dim] = c.below
		return s.part(rows[:lhs], depth+1)
	}, func() error {
		s.descend(depth)[c.dim] = c.above
		return s.part(rows[lhs:], depth+1)
	})
}

// cut divides a region on a dimension: codes below at are the left-hand side. below and above are
// what is known of the sides' ranges on that dimension.
type cut struct {
	dim          int
	at           uint32
	below, above span
}

// allowableCut is the cut of a region: at the median of the widest dimension that has an allowable
// one, or first, under split: class, where classes separate best. ok is false where no cut is
// allowable.
func (s *splitter) allowableCut(rows []int32, spans []span) (c cut, ok bool) {
	if len(rows) < 2*s.params.K {
		return cut{}, false
	}
	if s.params.Split == Class {
		if dim, at, ok := s.purest(rows, spans); ok && s.allows(rows, dim, at) {
			return cut{dim: dim, at: at, below: span{low: spans[dim].low, high: at - 1},
				above: span{low: at, high: spans[dim].high}}, true
		}
	}
	for {
		dim := s.chooseDimension(rows, spans)
		if dim < 0 {
			return cut{}, false
		}
		if c, ok := s.findMedian(rows, dim, spans[dim]); ok {
			return c, true
		}
		spans[dim].spent = true
	}
}

// summarise makes the builder's current box a region of the rows, with the tight ranges that happen
// to be known.
func (s *splitter) summarise(rows []int32, spans []span) error {
	s.made.End(len(rows))
	for _, known := range spans {
		if !known.measured {
			s.tightLow, s.tightHigh = append(s.tightLow, 0), append(s.tightHigh, partition.Unknown)
			continue
		}
		s.tightLow = append(s.tightLow, known.low)
		s.tightHigh = append(s.tightHigh, known.high+1)
	}
	_, _, err := s.boxes.Leaf()
	return err
}

// allows reports whether both sides of a cut keep the limits.
func (s *splitter) allows(rows []int32, dim int, at uint32) bool {
	return s.limits == nil || s.limits.AllowsBoth(rows, s.space.Split(rows, dim, at))
}

// findMedian returns the cut of a dimension beside the median of its frequency set (Space.Median
// counts it). ok is false when neither {≤ median | > median} nor {< median | ≥ median} is allowed;
// if neither leaves k rows on both sides, no cut on this dimension does (errata M1).
func (s *splitter) findMedian(rows []int32, dim int, whole span) (c cut, ok bool) {
	median, below, equal := s.space.Median(rows, dim, whole.low, whole.high+1)
	n, k := len(rows), s.params.K
	upTo := below + equal // rows of the paper's left-hand side
	upToOK := upTo >= k && n-upTo >= k && s.allows(rows, dim, median+1)
	belowOK := below >= k && n-below >= k && s.allows(rows, dim, median)
	switch {
	case upToOK && belowOK && s.params.Cut == Even && unevenness(n, below) < unevenness(n, upTo):
		upToOK = false
	case !upToOK && !belowOK:
		return cut{}, false
	}
	// The median's own side ends at the median; where the other side begins is not known.
	if upToOK {
		return cut{dim: dim, at: median + 1,
			below: span{low: whole.low, high: median, measured: true},
			above: span{low: median + 1, high: whole.high}}, true
	}
	return cut{dim: dim, at: median, below: span{low: whole.low, high: median - 1},
		above: span{low: median, high: whole.high, measured: true}}, true
}

func unevenness(n, left int) int { return max(n-2*left, 2*left-n) }

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
