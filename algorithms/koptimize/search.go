package koptimize

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/bits"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/incognito"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// search is a walk through the set-enumeration tree, depth first.
type search struct {
	ctx     context.Context
	problem *problem
	limit   int64 // of work, 0 for none

	levels []*node // by depth, filled anew at every visit
	path   []int32 // cuts of the current head

	best     int64   // cost of the best partitioning so far, the paper's c
	bestCuts []int32 // its cuts
	nodes    int
	work     int64
	polled   int64 // work at the last check of the context
	unseen   int64 // least bound of what was left out at the limit
	near     bool  // the search at the next larger k, if any, ended by itself: this one may, too
	err      error // of the context

	scratch
}

// scratch is memory that one step after the other uses; nothing in it outlives the step.
type scratch struct {
	dims      []tailDim           // of priceCuts and pricePairs
	frequency []int32             // of priceCuts
	list      []int32             // cells of child, classes of solveDimension
	sides     []int32             // cells on both sides of a cut, of child
	cellTable cellTable           // of addClass
	groups    exclusiveGroups     // of the lower bounds
	largest   []excess            // classes, left by computeLowerBound for childLowerBound
	pairs     pairs               // of the node that is searched
	cheapest  []int32             // of reorderTail: place of each dimension's cheapest cut
	along     frequencies         // of solveDimension
	least     []int64             // of fit, of the values below each place,
	from      []int32             // and where the last part of those begins
	masked    set                 // of number
	classes   partition.Numbering // of costOf,
	classOf   []int32             // and the class of each row
}

// pollEvery is how much work is done between checks of the context: a few milliseconds.
const pollEvery = 1 << 21

func newSearch(ctx context.Context, p *problem, limit int64) *search {
	return &search{ctx: ctx, problem: p, limit: limit, best: math.MaxInt64, unseen: math.MaxInt64}
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
	s.improve(p.cost[p.n])
	half := int64(math.MaxInt64)
	if s.limit > 0 {
		half = s.limit / 2
	}
	idle := half
	if s.near {
		idle = half / 2
	}
	s.climb(half, idle)
	if s.err == nil {
		s.root(s.level(0))
		s.priceTail(s.level(0))
		s.kOptimize(0, p.cheapest())
	}
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

// improve keeps a partitioning, the cuts of the current head and more, if it is the best so far.
func (s *search) improve(cost int64, more ...int32) {
	if cost < s.best {
		s.best, s.bestCuts = cost, append(slices.Clone(s.path), more...)
	}
}

// poll checks the context from time to time and reports whether it has ended.
func (s *search) poll() bool {
	if s.work-s.polled >= pollEvery || s.nodes == 0 {
		s.polled = s.work
		s.err = s.ctx.Err()
	}
	return s.err != nil
}

// limitReached counts a node and reports whether the search has to end before it.
func (s *search) limitReached() bool {
	if s.poll() || s.limit > 0 && s.work >= s.limit {
		return true
	}
	s.nodes++
	return false
}

// kOptimize is the paper's K-OPTIMIZE of a node whose tail has been priced:
//
//	K-OPTIMIZE(head H, tail T, best cost c)
//	  T ← PRUNE-USELESS-VALUES(H, T)               priceTail
//	  c ← min(c, COMPUTE-COST(H))                  priceTail of the parent: a head is priced there
//	  T ← PRUNE(H, T, c)                           prune
//	  T ← REORDER-TAIL(H, T)                       reorderTail
//	  while T is not empty
//	    v ← the first of T, T ← T - {v}            node.takeNext
//	    c ← K-OPTIMIZE(H ∪ {v}, T, c)              visit, unless boundChildren says no
//	    T ← PRUNE(H, T, c)
//	  return c                                     s.best
//
// The second PRUNE is a comparison here: the children's lower bounds are computed once, before the
// loop. No partitioning with the head costs less than bound. The cuts of the last dimension need no
// nodes (solveDimension).
func (s *search) kOptimize(depth int, bound int64) {
	n := s.level(depth)
	if len(n.order) < 2 {
		return // what is left was tried when the tail was priced
	}
	paired := s.pricePairs(n)
	if paired {
		if bound = s.prune(n, bound); bound >= s.best || len(n.order) < 2 {
			return
		}
	}
	last := s.reorderTail(n)
	s.boundChildren(n, bound, paired)
	n.restart(s.problem.words)
	for _, at := range n.order[:last] {
		n.takeNext(at)
		if n.least[at] < s.best {
			s.visit(depth, at)
		}
	}
	if last < len(n.order)-1 { // else it is one cut, and was tried
		s.visitDimension(n, n.order[last:])
	}
}

// visit searches below the child with the cut at of the node at depth, whose tail is n.child.
func (s *search) visit(depth int, at int32) {
	n, child := s.level(depth), s.level(depth+1)
	if s.limitReached() {
		s.unseen = min(s.unseen, n.least[at])
		return
	}
	if !s.child(child, n, int(at)) {
		return
	}
	s.path = append(s.path, n.tail[at])
	s.priceTail(child)
	if bound := max(n.least[at], s.computeLowerBound(child)); bound < s.best {
		s.kOptimize(depth+1, bound)
	}
	s.path = s.path[:len(s.path)-1]
}

// visitDimension searches below a node all sets of the given cuts, which are on one dimension.
func (s *search) visitDimension(n *node, cuts []int32) {
	least := int64(math.MaxInt64)
	for _, at := range cuts {
		least = min(least, n.least[at])
	}
	switch {
	case least >= s.best:
	case s.limitReached():
		s.unseen = min(s.unseen, least)
	default:
		s.solveDimension(n, cuts)
	}
}

// priceTail prices the cuts of a node's tail, tries the partitionings of one cut more, and lists in
// n.order the cuts that may yet lead to something better than the best known, the cheapest first:
// the paper's PRUNE-USELESS-VALUES takes those out that divide no class.
func (s *search) priceTail(n *node) {
	s.priceCuts(n)
	n.order = n.order[:0]
	for at, state := range n.state {
		if state == open {
			s.improve(n.after[at], n.tail[at])
			n.order = append(n.order, int32(at))
		}
	}
	n.order = slices.DeleteFunc(n.order, func(at int32) bool { return n.floor[at] >= s.best })
	slices.SortFunc(n.order, func(i, j int32) int {
		return cmp.Or(cmp.Compare(n.after[i], n.after[j]), cmp.Compare(i, j))
	})
}

// prune is the paper's PRUNE: it takes the cuts out of the node's order that lead to nothing better
// than the best known, whatever others of the order join them. Left out of the tails of the cuts
// before them, too, they spare these a third of their nodes. A second pass, which the paper makes,
// costs more than it finds. It returns a lower bound of the node, of the pairs that are known now
// to exclude each other, and prunes nothing where that is no less than the best known.
func (s *search) prune(n *node, bound int64) int64 {
	if bound = max(bound, s.computeLowerBound(n)); bound >= s.best {
		return bound
	}
	slices.SortFunc(s.largest, func(a, b excess) int { return cmp.Compare(b.more, a.more) })
	for _, at := range slices.Backward(n.order) {
		n.takeNext(at)
		if n.floor[at] < s.best && s.childLowerBound(n, at, n.child) < s.best {
			n.later.add(n.tail[at]) // stays
		}
	}
	n.order = slices.DeleteFunc(n.order, func(at int32) bool { return !n.later.has(n.tail[at]) })
	return bound
}

// reorderTail is the paper's REORDER-TAIL. It orders the node's cuts, the cheapest first until now,
// by dimension, and returns where the last one's begin. Dimensions with few cuts are first: once
// they are divided there are few cells left, and the many cuts on the last dimension need no search
// (solveDimension). Of dimensions alike, up to a power of two, the one with the cheapest cut is
// first.
func (s *search) reorderTail(n *node) int {
	p := s.problem
	dim := func(at int32) int { return p.cuts[n.tail[at]].dim }
	s.cheapest = resize(s.cheapest, p.dims)
	for i, at := range slices.Backward(n.order) {
		s.cheapest[dim(at)] = int32(i)
	}
	slices.SortStableFunc(n.order, func(i, j int32) int {
		a, b := dim(i), dim(j)
		return cmp.Or(cmp.Compare(bits.Len(uint(p.first[a+1]-p.first[a])),
			bits.Len(uint(p.first[b+1]-p.first[b]))), cmp.Compare(s.cheapest[a], s.cheapest[b]))
	})
	last := len(n.order) - 1
	for last > 0 && dim(n.order[last-1]) == dim(n.order[last]) {
		last--
	}
	return last
}

// boundChildren finds what each child of a node that costs at least bound costs at least: the
// paper's COMPUTE-LOWER-BOUND of its head and tail. paired reports that pairs have been priced.
func (s *search) boundChildren(n *node, bound int64, paired bool) {
	saved := int64(0) // by the cuts after one at most, beyond what it saves itself
	for _, at := range n.order {
		saved += n.saved[at]
	}
	n.least = resize(n.least, len(n.tail))
	n.restart(s.problem.words)
	for _, at := range n.order {
		saved -= n.saved[at]
		n.takeNext(at)
		n.least[at] = max(bound, n.floor[at], n.after[at]-saved)
		switch {
		case !paired || n.least[at] >= s.best:
		case n.child.count() < 2:
			n.least[at] = hopeless // at most one cut more: a pair, and tried
		default:
			n.least[at] = max(n.least[at], s.childLowerBound(n, at, n.child))
		}
	}
}

// hopeless is the bound of a node below which everything was tried already.
const hopeless = math.MaxInt64

// restart makes later the set of all ordered cuts.
func (n *node) restart(words int) {
	n.later, n.child = resize(n.later, words), resize(n.child, words)
	clear(n.later)
	for _, at := range n.order {
		n.later.add(n.tail[at])
	}
}

// takeNext takes the cut at out of later, the cuts after it, and makes child the tail of its child:
// those of later that it does not exclude.
func (n *node) takeNext(at int32) {
	n.later.remove(n.tail[at])
	for w, excluded := range n.excluded(at) {
		n.child[w] = n.later[w] &^ excluded
	}
}

// rungs are the values of k above the one asked for whose solutions a limited search begins with,
// the largest first: those of 2, 5, 10, 25, 50, 100, 250, ... that leave more than one class.
func rungs(k, n int) []int {
	var larger []int
	for unit := 1; unit <= n; unit *= 10 {
		for _, rung := range []int{max(2, unit), 5 * unit / 2, 5 * unit} {
			if rung > k && rung <= n/2 {
				larger = append(larger, rung)
			}
		}
	}
	slices.Reverse(larger)
	return slices.Compact(larger)
}

// solve searches for the best partitioning into classes of k rows. What is allowed at some k is
// allowed at any smaller one and costs no more there. A limited search therefore begins with what
// the same search, with the same limits, finds at larger k (rungs), so that a solution never costs
// more than that of a rung above. Every search also begins with the best full-domain generalisation
// that is a partitioning.
func solve(ctx context.Context, table *datasets.Table, p *problem, limit int64) (*search, error) {
	final := newSearch(ctx, p, limit)
	final.near = true
	if limit > 0 { // else the search ends with the best there is
		larger := *p
		var s *search
		for _, k := range rungs(p.k, p.n) {
			larger.k = k
			larger.price()
			next := newSearch(ctx, &larger, limit)
			if s != nil {
				next.improve(next.costOf(s.bestCuts), s.bestCuts...)
			}
			next.near = final.near
			if err := next.begin(table); err != nil {
				return nil, err
			}
			s, final.near = next, next.gap() == 0
			final.improve(final.costOf(s.bestCuts), s.bestCuts...)
		}
	}
	return final, final.begin(table)
}

// costOf is what a set of cuts costs.
func (s *search) costOf(cuts []int32) (cost int64) {
	p := s.problem
	s.classOf = resize(s.classOf, p.n)
	s.number(&s.classes, p.cells.key, p.setOf(cuts), s.classOf)
	sizes := make([]int32, s.classes.Len())
	for _, class := range s.classOf {
		sizes[class]++
	}
	for _, size := range sizes {
		cost += p.cost[size]
	}
	return cost
}

// begin tries the best full-domain generalisation, and runs the search.
func (s *search) begin(table *datasets.Table) error {
	if err := s.fullDomain(table); err != nil {
		return err
	}
	return s.run()
}

// fullDomain tries the cheapest minimal full-domain generalisation all of whose groups of values
// are intervals of those that occur; none where there is no such generalisation, or too many to
// search.
func (s *search) fullDomain(table *datasets.Table) error {
	p, params := s.problem, incognito.DefaultParams()
	params.K = p.k
	result, err := incognito.Search(s.ctx, table, p.rows, params)
	if errors.Is(err, algorithms.ErrTooFew) || errors.Is(err, algorithms.ErrTooLarge) {
		return nil
	}
	if err != nil {
		return err
	}
	for i, vector := range result.Minimal {
		if result.Discernibility[i] >= s.best {
			continue
		}
		if cuts, ok := p.cutsOf(table.Schema(), vector); ok {
			s.improve(result.Discernibility[i], cuts...)
		}
	}
	return nil
}

// cutsOf are the cuts between the groups of a vector of levels, if these are intervals.
func (p *problem) cutsOf(schema *datasets.Schema, vector []int) (cuts []int32, ok bool) {
	for d, attribute := range schema.QuasiIdentifiers() {
		hierarchy, err := schema.Attributes[attribute].Generalisation()
		if err != nil {
			return nil, false
		}
		group := hierarchy.Levels[vector[d]].Group
		seen := map[uint32]bool{}
		for i, code := range p.values[d] {
			if i > 0 && group[code] == group[p.values[d][i-1]] {
				continue
			}
			if seen[group[code]] {
				return nil, false
			}
			seen[group[code]] = true
			if i > 0 {
				cuts = append(cuts, int32(p.first[d]+i-1))
			}
		}
	}
	return cuts, true
}
