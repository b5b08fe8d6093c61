package koptimize

import (
	"context"
	"math"
	"slices"
	"testing"

	"ppdp/numeric/random"
)

// TestPrune: every set of cuts that costs less than the best known is still to be found after a
// node's cuts were pruned. Searches alone would hardly show it, since most begin with the best.
func TestPrune(t *testing.T) {
	t.Parallel()
	stream := random.NewKey(13).Derive("prune").Stream()
	dropped, cheaper := 0, 0
	for trial := range 300 {
		cells := []int{2 + stream.IntN(3), 2 + stream.IntN(3), 2 + stream.IntN(3), 2}
		table := randomTable(stream, 30+stream.IntN(60), cells, trial%2 == 0)
		p := mustProblem(t, table, 2+stream.IntN(3), trial%3 == 0)
		s, least := newSearch(context.Background(), p, 0), bruteForce(p, table)
		s.best = least + 1 + int64(stream.IntN(int(least)))
		root := s.level(0)
		s.root(root)
		s.priceTail(root)
		if len(root.order) < 2 || !s.pricePairs(root) {
			continue
		}
		before := len(root.order)
		if s.prune(root, 0) >= s.best {
			if least < s.best {
				t.Fatalf("trial %d: nothing below %d, brute force %d", trial, s.best, least)
			}
			continue
		}
		dropped += before - len(root.order)
		for set := range 1 << len(p.cuts) {
			cost, ok := price(p, table, members(p, set))
			if !ok || cost >= s.best {
				continue
			}
			cheaper++
			for _, c := range members(p, set) {
				if !slices.Contains(root.order, int32(slices.Index(root.tail, c))) {
					t.Fatalf("trial %d: cut %d of %v, which costs %d, left out at %d", trial, c,
						members(p, set), cost, s.best)
				}
			}
		}
	}
	if dropped == 0 || cheaper == 0 {
		t.Errorf("%d cuts left out, %d sets of cuts still to be found: must be some", dropped,
			cheaper)
	}
}

// TestSolveDimension compares the cuts of one dimension that are found for a node, beyond its head,
// with the best of all sets of them.
func TestSolveDimension(t *testing.T) {
	t.Parallel()
	stream := random.NewKey(14).Derive("fit node").Stream()
	fitted := 0
	for trial := range 200 {
		cells := []int{3 + stream.IntN(6), 2 + stream.IntN(4), 2 + stream.IntN(4)}
		table := randomTable(stream, 30+stream.IntN(80), cells, trial%2 == 0)
		p := mustProblem(t, table, 2+stream.IntN(3), trial%3 == 0)
		s := newSearch(context.Background(), p, 0)
		n, next := s.level(0), s.level(1)
		s.root(n)
		s.priceTail(n)
		for range 3 { // cuts of the head
			var along []int32 // the cuts of the first dimension
			for at, state := range n.state {
				if state == open && p.cuts[n.tail[at]].dim == 0 {
					along = append(along, int32(at))
				}
			}
			want := int64(math.MaxInt64)
			for set := range 1 << p.first[1] {
				if cost, ok := price(p, table, append(members(p, set), s.path...)); ok {
					want = min(want, cost)
				}
			}
			if s.best = math.MaxInt64; want < s.best && len(along) > 0 {
				s.solveDimension(n, along)
				cost, ok := price(p, table, s.bestCuts)
				if s.best != want || !ok || cost != want {
					t.Fatalf("trial %d: %v beyond %v costs %d, said to be %d, must be %d", trial,
						s.bestCuts, s.path, cost, s.best, want)
				}
				fitted++
			}
			s.best = math.MaxInt64
			i := slices.IndexFunc(n.order, func(at int32) bool {
				return p.cuts[n.tail[at]].dim > 0
			})
			if i < 0 {
				break
			}
			n.restart(p.words)
			n.takeNext(n.order[i])
			s.child(next, n, int(n.order[i]))
			s.path = append(s.path, n.tail[n.order[i]])
			s.priceTail(next)
			n, next = next, n
		}
	}
	if fitted < 100 {
		t.Errorf("%d nodes fitted, must be more", fitted)
	}
}

// TestWords is TestAgainstEverySetOfCuts with cuts that fill more than one word: the least cost is
// that of the best cuts on the long dimension (see TestFit) for every set of the others. A search
// starts from a best cost that is one too high, and must find it without a climb.
func TestWords(t *testing.T) {
	t.Parallel()
	stream := random.NewKey(15).Derive("words of cuts").Stream()
	for trial := range 30 {
		cells := []int{70, 3, 4, 2}
		if trial%2 == 0 {
			cells = []int{3, 4, 2, 70}
		}
		table := randomTable(stream, 200+stream.IntN(300), cells, trial%3 == 0)
		p := mustProblem(t, table, 3+stream.IntN(10), trial%5 == 0)
		s := newSearch(context.Background(), p, 0)
		root := s.level(0)
		s.root(root)
		c, want := newClimber(s, root), int64(math.MaxInt64)
		c.dim = slices.Index(cells, 70)
		c.free = root.tail[root.from[c.dim]:root.from[c.dim+1]]
		others := slices.Concat(root.tail[:root.from[c.dim]], root.tail[root.from[c.dim+1]:])
		for set := range 1 << len(others) {
			var taken []int32
			for i, cut := range others {
				if set>>i&1 == 1 {
					taken = append(taken, cut)
				}
			}
			c.taken = p.setOf(taken)
			c.count()
			want = min(want, c.fit(&c.current, want))
		}
		s.best = want + 1
		s.priceTail(root)
		if s.kOptimize(0, p.cheapest()); s.best != want {
			t.Errorf("trial %d, k %d, suppress %t: nothing below %d, must be %d", trial, p.k,
				p.suppress, s.best, want)
		}
	}
}

// TestBeyondPairs: nodes whose joint counts would take too much memory are searched without them,
// as well beside others that have them. The limit is lowered, so that small tables are beyond it,
// some of their nodes or all. Searches begin with a cost that is one too high, as in TestWords, or
// with none.
func TestBeyondPairs(t *testing.T) { // not parallel: other tests are to have the usual limit
	defer func(usual int) { maxJoint = usual }(maxJoint)
	stream := random.NewKey(16).Derive("beyond pairs").Stream()
	for trial := range 400 {
		cells := []int{2 + stream.IntN(4), 2 + stream.IntN(3), 2 + stream.IntN(3), 2}
		table := randomTable(stream, 30+stream.IntN(60), cells, trial%2 == 0)
		p := mustProblem(t, table, 2+stream.IntN(3), trial%3 == 0)
		want := bruteForce(p, table)
		maxJoint = []int{0, 20, 50, 100, 150}[trial%5]
		s := newSearch(context.Background(), p, 0)
		s.best = want + 1 + int64(stream.IntN(2))*want
		s.root(s.level(0))
		s.priceTail(s.level(0))
		s.kOptimize(0, p.cheapest())
		cost, ok := price(p, table, s.bestCuts)
		if s.best != want || s.gap() != 0 || !ok || cost != want {
			t.Fatalf("trial %d, at most %d joint counts: %v costs %d, %t, said to be %d with gap"+
				" %v, brute force %d", trial, maxJoint, s.bestCuts, cost, ok, s.best, s.gap(), want)
		}
	}
}
