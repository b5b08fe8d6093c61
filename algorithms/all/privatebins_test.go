package all

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/aim"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/margins"
	"ppdp/algorithms/mst"
	"ppdp/datasets"
	"ppdp/datasets/uci"
	"ppdp/internal/must"
	"ppdp/metrics"
	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// amounts is a table of lognormal amounts of median 1,000, as many columns of them as asked for, in
// bounds so many times their 99th percentile, beside others of 2 to 7 values. All depend
// on one hidden number.
func amounts(t testing.TB, rows, columns, others int, wide float64) *datasets.Table {
	t.Helper()
	stream := random.NewKey(5).Stream()
	normal := func() float64 {
		u, negative := stream.SignedOpen01()
		if x := elementary.NormalUpper(u / 2); negative {
			return -x
		} else {
			return x
		}
	}
	schema := &datasets.Schema{}
	for i := range columns {
		schema.Attributes = append(schema.Attributes, datasets.Attribute{Step: 1,
			Name: "amount" + strconv.Itoa(i),
			High: math.Round(wide * 1000 * elementary.Exp(2.3263))})
	}
	for i := range others {
		a := datasets.Attribute{Name: "c" + strconv.Itoa(i), Kind: datasets.Categorical}
		for v := range 2 + i%6 {
			a.Values = append(a.Values, strconv.Itoa(v))
		}
		schema.Attributes = append(schema.Attributes, a)
	}
	b := datasets.NewBuilder(schema, rows)
	for range rows {
		row, hidden := b.AddRow(), normal()
		like := func() float64 { return float64(0.6*hidden) + float64(0.8*normal()) }
		for i := range schema.Attributes {
			a := &schema.Attributes[i]
			if a.Kind == datasets.Numeric {
				amount := math.Round(1000 * elementary.Exp(like()))
				must.Do(t, b.SetNumber(row, i, min(amount, a.High-1)))
				continue
			}
			share := elementary.Erfc(-like()/math.Sqrt2) / 2
			b.Set(row, i, min(uint32(share*float64(a.Cells())), uint32(a.Cells())-1))
		}
	}
	return b.Table()
}

// released is five releases, in equal and in private bins, and their mean distances of pairs in 100
// equal bins and in 20 quantile bins of the original.
func released(t *testing.T, a algorithms.Algorithm, table *datasets.Table, delta float64,
	check func(cut margins.Cut, records *datasets.Table)) (equal, private [2]float64) {
	t.Helper()
	distance := must.Get(metrics.Lookup("marginal-distance"))
	for seed := range uint64(5) {
		for _, cut := range []margins.Cut{margins.Equal, margins.Private} {
			params := a.Params()
			switch p := params.(type) {
			case *aim.Params:
				p.Cut = cut
			case *margins.Params:
				p.Cut = cut
			}
			in := testinput.Input(table, params, algorithms.Strict, 1, seed)
			in.Budget = privacy.NewApproximate(1, delta)
			release := testinput.Release(t, a, in)
			check(cut, release.Table)
			for i, p := range []*metrics.MarginalDistanceParams{
				{Attributes: 2, Bins: 100, Cut: metrics.Equally},
				{Attributes: 2, Bins: 20, Cut: metrics.Quantile}} {
				d, _, err := distance.Measure(t.Context(), metrics.Case{Table: table,
					Train: table.AllRows(), Release: release, Params: p})
				if err != nil {
					t.Fatal(err)
				}
				if cut == margins.Equal {
					equal[i] += d / 5
				} else {
					private[i] += d / 5
				}
			}
		}
	}
	t.Logf("pairs in 100 equal bins %.4f, private %.4f; in 20 quantile bins %.4f, private %.4f",
		equal[0], private[0], equal[1], private[1])
	return equal, private
}

// long skips what takes minutes.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("PPDP_LONG") == "" {
		t.Skip("PPDP_LONG is not set: some minutes of releases")
	}
}

// TestWideColumn: of lognormal amounts in bounds 400 times their 99th percentile, beside 14
// attributes, the mean and the median stay within 5 % and the 95th percentile within 10 %, at
// epsilon 1 and in each of five releases.
func TestWideColumn(t *testing.T) {
	long(t)
	table := amounts(t, 30_000, 1, 14, 400)
	figures := func(table *datasets.Table) [3]float64 {
		numbers, sum := make([]float64, table.Len()), 0.0
		for row := range numbers {
			numbers[row] = table.Number(int32(row), 0)
			sum += numbers[row]
		}
		slices.Sort(numbers)
		n := len(numbers)
		return [3]float64{sum / float64(n), numbers[n/2], numbers[n*95/100]}
	}
	want := figures(table)
	for _, a := range []algorithms.Algorithm{mst.Algorithm, aim.Algorithm} {
		released(t, a, table, 0, func(cut margins.Cut, records *datasets.Table) {
			got := figures(records)
			t.Logf("%s, %s: mean %.0f, median %.0f, P95 %.0f; rows %.0f", a.Info().Name, cut,
				got[0], got[1], got[2], want)
			for i, tolerance := range []float64{0.05, 0.05, 0.1} {
				if cut == margins.Private && math.Abs(got[i]/want[i]-1) > tolerance {
					t.Errorf("%v, must be within %v of %v", got[i], tolerance, want[i])
				}
			}
		})
	}
}

// TestHiddenTail: the same amounts are said to be hidden by noise where they are of 3,000 rows at
// epsilon 1, whose means came out a fifth low, or of fewer at less, and are not of 30,000.
func TestHiddenTail(t *testing.T) {
	for _, x := range []struct {
		rows    int
		epsilon float64
		warned  bool
	}{{1000, 0.1, true}, {3000, 1, true}, {30_000, 1, false}} {
		table := amounts(t, x.rows, 1, 14, 400)
		for seed := range uint64(3) {
			a := mst.Algorithm
			release := testinput.Release(t, a, testinput.Input(table, a.Params(),
				algorithms.Strict, x.epsilon, seed))
			if got := slices.ContainsFunc(release.Warnings, func(w string) bool {
				return strings.HasPrefix(w, "amount0: noise may hide or make up ")
			}); got != x.warned {
				t.Errorf("%d rows, epsilon %v: %q", x.rows, x.epsilon, release.Warnings)
			}
		}
	}
}

// TestPairs: what private bins do to the distances of pairs.
//
//   - Of amounts in wide bounds they bring that in quantile bins from more than .5 to .06 under
//     (1, 1e-9) and to .09 in pure epsilon (.059 and .092 were measured, .084 before tails were
//     fitted); in bounds that are tight they lose nothing.
//   - Of Adult they take 15 % and more off that in 100 public bins.
//   - Of the American Community Survey, ten columns of which only the age is cut, they keep NIST's
//     score of AIM's release. The score is 979; the 985 that were hoped for are not reached by any
//     cut, since nearly all of the distance is between categories. A sample of 40 % has 987
//     (metrics, TestNISTScores).
func TestPairs(t *testing.T) {
	long(t)
	wide := func(t *testing.T) *datasets.Table { return amounts(t, 30_000, 8, 4, 50) }
	for name, c := range map[string]struct { // order-free: each for itself
		table func(*testing.T) *datasets.Table
		delta float64
		holds func(equal, private [2]float64) bool
	}{
		"wide bounds": {wide, 0,
			func(e, p [2]float64) bool { return e[1] >= 0.5 && p[1] <= 0.1 }},
		"wide bounds, delta": {wide, 1e-9,
			func(e, p [2]float64) bool { return e[1] >= 0.5 && p[1] <= 0.065 }},
		"tight bounds": {
			func(t *testing.T) *datasets.Table { return amounts(t, 30_000, 4, 14, 1) }, 0,
			func(e, p [2]float64) bool { return p[0] <= e[0] && p[1] <= e[1] }},
		"Adult": {func(t *testing.T) *datasets.Table { return testinput.Adult(t, "diffmulti") }, 0,
			func(e, p [2]float64) bool { return p[0] <= 0.85*e[0] }},
		"survey": {survey, 1e-9, func(e, p [2]float64) bool { return p[1] <= e[1]+0.002 }},
	} {
		t.Run(name, func(t *testing.T) {
			equal, private := released(t, aim.Algorithm, c.table(t), c.delta,
				func(margins.Cut, *datasets.Table) {})
			if !c.holds(equal, private) {
				t.Errorf("distances %v, with equal bins %v", private, equal)
			}
		})
	}
}

// survey is the table of the American Community Survey, its ten columns of SDNist's figures.
func survey(t *testing.T) *datasets.Table {
	t.Helper()
	dir := os.Getenv("PPDP_DATA")
	if dir == "" {
		t.Skip("PPDP_DATA is not set: no table of the American Community Survey")
	}
	return must.Get(must.Get(datasets.Lookup("acs")).Load(t.Context(), datasets.Request{
		Params: &uci.ACSParams{Select: uci.Ten},
		Files:  datasets.Files{Dirs: []string{dir}}})).Table
}
