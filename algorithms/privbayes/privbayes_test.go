package privbayes

import (
	"math"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/partition"
	"ppdp/audit/conformance"
	"ppdp/datasets"
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
