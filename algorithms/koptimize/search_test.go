package koptimize

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"ppdp/algorithms/incognito"
	"ppdp/algorithms/internal/testinput"
	"ppdp/datasets"
	"ppdp/datasets/discrete"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// randomTable is a table of n rows over the given numbers of cells; skewed values crowd at the low
// end.
func randomTable(stream *random.Stream, n int, cells []int, skewed bool) *datasets.Table {
	rows := make([][]uint32, n)
	for row := range rows {
		for _, c := range cells {
			code := stream.Uint32N(uint32(c))
			if skewed {
				code = min(code, stream.Uint32N(uint32(c)))
			}
			rows[row] = append(rows[row], code)
		}
	}
	return testinput.Numbers(0, cells, rows...)
}

func mustProblem(t testing.TB, table *datasets.Table, k int, suppress bool) *problem {
	t.Helper()
	return must.Get(newProblem(table, table.AllRows(), k, suppress))
}

func mustRun(t testing.TB, p *problem, limit int64) *search {
	t.Helper()
	s := newSearch(context.Background(), p, limit)
	must.Do(t, s.run())
	return s
}

// searchBelow searches without a climb for what costs less than a cost.
func searchBelow(p *problem, cost int64) *search {
	s := newSearch(context.Background(), p, 0)
	s.best = cost
	s.root(s.level(0))
	s.priceTail(s.level(0))
	s.kOptimize(0, p.cheapest())
	return s
}

// price is the discernibility of a set of cuts, straight from the definition.
func price(p *problem, table *datasets.Table, taken []int32) (int64, bool) {
	// A class has the number Σ (cuts below it on a dimension)·(stride of the dimension).
	strides, number := make([]int, p.dims), 1
	for d := range strides {
		strides[d] = number
		parts := 1
		for _, c := range taken {
			if p.cuts[c].dim == d {
				parts++
			}
		}
		number *= parts
	}
	classes := make([]int64, number)
	for row := range int32(table.Len()) {
		at := 0
		for _, c := range taken {
			if cut := p.cuts[c]; table.Column(cut.dim).At(row) >= cut.at {
				at += strides[cut.dim]
			}
		}
		classes[at]++
	}
	cost := int64(0)
	for _, size := range classes {
		switch {
		case size == 0:
		case size >= int64(p.k):
			cost += size * size
		case !p.suppress:
			return 0, false
		default:
			cost += size * int64(table.Len())
		}
	}
	return cost, true
}

// members are the numbers of the cuts in a set.
func members(p *problem, set int) []int32 {
	var taken []int32
	for c := range p.cuts {
		if set>>c&1 == 1 {
			taken = append(taken, int32(c))
		}
	}
	return taken
}

// bruteForce prices every set of cuts.
func bruteForce(p *problem, table *datasets.Table) int64 {
	best := int64(math.MaxInt64)
	for set := range 1 << len(p.cuts) {
		if cost, ok := price(p, table, members(p, set)); ok && cost < best {
			best = cost
		}
	}
	return best
}

// TestAgainstEverySetOfCuts compares the search with brute force on tables of up to 16 cuts, with
// and without suppression, and holds a search that is ended early to its bound.
func TestAgainstEverySetOfCuts(t *testing.T) {
	t.Parallel()
	stream := random.NewKey(7).Derive("small tables").Stream()
	early := 0
	for trial := range 150 {
		cells := make([]int, 1+stream.IntN(4))
		for d := range cells {
			cells[d] = 2 + stream.IntN(12/len(cells))
		}
		n, k := 1+stream.IntN(60), 2+stream.IntN(4)
		if trial%75 == 0 {
			cells, n = []int{5, 5, 5, 5}, 100 // 16 cuts
		}
		table := randomTable(stream, n, cells, stream.IntN(2) == 1)
		for _, suppress := range []bool{false, true} {
			if n < k && !suppress {
				continue
			}
			p := mustProblem(t, table, k, suppress)
			name := fmt.Sprintf("trial %d: n %d, k %d, %d cuts, suppress %t", trial, n, k,
				len(p.cuts), suppress)
			s := mustRun(t, p, 0)
			want := bruteForce(p, table)
			if s.best != want || s.gap() != 0 {
				t.Fatalf("%s: found %d with gap %v, brute force %d", name, s.best, s.gap(), want)
			}
			if cost, ok := price(p, table, s.bestCuts); !ok || cost != want {
				t.Fatalf("%s: the cuts cost %d, %t, the search says %d", name, cost, ok, s.best)
			}
			// Most searches begin with the best. One that believes it to cost one more must find
			// it.
			if searchBelow(p, want+1).best != want && want < p.cost[n] {
				t.Fatalf("%s: nothing found below %d, brute force %d", name, s.best, want)
			}
			for _, limit := range []int64{1, s.work / 8, s.work / 2} {
				e := mustRun(t, p, max(1, limit))
				if cost, ok := price(p, table, e.bestCuts); !ok || cost != e.best {
					t.Fatalf("%s, %d steps: the cuts cost %d, %t, the search says %d", name, limit,
						cost, ok, e.best)
				}
				if e.best < want || e.lower() > want {
					t.Fatalf("%s, %d steps: from %d to %d, brute force %d", name, limit, e.lower(),
						e.best, want)
				}
				if (e.gap() == 0) != (e.best == e.lower()) || e.gap() == 0 && e.best != want {
					t.Fatalf("%s, %d steps: gap %v of %d, brute force %d", name, limit, e.gap(),
						e.best, want)
				}
				if e.gap() > 0 {
					early++
				}
			}
		}
	}
	if early == 0 {
		t.Error("no search ended early with a gap: the bounds were not tested")
	}
}

// TestRungs: a limited search costs no more than the same one at any larger k of the series, and
// none above full-domain generalisation, although its limit ends it long before.
func TestRungs(t *testing.T) {
	t.Parallel()
	if got, want := rungs(10, 2100), []int{1000, 500, 250, 100, 50, 25}; !slices.Equal(got, want) {
		t.Errorf("rungs above 10 of 2,100 rows: %v, must be %v", got, want)
	}
	if got, want := rungs(1, 11), []int{5, 2}; !slices.Equal(got, want) {
		t.Errorf("rungs above 1 of 11 rows: %v, must be %v", got, want)
	}
	stream := random.NewKey(12).Derive("rungs").Stream()
	fullDomain := 0 // releases of full-domain solutions
	for trial := range 12 {
		// At these limits searches alone are out of order in k, or miss full-domain solutions.
		cells, limit := []int{40, 12, 12}, int64(30_000)
		if trial%4 == 0 {
			cells, limit = []int{8, 8, 8, 8}, int64(1)
		}
		table := randomTable(stream, 600, cells, trial%4 != 0)
		for _, suppress := range []bool{false, true} {
			ks, least := append(rungs(1, 600), 3, 7, 8, 30), map[int]int64{}
			for _, k := range ks {
				p := mustProblem(t, table, k, suppress)
				s := must.Get(solve(context.Background(), table, p, limit))
				if cost, ok := price(p, table, s.bestCuts); !ok || cost != s.best {
					t.Fatalf("trial %d, k %d: the cuts cost %d, %t, the search says %d", trial, k,
						cost, ok, s.best)
				}
				least[k] = s.best
				params := incognito.DefaultParams()
				params.K = k
				full := must.Get(
					incognito.Search(context.Background(), table, table.AllRows(), params))
				if cost := slices.Min(full.Discernibility); s.best > cost {
					t.Errorf("trial %d, k %d, suppress %t: %d, full-domain generalisation %d",
						trial, k, suppress, s.best, cost)
				} else if s.best == cost {
					fullDomain++
				}
			}
			for _, k := range ks {
				for _, rung := range rungs(k, 600) {
					if least[k] > least[rung] {
						t.Errorf("trial %d, suppress %t: %d at k of %d, %d at %d", trial, suppress,
							least[k], k, least[rung], rung)
					}
				}
			}
		}
	}
	if fullDomain == 0 {
		t.Error("no search ended with a full-domain generalisation: the limit does not bite")
	}
}

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
		if searchBelow(p, want+1).best != want {
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
		s := searchBelow(p, want+1+int64(stream.IntN(2))*want)
		cost, ok := price(p, table, s.bestCuts)
		if s.best != want || s.gap() != 0 || !ok || cost != want {
			t.Fatalf("trial %d, at most %d joint counts: %v costs %d, %t, said to be %d with gap"+
				" %v, brute force %d", trial, maxJoint, s.bestCuts, cost, ok, s.best, s.gap(), want)
		}
	}
}

// TestSmallChange is section 6.3 of LeFevre et al. 2006: "a small change to the synthetic data set
// often changes the resulting anonymization". In 20 tables of 1,000 records as in Fig. 17 ten are
// drawn again. The search proves that both partitionings are the best ones; what is compared is how
// they group the 990 records that stay. The claim holds in part: a quarter of the tables or more
// change, and fewer than half, which "often" was taken to be before they were counted.
func TestSmallChange(t *testing.T) {
	t.Parallel()
	const tables, records, again, k = 20, 1000, 10, 50
	params := discrete.Source.Params().(*discrete.Params)
	params.N, params.Attributes, params.Cardinality = tables*(records+again), 2, 50
	params.Shape, params.Mu, params.Sigma = discrete.Skewed, 25, 0.2
	set := must.Get(discrete.Source.Load(context.Background(),
		datasets.Request{Params: params, Key: random.NewKey(6)}))
	groups := func(rows []int32) (of []int32) { // of the last 990, numbered as they occur
		r := release(t, set.Table, rows, Params{K: k})
		if r.Structure.Gap != 0 {
			t.Fatalf("gap %v, must be 0", r.Structure.Gap)
		}
		numbers := make(map[int32]int32)
		for _, region := range r.Regions.Assignment[again:] {
			if _, known := numbers[region]; !known {
				numbers[region] = int32(len(numbers))
			}
			of = append(of, numbers[region])
		}
		return of
	}
	changed := 0
	for rows := range slices.Chunk(set.Table.AllRows(), records+again) {
		other := slices.Concat(rows[records:], rows[again:records])
		if !slices.Equal(groups(rows[:records]), groups(other)) {
			changed++
		}
	}
	if changed < tables/4 || changed >= tables/2 {
		t.Errorf("the optimum of %d of %d tables changed, must be from %d to %d", changed, tables,
			tables/4, tables/2-1)
	}
}
