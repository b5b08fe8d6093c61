package koptimize

import (
	"context"
	"math"
	"slices"
	"testing"

	"ppdp/numeric/random"
)

// TestWords is TestAgainstEverySetOfCuts with cuts that fill more than one word: for every set of
// cuts on the other dimensions the best ones on the long dimension are found, and the least of
// their costs is wanted. A search starts from a cost one higher, and must find it without a climb.
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
