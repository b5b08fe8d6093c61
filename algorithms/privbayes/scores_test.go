package privbayes

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/numeric/random"
)

// joint is F by its definition: the largest value over all ways to send parent configurations to a
// side.
func joint(cells []int32) float64 {
	n := 0.0
	for _, c := range cells {
		n += float64(c)
	}
	configs := len(cells) / 2
	best := math.Inf(-1)
	for sides := range 1 << configs {
		k := [2]float64{}
		for p := range configs {
			side := sides >> p & 1
			k[side] += float64(cells[2*p+side])
		}
		best = max(best, math.Min(n/2, k[0])+math.Min(n/2, k[1])-n)
	}
	return best
}

// byDefinition is n times a score, from probabilities.
func byDefinition(of Encoding, cells []int32, children int) float64 {
	if of == Binary {
		return joint(cells)
	}
	n := 0.0
	child, parent := make([]float64, children), make([]float64, len(cells)/children)
	for i, c := range cells {
		n += float64(c)
		child[i%children] += float64(c)
		parent[i/children] += float64(c)
	}
	if n == 0 {
		return 0
	}
	sum := 0.0
	for i, c := range cells {
		p, q := float64(c)/n, child[i%children]/n*parent[i/children]/n
		sum += math.Abs(p-q) / 2
	}
	return n * sum
}

// TestKnapsack compares with all subsets, on items whose gains for the cost are close to each
// other: there taking the best first is often not the best.
func TestKnapsack(t *testing.T) {
	stream := random.NewKey(11).Stream()
	s := &scorer{}
	greedyFails := 0
	for range 3000 {
		items := make([]item, 1+stream.IntN(10))
		sum := int64(0)
		for i := range items {
			cost := 2 * (2 + stream.Int64N(20))
			items[i] = item{cost: cost, gain: 2 * max(1, cost/2-1-stream.Int64N(3))}
			sum += cost
		}
		slices.SortFunc(items, func(a, b item) int {
			return cmp.Compare(b.gain*a.cost, a.gain*b.cost)
		})
		capacity := 1 + stream.Int64N(sum+10)
		want, greedy := int64(0), item{}
		for chosen := range 1 << len(items) {
			all := item{}
			for i, it := range items {
				if chosen>>i&1 == 1 {
					all.cost, all.gain = all.cost+it.cost, all.gain+it.gain
				}
			}
			want = max(want, all.gain-max(0, all.cost-capacity))
		}
		for _, it := range items {
			if greedy.cost+it.cost <= capacity {
				greedy.cost, greedy.gain = greedy.cost+it.cost, greedy.gain+it.gain
			}
		}
		if greedy.gain < want {
			greedyFails++
		}
		if got := s.knapsack(items, capacity); got != want {
			t.Fatalf("%v within %d: %d, want %d", items, capacity, got, want)
		}
	}
	if greedyFails < 500 {
		t.Errorf("the best first is the best in all but %d cases: the test asks too little",
			greedyFails)
	}
}

func TestScoresAreTheirDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rating := rapid.SampledFrom([]Encoding{Binary, Hierarchical}).Draw(t, "encoding")
		children := 2
		if rating != Binary {
			children = rapid.IntRange(1, 5).Draw(t, "children")
		}
		configs := rapid.IntRange(1, 12).Draw(t, "configurations")
		most := rapid.SampledFrom([]int32{1, 3, 50, 5000}).Draw(t, "most")
		cells := rapid.SliceOfN(rapid.Int32Range(0, most), configs*children,
			configs*children).Draw(t, "cells")
		n := 0
		for _, c := range cells {
			n += int(c)
		}
		want := byDefinition(rating, cells, children)
		for _, variant := range []algorithms.Variant{algorithms.Published, algorithms.Strict} {
			got := newScorer(rating, n, variant).of(cells, children)
			if rating == Binary && variant == algorithms.Strict {
				got -= float64(n) / 4
			}
			// Sums of at most 60 terms up to n: rounding stays far below 1e-9 of that.
			if !(math.Abs(got-want) <= 1e-9*(1+float64(n))) {
				t.Fatalf("%s of %v with %d children is %v, want %v", rating, cells, children, got,
					want)
			}
		}
	})
}

// forEachTable visits all tables of n records over some cells.
func forEachTable(cells []int32, n int, visit func()) {
	var fill func(i, left int)
	fill = func(i, left int) {
		if i == len(cells)-1 {
			cells[i] = int32(left)
			visit()
			return
		}
		for c := 0; c <= left; c++ {
			cells[i] = int32(c)
			fill(i+1, left-c)
		}
	}
	fill(0, n)
}

// tables are what scores are tried on: parent configurations by children.
var tables = []struct {
	encoding          Encoding
	configs, children int
}{{Binary, 2, 2}, {Binary, 4, 2}, {Hierarchical, 2, 2}, {Hierarchical, 4, 2}, {Hierarchical, 2, 3},
	{Hierarchical, 3, 3}}

// TestReplacementSensitivities visits all pairs of neighbours of up to 8 records.
func TestReplacementSensitivities(t *testing.T) {
	for _, table := range tables {
		for n := 2; n <= 8; n++ {
			s := newScorer(table.encoding, n, algorithms.Published)
			cells := make([]int32, table.configs*table.children)
			largest := 0.0
			forEachTable(cells, n, func() {
				before := s.of(cells, table.children)
				for from := range cells {
					if cells[from] == 0 {
						continue
					}
					cells[from]--
					for to := range cells {
						cells[to]++
						largest = max(largest, math.Abs(s.of(cells, table.children)-before))
						cells[to]--
					}
					cells[from]++
				}
			})
			claimed := sensitivity(table.encoding, algorithms.Published, n).Claimed
			if !(largest <= claimed) { // nor NaN
				t.Errorf("%+v, %d records: a replacement moves the score by %v, claimed %v", table,
					n, largest, claimed)
			}
			exact := largest // where it is known
			switch {
			case table.encoding == Binary:
				exact = claimed
			case table.configs == 2 && table.children == 2:
				exact = 2 - 2/float64(n)
			}
			if math.Abs(largest-exact) > 1e-9 {
				t.Errorf("%+v, %d records: a replacement moves the score by at most %v, want %v",
					table, n, largest, exact)
			}
		}
	}
}

// TestAddingSensitivities visits all ways to add a record to up to 8. F reaches its bound on both
// sides, so that no smaller claim would hold. R comes nearest to its own for n records in one cell
// and one in another row and column.
func TestAddingSensitivities(t *testing.T) {
	for _, table := range tables {
		claimed := sensitivity(table.encoding, algorithms.Strict, 0).Claimed
		for n := 0; n <= 8; n++ {
			one := newScorer(table.encoding, n, algorithms.Strict)
			more := newScorer(table.encoding, n+1, algorithms.Strict)
			cells := make([]int32, table.configs*table.children)
			up, down := 0.0, 0.0
			forEachTable(cells, n, func() {
				before := one.of(cells, table.children)
				for at := range cells {
					cells[at]++
					move := more.of(cells, table.children) - before
					up, down = max(up, move), min(down, move)
					cells[at]--
				}
			})
			reached := up == claimed && down == -claimed || n < 4
			if table.encoding == Hierarchical {
				reached = math.Abs(up-2*float64(n)/float64(n+1)) <= 1e-12
			}
			if !(max(up, -down) <= claimed) || !reached {
				t.Errorf("%+v, %d records: a new one moves the score by %v to %v, claimed %v",
					table, n, down, up, claimed)
			}
		}
	}
}
