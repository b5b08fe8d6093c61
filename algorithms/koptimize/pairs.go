package koptimize

import (
	"math"
	"math/bits"

	"ppdp/algorithms/partition"
)

// maxJoint bounds the table of joint counts; nodes with more classes or cuts go without (a table of
// one's own with thousands of values, mostly).
const maxJoint = 1 << 24

// pairs is what a node learns about its tail's cuts two at a time, by rank in its order.
type pairs struct {
	m int // cuts
	// joint holds the rows of a class on the near side of two cuts, at (class·m+i)·m+j for i < j,
	// where both cuts divide the class.
	joint []int32
	after []int64 // at i·m+j: cost of the head with both
	floor []int64 // least cost of any partitioning below the node that has both
	fatal []bool  // together they leave a class too small
	rank  []int32 // of each cut of the tail, -1 for those not in order
	value []int32 // scratch: of each cell of a class on each lane
	table []int32 // scratch: joint frequencies of two lanes
	above []int32 // scratch: a row of their sums
}

// pair counts and prices all pairs of the node's ordered cuts, offers them, and notes those that
// exclude each other. It says false, and leaves the node as it is, when that would take too much
// memory.
func (s *search) pair(n *node) bool {
	p, q, cuts, m := s.problem, &s.pairs, len(n.tail), len(n.order)
	if len(n.sizes)*m*m > maxJoint {
		return false
	}
	q.m = m
	q.joint = resize(q.joint, len(n.sizes)*m*m)
	q.after, q.floor, q.fatal = resize(q.after, m*m), resize(q.floor, m*m), resize(q.fatal, m*m)
	clear(q.fatal)
	q.rank = resize(q.rank, cuts)
	for at := range q.rank {
		q.rank[at] = -1
	}
	for i, at := range n.order {
		q.rank[at] = int32(i)
	}
	for i, a := range n.order {
		for j, b := range n.order {
			q.after[i*m+j] = n.after[a] + n.after[b] - n.cost
			q.floor[i*m+j] = n.floor[a] + n.floor[b] - n.base
		}
	}
	lanes := s.survey(n)
	start := int32(0)
	s.work += int64(m * m)
	for class, end := range n.ends {
		below := n.below[class*cuts : (class+1)*cuts]
		joint := q.joint[class*m*m : (class+1)*m*m]
		s.join(n, lanes, start, end, n.sizes[class], below, joint)
		start = end
		size := n.sizes[class]
		whole, wholeLeast := p.cost[size], p.least[size]
		for i, a := range n.order {
			near := below[a]
			if near == 0 || near == size {
				continue
			}
			s.work += int64(m-i) / 2
			far := size - near
			splitCost := p.cost[near] + p.cost[far] - whole
			splitLeast := p.least[near] + p.least[far] - wholeLeast
			for j := i + 1; j < m; j++ {
				other := below[n.order[j]]
				if other == 0 || other == size {
					continue
				}
				both := joint[i*m+j]
				one, two, none := near-both, other-both, far-other+both
				if !p.suppress && (both != 0 && int(both) < p.k || one != 0 && int(one) < p.k ||
					two != 0 && int(two) < p.k || none != 0 && int(none) < p.k) {
					q.fatal[i*m+j] = true
					continue
				}
				// What the two do together, beyond what each was counted for alone.
				q.after[i*m+j] += p.cost[both] + p.cost[one] + p.cost[two] +
					p.cost[none] - p.cost[other] - p.cost[size-other] - splitCost
				q.floor[i*m+j] += p.least[both] + p.least[one] + p.least[two] +
					p.least[none] - p.least[other] - p.least[size-other] - splitLeast
			}
		}
	}
	for i, a := range n.order {
		for j := i + 1; j < m; j++ {
			b := n.order[j]
			if !q.fatal[i*m+j] {
				if q.after[i*m+j] < s.best {
					s.offer(q.after[i*m+j], n.tail[a], n.tail[b])
				}
				if q.floor[i*m+j] < s.best {
					continue
				}
			}
			exclude(n.conflict, p.words, a, n.tail[a], b, n.tail[b])
		}
	}
	return true
}

// join counts the rows of one class on the near side of every two cuts.
func (s *search) join(n *node, lanes []lane, start, end, size int32, below []int32, joint []int32) {
	p, q, m := s.problem, &s.pairs, s.pairs.m
	// Lanes none of whose cuts divides the class need no counts.
	s.touched = s.touched[:0]
	for l := range lanes {
		lane := &lanes[l]
		for at := lane.from; at < lane.from+lane.cuts; at++ {
			if q.rank[at] >= 0 && below[at] != 0 && below[at] != size {
				s.touched = append(s.touched, *lane)
				break
			}
		}
	}
	cells, width := int(end-start), len(s.touched)
	q.value = resize(q.value, cells*width)
	for l := range s.touched {
		lane, place := &s.touched[l], q.value[l*cells:(l+1)*cells]
		if p.words == 1 {
			for i, key := range n.key[start:end] {
				place[i] = int32(bits.OnesCount64(key & lane.mask[0]))
			}
			continue
		}
		for i := range place {
			at := (int(start) + i) * p.words
			place[i] = lane.place(n.key[at : at+p.words])
		}
	}
	weight := n.weight[start:end]
	s.work += int64(cells * width * (width + 1) / 2)
	for l := range s.touched {
		a := &s.touched[l]
		for at := a.from; at < a.from+a.cuts; at++ {
			i := q.rank[at]
			if i < 0 {
				continue
			}
			for to := at + 1; to < a.from+a.cuts; to++ {
				if j := q.rank[to]; j >= 0 {
					joint[int(min(i, j))*m+int(max(i, j))] = below[at]
				}
			}
		}
		va := q.value[l*cells : (l+1)*cells]
		for r := l + 1; r < width; r++ {
			b := &s.touched[r]
			vb := q.value[r*cells : (r+1)*cells]
			stride := b.cuts + 1
			q.table = resize(q.table, int((a.cuts+1)*stride))
			table := q.table
			clear(table)
			for i, w := range weight {
				table[va[i]*stride+vb[i]] += w
			}
			q.above = resize(q.above, int(b.cuts))
			above := q.above
			clear(above)
			for x := range a.cuts {
				sum := int32(0)
				i := q.rank[a.from+x]
				for y := range b.cuts {
					sum += table[x*stride+y]
					above[y] += sum
					if j := q.rank[b.from+y]; i >= 0 && j >= 0 {
						joint[int(min(i, j))*m+int(max(i, j))] = above[y]
					}
				}
			}
		}
	}
}

// tally adds up how much the cuts of a tail can lower one class's cost, a colour at a time.
type tally struct{ sum, most, second, touching int64 }

// add counts a colour whose best cut lowers the sum of squares by so much.
func (t *tally) add(save int64) {
	if save == 0 {
		return
	}
	t.touching++
	t.sum += save
	if save > t.most {
		t.most, t.second = save, t.most
	} else if save > t.second {
		t.second = save
	}
}

// tally adds up what the coloured cuts can save of a class of m rows, below[at] of them on the near
// side of the cut at.
func (c *colouring) tally(below []int32, m int64) tally {
	var t tally
	start := int32(0)
	for _, end := range c.ends {
		save := int64(0)
		for _, at := range c.at[start:end] {
			near := int64(below[at])
			save = max(save, near*(m-near))
		}
		start = end
		t.add(2 * save)
	}
	return t
}

// leastOf is what a class of m rows comes to at least.
//
// Every cut that divides a class, other than those that change nothing, makes one class of k rows
// more at least: no more than ⌊m/k⌋-1 of them, and no more than there are colours. Sums of squares
// fall by no more than the sum of what each cut alone does (pairs of rows are separated once), and
// a cut leaves two sides that every other cut at best halves.
func (p *problem) leastOf(m int64, t *tally) int64 {
	floor := p.least[m]
	pieces := m / int64(p.k)
	effective := min(t.touching, pieces-1)
	least := m * m
	if effective > 0 {
		least = max(least-min(t.sum, t.most+(effective-1)*t.second), floor)
		if effective < 30 {
			least = max(least, partition.EvenSquares(m, min(pieces, 1<<effective)),
				(m*m-t.most)>>(effective-1))
		}
	}
	if p.suppress { // or some rows are suppressed, at n each, and the rest cost k each
		least = max(floor, min(least, int64(p.n)+(m-1)*int64(p.k)))
	}
	return least
}

// bound is the least that the head and any of the tail's ordered cuts can cost, class by class. It
// is also the paper's: no record costs less than k, nor less than its cell has rows.
func (s *search) bound(n *node) int64 {
	s.colour(n, n.order)
	c, cuts := &s.colours, len(n.tail)
	p, total := s.problem, n.closed
	s.work += int64(len(n.sizes)*len(n.order) + len(n.weight)/4)
	start, k := int32(0), int64(min(p.k, p.n))
	for class, size := range n.sizes {
		t := c.tally(n.below[class*cuts:(class+1)*cuts], int64(size))
		inCells := int64(0)
		for _, weight := range n.weight[start:n.ends[class]] {
			inCells += int64(weight) * max(int64(weight), k)
		}
		start = n.ends[class]
		total += max(p.leastOf(int64(size), &t), inCells)
	}
	return total
}

// childBound is the bound of the child with the i-th ordered cut and the given ones, later in the
// order, from the joint counts: the child need not be made.
func (s *search) childBound(n *node, i int, tail []int32) int64 {
	s.colour(n, tail)
	p, c, q, cuts, m := s.problem, &s.colours, &s.pairs, len(n.tail), s.pairs.m
	total := n.closed
	s.work += int64(len(n.sizes) * len(tail))
	cut := n.order[i]
	for class, size := range n.sizes {
		below := n.below[class*cuts : (class+1)*cuts]
		near := int64(below[cut])
		far := int64(size) - near
		if near == 0 || far == 0 {
			t := c.tally(below, int64(size))
			total += p.leastOf(int64(size), &t)
			continue
		}
		joint := q.joint[(class*m+i)*m : (class*m+i+1)*m]
		var onNear, onFar tally
		start := int32(0)
		for _, end := range c.ends {
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
			onNear.add(2 * saveNear)
			onFar.add(2 * saveFar)
		}
		if near < int64(p.k) {
			total += p.cost[near]
		} else {
			total += p.leastOf(near, &onNear)
		}
		if far < int64(p.k) {
			total += p.cost[far]
		} else {
			total += p.leastOf(far, &onFar)
		}
	}
	return total
}

// hopeless is the bound of a node below which everything was offered already.
const hopeless = math.MaxInt64
