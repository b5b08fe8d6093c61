package koptimize

import (
	"math"
	"slices"
)

// maxJoint bounds the table of joint counts, in entries of 4 bytes. Nodes with more classes or cuts
// are searched without one; that happens with attributes of thousands of values. A test lowers it.
var maxJoint = 1 << 24

// pairs is what a node learns about its tail's cuts two at a time, by rank in its order.
type pairs struct {
	m int // cuts
	// joint holds the rows of a class on the near side of two cuts that both divide it, at
	// (class·m+i)·m+j for i ≠ j.
	joint  []int32
	prices []pairPrice // at i·m+j for i < j
	rank   []int32     // of each cut of the tail in the order, -1 for those not there

	// Scratch for one class.
	dividers []divider // the ordered cuts that divide it, dimension after dimension,
	ends     []int32   // and where each dimension's end
	passed   []int32   // dividers below each place of a dimension
	places   []int32   // of each cell between the dividers, dimension after dimension
	table    []int32   // rows by their places on two dimensions
	both     []int32   // on the near side of a divider and of each of some others
}

// pairPrice is what two cuts come to.
type pairPrice struct {
	after int64 // cost of the head with both
	floor int64 // least cost of any partitioning below the node that has both
}

// forbidden is the price of two cuts that leave a class too small where rows may not be suppressed.
// It is beyond any cost, and stays so with any cost added or taken off.
const forbidden = math.MaxInt64 / 2

// divider is a cut that divides a class.
type divider struct {
	rank  int32
	near  int32 // rows on its near side
	cost  int64 // of both sides as classes
	least int64 // the least that both sides can come to
}

// pricePairs counts and prices all pairs of the node's ordered cuts, tries them, and notes those
// that exclude each other. It returns false, and leaves the node as it is, when that would take too
// much memory.
func (s *search) pricePairs(n *node) bool {
	q, cuts, m := &s.pairs, len(n.tail), len(n.order)
	if len(n.sizes)*m*m > maxJoint {
		return false
	}
	q.m = m
	q.joint, q.prices = resize(q.joint, len(n.sizes)*m*m), resize(q.prices, m*m)
	q.rank = resize(q.rank, cuts)
	for at := range q.rank {
		q.rank[at] = -1
	}
	for i, at := range n.order {
		q.rank[at] = int32(i)
	}
	for i, a := range n.order {
		after, floor, prices := n.after[a]-n.cost, n.floor[a]-n.base, q.prices[i*m:(i+1)*m]
		for j := i + 1; j < m; j++ {
			b := n.order[j]
			prices[j] = pairPrice{after + n.after[b], floor + n.floor[b]}
		}
	}
	dims := s.tailDims(n)
	start := int32(0)
	s.work += int64(m * m)
	for class, end := range n.ends {
		s.countPairs(n, dims, class, start, end)
		start = end
	}
	for i, a := range n.order {
		prices := q.prices[i*m : (i+1)*m]
		for j := i + 1; j < m; j++ {
			b := n.order[j]
			if prices[j].after < s.best {
				s.improve(prices[j].after, n.tail[a], n.tail[b])
			}
			if prices[j].floor >= s.best {
				n.excluded(a).add(n.tail[b])
				n.excluded(b).add(n.tail[a])
			}
		}
	}
	return true
}

// countPairs counts the rows of one class on the near side of every two cuts and adds to their
// prices what the two do together, beyond what each was counted for alone.
func (s *search) countPairs(n *node, dims []tailDim, class int, start, end int32) {
	p, q, size := s.problem, &s.pairs, n.sizes[class]
	q.listDividers(s, n, dims, class, start, end)
	joint := q.joint[class*q.m*q.m : (class+1)*q.m*q.m]
	weight, width := n.weight[start:end], len(q.ends)
	s.work += int64(len(weight) * width * (width + 1) / 2)
	q.both = resize(q.both, len(q.dividers))
	first := int32(0)
	for l, last := range q.ends {
		one := q.dividers[first:last]
		for x := range one { // on one dimension the near side of the first is within the other's
			others := one[x+1:]
			for y := range others {
				q.both[y] = one[x].near
			}
			q.add(p, size, one[x], others, joint)
		}
		first = last
		for r, from := l+1, last; r < width; r++ {
			q.across(p, size, one, q.dividers[from:q.ends[r]], q.places[l*len(weight):],
				q.places[r*len(weight):], weight, joint)
			from = q.ends[r]
		}
	}
}

// listDividers lists, dimension after dimension, the ordered cuts that divide a class, and where
// its cells lie between them.
func (q *pairs) listDividers(s *search, n *node, dims []tailDim, class int, start, end int32) {
	p, size, cells := s.problem, n.sizes[class], int(end-start)
	below := n.below[class*len(n.tail):]
	q.dividers, q.ends, q.places = q.dividers[:0], q.ends[:0], q.places[:0]
	for l := range dims {
		dim, first := &dims[l], len(q.dividers)
		q.passed = resize(q.passed, int(dim.cuts)+1)
		for i := range dim.cuts {
			q.passed[i] = int32(len(q.dividers) - first)
			near, rank := below[dim.from+i], q.rank[dim.from+i]
			if rank < 0 || near == 0 || near == size {
				continue
			}
			s.work += int64(q.m-int(rank)) / 2
			q.dividers = append(q.dividers, divider{rank, near, p.cost[near] + p.cost[size-near],
				p.least[near] + p.least[size-near]})
		}
		if len(q.dividers) == first {
			continue // a dimension none of whose cuts divides the class needs no counts
		}
		q.passed[dim.cuts] = int32(len(q.dividers) - first)
		q.ends = append(q.ends, int32(len(q.dividers)))
		from, passed := len(q.places), q.passed
		q.places = slices.Grow(q.places, cells)[:from+cells]
		places := q.places[from:]
		for i, at := range n.value[l*len(n.weight)+int(start):][:len(places)] {
			places[i] = passed[at]
		}
	}
}

// across adds the pairs of dividers of two dimensions, on which a class's cells lie at the given
// places: the rows on the near side of both are sums of a table of the two.
func (q *pairs) across(p *problem, size int32, one, other []divider, onePlaces, otherPlaces,
	weight, joint []int32) {
	stride := len(other) + 1
	q.table = resize(q.table, (len(one)+1)*stride)
	clear(q.table)
	tabulate(q.table, onePlaces, otherPlaces, weight, int32(stride))
	both := q.both[:len(other)]
	clear(both)
	for x := range one {
		sum := int32(0)
		for y, rows := range q.table[x*stride:][:len(both)] {
			sum += rows
			both[y] += sum
		}
		q.add(p, size, one[x], other, joint)
	}
}

// tabulate counts cells by two places. It is not inlined, since its caller has so many variables
// that the loop's would not all have registers.
//
//go:noinline
func tabulate(table, one, two, weight []int32, stride int32) {
	one, two = one[:len(weight)], two[:len(weight)]
	for i, w := range weight {
		table[one[i]*stride+two[i]] += w
	}
}

// add enters into joint, for a class of size rows, how many of them are on the near side of both
// the cut a and each of some others; q.both has these counts. It adds the class's part to the
// prices of the pairs.
func (q *pairs) add(p *problem, size int32, a divider, others []divider, joint []int32) {
	nearBoth := q.both[:len(others)]
	small := uint32(p.k - 1)
	least, wholeLeast, whole := p.least, p.least[size]-a.least, p.cost[size]-a.cost
	for y := range others {
		b, both := &others[y], nearBoth[y]
		low, high := int(min(a.rank, b.rank)), int(max(a.rank, b.rank))
		at := low*q.m + high
		joint[at], joint[high*q.m+low] = both, both
		sum := &q.prices[at]
		one, two, none := a.near-both, b.near-both, size-a.near-b.near+both
		if p.suppress {
			sum.after += p.cost[both] + p.cost[one] + p.cost[two] + p.cost[none] - b.cost + whole
		} else {
			if min(uint32(both-1), uint32(one-1), uint32(two-1), uint32(none-1)) < small {
				sum.after, sum.floor = forbidden, forbidden // a part of 1 to k-1 rows
				continue
			}
			// the same, since all costs are squares
			x, one, two := int64(both), int64(a.near), int64(b.near)
			sum.after += 2 * (x*(2*x+int64(size)-2*(one+two)) + one*two)
		}
		sum.floor += least[both] + least[one] + least[two] + least[none] - b.least + wholeLeast
	}
}
