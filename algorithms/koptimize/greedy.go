package koptimize

import "slices"

// polishWork bounds the work spent on the start beyond the greedy solutions; a second or two.
const polishWork = 500_000_000

// start finds partitionings to begin with, because the search prunes by the best one it knows: the
// table as one class, then greedy solutions, then the best of these with one or two cuts replaced for
// as long as that helps.
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
	most := s.work + polishWork
	if s.limits.work > 0 {
		most = min(most, s.limits.work/4)
	}
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

// greedy adds the cut that lowers the cost the most to the node at depth until none does or none is left. Cuts of
// dimension first, if it is not -1, go before all others.
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
	s.root(s.level(0))
	depth := 0
	for _, c := range held {
		if slices.Contains(out, c) {
			continue
		}
		n := s.level(depth)
		s.measure(n)
		n.keep = n.keep[:0]
		at := -1
		for i, id := range n.tail {
			switch {
			case id == c:
				at = i
			case n.state[i] == open && !slices.Contains(out, id):
				n.keep = append(n.keep, int32(i))
			}
		}
		if at < 0 {
			continue // it divides no class of these: an earlier cut does the same
		}
		s.child(s.level(depth+1), n, at, n.keep)
		s.path = append(s.path, c)
		depth++
	}
	s.greedy(depth, -1)
	s.path = s.path[:0]
}
