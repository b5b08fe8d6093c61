package koptimize

import (
	"math"
	"math/bits"
	"slices"

	"ppdp/algorithms/kernel/partition"
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
	lines []divider // the ordered cuts that divide it, lane after lane
	ends  []int32   // where each lane's end
	place []int32   // on a lane, of each value: the lines below it
	value []int32   // of each cell on each lane
	table []int32   // joint frequencies of two lanes
	above []int32   // a row of their sums
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

// pair counts and prices all pairs of the node's ordered cuts, offers them, and notes those that
// exclude each other. It returns false, and leaves the node as it is, when that would take too much
// memory.
func (s *search) pair(n *node) bool {
	p, q, cuts, m := s.problem, &s.pairs, len(n.tail), len(n.order)
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
	lanes := s.survey(n)
	start := int32(0)
	s.work += int64(m * m)
	for class, end := range n.ends {
		s.join(n, lanes, class, start, end)
		start = end
	}
	for i, a := range n.order {
		prices := q.prices[i*m : (i+1)*m]
		for j := i + 1; j < m; j++ {
			b := n.order[j]
			if prices[j].after < s.best && !p.judges() { // else children offer them
				s.offer(prices[j].after, n.tail[a], n.tail[b])
			}
			if prices[j].floor >= s.best {
				exclude(n.conflict, p.words, a, n.tail[a], b, n.tail[b])
			}
		}
	}
	return true
}

// join counts the rows of one class on the near side of every two cuts and adds to their prices
// what the two do together, beyond what each was counted for alone.
func (s *search) join(n *node, lanes []lane, class int, start, end int32) {
	p, q, cuts, size := s.problem, &s.pairs, len(n.tail), n.sizes[class]
	below, joint := n.below[class*cuts:], q.joint[class*q.m*q.m:(class+1)*q.m*q.m]
	q.lines, q.ends, q.value = q.lines[:0], q.ends[:0], q.value[:0]
	cells := int(end - start)
	for l := range lanes {
		lane, first := &lanes[l], int32(len(q.lines))
		q.place = resize(q.place, int(lane.cuts)+1)
		for i := range lane.cuts {
			q.place[i] = int32(len(q.lines)) - first
			near, rank := below[lane.from+i], q.rank[lane.from+i]
			if rank < 0 || near == 0 || near == size {
				continue
			}
			s.work += int64(q.m-int(rank)) / 2
			q.lines = append(q.lines, divider{rank, near, p.cost[near] + p.cost[size-near],
				p.least[near] + p.least[size-near]})
		}
		last := int32(len(q.lines))
		if last == first {
			continue // lanes none of whose cuts divides the class need no counts
		}
		q.place[lane.cuts] = last - first
		q.ends = append(q.ends, last)
		q.value = slices.Grow(q.value, cells)[:len(q.value)+cells]
		value := q.value[len(q.value)-cells:]
		for i, at := range n.value[l*len(n.weight)+int(start):][:cells] {
			value[i] = q.place[at]
		}
	}
	weight, width := n.weight[start:end], len(q.ends)
	s.work += int64(cells * width * (width + 1) / 2)
	q.above = resize(q.above, len(q.lines))
	first := int32(0)
	for l, last := range q.ends {
		one := q.lines[first:last]
		for x := range one {
			others := one[x+1:]
			for y := range others {
				q.above[y] = one[x].near
			}
			q.add(p, size, one[x], others, joint)
		}
		first = last
		va := q.value[l*cells : (l+1)*cells]
		from := last
		for r := l + 1; r < width; r++ {
			other := q.lines[from:q.ends[r]]
			from = q.ends[r]
			vb := q.value[r*cells : (r+1)*cells]
			stride := int32(len(other) + 1)
			q.table = resize(q.table, (len(one)+1)*int(stride))
			table := q.table
			clear(table)
			tabulate(table, va, vb, weight, stride)
			above := q.above[:len(other)]
			clear(above)
			for x := range one {
				sum := int32(0)
				for y, rows := range table[x*int(stride):][:len(above)] {
					sum += rows
					above[y] += sum
				}
				q.add(p, size, one[x], other, joint)
			}
		}
	}
}

// tabulate counts cells by two places. In its caller the loop would not have registers enough.
//
//go:noinline
func tabulate(table, one, two, weight []int32, stride int32) {
	one, two = one[:len(weight)], two[:len(weight)]
	for i, w := range weight {
		table[one[i]*stride+two[i]] += w
	}
}

// add enters into joint, for a class of size rows, how many of them are on the near side of both
// the cut a and each of some others; q.above has these counts. It adds the class's part to the
// prices of the pairs.
func (q *pairs) add(p *problem, size int32, a divider, others []divider, joint []int32) {
	above := q.above[:len(others)]
	small := uint32(p.k - 1)
	least, wholeLeast, whole := p.least, p.least[size]-a.least, p.cost[size]-a.cost
	for y := range others {
		b, both := &others[y], above[y]
		low, high := int(min(a.rank, b.rank)), int(max(a.rank, b.rank))
		at := low*q.m + high
		joint[at], joint[high*q.m+low] = both, both
		sum := &q.prices[at]
		one, two, none := a.near-both, b.near-both, size-a.near-b.near+both
		if p.suppress() {
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

// tally adds up how much the cuts of a tail can lower one class's cost, a colour at a time.
type tally struct {
	sum, most, second, touching int64
	dims                        uint64 // those with cuts of colours that lower it
}

// add counts a colour, a group of cuts of which one at most is taken: the best of them lowers the
// sum of squares by save, and they lie on dims, a set of dimensions.
func (t *tally) add(save int64, dims uint64) {
	t.touching += int64(uint64(-save) >> 63) // 1 if it saves anything
	t.dims |= uint64(-save>>63) & dims
	t.sum += save
	t.second = max(t.second, min(t.most, save))
	t.most = max(t.most, save)
}

// tally adds up what the coloured cuts can save of a class of m rows, below[at] of them on the near
// side of the cut at.
func (c *colouring) tally(below []int32, m int64) tally {
	var t tally
	start := int32(0)
	for i, end := range c.ends {
		save := int64(0)
		for _, at := range c.at[start:end] {
			near := int64(below[at])
			save = max(save, near*(m-near))
		}
		start = end
		t.add(2*save, c.dims[i])
	}
	return t
}

// leastOf is what a class of m rows comes to at least.
//
// Every cut that divides a class, other than those that change nothing, makes one class of k rows
// more at least: no more than ⌊m/k⌋-1 of them, and no more than there are colours. c cuts make
// c+1 parts of a dimension, so that the fewer dimensions they lie on the fewer classes. Sums of
// squares fall by no more than the sum of what each cut alone does (pairs of rows are separated
// once), and a cut leaves two sides that every other cut at best halves.
func (p *problem) leastOf(m int64, t *tally) int64 {
	floor := p.least[m]
	pieces := int64(p.pieces[m])
	effective := min(t.touching, pieces-1)
	least := m * m
	if effective > 0 {
		least = max(least-min(t.sum, t.most+(effective-1)*t.second), floor)
		if effective < maxGrid {
			if parts := p.grid[bits.OnesCount64(t.dims)*maxGrid+int(effective)]; parts < pieces {
				least = max(least, partition.EvenSquares(m, parts))
			} else if p.suppress() { // else it is floor
				least = max(least, partition.EvenSquares(m, pieces))
			}
			least = max(least, (m*m-t.most)>>(effective-1))
		}
	}
	if p.suppress() { // or some rows are suppressed, at n each, and the rest cost k each
		least = max(floor, min(least, int64(p.n)+(m-1)*int64(p.k)))
	}
	return least
}

// bound is the least that the head and any of the tail's ordered cuts can cost, class by class. It
// is also the paper's: no record costs less than k, nor less than its cell has rows. Once it comes
// to the best known cost it is not added up any further. Classes that add the most to what their
// sizes allow are listed first in largest, if all were added up.
func (s *search) bound(n *node) int64 {
	s.colour(n, n.order)
	c, cuts := &s.colours, len(n.tail)
	p, total := s.problem, n.base
	s.work += int64(len(n.sizes) * len(n.order))
	s.largest = s.largest[:0]
	for class, size := range n.sizes {
		if total >= s.best {
			break
		}
		t := c.tally(n.below[class*cuts:(class+1)*cuts], int64(size))
		more := max(p.leastOf(int64(size), &t), n.atLeast[class]) - p.least[size]
		total += more
		s.largest = append(s.largest, excess{more, int32(class)})
	}
	return total
}

// excess is by how much a class's bound is more than what its size allows.
type excess struct {
	more  int64
	class int32
}

// childBound is the bound of the child with an ordered cut and the given others, a set, from the
// joint counts: the child need not be made.
func (s *search) childBound(n *node, cut int32, tail []uint64) int64 {
	s.colourSet(n, tail)
	p, c, q, cuts, m := s.problem, &s.colours, &s.pairs, len(n.tail), s.pairs.m
	s.work += int64(len(n.sizes) * len(c.at))
	i := int(q.rank[cut])
	total := n.floor[cut]
	for _, largest := range s.largest { // first, so that few others are needed
		if total >= s.best {
			break
		}
		class := int(largest.class)
		size := n.sizes[class]
		below := n.below[class*cuts : (class+1)*cuts]
		near := int64(below[cut])
		far := int64(size) - near
		if near == 0 || far == 0 {
			t := c.tally(below, int64(size))
			total += p.leastOf(int64(size), &t) - p.least[size]
			continue
		}
		joint := q.joint[(class*m+i)*m : (class*m+i+1)*m]
		var onNear, onFar tally
		start := int32(0)
		for colour, end := range c.ends {
			saveNear, saveFar := int64(0), int64(0)
			for _, at := range c.at[start:end] {
				other := below[at]
				if other == 0 || other == size {
					continue
				}
				both := int64(joint[q.rank[at]])
				two := int64(other) - both
				saveNear = max(saveNear, both*(near-both))
				saveFar = max(saveFar, two*(far-two))
			}
			start = end
			onNear.add(2*saveNear, c.dims[colour])
			onFar.add(2*saveFar, c.dims[colour])
		}
		if near >= int64(p.k) { // else it costs its least
			total += p.leastOf(near, &onNear) - p.least[near]
		}
		if far >= int64(p.k) {
			total += p.leastOf(far, &onFar) - p.least[far]
		}
	}
	return total
}

// hopeless is the bound of a node below which everything was offered already.
const hopeless = math.MaxInt64
