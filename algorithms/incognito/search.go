package incognito

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/disclosure"
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
	// Best is the allowed vector of the least loss, if there are weights, or discernibility.
	Best []int
	// Heights are the hierarchies' highest levels.
	Heights []int
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
	if len(rows) > 0 && len(rows) < params.K {
		return nil, fmt.Errorf("incognito: %w", algorithms.ErrTooFew)
	}
	attributes := table.Schema().QuasiIdentifiers()
	hierarchies, err := hierarchiesOf(table.Schema())
	if err != nil {
		return nil, err
	}
	result, vectors := &Result{}, 1.0
	for _, hierarchy := range hierarchies {
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
	s, err := newSearch(ctx, table, rows, attributes, hierarchies, params)
	if err != nil {
		return nil, err
	}
	s.heights = result.Heights
	parts := make([]int, 1<<len(attributes)-1)
	for i := range parts {
		parts[i] = i + 1
	}
	slices.SortStableFunc(parts, func(a, b int) int {
		return cmp.Compare(bits.OnesCount(uint(a)), bits.OnesCount(uint(b)))
	})
	s.anonymous = make([][]bool, 1<<len(attributes))
	for _, part := range parts {
		if err := s.part(part, result); err != nil {
			return nil, err
		}
	}
	if s.best.vector == nil {
		return nil, fmt.Errorf("incognito: %w: no generalisation does with at most %d of %d "+
			"records suppressed", disclosure.ErrUnattainable, s.most, len(rows))
	}
	result.Best, result.Counted = s.best.vector, s.counted
	s.rank(result)
	return result, nil
}

func newSearch(ctx context.Context, table *datasets.Table, rows []int32, attributes []int,
	hierarchies []*datasets.Hierarchy, params *Params) (*search, error) {
	s := &search{ctx: ctx, k: int32(params.K), rows: len(rows),
		most: params.Suppression.Most(len(rows)), hierarchies: hierarchies}
	var err error
	if s.limits, err = params.Checker(table, rows, params.K); err != nil {
		return nil, err
	}
	if err := s.limits.CheckAll(); err != nil && s.most == 0 {
		return nil, fmt.Errorf("incognito: %w", err)
	}
	if s.weights, err = params.Weights.Of(table.Schema()); err != nil {
		return nil, err
	}
	s.necessary = s.limits.Monotone(s.most > 0)
	return s, s.base(table, rows, attributes)
}

// hierarchiesOf are those of the quasi-identifiers.
func hierarchiesOf(schema *datasets.Schema) (hierarchies []*datasets.Hierarchy, err error) {
	for _, attribute := range schema.QuasiIdentifiers() {
		hierarchy, err := schema.Attributes[attribute].Generalisation()
		if err != nil {
			return nil, fmt.Errorf("incognito: %w: %w", algorithms.ErrTooLarge, err)
		}
		hierarchies = append(hierarchies, hierarchy)
	}
	return hierarchies, nil
}

// search is a walk through all parts of the quasi-identifiers. A part is a set of them, one bit
// each; its vectors are numbered in mixed radix, the last attribute fastest.
type search struct {
	ctx         context.Context
	k           int32
	rows, most  int // most may be suppressed
	limits      *disclosure.Checker
	necessary   *disclosure.Checker // what is monotone of limits
	weights     []float64
	hierarchies []*datasets.Hierarchy
	heights     []int
	ladders     []ladder
	sensitive   []field
	records     *frequencies
	anonymous   [][]bool // for each part, for each of its vectors, that the necessary holds
	counted     int
	best        candidate

	classes classes // scratch

	roller roller
	work   int // groups handled since the last check of the context
	spare  []*frequencies
}

// pollEvery is how many groups are handled between checks of the context: some milliseconds.
const pollEvery = 1 << 19

// lattice is a part with its vectors.
type lattice struct {
	dims   []int // the part's attributes, as positions among the quasi-identifiers
	stride []int // of each, in a vector's number
	size   int
}

func (s *search) lattice(part int) lattice {
	l := lattice{size: 1}
	for d := range s.heights {
		if part>>d&1 == 1 {
			l.dims = append(l.dims, d)
		}
	}
	l.stride = make([]int, len(l.dims))
	for i := len(l.dims) - 1; i >= 0; i-- {
		l.stride[i] = l.size
		l.size *= s.heights[l.dims[i]] + 1
	}
	return l
}

// level is the level of the i-th attribute in a vector.
func (s *search) level(l *lattice, vector, i int) int {
	return vector / l.stride[i] % (s.heights[l.dims[i]] + 1)
}

// part finds the vectors of one part for which what is necessary holds, in ascending order of their
// sums of levels. Of the whole it counts all that may be better than those below: where records may
// be suppressed, a generalisation of an allowed vector may suppress fewer and cost less.
func (s *search) part(part int, result *Result) error {
	l := s.lattice(part)
	whole := len(l.dims) == len(s.heights)
	vectors, heights := make([]int, l.size), make([]int, l.size)
	for v := range vectors {
		vectors[v] = v
		for i := range l.dims {
			heights[v] += s.level(&l, v, i)
		}
	}
	slices.SortStableFunc(vectors, func(a, b int) int {
		return cmp.Compare(heights[a], heights[b])
	})

	anonymous := make([]bool, l.size)
	s.anonymous[part] = anonymous
	all := whole && s.most > 0
	covered := make([]bool, l.size) // is, or is above, an allowed vector of the whole
	// Counts are kept for the vectors of the height below: all that one step up can need.
	var start *frequencies
	counts := make([]*frequencies, l.size)
	dropped := 0 // vectors before this place have no counts any more
	for _, v := range vectors {
		for heights[vectors[dropped]] < heights[v]-1 {
			s.drop(counts, vectors[dropped])
			dropped++
		}
		var below *frequencies
		above, step := false, -1
		for i := range l.dims {
			if s.level(&l, v, i) == 0 {
				continue
			}
			w := v - l.stride[i]
			above, covered[v] = above || anonymous[w], covered[v] || covered[w]
			if c := counts[w]; c != nil && (below == nil || len(c.keys) < len(below.keys)) {
				below, step = c, i
			}
		}
		if above && !all { // what is necessary holds for generalisations, too
			anonymous[v] = true
			continue
		}
		if !above && !s.partsHold(part, &l, v) {
			continue
		}
		if !whole && s.single(&l, v) { // the groups are those of a part, which holds
			anonymous[v] = true
			s.counted++
			continue
		}
		if start == nil {
			start = s.project(part)
		}
		into := s.take()
		switch {
		case heights[v] == 0:
			into.keys = append(into.keys[:0], start.keys...)
			into.counts = append(into.counts[:0], start.counts...)
		case below != nil:
			d := l.dims[step]
			from := s.level(&l, v, step) - 1
			s.roller.roll(below, []change{{s.ladders[d].field, s.ladders[d].step[from]}}, into)
			s.work += len(below.keys)
		default:
			var changes []change
			for i, d := range l.dims {
				if level := s.level(&l, v, i); level > 0 {
					changes = append(changes, change{s.ladders[d].field, s.ladders[d].up[level]})
				}
			}
			s.roller.roll(start, changes, into)
			s.work += len(start.keys)
		}
		counts[v] = into
		s.counted++
		anonymous[v] = s.judge(into, s.necessary) <= s.most
		if anonymous[v] && whole && (s.necessary == s.limits || s.judge(into, s.limits) <= s.most) {
			vector := make([]int, len(l.dims))
			for i := range l.dims {
				vector[i] = s.level(&l, v, i)
			}
			found := s.price(into, vector)
			if s.best.vector == nil || found.compare(&s.best) < 0 {
				s.best = found
			}
			if !covered[v] {
				covered[v] = true
				result.Minimal = append(result.Minimal, vector)
				result.Discernibility = append(result.Discernibility, found.discernibility)
			}
		}
		if s.work >= pollEvery {
			s.work = 0
			if err := s.ctx.Err(); err != nil {
				return err
			}
		}
	}
	for ; dropped < l.size; dropped++ {
		s.drop(counts, vectors[dropped])
	}
	return nil
}

// single reports whether the vector leaves one group of some attribute's values.
func (s *search) single(l *lattice, vector int) bool {
	for i, d := range l.dims {
		if s.ladders[d].single[s.level(l, vector, i)] {
			return true
		}
	}
	return false
}

// partsHold reports whether the vector is k-anonymous on every part that leaves one attribute out:
// otherwise it is not on the whole.
func (s *search) partsHold(part int, l *lattice, vector int) bool {
	if len(l.dims) == 1 {
		return true
	}
	for i, d := range l.dims {
		// Leaving attribute i out closes the gap between the higher strides and the lower ones.
		lower := vector % l.stride[i]
		higher := vector / (l.stride[i] * (s.heights[d] + 1))
		if !s.anonymous[part&^(1<<d)][higher*l.stride[i]+lower] {
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
	if len(changes) == 0 {
		return s.records
	}
	counts := &frequencies{}
	s.roller.roll(s.records, changes, counts)
	s.work += len(s.records.keys)
	return counts
}

func (s *search) take() *frequencies {
	if n := len(s.spare); n > 0 {
		counts := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return counts
	}
	return &frequencies{}
}

// drop keeps the memory of a vector's counts for others.
func (s *search) drop(counts []*frequencies, vector int) {
	if c := counts[vector]; c != nil {
		s.spare = append(s.spare, c)
		counts[vector] = nil
	}
}

// rank sorts the minimal vectors.
func (s *search) rank(result *Result) {
	order := make([]int, len(result.Minimal))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return slices.Compare(result.Minimal[a], result.Minimal[b])
	})
	minimal, discernibility := make([][]int, len(order)), make([]int64, len(order))
	for i, at := range order {
		minimal[i], discernibility[i] = result.Minimal[at], result.Discernibility[at]
	}
	result.Minimal, result.Discernibility = minimal, discernibility
}
