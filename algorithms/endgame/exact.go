package endgame

import (
	"cmp"
	"math/bits"
	"slices"

	"ppdp/algorithms/kernel/disclosure"
	"ppdp/algorithms/kernel/partition"
)

// solver finds the cheapest partition of one small region after another. The rows of a region are
// numbered, and a part of it is a set of bits, one for each row. What lies below a cut is such a
// set, so that a part is cut by an intersection and its sides are counted by population counts.
type solver struct {
	space  *partition.Space
	limits *disclosure.Checker
	k      int
	work   int     // thousands of steps for each row; one is a word of a set that is read
	least  []int64 // by rows: what they cost at least, in classes as even as can be

	list  []int32  // rows of the region
	whole []uint64 // the set of all of them
	words int      // of a set
	cuts  []cut
	below []uint64            // the rows below each cut, words for each
	all   []int32             // the numbers of all cuts
	known partition.Numbering // of parts of the region
	parts []part              // what is known of each

	steps     int64 // that are left
	exhausted bool  // none were left, and something was left out for it

	// Scratch: stacks, on which a node of the search has its cuts, and for each level the two sides
	// of a cut.
	allowed []int32
	choices []choice
	sides   []uint64
	codes   []uint32
	tally   partition.Tally
	masks   []uint64
	dims    []extent
}

// work ends a search, with the best that was found, after this many thousand steps for each row. A
// step takes about 1 ns.
const work = 20

// part is what is known of a part of a region: its least cost and the cut that leads to it, or
// leaf, or a lower bound of the cost and tooDear.
type part struct {
	cost int64
	cut  int32
}

const (
	leaf    = -1
	tooDear = -2
)

// cut is a boundary: rows with codes below at on dimension dim go one way, the others the other.
type cut struct {
	dim int
	at  uint32
}

// choice is a cut that a part allows, with the rows below it and the least that it may lead to.
type choice struct {
	least int64
	cut   int32
	left  int32
}

// extent is how far a region reaches on a dimension, as a share of the domain.
type extent struct {
	dim       int
	low, high uint32
	width     float64
}

// solve finds the cheapest partition of a region's rows and its cost: cutOf leads to it.
func (s *solver) solve(rows []int32) int64 {
	s.region(rows)
	cost, _ := s.best(s.whole, len(rows), s.all, infinite, 0)
	return cost
}

const infinite = 1 << 62

// region prepares the search of a region's rows: all cuts that leave k rows on both sides, those of
// the dimension along which it is widest first. Of equally good cuts the search takes the first,
// which makes ranges narrow.
func (s *solver) region(rows []int32) {
	s.words = (len(rows) + 63) / 64
	s.list, s.whole = append(s.list[:0], rows...), make([]uint64, s.words)
	for i := range rows {
		s.whole[i>>6] |= 1 << (i & 63)
	}
	s.cuts, s.below, s.all, s.dims = s.cuts[:0], s.below[:0], s.all[:0], s.dims[:0]
	s.known.Reset(s.words, 1<<9)
	s.parts = s.parts[:0]
	s.steps, s.exhausted = int64(s.work)*1000*int64(len(rows)), false
	levels := len(rows)/s.k + 1 // each cut takes k rows away
	s.sides = slices.Grow(s.sides[:0], 2*s.words*levels)[:2*s.words*levels]
	for d := range s.space.Dims() {
		low, high := s.space.Extent(rows, d, 0, s.space.Cells(d)-1)
		s.dims = append(s.dims, extent{dim: d, low: low, high: high,
			width: float64(high-low) / float64(s.space.Cells(d))})
	}
	slices.SortStableFunc(s.dims, func(a, b extent) int { return cmp.Compare(b.width, a.width) })
	for _, e := range s.dims {
		if e.low < e.high {
			s.dimension(rows, e)
		}
	}
	for c := range s.cuts {
		s.all = append(s.all, int32(c))
	}
}

// dimension adds the cuts of one dimension.
func (s *solver) dimension(rows []int32, e extent) {
	s.codes = slices.Grow(s.codes[:0], len(rows))[:len(rows)]
	s.space.Codes(rows, e.dim, s.codes)
	s.space.Tally(&s.tally, rows, e.dim, e.low, e.high+1, false)
	values := s.tally.Values
	s.masks = slices.Grow(s.masks[:0], (len(values)+1)*s.words)[:(len(values)+1)*s.words]
	clear(s.masks)
	for i, code := range s.codes {
		place, _ := slices.BinarySearch(values, code)
		s.masks[place*s.words+i>>6] |= 1 << (i & 63)
	}
	sum := s.masks[len(values)*s.words:]
	for place := range len(values) - 1 {
		n := 0
		for w := range sum {
			sum[w] |= s.masks[place*s.words+w]
			n += bits.OnesCount64(sum[w])
		}
		if n >= s.k && len(rows)-n >= s.k {
			s.cuts = append(s.cuts, cut{dim: e.dim, at: values[place] + 1})
			s.below = append(s.below, sum...)
		}
	}
}

// keeps reports whether both sides of a cut of a set of rows keep the limits.
func (s *solver) keeps(mask []uint64, cut int32) bool {
	if s.limits == nil {
		return true
	}
	var sides [2][]int32
	for w, below := range s.side(mask, cut) {
		for rows := mask[w]; rows != 0; rows &= rows - 1 {
			bit := bits.TrailingZeros64(rows)
			side := below >> bit & 1
			sides[side] = append(sides[side], s.list[w<<6+bit])
		}
	}
	s.steps -= int64(len(sides[0]) + len(sides[1]))
	return s.limits.Allows(sides[0]) && s.limits.Allows(sides[1])
}

// side is the set of rows below a cut, of which mask is a subset.
func (s *solver) side(mask []uint64, cut int32) []uint64 {
	return s.below[int(cut)*s.words:][:len(mask)]
}

// count is the number of rows of a set that lie below a cut.
func (s *solver) count(mask []uint64, cut int32) int {
	below, n := s.side(mask, cut), 0
	for w, rows := range mask {
		n += bits.OnesCount64(rows & below[w])
	}
	return n
}

// best is the least cost of a part of n rows if that is below limit, or else (not ok) a lower bound
// of it. Once the steps have run out, it is the cost of a partition, or a lower bound below limit.
// from are cuts among which are all that the part allows: a cut that leaves fewer than k rows of
// the whole on a side leaves fewer of a part.
//
// A part of fewer than 2k rows cannot be cut, and one of fewer than 3k rows once. Of other parts
// the cuts are tried in the order of the least that they may lead to, as long as that is below what
// was found. What a part costs is kept, since different cuts in different order lead to it.
func (s *solver) best(mask []uint64, n int, from []int32, limit int64, depth int) (int64, bool) {
	if n < 2*s.k {
		return square(n), true
	}
	s.steps -= int64(len(from)) * int64(s.words)
	if n < 3*s.k {
		_, left := s.evenest(mask, n, from)
		return square(left) + square(n-left), true
	}
	place := s.known.Number(mask)
	if place == len(s.parts) {
		s.parts = append(s.parts, part{cut: tooDear})
	} else if e := s.parts[place]; e.cut > tooDear || e.cost >= limit {
		return e.cost, e.cut > tooDear
	}
	firstAllowed, firstChoice := len(s.allowed), len(s.choices)
	s.allow(mask, n, from)
	allowed, choices := s.allowed[firstAllowed:], s.choices[firstChoice:]
	lower, found := square(n), int32(tooDear)
	if lower < limit {
		limit, found = lower, leaf
	}
	sides := s.sides[2*s.words*depth:][:2*s.words]
	left, right := sides[:s.words], sides[s.words:]
	for i, c := range choices {
		if c.least >= limit {
			lower = min(lower, c.least)
			break
		}
		if i > 0 && s.steps < 0 {
			s.exhausted = true
			lower = min(lower, c.least)
			break
		}
		for w, below := range s.side(mask, c.cut) {
			left[w], right[w] = mask[w]&below, mask[w]&^below
		}
		// the smaller side is the cheaper one to know
		small, large, few, many := left, right, int(c.left), n-int(c.left)
		if few > many {
			small, large, few, many = right, left, many, few
		}
		cost, ok := s.best(small, few, allowed, limit-s.least[many], depth+1)
		if ok && cost+s.least[many] < limit {
			var more int64
			more, ok = s.best(large, many, allowed, limit-cost, depth+1)
			cost += more
		} else {
			cost += s.least[many]
		}
		if lower = min(lower, cost); ok && cost < limit {
			limit, found = cost, c.cut
		}
	}
	s.allowed, s.choices = s.allowed[:firstAllowed], s.choices[:firstChoice]
	if found > tooDear {
		lower = limit
	}
	s.parts[place] = part{cost: lower, cut: found}
	return lower, found > tooDear
}

// allow puts the cuts that a part of n rows allows on the stacks, each set of rows once: as they
// come, and as choices, if they keep the limits, in the order of the least that they may lead to.
func (s *solver) allow(mask []uint64, n int, from []int32) {
	first := len(s.choices)
	dim, before := -1, 0
	for _, c := range from {
		left := s.count(mask, c)
		if left < s.k || n-left < s.k || s.cuts[c].dim == dim && left == before {
			continue
		}
		dim, before = s.cuts[c].dim, left
		s.allowed = append(s.allowed, c)
		if !s.keeps(mask, c) { // which a part may yet
			continue
		}
		s.choices = append(s.choices, choice{least: s.least[left] + s.least[n-left], cut: c,
			left: int32(left)})
	}
	// Insertion: short lists, for the most part in order already.
	choices := s.choices[first:]
	for i, c := range choices {
		j := i
		for ; j > 0 && choices[j-1].least > c.least; j-- {
			choices[j] = choices[j-1]
		}
		choices[j] = c
	}
}

// evenest is the cut that comes closest to halving a part of n < 3k rows, and the rows below it;
// all n of them where the part allows none. Of two parts the more even ones cost less.
func (s *solver) evenest(mask []uint64, n int, from []int32) (cut int32, left int) {
	cut, left = leaf, n
	off := n - 2*s.k + 1 // of a cut that leaves less than k rows
	for _, c := range from {
		below := s.count(mask, c)
		if d := max(2*below-n, n-2*below); d < off && s.keeps(mask, c) {
			off, cut, left = d, c, below
		}
	}
	return cut, left
}

// cutOf is the first cut of the cheapest partition of a part of the region, once that is solved.
func (s *solver) cutOf(mask []uint64, n int) (c cut, below []uint64, ok bool) {
	number := int32(leaf)
	switch {
	case n < 2*s.k:
	case n < 3*s.k:
		number, _ = s.evenest(mask, n, s.all)
	default:
		number = s.parts[s.known.Number(mask)].cut
	}
	if number == leaf {
		return cut{}, nil, false
	}
	return s.cuts[number], s.side(mask, number), true
}

func square(n int) int64 { return int64(n) * int64(n) }

// cutsWithin bounds the number of cuts of a region with the given number of rows, whose codes lie
// within spans.
func cutsWithin(rows int, spans []span) int64 {
	cuts := int64(0)
	for _, s := range spans {
		if !s.spent {
			cuts += min(int64(s.high-s.low), int64(rows))
		}
	}
	return cuts
}
