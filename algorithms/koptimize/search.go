package koptimize

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"ppdp/algorithms/kernel/partition"
)

// search is a walk through the set-enumeration tree, depth first.
type search struct {
	ctx     context.Context
	problem *problem
	limits  limits

	levels []*node // by depth, filled anew at every visit
	path   []int32 // cuts of the current head

	best     int64   // cost of the best partitioning so far
	bestCuts []int32 // its cuts
	nodes    int
	judged   int // partitionings
	work     int64
	deepest  int
	stopped  bool
	unseen   int64 // least bound of what was left out after stopping
	near     bool  // the search at the next larger k, if any, ended by itself: this one may, too
	err      error // of the context
	polled   int64 // work at the last check of the context

	// Scratch.
	lanes     []lane
	frequency []int32
	list      []int32
	sides     []int32
	slots     []stamped
	stamp     uint32
	largest   []excess
	colours   colouring
	pairs     pairs
	first     []int32 // position in the order of each dimension's cheapest cut
	along     frequencies
	least     []int64 // of the values below each place, see fit
	from      []int32 // where the last part of those begins
	set       []uint64
	numbering partition.Numbering // of the classes that are judged,
	of        []int32             // and the number of each row's
}

// limits end a search early.
type limits struct {
	nodes int   // 0 for none
	work  int64 // 0 for none
}

// pollEvery is how much work is done between checks of the context: a few milliseconds.
const pollEvery = 1 << 21

func newSearch(ctx context.Context, p *problem, l limits) *search {
	return &search{ctx: ctx, problem: p, limits: l, best: math.MaxInt64, unseen: math.MaxInt64}
}

// run searches until every set of cuts has been visited or bounded, or a limit is reached. At most
// half of the work goes into the climb, and where the search may end by itself no more than a
// quarter without a better partitioning. There must be no rows, at least k, or leave to suppress
// them. It returns the error of the context when that ends.
func (s *search) run() error {
	p := s.problem
	if p.n == 0 {
		s.best = 0
		return nil
	}
	if !s.offer(p.cost[p.n]) {
		return nil
	}
	half := int64(math.MaxInt64)
	if s.limits.work > 0 {
		half = s.limits.work / 2
	}
	idle := half
	if s.near {
		idle = half / 2
	}
	if p.judges() {
		s.descend(half)
	} else {
		s.climb(half, idle)
	}
	if s.err != nil {
		return s.err
	}
	root := s.level(0)
	s.root(root)
	s.examine(root)
	s.expand(0, p.cheapest())
	return s.err
}

// cheapest is a bound of every partitioning: any record costs k at least, suppressed ones all
// others.
func (p *problem) cheapest() int64 { return min(int64(p.n)*int64(min(p.k, p.n)), p.cost[p.n]) }

// lower is the least that any partitioning can cost, as far as the search has found out.
func (s *search) lower() int64 { return min(s.best, s.unseen) }

// gap is the share of the best cost that may be in excess of the least; 0 if, and only if, the best
// is optimal.
func (s *search) gap() float64 {
	if s.best == s.lower() {
		return 0
	}
	return float64(s.best-s.lower()) / float64(s.best)
}

// level returns the node at a depth of the walk; there is one for each, filled anew at every visit.
func (s *search) level(depth int) *node {
	for len(s.levels) <= depth {
		s.levels = append(s.levels, new(node))
	}
	return s.levels[depth]
}

// found reports whether any partitioning was.
func (s *search) found() bool { return s.best <= int64(s.problem.n)*int64(s.problem.n) }

// offer keeps a partitioning, the cuts of the current head and more, if it is the best so far. Its
// cost is at least what k allows it to cost. It returns false if neither it nor any with more cuts
// keeps the limits.
func (s *search) offer(cost int64, more ...int32) bool {
	if cost >= s.best {
		return true
	}
	cuts := append(slices.Clone(s.path), more...)
	if s.problem.judges() {
		v := s.judge(cuts)
		if !v.kept || v.cost >= s.best {
			return v.hopeful
		}
		cost = v.cost
	}
	s.best, s.bestCuts = cost, cuts
	return true
}

// poll checks the context from time to time and reports whether it has ended.
func (s *search) poll() bool {
	if s.work-s.polled >= pollEvery || s.nodes == 0 {
		s.polled = s.work
		s.err = s.ctx.Err()
	}
	return s.err != nil
}

// halted counts a node and reports whether the search has to end.
func (s *search) halted() bool {
	if s.stopped || s.poll() || s.limits.nodes > 0 && s.nodes >= s.limits.nodes ||
		s.limits.work > 0 && s.work >= s.limits.work {
		s.stopped = true
		return true
	}
	s.nodes++
	return false
}

// examine measures a node, offers the partitionings of one cut more, and lists in n.order the cuts
// that may yet lead to something better than the best known, the cheapest first.
func (s *search) examine(n *node) {
	s.measure(n)
	n.order = n.order[:0]
	for at, state := range n.state {
		if state != open {
			continue
		}
		if n.after[at] >= s.best || s.offer(n.after[at], n.tail[at]) {
			n.order = append(n.order, int32(at))
		}
	}
	n.order = slices.DeleteFunc(n.order, func(at int32) bool { return n.floor[at] >= s.best })
	slices.SortFunc(n.order, func(i, j int32) int {
		return cmp.Or(cmp.Compare(n.after[i], n.after[j]), cmp.Compare(i, j))
	})
}

// expand searches everything below the node at depth, which has been examined and costs at least
// bound.
func (s *search) expand(depth int, bound int64) {
	s.deepest = max(s.deepest, depth)
	n := s.level(depth)
	if len(n.order) < 2 {
		return // nothing is left that was not offered
	}
	paired := s.pair(n)
	if paired { // now more cuts are known to exclude each other
		if bound = max(bound, s.bound(n)); bound >= s.best {
			return
		}
		slices.SortFunc(s.largest, func(a, b excess) int { return cmp.Compare(b.more, a.more) })
		if s.prune(n); len(n.order) < 2 {
			return
		}
	}
	last := s.arrange(n)
	later := int64(0)
	for _, at := range n.order {
		later += n.saved[at]
	}
	n.least = resize(n.least, len(n.tail))
	n.rest(s.problem.words)
	for _, at := range n.order {
		later -= n.saved[at]
		n.compatible(at)
		n.least[at] = max(bound, n.floor[at], n.after[at]-later)
		if !paired || n.least[at] >= s.best {
			continue
		}
		if !s.problem.judges() && count(n.keep) < 2 {
			n.least[at] = hopeless // at most one cut more: a pair, and offered
			continue
		}
		n.least[at] = max(n.least[at], s.childBound(n, at, n.keep))
	}
	next := s.level(depth + 1)
	n.rest(s.problem.words)
	for _, at := range n.order[:last] {
		n.compatible(at)
		if n.least[at] >= s.best {
			continue
		}
		if s.halted() {
			s.unseen = min(s.unseen, n.least[at])
			continue
		}
		if !s.child(next, n, int(at)) {
			continue
		}
		s.path = append(s.path, n.tail[at])
		if s.hopeful() {
			s.examine(next)
			if least := max(n.least[at], s.bound(next)); least < s.best {
				s.expand(depth+1, least)
			}
		}
		s.path = s.path[:len(s.path)-1]
	}
	if last == len(n.order)-1 {
		return // one cut, and offered
	}
	least := int64(math.MaxInt64)
	for _, at := range n.order[last:] {
		least = min(least, n.least[at])
	}
	switch {
	case least >= s.best:
	case s.halted():
		s.unseen = min(s.unseen, least)
	default:
		s.fitNode(n, n.order[last:])
	}
}

// arrange orders the node's cuts, the cheapest first until now, by dimension, and returns where the
// last one's begin. Dimensions with few cuts are first: once they are divided there are few cells
// left, and the many cuts on the last dimension need no search (fitNode), unless partitionings have
// to be judged. Of dimensions alike, up to a power of two, the one with the cheapest cut is first.
func (s *search) arrange(n *node) int {
	p := s.problem
	dim := func(at int32) int { return p.cuts[n.tail[at]].dim }
	s.first = resize(s.first, p.dims)
	for i, at := range slices.Backward(n.order) {
		s.first[dim(at)] = int32(i)
	}
	slices.SortStableFunc(n.order, func(i, j int32) int {
		a, b := dim(i), dim(j)
		return cmp.Or(cmp.Compare(bits.Len(uint(p.first[a+1]-p.first[a])),
			bits.Len(uint(p.first[b+1]-p.first[b]))), cmp.Compare(s.first[a], s.first[b]))
	})
	last := len(n.order) - 1
	for !p.judges() && last > 0 && dim(n.order[last-1]) == dim(n.order[last]) {
		last--
	}
	return last
}

// prune takes the cuts out of the node's order that lead to nothing better than the best known,
// whatever others of the order join them. Left out of the tails of the cuts before them, too, they
// spare these a third of their nodes. A second pass costs more than it finds.
func (s *search) prune(n *node) {
	n.rest(s.problem.words)
	for _, at := range slices.Backward(n.order) {
		n.compatible(at)
		if n.floor[at] < s.best && s.childBound(n, at, n.keep) < s.best {
			id := n.tail[at]
			n.later[id>>6] |= 1 << (id & 63) // stays
		}
	}
	n.order = slices.DeleteFunc(n.order, func(at int32) bool {
		id := n.tail[at]
		return n.later[id>>6]>>(id&63)&1 == 0
	})
}

// rest makes later the set of all ordered cuts.
func (n *node) rest(words int) {
	n.later, n.keep = resize(n.later, words), resize(n.keep, words)
	clear(n.later)
	for _, at := range n.order {
		id := n.tail[at]
		n.later[id>>6] |= 1 << (id & 63)
	}
}

// compatible takes the cut at out of later and makes keep those of later that it does not exclude.
func (n *node) compatible(at int32) {
	id, words := n.tail[at], len(n.later)
	n.later[id>>6] &^= 1 << (id & 63)
	for w, excluded := range n.conflict[int(at)*words : int(at+1)*words] {
		n.keep[w] = n.later[w] &^ excluded
	}
}

// count is the number of cuts in a set.
func count(set []uint64) int {
	n := 0
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	return n
}

// exclude records that no partitioning worth visiting below the node has both of two cuts, which
// are given by their positions in its tail and their numbers.
func exclude(conflict []uint64, words int, at, atID, to, toID int32) {
	conflict[int(at)*words+int(toID>>6)] |= 1 << (toID & 63)
	conflict[int(to)*words+int(atID>>6)] |= 1 << (atID & 63)
}

// colouring groups cuts of which at most one can be taken.
type colouring struct {
	at   []int32 // positions of the cuts, colour after colour
	ends []int32
	dims []uint64 // those of each colour's cuts, a set
	left []int32  // scratch: those without a colour,
	rest []uint64
	open []uint64 // the cuts that all those of a colour exclude
}

// colour groups some of the node's cuts greedily: each, in their order, has the first colour all
// of whose cuts it excludes.
func (s *search) colour(n *node, list []int32) {
	c, words := &s.colours, s.problem.words
	c.at, c.ends, c.left = c.at[:0], c.ends[:0], append(c.left[:0], list...)
	c.dims = c.dims[:0]
	c.open = resize(c.open, words)
	for len(c.left) > 0 {
		for w := range c.open {
			c.open[w] = math.MaxUint64
		}
		left, dims := c.left[:0], uint64(0)
		for _, at := range c.left {
			id := n.tail[at]
			if c.open[id>>6]>>(id&63)&1 == 0 {
				left = append(left, at)
				continue
			}
			c.at = append(c.at, at)
			dims |= 1 << (s.problem.cuts[id].dim & 63)
			for w, excluded := range n.conflict[int(at)*words : int(at+1)*words] {
				c.open[w] &= excluded
			}
		}
		c.left, c.ends, c.dims = left, append(c.ends, int32(len(c.at))), append(c.dims, dims)
	}
}

// colourSet is colour of the cuts in a set, in ascending order of their numbers.
func (s *search) colourSet(n *node, set []uint64) {
	c, words := &s.colours, s.problem.words
	c.at, c.ends, c.rest = c.at[:0], c.ends[:0], append(c.rest[:0], set...)
	c.dims = c.dims[:0]
	for first := 0; ; {
		for first < words && c.rest[first] == 0 {
			first++
		}
		if first == words {
			return
		}
		c.open = append(c.open[:0], c.rest...)
		dims := uint64(0)
		for w := first; w < words; w++ {
			for c.open[w] != 0 {
				id := bits.TrailingZeros64(c.open[w])
				c.rest[w] &^= 1 << id
				at := n.place[w<<6+id]
				c.at = append(c.at, at)
				dims |= 1 << (s.problem.cuts[w<<6+id].dim & 63)
				row := n.conflict[int(at)*words : int(at+1)*words]
				for v := w; v < words; v++ {
					c.open[v] &= row[v]
				}
			}
		}
		c.ends, c.dims = append(c.ends, int32(len(c.at))), append(c.dims, dims)
	}
}
