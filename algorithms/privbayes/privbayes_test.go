package privbayes

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/partition"
	"ppdp/audit/conformance"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

func mustRelease(t *testing.T, table *datasets.Table, params *Params, variant algorithms.Variant,
	epsilon float64, seed uint64) (*algorithms.Release, algorithms.Input) {
	t.Helper()
	in := testinput.Input(table, params, variant, epsilon, seed)
	return testinput.Release(t, Algorithm, in), in
}

// TestLedger: how the budget is spent over 14 bits with degree 2, and over 6 attributes.
func TestLedger(t *testing.T) {
	table := conformance.Table(400) // 4+4+2+1+2+1 = 14 bits
	params := DefaultParams()
	params.Degree, params.Theta = 2, 1e-3
	type row struct {
		purpose, mechanism string
		sensitivity        float64
		calls              int64
		epsilon            float64
	}
	for _, c := range []struct {
		variant  algorithms.Variant
		encoding Encoding
		want     []row
	}{
		// six attributes, every one with a marginal of its own
		{algorithms.Published, Hierarchical, []row{
			{"network", "exponential", 3 + 2./400, 5, 0.3},
			{"marginals", "laplace", 2, 6, 0.7},
		}},
		{algorithms.Strict, Hierarchical, []row{
			{"number of records", "geometric", 1, 1, 0.02},
			{"network", "exponential", 2, 5, 0.98 * 0.3},
			{"marginals", "geometric", 1, 6, 0.98 * 0.7},
		}},
		{algorithms.Published, Binary, []row{
			{"network", "exponential", 1, 13, 0.3},
			{"marginals", "laplace", 2, 12, 0.7},
		}},
		{algorithms.Strict, Binary, []row{
			{"number of records", "geometric", 1, 1, 0.02},
			{"network", "exponential", 0.75, 13, 0.98 * 0.3},
			{"marginals", "geometric", 1, 12, 0.98 * 0.7},
		}},
	} {
		params.Encoding = c.encoding
		_, in := mustRelease(t, table, params, c.variant, 1, 1)
		ledger := in.Budget.Ledger()
		if len(ledger) != len(c.want) {
			t.Errorf("%s: %d mechanisms, want %d", c.variant, len(ledger), len(c.want))
			continue
		}
		for i, want := range c.want {
			got := row{ledger[i].Purpose, ledger[i].Mechanism, ledger[i].Claimed, ledger[i].Calls,
				want.epsilon}
			if got != want || math.Abs(ledger[i].Cost-want.epsilon) > 1e-12 ||
				float64(ledger[i].Proven) != ledger[i].Claimed {
				t.Errorf("%s: %+v, want %+v", c.variant, ledger[i], want)
			}
		}
	}
}

// mass is the probability a network gives to a record's nodes.
func mass(network []conditional, nodes []uint32) float64 {
	product := 1.0
	for _, c := range network {
		config := uint32(0)
		for _, p := range c.parents {
			config += p.add[nodes[p.node]]
		}
		row := c.cumulative[int(config)*c.size : (int(config)+1)*c.size]
		x := nodes[c.child]
		low := 0.0
		if x > 0 {
			low = row[x-1]
		}
		product *= (row[x] - low) / row[len(row)-1]
	}
	return product
}

// TestRecordsFollowTheNetwork: drawn records of attributes whose codes need rejection have the
// network's law, which without noise is the table's: 30,000 records over 3·5 cells.
func TestRecordsFollowTheNetwork(t *testing.T) {
	var rows [][]uint32
	want := make([]float64, 15)
	for a := range uint32(3) {
		for b := range uint32(5) {
			for range 100 * (1 + (a*b+a)%7) {
				rows = append(rows, []uint32{a, b})
			}
		}
	}
	for len(rows) < 30_000 {
		rows = append(rows, rows[:min(len(rows), 30_000-len(rows))]...)
	}
	for _, row := range rows {
		want[5*row[0]+row[1]]++
	}
	table := nominal([]int{3, 5}, rows)
	for _, encoding := range []Encoding{Binary, Hierarchical} {
		for _, variant := range []algorithms.Variant{algorithms.Published, algorithms.Strict} {
			params := DefaultParams()
			params.Encoding, params.Degree = encoding, 4
			r, _ := mustRelease(t, table, params, variant, 1e9, 5)
			if r.Table.Len() != len(rows) || r.Weights != nil {
				t.Fatalf("%s, %s: %d records, want %d", encoding, variant, r.Table.Len(), len(rows))
			}
			got := make([]float64, 15)
			for row := range int32(r.Table.Len()) {
				got[5*r.Table.Column(0).At(row)+r.Table.Column(1).At(row)]++
			}
			// Chi-squared with 14 degrees of freedom exceeds 42.6 with probability 1e-4.
			if chi := testinput.ChiSquare(got, want); !(chi <= 42.6) {
				t.Errorf("%s, %s: chi-squared %.1f, counts %v, want about %v", encoding, variant,
					chi, got, want)
			}
		}
	}
}

// TestValues: of bins of five whole years the middle is published where it is asked for.
func TestValues(t *testing.T) {
	params := DefaultParams()
	params.Values = partition.Midpoint
	var rows [][]uint32
	for age := range uint32(80) {
		rows = append(rows, []uint32{age})
	}
	table := testinput.Numbers(0, []int{80}, rows...)
	r, _ := mustRelease(t, table, params, algorithms.Strict, 10, 1)
	for row := range int32(r.Table.Len()) {
		if age := r.Table.Column(0).At(row); age%5 != 2 {
			t.Fatalf("age %d is published", age)
		}
	}
}

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
			must.Near(t, largest, exact, 1e-9, table, n)
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
