package koptimize

import (
	"math/bits"
	"slices"
)

// node is a partitioning, the head, with the cuts that may still join it, its tail. root and child
// make its classes and its tail, priceCuts prices the cuts, and the search plans its way
// (priceTail, prune, reorderTail).
type node struct {
	classes
	tailCuts
	prices
	plan
}

// classes are those of the head that some cut of the tail divides. The others are closed: they keep
// their cost whatever the tail brings.
type classes struct {
	cells
	closed  int64   // cost of the closed classes
	lower   int64   // closed and what the classes cost at least by their sizes and cells
	atLeast []int64 // the latter of each class
}

// tailCuts are the cuts of the tail, each known by its position there and by its number.
type tailCuts struct {
	tail  []int32 // numbers, ascending
	place []int32 // position in tail of each of its cuts, by number
	from  []int32 // where each dimension's cuts begin in tail, and where the last ones end
	// conflict holds for each cut of tail the set of cuts, by number, that no partitioning worth
	// visiting below the node has beside it.
	conflict set
	words    int // of conflict for each
}

// excluded are the cuts that no partitioning worth visiting has beside the cut at.
func (t *tailCuts) excluded(at int32) set {
	return t.conflict[int(at)*t.words : int(at+1)*t.words]
}

// prices are what priceCuts finds. A slice over cuts has one element for each of tail, below has
// one for each class and cut.
type prices struct {
	cost  int64   // of the head
	base  int64   // least cost of any partitioning below the node, by the sizes of classes
	below []int32 // rows of the class on the near side of the cut
	after []int64 // cost of the head with the cut
	floor []int64 // least cost of any partitioning with head and cut, by the sizes of classes
	saved []int64 // by how much the cut lowers the sum of squares of classes
	state []state
	value []uint16 // where each cell lies on each dimension of the tail, one after the other
}

// plan is in which order the search takes the cuts, and what it has found out about them.
type plan struct {
	order []int32 // positions in tail, as the search takes them
	later set     // the cuts after one of order
	child set     // the tail of its child
	least []int64 // what each cut's child costs at least
}

// state is what is known of a cut of the tail.
type state uint8

const (
	useless state = iota // divides no class, nor will it below this node
	open                 // may be taken
	fatal                // leaves a class too small where rows may not be suppressed
)

// resize returns a slice of n elements in the memory of s where that is large enough. Their values
// are not defined.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}

// root fills a node with all rows in one class and every cut that is allowed in the tail.
func (s *search) root(to *node) {
	p := s.problem
	to.tail, to.place = to.tail[:0], resize(to.place, len(p.cuts))
	to.from, to.words = resize(to.from, p.dims+1), p.words
	only := make(set, p.words)
	for d := range p.dims {
		to.from[d] = int32(len(to.tail))
		for c := p.first[d]; c < p.first[d+1]; c++ {
			if p.allowed(c) {
				to.place[c] = int32(len(to.tail))
				to.tail = append(to.tail, int32(c))
				only.add(int32(c))
			}
		}
	}
	to.from[p.dims] = int32(len(to.tail))
	to.cells, to.closed, to.lower, to.atLeast = cells{}, 0, 0, nil
	if p.n == 0 {
		return
	}
	to.conflict = resize(to.conflict, len(to.tail)*p.words)
	clear(to.conflict)
	s.list = resize(s.list, len(p.cells.weight))
	for i := range s.list {
		s.list[i] = int32(i)
	}
	s.addClass(to, only, &p.cells, s.list, int32(p.n))
}

// priceCuts counts the node's classes on either side of every cut of its tail and prices the cuts.
func (s *search) priceCuts(n *node) {
	p, cuts, all := s.problem, len(n.tail), len(n.weight)
	n.below = resize(n.below, cuts*len(n.sizes))
	n.after, n.floor = resize(n.after, cuts), resize(n.floor, cuts)
	n.saved, n.state = resize(n.saved, cuts), resize(n.state, cuts)
	clear(n.after)
	clear(n.floor)
	clear(n.saved)
	clear(n.state)
	dims := s.tailDims(n)
	n.value = resize(n.value, all*len(dims))
	for l := range dims {
		placesOf(n.key, dims[l].mask, n.value[l*all:(l+1)*all])
	}
	width := cuts + len(dims) // a dimension has a place more than cuts
	s.frequency = resize(s.frequency, width)
	s.work += int64(all*len(dims) + len(n.sizes)*width)
	n.cost, n.base = n.closed, n.closed
	start := int32(0)
	for class, end := range n.ends {
		clear(s.frequency)
		weight := n.weight[start:end]
		for l := range dims {
			frequency := s.frequency[int(dims[l].from)+l:]
			for i, value := range n.value[l*all+int(start):][:len(weight)] {
				frequency[value] += weight[i]
			}
		}
		start = end
		n.cost += p.cost[n.sizes[class]]
		n.base += p.least[n.sizes[class]]
		for l := range dims {
			s.price(n, class, &dims[l], s.frequency[int(dims[l].from)+l:])
		}
	}
	for at := range n.after {
		n.after[at] += n.cost
		n.floor[at] += n.base
	}
}

// price adds what a dimension's cuts do to one class, whose frequencies have been counted.
func (s *search) price(n *node, class int, dim *tailDim, frequency []int32) {
	p, size, near := s.problem, n.sizes[class], int32(0)
	below := n.below[class*len(n.tail)+int(dim.from):][:dim.cuts]
	for i, count := range frequency[:dim.cuts] {
		near += count
		below[i] = near
		at := dim.from + int32(i)
		far := size - near
		switch {
		case near == 0 || far == 0:
		case !p.suppress && (int(near) < p.k || int(far) < p.k):
			n.state[at] = fatal
		default:
			if n.state[at] == useless {
				n.state[at] = open
			}
			n.after[at] += p.cost[near] + p.cost[far] - p.cost[size]
			n.floor[at] += p.least[near] + p.least[far] - p.least[size]
			n.saved[at] += 2 * int64(near) * int64(far)
		}
	}
}

// tailDim is a dimension with cuts in a tail.
type tailDim struct {
	mask set   // its cuts
	from int32 // its first cut in tail
	cuts int32
}

// placesOf finds where cells lie along a dimension of the given cuts: how many of those that their
// keys have are below each.
func placesOf(keys []uint64, cuts set, into []uint16) {
	words, first, last := len(cuts), 0, len(cuts)-1 // first and last have cuts
	for first < last && cuts[first] == 0 {
		first++
	}
	for last > first && cuts[last] == 0 {
		last--
	}
	if mask := cuts[first]; first == last {
		for i := range into {
			into[i] = uint16(bits.OnesCount64(keys[i*words+first] & mask))
		}
		return
	}
	for i := range into {
		place := 0
		for w, key := range keys[i*words+first : i*words+last+1] {
			place += bits.OnesCount64(key & cuts[first+w])
		}
		into[i] = uint16(place)
	}
}

// tailDims lists the dimensions with cuts in the node's tail.
func (s *search) tailDims(n *node) []tailDim {
	s.dims = s.dims[:0]
	for d := range s.problem.dims {
		if from, to := n.from[d], n.from[d+1]; to > from {
			s.dims = append(s.dims, tailDim{s.problem.dimension(d), from, to - from})
		}
	}
	return s.dims
}

// child makes the node whose head is from's with one more cut, at position at of from's tail,
// and whose tail is from.child. It stops and returns false as soon as the classes made so far, and
// those of from for the others, cost no less than the best known.
func (s *search) child(to, from *node, at int) bool {
	p, words := s.problem, s.problem.words
	to.tail, to.conflict = to.tail[:0], to.conflict[:0]
	to.place = resize(to.place, len(p.cuts))
	for w, word := range from.child {
		for ; word != 0; word &= word - 1 {
			id := w<<6 + bits.TrailingZeros64(word)
			old := int(from.place[id])
			to.place[id] = int32(len(to.tail))
			to.tail = append(to.tail, int32(id))
			to.conflict = append(to.conflict, from.conflict[old*words:(old+1)*words]...)
		}
	}
	to.from, to.words = resize(to.from, p.dims+1), p.words
	kept := 0
	for d := range to.from {
		for kept < len(to.tail) && int(to.tail[kept]) < p.first[d] {
			kept++
		}
		to.from[d] = int32(kept)
	}
	to.closed, to.lower = from.closed, from.lower
	to.key, to.weight, to.ends, to.sizes = to.key[:0], to.weight[:0], to.ends[:0], to.sizes[:0]
	to.atLeast = to.atLeast[:0]
	s.list = resize(s.list, len(from.weight))
	for i := range s.list {
		s.list[i] = int32(i)
	}
	s.sides = resize(s.sides, 2*len(from.weight))
	cuts, id := len(from.tail), int(from.tail[at])
	start := int32(0)
	for class, end := range from.ends {
		if to.lower >= s.best {
			return false
		}
		to.lower -= from.atLeast[class]
		size, near := from.sizes[class], from.below[class*cuts+at]
		if near == 0 || near == size {
			s.addClass(to, from.child, &from.cells, s.list[start:end], size)
			start = end
			continue
		}
		// Both lists are written and one of them advances: which is a coin toss that a branch would
		// mispredict every other time.
		below, above := s.sides[:end-start], s.sides[len(from.weight):]
		nBelow, nAbove := 0, 0
		for i := start; i < end; i++ {
			far := int(from.key[int(i)*words+id>>6] >> (id & 63) & 1)
			below[nBelow], above[nAbove] = i, i
			nBelow += 1 - far
			nAbove += far
		}
		start = end
		s.addClass(to, from.child, &from.cells, below[:nBelow], near)
		s.addClass(to, from.child, &from.cells, above[:nAbove], size-near)
	}
	return to.lower < s.best
}

// addClass adds a class of size rows to a node: the listed cells of another node, with what the
// node's tail, a set, does not separate joined into one. A class that is one cell, or
// suppressed, is closed.
func (s *search) addClass(to *node, tail set, from *cells, list []int32, size int32) {
	p := s.problem
	if int(size) < p.k {
		to.closed += p.cost[size]
		to.lower += p.cost[size]
		return
	}
	s.work += int64(2 * len(list) * p.words)
	slots, stamp, shift := s.cellTable.free(len(list))
	begin, words := len(to.weight), p.words
	// The next new cell is written beyond the last one before it is known to be new.
	to.key = slices.Grow(to.key, len(list)*words)
	to.weight = slices.Grow(to.weight, len(list))
	keys, weights, cells := to.key[:cap(to.key)], to.weight[:cap(to.weight)], begin
	if words == 1 {
		cells += addClassWord(slots, stamp, shift, tail[0], from, list, keys[cells:],
			weights[cells:])
	} else {
		for _, i := range list {
			hash, key := uint64(0), keys[cells*words:(cells+1)*words]
			for w, word := range from.key[int(i)*words:][:len(key)] {
				key[w] = word & tail[w]
				hash = bits.RotateLeft64(hash^key[w], 32) * spread
			}
		slots:
			for slot := hash >> (shift & 63); ; slot++ {
				at := &slots[slot&uint64(len(slots)-1)]
				cell, known := at.find(stamp, int32(cells))
				for w, word := range keys[int(cell)*words:][:len(key)] {
					if word != key[w] {
						continue slots
					}
				}
				*at = stamped{stamp, cell}
				weights[cell] = weights[cell]&known + from.weight[i]
				cells += int(1 + known)
				break
			}
		}
	}
	to.key, to.weight = keys[:cells*words], weights[:cells]
	if len(to.weight) == begin+1 {
		to.key, to.weight = to.key[:begin*p.words], to.weight[:begin]
		to.closed += p.cost[size]
		to.lower += p.cost[size]
		return
	}
	least, k := int64(0), int64(min(p.k, p.n))
	for _, weight := range to.weight[begin:] {
		least += int64(weight) * max(int64(weight), k)
	}
	least = max(least, p.least[size])
	to.lower += least
	to.atLeast = append(to.atLeast, least)
	to.ends = append(to.ends, int32(len(to.weight)))
	to.sizes = append(to.sizes, size)
}

// addClassWord is addClass's loop for keys of one word, where most of a search's time goes: without
// it K-Optimize takes a sixth longer. It returns how many cells there are.
func addClassWord(slots []stamped, stamp uint32, shift uint, tail uint64, from *cells, list []int32,
	keys []uint64, weights []int32) int {
	cells := int32(0)
	key, keys, weights := from.key[:len(from.weight)], keys[:len(list)], weights[:len(list)]
	for _, i := range list {
		key, weight := key[i]&tail, from.weight[i]
		keys[cells] = key
		for slot := key * spread >> (shift & 63); ; slot++ {
			at := &slots[slot&uint64(len(slots)-1)]
			cell, known := at.find(stamp, cells)
			if keys[cell] != key {
				continue
			}
			*at = stamped{stamp, cell}
			weights[cell] = weights[cell]&known + weight
			cells += 1 + known
			break
		}
	}
	return int(cells)
}

// cellTable is the hash table that addClass finds cells by.
type cellTable struct {
	slots []stamped
	stamp uint32 // the latest
}

// free returns free slots for n cells, twice as many at least, and by how much the product of a key
// is shifted to begin in them.
func (t *cellTable) free(n int) (slots []stamped, stamp uint32, shift uint) {
	for shift = 60; n<<1 > 1<<(64-shift); {
		shift--
	}
	if need := 1 << (64 - shift); len(t.slots) < need {
		t.slots, t.stamp = make([]stamped, need), 0
	}
	if t.stamp++; t.stamp == 0 {
		clear(t.slots)
		t.stamp = 1
	}
	return t.slots[:1<<(64-shift)], t.stamp, shift
}

// stamped is a slot, free unless it has the latest stamp.
type stamped struct {
	stamp uint32
	cell  int32
}

// find returns the slot's cell, or the next one if the slot is free, and a mask: -1 for the slot's,
// 0 for the next. Which it is is a coin toss, too, and decided without a branch.
func (s *stamped) find(stamp uint32, next int32) (cell, known int32) {
	known = int32((uint64(s.stamp^stamp) - 1) >> 32)
	return next ^ (next^s.cell)&known, known
}

// spread is 2⁶⁴ over the golden ratio: multiplying by it scatters keys (Fibonacci hashing).
const spread = 0x9e3779b97f4a7c15
