package privbayes

import (
	"math"
	"testing"

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
	return testinput.Release(t, Algorithm{}, in), in
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

// divergence is the Kullback-Leibler divergence, in bits, of a network over binary attributes from
// the table's joint distribution.
func divergence(t *testing.T, rows [][]uint32, params *Params, variant algorithms.Variant,
	epsilon float64, seed uint64) float64 {
	t.Helper()
	d := len(rows[0])
	sizes := make([]int, d)
	for i := range sizes {
		sizes[i] = 2
	}
	f := newFit(nominal(sizes, rows), params, variant, epsilon, seed)
	must.Do(t, f.count())
	network := must.Get(f.network())
	truth := make([]float64, 1<<d)
	for _, row := range rows {
		at := 0
		for j, v := range row {
			at |= int(v) << j
		}
		truth[at] += 1 / float64(len(rows))
	}
	sum, all := 0.0, 0.0
	nodes := make([]uint32, d)
	for at, p := range truth {
		for j := range nodes {
			nodes[j] = uint32(at >> j & 1)
		}
		q := mass(network, nodes)
		if all += q; p > 0 {
			sum += p * math.Log2(p/q)
		}
	}
	if !(math.Abs(all-1) <= 1e-9) {
		t.Fatalf("the network's probabilities add up to %v", all)
	}
	return sum
}

// TestLargeEpsilonGivesTheTruth: without noise a network in which each node may have all others
// before it as parents is the table's joint distribution.
func TestLargeEpsilonGivesTheTruth(t *testing.T) {
	stream := random.NewKey(3).Stream()
	var dense, chain [][]uint32
	for range 3000 {
		at := stream.Uint32N(16)
		at &= stream.Uint32N(16) // ones are rare, and one of eight joins all
		if stream.Uint32N(8) == 0 {
			at = 15
		}
		dense = append(dense, []uint32{at & 1, at >> 1 & 1, at >> 2 & 1, at >> 3 & 1})
	}
	// A Markov chain whose counts factorise exactly: each bit equals the one before it in 7 of 8
	// cases.
	for at := range 8 * 8 * 8 * 2 {
		x := uint32(at & 1)
		row := []uint32{x}
		for j := range 3 {
			if at>>(1+3*j)&7 == 0 {
				x = 1 - x
			}
			row = append(row, x)
		}
		chain = append(chain, row)
	}
	for _, variant := range []algorithms.Variant{algorithms.Published, algorithms.Strict} {
		for _, encoding := range []Encoding{Binary, Hierarchical} {
			params := DefaultParams()
			params.Encoding, params.Degree = encoding, 3
			if kl := divergence(t, dense, params, variant, 1e9, 1); !(kl <= 1e-6) {
				t.Errorf("%s, %s: divergence %v bits at epsilon 1e9", variant, encoding, kl)
			}
			if kl := divergence(t, dense, params, variant, 0.01, 1); !(kl >= 0.01) {
				t.Errorf("%s, %s: divergence %v bits at epsilon 0.01: where is the noise?",
					variant, encoding, kl)
			}
			// A chain is a network of one parent each, and the best neighbours are those in the
			// chain.
			params.Degree = 1
			if kl := divergence(t, chain, params, variant, 1e9, 1); !(kl <= 1e-6) {
				t.Errorf("%s, %s: divergence %v bits from a chain at epsilon 1e9 with one parent",
					variant, encoding, kl)
			}
		}
	}
}

// TestRecordsFollowTheNetwork: drawn records of attributes whose codes need rejection have the
// network's law, which without noise is the table's: 30,000 records over 3·5 cells.
func TestRecordsFollowTheNetwork(t *testing.T) {
	var rows [][]uint32
	var want [3][5]float64
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
		want[row[0]][row[1]]++
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
			var got [3][5]float64
			for row := range int32(r.Table.Len()) {
				got[r.Table.Column(0).At(row)][r.Table.Column(1).At(row)]++
			}
			chi := 0.0
			for a := range want {
				for b := range want[a] {
					chi += (got[a][b] - want[a][b]) * (got[a][b] - want[a][b]) / want[a][b]
				}
			}
			// Chi-squared with 14 degrees of freedom exceeds 42.6 with probability 1e-4.
			if !(chi <= 42.6) {
				t.Errorf("%s, %s: chi-squared %.1f, counts %v, want about %v", encoding, variant,
					chi, got, want)
			}
		}
	}
}

// TestNumberOfRecords: published publishes as many as it got, up to max_rows, and strict a noisy
// number. (Whether its noise has the law that is charged for, a replay sees.)
func TestNumberOfRecords(t *testing.T) {
	const n = 400
	table, params := conformance.Table(n), DefaultParams()
	r, _ := mustRelease(t, table, params, algorithms.Published, 0.5, 1)
	if r.Table.Len() != n {
		t.Errorf("published: %d records, want %d", r.Table.Len(), n)
	}
	seen := make(map[int]bool)
	for seed := range uint64(5) {
		r, _ = mustRelease(t, table, params, algorithms.Strict, 0.5, seed)
		seen[r.Table.Len()] = true
	}
	if len(seen) < 3 {
		t.Errorf("strict: numbers of records %v of five releases", seen)
	}
	params.MaxRows = 100
	r, _ = mustRelease(t, table, params, algorithms.Published, 0.5, 1)
	if r.Table.Len() != 100 || len(r.Weights) != 100 || r.Weights[0] != 4 || len(r.Warnings) == 0 {
		t.Errorf("%d records, weights %v, warnings %q: want 100 of weight 4 and a warning",
			r.Table.Len(), r.Weights, r.Warnings)
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
