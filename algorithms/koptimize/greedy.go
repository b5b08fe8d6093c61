package koptimize

import (
	"cmp"
	"math"
	"slices"
)

// start finds partitionings to begin with, because the search prunes by the best one it knows: the
// table as one class, then greedy solutions, then the best of these polished.
func (s *search) start() {
	p := s.problem
	s.offer(p.cost[p.n])
	s.root(s.level(0))
	s.greedy(0, -1)
	for d := range p.dims {
		if p.first[d] < p.first[d+1] {
			s.greedy(0, d)
		}
	}
	s.polish(s.share(1, 4))
}

// share is the number of steps at which a share of the limit is used up.
func (s *search) share(part, of int64) int64 {
	if s.limits.work == 0 {
		return math.MaxInt64
	}
	return s.limits.work / of * part
}

// polish exchanges one or two cuts of the best partitioning for as long as that helps and fewer
// than most steps have been taken.
func (s *search) polish(most int64) {
	for size := 1; size <= 2 && !s.stopped && s.work < most; {
		before := s.best
		s.replace(size, most)
		if s.best < before {
			size = 1
		} else {
			size++
		}
	}
}

// greedy adds the cut that lowers the cost the most to the node at depth until none does or none is
// left. Cuts of dimension first, if it is not -1, go before all others.
func (s *search) greedy(depth, first int) {
	if s.halted() {
		return
	}
	n := s.level(depth)
	s.measure(n)
	best := int32(-1)
	n.order = n.order[:0]
	for at, state := range n.state {
		if state != open {
			continue
		}
		n.order = append(n.order, int32(at))
		if n.after[at] >= n.cost {
			continue
		}
		preferred := first >= 0 && s.problem.cuts[n.tail[at]].dim == first
		held := best >= 0 && first >= 0 && s.problem.cuts[n.tail[best]].dim == first
		if best < 0 || preferred && !held || preferred == held && n.after[at] < n.after[best] {
			best = int32(at)
		}
	}
	if best < 0 {
		return
	}
	s.offer(n.after[best], n.tail[best])
	n.keep = append(n.keep[:0], n.order...)
	n.keep = slices.DeleteFunc(n.keep, func(at int32) bool { return at == best })
	s.child(s.level(depth+1), n, int(best), n.keep)
	s.path = append(s.path, n.tail[best])
	s.greedy(depth+1, first)
	s.path = s.path[:len(s.path)-1]
}

// replace takes so many cuts, in every combination, out of the best partitioning and adds others
// greedily, until something better is found or the search has done most work.
func (s *search) replace(size int, most int64) {
	held := slices.Clone(s.bestCuts)
	slices.Sort(held)
	before := s.best
	out := make([]int32, 0, size)
	var choose func(from int)
	choose = func(from int) {
		if s.best < before || s.work >= most || s.stopped {
			return
		}
		if len(out) == size {
			s.without(held, out)
			return
		}
		for i := from; i < len(held); i++ {
			out = append(out, held[i])
			choose(i + 1)
			out = out[:len(out)-1]
		}
	}
	choose(0)
}

// without goes on greedily from the held cuts except those in out, which may not come back.
func (s *search) without(held, out []int32) {
	if s.halted() {
		return
	}
	p, n := s.problem, s.level(0)
	head := make([]uint64, p.words)
	s.only = resize(s.only, p.words)
	clear(s.only)
	n.tail, n.from = n.tail[:0], resize(n.from, p.dims+1)
	for d := range p.dims {
		n.from[d] = int32(len(n.tail))
		for c := p.first[d]; c < p.first[d+1]; c++ {
			id := int32(c)
			switch {
			case slices.Contains(out, id):
			case slices.Contains(held, id):
				head[c>>6] |= 1 << (c & 63)
				s.path = append(s.path, id)
			default:
				s.only[c>>6] |= 1 << (c & 63)
				n.tail = append(n.tail, id)
			}
		}
	}
	n.from[p.dims] = int32(len(n.tail))
	n.conflict = resize(n.conflict, len(n.tail)*p.words)
	clear(n.conflict)
	n.cells, n.closed = cells{key: n.key[:0], weight: n.weight[:0], ends: n.ends[:0],
		sizes: n.sizes[:0]}, 0

	// Rows of one class lie on the same sides of the head's cuts.
	class := func(i, j int32) int {
		a, b := p.cells.key[int(i)*p.words:], p.cells.key[int(j)*p.words:]
		for w, mask := range head {
			if order := cmp.Compare(a[w]&mask, b[w]&mask); order != 0 {
				return order
			}
		}
		return 0
	}
	s.list = resize(s.list, len(p.cells.weight))
	for i := range s.list {
		s.list[i] = int32(i)
	}
	slices.SortFunc(s.list, class)
	s.work += int64(4 * len(s.list))
	for start := 0; start < len(s.list); {
		end, size := start, int32(0)
		for end < len(s.list) && class(s.list[start], s.list[end]) == 0 {
			size += p.cells.weight[s.list[end]]
			end++
		}
		s.gather(n, &p.cells, s.list[start:end], size)
		start = end
	}
	s.offer(s.priced(n))
	s.greedy(0, -1)
	s.path = s.path[:0]
}

func (s *search) priced(n *node) int64 {
	cost := n.closed
	for _, size := range n.sizes {
		cost += s.problem.cost[size]
	}
	return cost
}
