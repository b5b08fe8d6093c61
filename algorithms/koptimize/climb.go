package koptimize

import (
	"cmp"
	"math"
	"slices"

	"ppdp/algorithms/kernel/partition"
)

// climber looks for partitionings to begin the search with: the better the best one known, the more
// it prunes. With the cuts on all dimensions but one given, the best cuts on that one are found
// exactly, by dynamic programming over its values. A step changes one other cut and all on that
// dimension, to the least cost there is, and the cut stays as it is for some steps (tabu search,
// Glover 1989), so that a climb also leaves places where every step costs more.
type climber struct {
	*search
	most, idle, improved int64 // limits, see climb, and the work when a best was found last

	cells cells   // of the whole table
	taken set     // the cuts
	dim   int     // the dimension that is fitted, in the following
	free  []int32 // its cuts, those that are allowed

	ids     []int32             // of each cell's class by the other dimensions' cuts
	heads   partition.Numbering // of those cuts each class lies beyond
	places  []uint16            // of each cell along the dimension
	current frequencies

	merged []int32             // scratch of changed, as are
	fewer  partition.Numbering // the heads after a cut is dropped
	halves []uint64            // scratch of changed, as are sums
	sums   []int32
	next   frequencies

	// orders are the cells along each dimension, ends how many of them lie on the near side of each
	// cut. near are the rows of each class at each place, and in all, among the first swept.cells
	// cells along swept.dim: what lies on the near side of one cut does on that of the next too.
	orders [][]int32
	ends   []int32
	near   frequencies
	swept  struct {
		dim   int // -1 for none
		cells int32
	}
}

// frequencies are the rows of each class below each place of a dimension, a cut or one of its ends.
type frequencies struct {
	classes int
	rows    []int32
}

func (f *frequencies) resize(places, classes int) {
	f.classes = classes
	f.rows = resize(f.rows, places*classes)
	clear(f.rows)
}

// accumulate turns the rows at values, each one place up, into rows below places.
func (f *frequencies) accumulate() {
	for i := f.classes; i < len(f.rows); i++ {
		f.rows[i] += f.rows[i-f.classes]
	}
}

// patience is how many steps without a new best end a climb; one along another dimension than that
// of the most values hardly ever finds any. tenure is how many steps a changed cut stays.
const (
	patience     = 40
	patienceLess = 10
	tenure       = 7
)

// climb improves on the best partitioning known, from there and from the table as one class, until
// that no longer helps, most work is done, or idle work without a new best.
func (s *search) climb(most, idle int64) {
	p := s.problem
	root := s.level(0)
	s.root(root)
	if len(root.weight) == 0 {
		return // all rows are alike
	}
	c := newClimber(s, root)
	c.most, c.idle, c.improved = most, idle, s.work
	start := slices.Clone(s.bestCuts)
	dims := make([]int, p.dims)
	for d := range dims {
		dims[d] = d
	}
	cuts := func(d int) int { return int(root.from[d+1] - root.from[d]) }
	slices.SortStableFunc(dims, func(i, j int) int { return cmp.Compare(cuts(j), cuts(i)) })
	for i, dim := range dims {
		steps := patience
		if i > 0 {
			steps = patienceLess
		}
		c.dim, c.free = dim, root.tail[root.from[dim]:root.from[dim+1]]
		if len(c.free) > 0 {
			c.along(start, steps)
			c.along(nil, steps)
		}
	}
}

func newClimber(s *search, root *node) *climber {
	p := s.problem
	c := &climber{search: s, orders: make([][]int32, p.dims), ends: make([]int32, len(p.cuts)),
		cells: cells{key: slices.Clone(root.key), weight: slices.Clone(root.weight)}}
	places := make([]uint16, len(c.cells.weight))
	for d := range c.orders {
		tail := root.tail[root.from[d]:root.from[d+1]]
		if len(tail) == 0 {
			continue
		}
		placesOf(c.cells.key, p.dimension(d), places)
		next := make([]int32, len(tail)+2)
		for _, place := range places {
			next[place+1]++
		}
		for i := range tail {
			next[i+1] += next[i]
			c.ends[tail[i]] = next[i+1]
		}
		order := make([]int32, len(places))
		for i, place := range places {
			order[next[place]] = int32(i)
			next[place]++
		}
		c.orders[d] = order
	}
	return c
}

// along climbs from some cuts, fitting one dimension.
func (c *climber) along(start []int32, patience int) {
	p := c.problem
	c.taken = p.setOf(start)
	worst := p.cost[p.n] + 1
	if !c.count() {
		return
	}
	cost := c.fit(&c.current, worst)
	if cost < worst {
		c.adopt(cost)
	}
	until := make([]int, len(p.cuts)) // the step from which on a cut may be changed
	for step, idle := 0, 0; idle < patience; step++ {
		best, bestCost := int32(-1), worst
		for id := range int32(len(p.cuts)) {
			if p.cuts[id].dim == c.dim || !p.allowed(int(id)) || until[id] > step ||
				!c.changed(id) {
				continue
			}
			if cost := c.fit(&c.next, bestCost); cost < bestCost {
				best, bestCost = id, cost
			}
			if c.work >= c.most || c.work-c.improved >= c.idle || c.poll() {
				return
			}
		}
		if best < 0 {
			return
		}
		if idle++; bestCost < cost {
			cost, idle = bestCost, 0
		}
		c.changed(best)
		c.fit(&c.next, bestCost+1)
		c.taken.flip(best)
		c.adopt(bestCost)
		until[best] = step + 1 + tenure
		if !c.count() {
			return
		}
	}
}

// others are the cuts taken on other dimensions.
func (c *climber) others() set {
	others := slices.Clone(c.taken)
	for w, mask := range c.problem.dimension(c.dim) {
		others[w] &^= mask
	}
	return others
}

// count fills current: the rows of each class that the other dimensions' cuts make, by their place
// along the dimension. It returns false when that would take too much memory.
func (c *climber) count() bool {
	p := c.problem
	c.ids, c.places = resize(c.ids, len(c.cells.weight)), resize(c.places, len(c.cells.weight))
	c.number(&c.heads, c.cells.key, c.others(), c.ids)
	classes := c.heads.Len()
	if c.width()*classes > maxJoint {
		return false
	}
	c.current.resize(c.width(), classes)
	placesOf(c.cells.key, p.dimension(c.dim), c.places)
	for i, weight := range c.cells.weight {
		c.current.rows[(int(c.places[i])+1)*classes+int(c.ids[i])] += weight
	}
	c.current.accumulate()
	c.swept.dim = -1
	c.work += int64(2 * len(c.cells.weight) * p.words)
	return true
}

// number numbers keys by their bits in only, as into ids.
func (s *search) number(n *partition.Numbering, keys []uint64, only set, ids []int32) {
	words := len(only)
	n.Reset(words, len(ids))
	s.masked = resize(s.masked, words)
	for i := range ids {
		for w, mask := range only {
			s.masked[w] = keys[i*words+w] & mask
		}
		ids[i] = int32(n.Number(s.masked))
	}
}

// width is how many places there are on the dimension: its cuts and both ends.
func (c *climber) width() int { return len(c.free) + 2 }

// changed fills next with the frequencies after a cut on another dimension is taken, or dropped if
// it was taken. It returns false when that would take too much memory.
func (c *climber) changed(id int32) bool {
	p, places, from := c.problem, c.width(), c.current.classes
	if c.taken.has(id) {
		only := c.others()
		only.remove(id)
		c.merged = resize(c.merged, from)
		c.number(&c.fewer, c.heads.Sets, only, c.merged)
		classes := c.fewer.Len()
		c.next.resize(places, classes)
		for v := range places {
			to := c.next.rows[v*classes : (v+1)*classes]
			for i, rows := range c.current.rows[v*from : (v+1)*from] {
				to[c.merged[i]] += rows
			}
		}
		c.work += int64(places * from / 2)
		return true
	}
	if d := p.cuts[id].dim; c.swept.dim != d || c.swept.cells > c.ends[id] {
		c.near.resize(places, from)
		c.swept.dim, c.swept.cells = d, 0
	}
	near, last := c.near.rows, (places-1)*from
	for _, i := range c.orders[c.swept.dim][c.swept.cells:c.ends[id]] {
		class, weight := int(c.ids[i]), c.cells.weight[i]
		near[int(c.places[i])*from+class] += weight
		near[last+class] += weight
	}
	c.swept.cells = c.ends[id]
	// The classes, twice their number and 1 for the far side; small ones first, since they most
	// often show that a part is not allowed.
	c.halves = c.halves[:0]
	for i, rows := range near[last:] {
		if rows > 0 {
			c.halves = append(c.halves, uint64(rows)<<32|uint64(2*i))
		}
		if far := c.current.rows[last+i] - rows; far > 0 {
			c.halves = append(c.halves, uint64(far)<<32|uint64(2*i+1))
		}
	}
	slices.Sort(c.halves)
	if places*len(c.halves) > maxJoint {
		return false
	}
	c.next.resize(places, len(c.halves))
	c.sums = resize(c.sums, from)
	sums := c.sums
	clear(sums)
	for v := 1; v < places; v++ {
		for i, rows := range near[(v-1)*from : v*from] {
			sums[i] += rows
		}
		to, all := c.next.rows[v*len(c.halves):(v+1)*len(c.halves)], c.current.rows[v*from:]
		for i, half := range c.halves {
			class := uint32(half) >> 1
			rows := sums[class]
			if half&1 == 1 {
				rows = all[class] - rows
			}
			to[i] = rows
		}
	}
	c.work += int64(len(c.cells.weight)/2 + places*from/2)
	return true
}

// fit finds the cheapest cuts on one dimension for the given frequencies. It returns what they cost
// if that is less than target, else target.
func (s *search) fit(f *frequencies, target int64) int64 {
	p, k, n := s.problem, int64(s.problem.k), int64(s.problem.n)
	values := len(f.rows)/f.classes - 1
	s.least, s.from = resize(s.least, values+1), resize(s.from, values+1)
	for place := range s.least {
		s.least[place] = math.MaxInt64
	}
	s.least[0] = 0
	steps := 0
	for a, least := range s.least[:values] {
		if least >= target {
			continue
		}
		low := f.rows[a*f.classes : (a+1)*f.classes]
	parts:
		for b := a + 1; b <= values; b++ {
			high := f.rows[b*f.classes : (b+1)*f.classes]
			// floor is a bound for this part and all longer ones from a.
			sum, floor := least, least
			for i, below := range low {
				m := int64(high[i] - below)
				switch {
				case m >= k:
					sum += m * m
					floor += m * m
				case m == 0:
				case p.suppress:
					sum += m * n
					floor += m * k
				case floor >= target:
					break parts
				default:
					steps += i
					continue parts
				}
			}
			if steps += f.classes; floor >= target {
				break
			}
			if sum < s.least[b] {
				s.least[b], s.from[b] = sum, int32(a)
			}
		}
	}
	s.work += int64(steps / 4)
	return min(s.least[values], target)
}

// solveDimension tries the cheapest of all partitionings with the node's head and any of some cuts
// of its tail, all on one dimension.
func (s *search) solveDimension(n *node, cuts []int32) {
	cuts = slices.Sorted(slices.Values(cuts))
	classes, last := len(n.sizes), len(cuts)+1
	s.list = resize(s.list, classes) // small ones first, as in changed
	for class := range s.list {
		s.list[class] = int32(class)
	}
	slices.SortFunc(s.list, func(a, b int32) int { return cmp.Compare(n.sizes[a], n.sizes[b]) })
	f := &s.along
	f.resize(last+1, classes)
	for i, class := range s.list {
		below := n.below[int(class)*len(n.tail):]
		for j, at := range cuts {
			f.rows[(j+1)*classes+i] = below[at]
		}
		f.rows[last*classes+i] = n.sizes[class]
	}
	s.work += int64(len(f.rows))
	if cost := n.closed + s.fit(f, s.best-n.closed); cost < s.best {
		var taken []int32
		for b := s.from[last]; b > 0; b = s.from[b] {
			taken = append(taken, n.tail[cuts[b-1]])
		}
		s.improve(cost, taken...)
	}
}

// adopt takes the cuts on the dimension that fit has found, which come to cost with the others.
func (c *climber) adopt(cost int64) {
	p := c.problem
	c.taken = c.others()
	for b := c.from[c.width()-1]; b > 0; b = c.from[b] {
		c.taken.add(c.free[b-1])
	}
	if cost < c.best {
		c.improved = c.work
		c.improve(cost, p.listed(c.taken)...)
	}
}
