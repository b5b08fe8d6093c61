package endgame

import (
	"context"
	"math"
	"slices"

	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// partitioner is a partition in the making.
type partitioner struct {
	poll   partition.Poll
	params *Params
	small  int // a region of fewer rows is left to the solver
	space  *partition.Space
	boxes  *partition.Builder
	made   partition.Generalised
	solver solver
	tally  partition.Tally // scratch

	solved, unfinished int // regions that the solver had, and that it gave up
}

// span is what is known of a region on one dimension: its codes lie in [low, high]. spent reports
// that no cut leaves k rows on both sides. Then none does in any part of the region either.
type span struct {
	low, high uint32
	spent     bool
}

// mostWords bounds the solver's table of what lies below each cut, 32 MB. Larger regions, of
// thousands of rows with thousands of cuts, are cut greedily further.
const mostWords = 1 << 22

// divide partitions all rows of a table, listed in order; the list is used up.
func divide(ctx context.Context, table *datasets.Table, rows []int32,
	params *Params) (*partitioner, error) {
	space := partition.NewSpace(table, table.Schema().QuasiIdentifiers())
	p := &partitioner{poll: partition.NewPoll(ctx), params: params, space: space,
		made:  partition.Generalised{Rows: rows},
		small: int(min(int64(params.Exact)*int64(params.K), math.MaxInt32)),
		boxes: partition.NewBuilder(space, math.MaxInt)}
	limits, err := params.Checker(table, rows, params.K)
	if err == nil {
		err = limits.CheckAll()
	}
	if err != nil {
		return nil, err
	}
	p.solver = solver{space: space, limits: limits, k: params.K, work: work}
	for n := range int64(min(p.small, len(rows)+1)) {
		p.solver.least = append(p.solver.least,
			partition.EvenSquares(n, max(1, n/int64(params.K))))
	}
	spans := make([]span, space.Dims())
	for d := range spans {
		spans[d].high = space.Cells(d) - 1
	}
	if len(rows) > 0 {
		err = p.open(rows, spans)
	}
	p.made.Regions = p.boxes.Regions()
	return p, err
}

// open partitions the rows of the builder's current box: by the cut of the largest gain as long as
// there are many of them, then as cheaply as possible.
func (p *partitioner) open(rows []int32, bounds []span) error {
	if err := p.poll.After(len(rows)); err != nil {
		return err
	}
	if len(rows) < p.small && cutsWithin(len(rows), bounds)*int64(len(rows)/64) <= mostWords {
		p.solver.solve(rows)
		p.solved++
		if p.solver.exhausted {
			p.unfinished++
		}
		return p.finish(rows, p.solver.whole)
	}
	spans := slices.Clone(bounds)
	best, dim, at := -1.0, -1, uint32(0)
	for d := range spans {
		if spans[d].spent {
			continue
		}
		if gain, code := p.narrowest(rows, d, &spans[d]); gain > best {
			best, dim, at = gain, d, code
		}
	}
	if dim < 0 {
		return p.leaf(rows)
	}
	left := p.space.Split(rows, dim, at)
	whole := spans[dim]
	return p.boxes.Halve(dim, at, func() error {
		spans[dim] = span{low: whole.low, high: at - 1}
		return p.open(rows[:left], spans)
	}, func() error {
		spans[dim] = span{low: at, high: whole.high}
		return p.open(rows[left:], spans)
	})
}

// narrowest finds the cut on a dimension that gains the most and bounds the rows' codes: the gain
// is by how much the ranges of the rows become narrower, added up over them, in shares of the
// domain. A range of one value has no width. Of equal cuts the lowest is taken. The gain is
// negative where no cut is allowed, and the dimension spent where none leaves k rows on both sides.
func (p *partitioner) narrowest(rows []int32, dim int, s *span) (gain float64, at uint32) {
	k, n := p.params.K, len(rows)
	t := &p.tally
	p.space.Tally(t, rows, dim, s.low, s.high+1, false)
	last := len(t.Values) - 1
	low, high := t.Values[0], t.Values[last]
	least, below, cut := uint64(math.MaxUint64), 0, -1 // the widths that are left, of all rows
	for i, code := range t.Values[:last] {
		if below += int(t.Counts[i]); n-below < k {
			break
		}
		if below < k {
			continue
		}
		left := uint64(below)*width(low, code) + uint64(n-below)*width(t.Values[i+1], high)
		limits := p.solver.limits
		if left < least && (limits == nil ||
			limits.AllowsBoth(rows, p.space.Split(rows, dim, code+1))) {
			least, cut = left, i
		}
	}
	*s = span{low: low, high: high, spent: cut < 0 && p.solver.limits == nil}
	if cut < 0 {
		return -1, 0
	}
	gain = float64(uint64(n)*width(low, high)-least) / float64(p.space.Cells(dim))
	return gain, t.Values[cut] + 1
}

// width is the number of cells from low to high, none for a single one.
func width(low, high uint32) uint64 {
	if low == high {
		return 0
	}
	return uint64(high-low) + 1
}

// finish cuts the rows of the builder's current box, a part of the solver's region, as it says.
func (p *partitioner) finish(rows []int32, mask []uint64) error {
	c, below, ok := p.solver.cutOf(mask, len(rows))
	if !ok {
		return p.leaf(rows)
	}
	left := p.space.Split(rows, c.dim, c.at)
	side := slices.Clone(mask)
	return p.boxes.Halve(c.dim, c.at, func() error {
		for w := range side {
			side[w] &= below[w]
		}
		return p.finish(rows[:left], side)
	}, func() error {
		for w := range side {
			side[w] = mask[w] &^ below[w]
		}
		return p.finish(rows[left:], side)
	})
}

// leaf makes the builder's current box a region.
func (p *partitioner) leaf(rows []int32) error {
	p.made.End(len(rows))
	_, _, err := p.boxes.Leaf()
	return err
}

// discernibility is the sum of the squares of the regions' sizes, and a lower bound of it for every
// partition that keeps equal rows together: a row's class has k rows, and all that are equal to it.
func (p *partitioner) discernibility() (cost, bound int64) {
	k, dims, start := int64(p.params.K), p.space.Dims(), int32(0)
	var codes []uint32
	var keys []uint64 // the codes of each row
	var known partition.Numbering
	for _, end := range p.made.Ends {
		rows := p.made.Rows[start:end]
		n := int64(len(rows))
		cost += n * n
		bound += n * k
		if start = end; n <= k {
			continue
		}
		codes = slices.Grow(codes[:0], len(rows))[:len(rows)]
		keys = slices.Grow(keys[:0], len(rows)*dims)[:len(rows)*dims]
		for d := range dims {
			p.space.Codes(rows, d, codes)
			for i, code := range codes {
				keys[i*dims+d] = uint64(code)
			}
		}
		known.Reset(dims, len(rows))
		equal := make([]int64, len(rows)) // rows by the number of their codes
		for i := range rows {
			equal[known.Number(keys[i*dims:(i+1)*dims])]++
		}
		for _, g := range equal {
			bound += g * max(0, g-k)
		}
	}
	n := int64(len(p.made.Rows))
	return cost, max(bound, partition.EvenSquares(n, max(1, n/k)))
}
