package incognito

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/disclosure"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// Result is what a search finds out. A vector has one level for each quasi-identifier, in the
// order of the schema; level 0 are the values themselves. It is allowed where what is not
// suppressed is k-anonymous and keeps the limits, and no more than the limit is suppressed.
type Result struct {
	// Minimal are the allowed vectors that no other allowed vector is below, in ascending order of
	// levels. Where the condition is monotone, all vectors above them are allowed, no others are.
	Minimal [][]int
	// Discernibility holds, for each of Minimal, the sum of the squares of its groups' sizes, and
	// the number of rows for each row that is suppressed.
	Discernibility []int64
	// Best is the allowed vector of the least discernibility.
	Best []int
	// Heights are the hierarchies' highest levels.
	Heights     []int
	hierarchies []*datasets.Hierarchy // of the quasi-identifiers
	// Counted is the number of vectors, those of parts of the quasi-identifiers included, whose
	// groups the paper counts. Groups that are known from a part are not counted again.
	Counted int
}

// maxVectors bounds the vectors of all quasi-identifiers; one bit is kept for each, and for those
// of every part.
const maxVectors = 1 << 22

// maxAttributes bounds the quasi-identifiers: there are 2^n parts of n of them.
const maxAttributes = 16

// Search finds the minimal allowed vectors and the best one; validated parameters, and k = 1,
// are expected. Without rows every vector is allowed, and level 0 the best. It returns an error
// that wraps algorithms.ErrTooFew when there are rows but fewer than k, one that wraps
// disclosure.ErrUnattainable when no vector keeps the limits, one that wraps algorithms.ErrTooLarge
// when there are too many vectors, and ctx.Err() when the context ends.
func Search(ctx context.Context, table *datasets.Table, rows []int32,
	params *Params) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := algorithms.CheckEnough(len(rows), params.K); err != nil {
		return nil, fmt.Errorf("incognito: %w", err)
	}
	attributes := table.Schema().QuasiIdentifiers()
	result, vectors := &Result{}, 1.0
	for _, attribute := range attributes {
		hierarchy, err := table.Schema().Attributes[attribute].Generalisation()
		if err != nil {
			return nil, fmt.Errorf("incognito: %w: %w", algorithms.ErrTooLarge, err)
		}
		result.hierarchies = append(result.hierarchies, hierarchy)
		result.Heights = append(result.Heights, hierarchy.Height())
		vectors *= float64(hierarchy.Height() + 1)
	}
	if vectors > maxVectors || len(attributes) > maxAttributes {
		return nil, fmt.Errorf("incognito: %w: %d quasi-identifiers, %g vectors, may be %d, %d",
			algorithms.ErrTooLarge, len(attributes), vectors, maxAttributes, maxVectors)
	}
	if len(rows) == 0 || len(attributes) == 0 {
		result.Best = make([]int, len(attributes))
		result.Minimal = [][]int{result.Best}
		result.Discernibility = []int64{int64(len(rows)) * int64(len(rows))}
		return result, nil
	}
	s, err := newSearch(ctx, table, rows, attributes, result, params)
	if err != nil {
		return nil, err
	}
	// The part without attributes has one vector.
	s.anonymous[0] = []bool{true}
	for part := 1; part < len(s.anonymous); part++ { // after all its subsets
		if err := s.part(part); err != nil {
			return nil, err
		}
	}
	if s.best.vector == nil {
		return nil, fmt.Errorf("incognito: %w: no generalisation does with at most %d of %d "+
			"records suppressed", disclosure.ErrUnattainable, s.most, len(rows))
	}
	result.Best = s.best.vector
	return result, nil
}

func newSearch(ctx context.Context, table *datasets.Table, rows []int32, attributes []int,
	result *Result, params *Params) (*search, error) {
	s := &search{Result: result, poll: partition.NewPoll(ctx), k: int32(params.K), rows: len(rows),
		most: params.Suppression.Most(len(rows)), anonymous: make([][]bool, 1<<len(attributes))}
	var err error
	if s.limits, err = params.Checker(table, rows, params.K); err != nil {
		return nil, err
	}
	if err := s.limits.CheckAll(); err != nil && s.most == 0 {
		return nil, fmt.Errorf("incognito: %w", err)
	}
	s.necessary = s.limits.Monotone(s.most > 0)
	return s, s.base(table, rows, attributes)
}

// search is a walk through all parts of the quasi-identifiers. A part is a set of them, one bit
// each; its vectors are numbered in mixed radix, the last attribute fastest.
type search struct {
	*Result
	k          int32
	rows, most int // most may be suppressed
	limits     *disclosure.Checker
	necessary  *disclosure.Checker // what is monotone of limits
	ladders    []ladder
	sensitive  []field
	records    *frequencies
	anonymous  [][]bool // for each part, for each of its vectors, that the necessary holds
	best       candidate

	classes classes // scratch

	groups partition.Numbering // scratch
	poll   partition.Poll
	work   int // groups handled since the last poll
}

// walk is a walk through the vectors of a part, in ascending order of their sums of levels.
type walk struct {
	dims    []int // the part's attributes, as positions among the quasi-identifiers
	stride  []int // of each, in a vector's number
	whole   bool  // the part is all quasi-identifiers
	vectors []int
	heights []int // sums of levels, of each vector

	anonymous []bool // by vector: what is necessary holds
	covered   []bool // is, or is above, an allowed vector of the whole
	// counts are kept for the vectors of the height below: all that one step up can need. Those
	// before the place dropped have none any more.
	counts  []*frequencies
	dropped int
	start   *frequencies // of the part's values; nil until they are needed
}

func (s *search) walk(part int) *walk {
	w, size := &walk{}, 1
	for d := range s.Heights {
		if part>>d&1 == 1 {
			w.dims = append(w.dims, d)
		}
	}
	w.stride = make([]int, len(w.dims))
	for i, d := range slices.Backward(w.dims) {
		w.stride[i] = size
		size *= s.Heights[d] + 1
	}
	w.whole = len(w.dims) == len(s.Heights)
	w.vectors, w.heights = make([]int, size), make([]int, size)
	for v := range w.vectors {
		w.vectors[v] = v
		for i := range w.dims {
			w.heights[v] += s.level(w, v, i)
		}
	}
	slices.SortStableFunc(w.vectors, func(a, b int) int {
		return cmp.Compare(w.heights[a], w.heights[b])
	})
	w.anonymous, w.covered = make([]bool, size), make([]bool, size)
	w.counts = make([]*frequencies, size)
	return w
}

// level is the level of the i-th attribute in a vector.
func (s *search) level(w *walk, vector, i int) int {
	return vector / w.stride[i] % (s.Heights[w.dims[i]] + 1)
}

// part is what the paper's Incognito does for one set of quasi-identifiers, whose subsets are done:
//
//	for each vector, the lowest first
//	  if a vector below it is k-anonymous, so is it                  (generalisation property)
//	  else unless it is k-anonymous on a subset, it is not           (subset property)
//	  else count its groups: of the records, or rolled up from those of a vector below (rollup
//	    property); it is k-anonymous if each has k records
//
// Where records may be suppressed, a generalisation of an allowed vector of all quasi-identifiers
// may suppress fewer and cost less: then all of those are counted.
func (s *search) part(part int) error {
	w := s.walk(part)
	s.anonymous[part] = w.anonymous
	for _, v := range w.vectors {
		for ; w.heights[w.vectors[w.dropped]] < w.heights[v]-1; w.dropped++ { // not needed again
			w.counts[w.vectors[w.dropped]] = nil
		}
		below, step, above := s.below(w, v)
		switch {
		case above && !(w.whole && s.most > 0):
			w.anonymous[v] = true
			continue
		case !above && !s.partsHold(part, w, v):
			continue
		case !w.whole && s.single(w, v): // the groups are those of a part, which holds
			w.anonymous[v] = true
			s.Counted++
			continue
		}
		groups := s.frequencySet(part, w, v, below, step)
		w.counts[v] = groups
		s.Counted++
		if w.anonymous[v] = s.judge(groups, s.necessary) <= s.most; w.anonymous[v] && w.whole {
			s.consider(w, v, groups)
		}
		if err := s.poll.After(s.work); err != nil {
			return err
		}
		s.work = 0
	}
	return nil
}

// below looks at the vectors one level below v: the fewest known counts, and the attribute whose
// level they are below; and whether what is necessary holds for any.
func (s *search) below(w *walk, v int) (counts *frequencies, step int, holds bool) {
	for i := range w.dims {
		if s.level(w, v, i) == 0 {
			continue
		}
		lower := v - w.stride[i]
		holds = holds || w.anonymous[lower]
		w.covered[v] = w.covered[v] || w.covered[lower]
		if c := w.counts[lower]; c != nil && (counts == nil || len(c.keys) < len(counts.keys)) {
			counts, step = c, i
		}
	}
	return counts, step, holds
}

// frequencySet counts the groups of a vector: from those of the vector below it, one level of the
// attribute step lower, or, where that is nil, of the records.
func (s *search) frequencySet(part int, w *walk, v int, below *frequencies,
	step int) *frequencies {
	if w.start == nil {
		w.start = s.project(part)
	}
	from, changes := w.start, []change(nil)
	if below != nil {
		ladder := &s.ladders[w.dims[step]]
		from = below
		changes = []change{{ladder.field, ladder.step[s.level(w, v, step)-1]}}
	} else {
		for i, d := range w.dims {
			if level := s.level(w, v, i); level > 0 {
				changes = append(changes, change{s.ladders[d].field, s.ladders[d].up[level]})
			}
		}
	}
	return s.roll(from, changes)
}

// consider judges a vector of all quasi-identifiers, for which what is necessary holds.
func (s *search) consider(w *walk, v int, groups *frequencies) {
	if s.necessary != s.limits && s.judge(groups, s.limits) > s.most {
		return
	}
	vector := make([]int, len(w.dims))
	for i := range w.dims {
		vector[i] = s.level(w, v, i)
	}
	found := s.price(vector)
	if s.best.vector == nil || found.compare(&s.best) < 0 {
		s.best = found
	}
	if !w.covered[v] {
		w.covered[v] = true
		at, _ := slices.BinarySearchFunc(s.Minimal, vector, slices.Compare)
		s.Minimal = slices.Insert(s.Minimal, at, vector)
		s.Discernibility = slices.Insert(s.Discernibility, at, found.discernibility)
	}
}

// single reports whether the vector leaves one group of some attribute's values.
func (s *search) single(w *walk, vector int) bool {
	for i, d := range w.dims {
		if s.ladders[d].single[s.level(w, vector, i)] {
			return true
		}
	}
	return false
}

// partsHold reports whether the vector is k-anonymous on every part that leaves one attribute out:
// otherwise it is not on the whole.
func (s *search) partsHold(part int, w *walk, vector int) bool {
	for i, d := range w.dims {
		// Leaving attribute i out closes the gap between the higher strides and the lower ones.
		lower := vector % w.stride[i]
		higher := vector / (w.stride[i] * (s.Heights[d] + 1))
		if !s.anonymous[part&^(1<<d)][higher*w.stride[i]+lower] {
			return false
		}
	}
	return true
}

// project counts the records by the values of a part's attributes.
func (s *search) project(part int) *frequencies {
	var changes []change
	for d := range s.ladders {
		if part>>d&1 == 0 {
			changes = append(changes, change{field: s.ladders[d].field})
		}
	}
	return s.roll(s.records, changes)
}

// classes are the groups of some frequencies, whose keys also hold sensitive values. published says
// which of them are not suppressed.
type classes struct {
	groups    *frequencies // without sensitive values
	published []bool

	own frequencies
	of  []int32 // the group of each key
	disclosure.Classes
}

// judge decides which groups are published: those of k records that keep the limits. It returns how
// many records are in the others.
func (s *search) judge(f *frequencies, limits *disclosure.Checker) (suppressed int) {
	c := &s.classes
	c.groups = f
	if limits != nil {
		s.gather(f)
		c.groups = &c.own
	}
	c.published = c.published[:0]
	for _, count := range c.groups.counts {
		c.published = append(c.published, count >= s.k)
	}
	if limits != nil {
		limits.Keep(&c.Classes, c.published)
	}
	for i, count := range c.groups.counts {
		if !c.published[i] {
			suppressed += int(count)
		}
	}
	return suppressed
}

// gather collects the keys of each group, with their sensitive values.
func (s *search) gather(f *frequencies) {
	c, quasi := &s.classes, ^uint64(0)
	for _, field := range s.sensitive {
		quasi &^= field.mask << (field.shift & 63)
	}
	s.groups.Reset(1, len(f.keys))
	c.own.counts, c.of = c.own.counts[:0], c.of[:0]
	for i, key := range f.keys {
		c.of = append(c.of, c.own.add(&s.groups, key&quasi, f.counts[i]))
	}
	s.work += len(f.keys)
	c.Arrange(len(c.own.counts), c.of, f.counts, len(s.sensitive),
		func(column int, i int32) uint32 {
			field := s.sensitive[column]
			return uint32(f.keys[i] >> (field.shift & 63) & field.mask)
		})
}

// candidate is an allowed vector with what it costs.
type candidate struct {
	vector         []int
	discernibility int64
	suppressed     int64
}

// compare puts the better one first; of equal ones the first in the order of levels.
func (c *candidate) compare(other *candidate) int {
	return cmp.Or(cmp.Compare(c.discernibility, other.discernibility),
		cmp.Compare(c.suppressed, other.suppressed), slices.Compare(c.vector, other.vector))
}

// price is what the groups that were judged last cost.
func (s *search) price(vector []int) candidate {
	c := candidate{vector: vector}
	for i, count := range s.classes.groups.counts {
		n := int64(count)
		if !s.classes.published[i] {
			c.suppressed += n
			c.discernibility += n * int64(s.rows)
		} else {
			c.discernibility += n * n
		}
	}
	return c
}
