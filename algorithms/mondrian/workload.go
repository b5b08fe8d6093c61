package mondrian

import (
	"cmp"
	"math"
	"slices"
)

// maxQueries bounds a workload.
const maxQueries = 1 << 17

// planner makes the partition of split: workload. Regions are cut largest first, so that every cut
// is judged by the errors that cuts of like size have left.
type planner struct {
	*splitter
	// off is how far the answers of a dimension's queries are off, one query for each code: the
	// estimate, if records spread uniformly in their region's box, less the truth, in records.
	off   [][]float64
	queue []*planned // regions that may be cut, the largest last
	made  int        // regions

	counts []int32 // scratch: rows below each code of the box
	spans  []span
}

// planned is a region of rows in the box [low, high). It is cut on dim at the code at, unless the
// sides are nil.
type planned struct {
	number      int // in the order in which regions are made
	rows        []int32
	low, high   []uint32
	dim         int
	at          uint32
	left, right *planned
}

// anonymizeWorkload partitions all rows by the workload of one count for every value of every
// dimension, and passes the regions to the builder.
func (s *splitter) anonymizeWorkload(rows []int32) error {
	p := &planner{splitter: s, off: make([][]float64, s.dims), spans: make([]span, s.dims)}
	root := &planned{rows: rows}
	for d := range s.dims {
		cells := s.space.Cells(d)
		root.low, root.high = append(root.low, 0), append(root.high, cells)
		p.cumulate(rows, d, 0, cells)
		for code := range cells {
			truth := float64(p.counts[code+1] - p.counts[code])
			p.off[d] = append(p.off[d], float64(len(rows))/float64(cells)-truth)
		}
	}
	p.queue = append(p.queue, root)
	for n := len(p.queue); n > 0; n = len(p.queue) {
		largest := p.queue[n-1]
		p.queue = p.queue[:n-1]
		if err := p.divide(largest); err != nil {
			return err
		}
	}
	return p.emit(root)
}

// cumulate sets counts[c-low] to the number of rows below c, for codes c from low to high.
func (p *planner) cumulate(rows []int32, dim int, low, high uint32) {
	p.counts = append(p.counts[:0], make([]int32, high-low+1)...)
	p.space.Histogram(rows, dim, low, p.counts[1:])
	for i := 1; i < len(p.counts); i++ {
		p.counts[i] += p.counts[i-1]
	}
}

// maxCuts is how many cuts of one attribute are judged at most in a region, evenly spread; a
// judgement takes time linear in the box's codes.
const maxCuts = 256

// leastRelief is the number of records by which a cut must lower the sum of errors to count as
// lowering it: well above rounding.
const leastRelief = 1e-6

// divide cuts a region where that lowers the workload's error the most, or, where no allowable cut
// lowers it, as split: median does.
func (p *planner) divide(r *planned) error {
	n, k := len(r.rows), p.params.K
	if err := p.poll.After(n); err != nil {
		return err
	}
	best, found := -leastRelief, false
	for d := range p.dims {
		low, high := r.low[d], r.high[d]
		p.spans[d] = span{low: low, high: high - 1}
		if high-low < 2 {
			continue
		}
		p.cumulate(r.rows, d, low, high)
		step := (high - low + maxCuts - 1) / maxCuts
		for c := low + 1; c < high; c += step {
			left := int(p.counts[c-low])
			if left < k || n-left < k {
				continue
			}
			if relief := p.change(n, left, d, low, c, high); relief < best {
				best, r.dim, r.at, found = relief, d, c, true
			}
		}
	}
	if !found {
		c, ok := p.allowableCut(r.rows, p.spans)
		if !ok {
			return nil
		}
		r.dim, r.at = c.dim, c.at
	}
	low, high := r.low[r.dim], r.high[r.dim]
	left := p.space.Split(r.rows, r.dim, r.at)
	for code := low; code < high; code++ {
		p.off[r.dim][code] += shift(n, left, low, r.at, high, code)
	}
	r.left, r.right = p.side(r, r.rows[:left]), p.side(r, r.rows[left:])
	r.left.high[r.dim], r.right.low[r.dim] = r.at, r.at
	return nil
}

// side is a region in the box of another, with some of its rows.
func (p *planner) side(of *planned, rows []int32) *planned {
	p.made++
	side := &planned{number: p.made, rows: rows, low: slices.Clone(of.low),
		high: slices.Clone(of.high)}
	if len(rows) >= 2*p.params.K {
		// Of regions of equal size the oldest is last.
		at, _ := slices.BinarySearchFunc(p.queue, side, func(a, b *planned) int {
			return cmp.Or(cmp.Compare(len(a.rows), len(b.rows)), cmp.Compare(b.number, a.number))
		})
		p.queue = slices.Insert(p.queue, at, side)
	}
	return side
}

// change is by how much a cut of a box changes the sum of the absolute errors of a dimension's
// queries. Those on other dimensions keep theirs: the halves have the same extent along them and
// together the same records.
func (p *planner) change(n, left, dim int, low, at, high uint32) float64 {
	sum := 0.0
	for code := low; code < high; code++ {
		off := p.off[dim][code]
		sum += math.Abs(off+shift(n, left, low, at, high, code)) - math.Abs(off)
	}
	return sum
}

// shift is by how much a cut of the codes [low, high) at the code at, with left of n rows below it,
// changes the estimate of a code's rows.
func shift(n, left int, low, at, high, code uint32) float64 {
	before := float64(n) / float64(high-low)
	if code < at {
		return float64(left)/float64(at-low) - before
	}
	return float64(n-left)/float64(high-at) - before
}

// emit passes a node's regions to the builder, in the order of the rows.
func (p *planner) emit(r *planned) error {
	if r.left == nil {
		clear(p.spans) // no range is known
		return p.summarise(r.rows, p.spans)
	}
	return p.boxes.Halve(r.dim, r.at,
		func() error { return p.emit(r.left) }, func() error { return p.emit(r.right) })
}
