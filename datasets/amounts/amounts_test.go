package amounts

import (
	"context"
	"math"
	"slices"
	"testing"

	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// The oracle is each law in closed form: medians and 99th percentiles of amounts above 0, the share
// of zeros, and the class, whose score is normal with variance 1 + 1 + 2·.5 + 4 = 7.
func TestLaws(t *testing.T) {
	for _, test := range []struct {
		params      Params
		median, p99 float64
		bound       float64
	}{
		{Params{N: 40000, Law: Lognormal, Shape: 1.5, Zeros: 0.3},
			math.Exp(6), math.Exp(6 + 1.5*p99), 1e7},
		{Params{N: 40000, Law: Pareto, Shape: 2}, 1000 * math.Sqrt2, 1e4, 1e7},
		{Params{N: 40000, Law: Pareto, Shape: 0.5, Zeros: 0.6}, 4000, 1e7, maxBound},
	} {
		data := must.Get(Source.Load(context.Background(),
			datasets.Request{Params: &test.params, Key: random.NewKey(7)}))
		table := data.Table
		at := table.Schema().Index("amount")
		if high := table.Schema().Attributes[at].High; high != test.bound {
			t.Errorf("%+v: bound %v, must be %v", test.params, high, test.bound)
		}
		var amounts []float64
		zeros, yes := 0, 0
		for _, row := range table.AllRows() {
			if amount := table.Number(row, at); amount > 0 {
				amounts = append(amounts, amount)
			} else {
				zeros++
			}
			yes += int(table.Column(at + 2).At(row))
			if limit := table.Number(row, at+1); math.Mod(limit, 100) != 0 {
				t.Fatalf("limit %v is no multiple of 100", limit)
			}
		}
		slices.Sort(amounts)
		near := func(what string, got, want, within float64) {
			if math.Abs(got/want-1) > within {
				t.Errorf("%+v: %s %v, must be near %v", test.params, what, got, want)
			}
		}
		near("median", amounts[len(amounts)/2], test.median, 0.08)
		near("99th percentile", amounts[len(amounts)*99/100], test.p99, 0.3)
		if got := float64(zeros) / 40000; math.Abs(got-test.params.Zeros) > 0.01 {
			t.Errorf("%+v: a share of %v is 0", test.params, got)
		}
		near("share of yes", float64(yes)/40000, math.Erfc(1/math.Sqrt(14))/2, 0.03)
	}
}
