package koptimize

import (
	"math/bits"

	"ppdp/algorithms/kernel/partition"
)

// The paper's COMPUTE-LOWER-BOUND(H, H ∪ T) adds up, over records, the most of k and of the records
// in the class that all cuts of H ∪ T leave (a cell). The bound here is at least that: class by
// class, the best of it and of what few cuts can save.

// exclusiveGroups are groups of cuts of which at most one each can be taken.
type exclusiveGroups struct {
	at   []int32  // positions of the cuts in the tail, group after group
	ends []int32  // where each group ends
	dims []uint64 // the dimensions of each group's cuts, a set
	rest set      // scratch: the cuts without a group,
	open set      // and those that all cuts of the group exclude
}

// groupExclusive groups some of the node's cuts greedily: each, in ascending order of their
// numbers, is in the first group all of whose cuts it excludes. It takes words of cuts at a time.
func (s *search) groupExclusive(n *node, cuts set) {
	g, words := &s.groups, s.problem.words
	g.at, g.ends, g.dims = g.at[:0], g.ends[:0], g.dims[:0]
	g.rest = append(g.rest[:0], cuts...)
	for first := 0; ; {
		for first < words && g.rest[first] == 0 {
			first++
		}
		if first == words {
			return
		}
		g.open = append(g.open[:0], g.rest...)
		dims := uint64(0)
		for w := first; w < words; w++ {
			for g.open[w] != 0 {
				bit := bits.TrailingZeros64(g.open[w])
				g.rest[w] &^= 1 << bit
				at := n.place[w<<6+bit]
				g.at = append(g.at, at)
				dims |= 1 << (s.problem.cuts[w<<6+bit].dim & 63)
				excluded := n.excluded(at)
				for v := w; v < words; v++ {
					g.open[v] &= excluded[v]
				}
			}
		}
		g.ends, g.dims = append(g.ends, int32(len(g.at))), append(g.dims, dims)
	}
}

// saving adds up how much the cuts of a tail can lower one class's cost, a group at a time.
type saving struct {
	sum, most, second, touching int64
	dims                        uint64 // those with cuts of groups that lower it
}

// add counts a group: the best of its cuts lowers the sum of squares by save, and they lie on dims,
// a set of dimensions.
func (t *saving) add(save int64, dims uint64) {
	t.touching += int64(uint64(-save) >> 63) // 1 if it saves anything
	t.dims |= uint64(-save>>63) & dims
	t.sum += save
	t.second = max(t.second, min(t.most, save))
	t.most = max(t.most, save)
}

// saving adds up what the grouped cuts can save of a class of m rows, below[at] of them on the near
// side of the cut at: (a+b)² - a² - b² = 2ab for sides of a and b rows.
func (g *exclusiveGroups) saving(below []int32, m int64) saving {
	var t saving
	start := int32(0)
	for i, end := range g.ends {
		save := int64(0)
		for _, at := range g.at[start:end] {
			near := int64(below[at])
			save = max(save, near*(m-near))
		}
		start = end
		t.add(2*save, g.dims[i])
	}
	return t
}

// leastOf is what a class of m rows comes to at least.
//
// Every cut that divides a class, other than those that change nothing, makes one class of k rows
// more at least: no more than ⌊m/k⌋-1 of them, and no more than there are groups. c cuts make
// c+1 parts of a dimension, so that the fewer dimensions they lie on the fewer classes. Sums of
// squares fall by no more than the sum of what each cut alone does (pairs of rows are separated
// once), and a cut leaves two sides that every other cut at best halves.
func (p *problem) leastOf(m int64, t *saving) int64 {
	floor := p.least[m]
	pieces := int64(p.pieces[m])
	effective := min(t.touching, pieces-1)
	least := m * m
	if effective > 0 {
		least = max(least-min(t.sum, t.most+(effective-1)*t.second), floor)
		if effective < maxGrid {
			if parts := p.grid[bits.OnesCount64(t.dims)*maxGrid+int(effective)]; parts < pieces {
				least = max(least, partition.EvenSquares(m, parts))
			} else if p.suppress { // else it is floor
				least = max(least, partition.EvenSquares(m, pieces))
			}
			least = max(least, (m*m-t.most)>>(effective-1))
		}
	}
	if p.suppress { // or some rows are suppressed, at n each, and the rest cost k each
		least = max(floor, min(least, int64(p.n)+(m-1)*int64(p.k)))
	}
	return least
}

// excess is by how much a class's bound is more than what its size allows.
type excess struct {
	more  int64
	class int32
}

// computeLowerBound is the paper's COMPUTE-LOWER-BOUND: the least that the head and any of the
// tail's ordered cuts can cost, class by class. Once it comes to the best known cost it is not
// added up any further. largest is then how much the classes add to what their sizes allow, and
// later has all ordered cuts.
func (s *search) computeLowerBound(n *node) int64 {
	n.restart(s.problem.words)
	s.groupExclusive(n, n.later)
	cuts := len(n.tail)
	p, total := s.problem, n.base
	s.work += int64(len(n.sizes) * len(n.order))
	s.largest = s.largest[:0]
	for class, size := range n.sizes {
		if total >= s.best {
			break
		}
		t := s.groups.saving(n.below[class*cuts:(class+1)*cuts], int64(size))
		more := max(p.leastOf(int64(size), &t), n.atLeast[class]) - p.least[size]
		total += more
		s.largest = append(s.largest, excess{more, int32(class)})
	}
	return total
}

// childLowerBound is the lower bound of the child with an ordered cut and the given others as its
// tail, from the joint counts: the child need not be made.
func (s *search) childLowerBound(n *node, cut int32, tail set) int64 {
	s.groupExclusive(n, tail)
	p, q, g, cuts := s.problem, &s.pairs, &s.groups, len(n.tail)
	s.work += int64(len(n.sizes) * len(g.at))
	total := n.floor[cut]
	for _, largest := range s.largest { // first, so that few others are needed
		if total >= s.best {
			break
		}
		class, size := int(largest.class), n.sizes[largest.class]
		below := n.below[class*cuts : (class+1)*cuts]
		near, far := int64(below[cut]), int64(size-below[cut])
		if near == 0 || far == 0 {
			t := g.saving(below, int64(size))
			total += p.leastOf(int64(size), &t) - p.least[size]
			continue
		}
		joint := q.joint[(class*q.m+int(q.rank[cut]))*q.m:][:q.m]
		var onNear, onFar saving
		start := int32(0)
		for group, end := range g.ends {
			saveNear, saveFar := int64(0), int64(0)
			for _, at := range g.at[start:end] {
				rows := below[at]
				if rows == 0 || rows == size {
					continue
				}
				both := int64(joint[q.rank[at]])
				two := int64(rows) - both
				saveNear = max(saveNear, both*(near-both))
				saveFar = max(saveFar, two*(far-two))
			}
			start = end
			onNear.add(2*saveNear, g.dims[group])
			onFar.add(2*saveFar, g.dims[group])
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
