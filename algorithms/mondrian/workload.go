package mondrian

import (
	"container/heap"
	"math"
)

// predicate is a query's interval of codes, [low, high), with how far its answer is off: the
// estimate less the truth, in records.
type predicate struct {
	low, high uint32
	off       float64
}

// maxQueries bounds a workload.
const maxQueries = 1 << 17

// planner makes the partition of split: workload. Regions are cut largest first, so that every cut
// is judged by the errors that cuts of like size have left.
type planner struct {
	*splitter
	rows       []int32
	predicates [][]predicate // by dimension
	nodes      []plannedNode
	low, high  []uint32 // boxes, dims for each node
	queue      []int32  // open nodes, a heap

	counts []int32 // rows below each code of the box
	spans  []span
}

// plannedNode is a region of rows [from, to). It is cut on dim at the code at, unless left is 0.
type plannedNode struct {
	from, to    int32
	dim         int32
	at          uint32
	left, right int32
}

// planned partitions all rows by the workload of one count for every value of every dimension, and
// passes the regions to the builder.
func (s *splitter) planned(rows []int32) error {
	p := &planner{splitter: s, rows: rows, predicates: make([][]predicate, s.dims),
		spans: make([]span, s.dims)}
	p.nodes = append(p.nodes, plannedNode{to: int32(len(rows))})
	for d := range s.dims {
		p.low, p.high = append(p.low, 0), append(p.high, s.space.Cells(d))
		p.cumulate(rows, d, 0, s.space.Cells(d))
		for code := range s.space.Cells(d) {
			q := predicate{low: code, high: code + 1}
			truth := float64(p.counts[q.high] - p.counts[q.low])
			q.off = share(len(rows), 0, s.space.Cells(d), &q) - truth
			p.predicates[d] = append(p.predicates[d], q)
		}
	}
	heap.Push(p, int32(0))
	for p.Len() > 0 {
		at := heap.Pop(p).(int32)
		if err := p.divide(at); err != nil {
			return err
		}
	}
	return p.emit(0)
}

// share is how many of n records spread uniformly over the codes [low, high) satisfy a predicate.
func share(n int, low, high uint32, q *predicate) float64 {
	from, to := max(low, q.low), min(high, q.high)
	if from >= to {
		return 0
	}
	return float64(n) * float64(to-from) / float64(high-low)
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
// judgement takes time linear in the attribute's predicates.
const maxCuts = 256

// divide cuts a region where that lowers the workload's error the most, or, where no allowable cut
// lowers it, as split: median does.
func (p *planner) divide(at int32) error {
	node := p.nodes[at]
	rows, k := p.rows[node.from:node.to], p.params.K
	if err := p.poll(len(rows)); err != nil {
		return err
	}
	bestDim, bestAt, best := -1, uint32(0), -leastRelief
	for d := range p.dims {
		low, high := p.low[int(at)*p.dims+d], p.high[int(at)*p.dims+d]
		p.spans[d] = span{low: low, high: high - 1}
		if high-low < 2 || len(p.predicates[d]) == 0 {
			continue
		}
		p.cumulate(rows, d, low, high)
		step := (high - low + maxCuts - 1) / maxCuts
		for c := low + 1; c < high; c += step {
			left := int(p.counts[c-low])
			if left < k {
				continue
			}
			if len(rows)-left < k {
				break
			}
			if change := p.change(len(rows), left, d, low, c, high); change < best {
				bestDim, bestAt, best = d, c, change
			}
		}
	}
	if bestDim < 0 {
		if bestDim, bestAt = p.middle(rows); bestDim < 0 {
			return nil
		}
	}
	low, high := p.low[int(at)*p.dims+bestDim], p.high[int(at)*p.dims+bestDim]
	left := p.space.Split(rows, bestDim, bestAt)
	for i := range p.predicates[bestDim] {
		q := &p.predicates[bestDim][i]
		q.off += shift(len(rows), left, low, bestAt, high, q)
	}
	first := int32(len(p.nodes))
	cut := &p.nodes[at]
	cut.dim, cut.at, cut.left, cut.right = int32(bestDim), bestAt, first, first+1
	p.nodes = append(p.nodes, plannedNode{from: node.from, to: node.from + int32(left)},
		plannedNode{from: node.from + int32(left), to: node.to})
	for range 2 {
		p.low = append(p.low, p.low[int(at)*p.dims:int(at+1)*p.dims]...)
		p.high = append(p.high, p.high[int(at)*p.dims:int(at+1)*p.dims]...)
	}
	p.high[int(first)*p.dims+bestDim] = bestAt
	p.low[int(first+1)*p.dims+bestDim] = bestAt
	for child := first; child < first+2; child++ {
		if int(p.nodes[child].to-p.nodes[child].from) >= 2*k {
			heap.Push(p, child)
		}
	}
	return nil
}

// leastRelief is the number of records by which a cut must lower the sum of errors to count as
// lowering it: well above rounding.
const leastRelief = 1e-6

// change is by how much a cut changes the sum of the absolute errors of a dimension's predicates.
// Those on other dimensions keep theirs: the halves have the same extent along them and together
// the same records.
func (p *planner) change(n, left, dim int, low, at, high uint32) float64 {
	sum := 0.0
	for i := range p.predicates[dim] {
		q := &p.predicates[dim][i]
		if q.high <= low || q.low >= high || q.low <= low && q.high >= high {
			continue
		}
		sum += math.Abs(q.off+shift(n, left, low, at, high, q)) - math.Abs(q.off)
	}
	return sum
}

// shift is by how much a cut of the codes [low, high) at the code at changes a predicate's
// estimate.
func shift(n, left int, low, at, high uint32, q *predicate) float64 {
	return share(left, low, at, q) + share(n-left, at, high, q) - share(n, low, high, q)
}

// middle is the cut of split: median.
func (p *planner) middle(rows []int32) (dim int, at uint32) {
	if c, ok := p.allowableCut(rows, p.spans); ok {
		return c.dim, c.at
	}
	return -1, 0
}

// emit passes a node's regions to the builder, in the order of the rows.
func (p *planner) emit(at int32) error {
	node := &p.nodes[at]
	if node.left == 0 {
		if _, _, err := p.boxes.Leaf(); err != nil {
			return err
		}
		clear(p.spans) // no range is known
		p.end(p.rows[node.from:node.to], p.spans)
		return nil
	}
	return p.boxes.Halve(int(node.dim), node.at,
		func() error { return p.emit(node.left) }, func() error { return p.emit(node.right) })
}

func (p *planner) Len() int { return len(p.queue) }

// Less puts larger regions first, of equal ones the older.
func (p *planner) Less(i, j int) bool {
	a, b := &p.nodes[p.queue[i]], &p.nodes[p.queue[j]]
	if m, n := a.to-a.from, b.to-b.from; m != n {
		return m > n
	}
	return p.queue[i] < p.queue[j]
}

func (p *planner) Swap(i, j int) { p.queue[i], p.queue[j] = p.queue[j], p.queue[i] }

func (p *planner) Push(node any) { p.queue = append(p.queue, node.(int32)) }

func (p *planner) Pop() any {
	last := p.queue[len(p.queue)-1]
	p.queue = p.queue[:len(p.queue)-1]
	return last
}
