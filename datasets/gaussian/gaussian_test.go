package gaussian

import (
	"context"
	"math"
	"sort"
	"strings"
	"testing"

	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

func load(t testing.TB, params Params, seed uint64) *datasets.Dataset {
	t.Helper()
	dataset := must.Get(Source.Load(context.Background(),
		datasets.Request{Params: &params, Key: random.NewKey(seed)}))
	if dataset.Table.Len() != params.N {
		t.Fatalf("%d rows, want %d", dataset.Table.Len(), params.N)
	}
	must.Do(t, dataset.Table.Schema().Validate())
	return dataset
}

// z bounds all statistical tests below at that many standard errors: a false alarm once in about
// two million comparisons, and the seeds are fixed.
const z = 5

// phi and cdf are the standard normal density and distribution function.
func phi(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
func cdf(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

func moments(table *datasets.Table, attribute int) (mean, variance float64) {
	n := float64(table.Len())
	for row := range int32(table.Len()) {
		mean += table.Number(row, attribute) / n
	}
	for row := range int32(table.Len()) {
		d := table.Number(row, attribute) - mean
		variance += d * d / n
	}
	return mean, variance
}

// checkMoments compares with a law of the given mean and variance. A sample mean has standard error
// sqrt(variance/n), a sample variance at most variance·sqrt(2/n) for laws whose tails are not
// heavier than the normal one's.
func checkMoments(t *testing.T, table *datasets.Table, mean, variance float64) {
	t.Helper()
	n := float64(table.Len())
	gotMean, gotVariance := moments(table, 0)
	if math.Abs(gotMean-mean) > z*math.Sqrt(variance/n) {
		t.Errorf("mean %v, want %v", gotMean, mean)
	}
	if math.Abs(gotVariance-variance) > z*variance*math.Sqrt(2/n) {
		t.Errorf("variance %v, want %v", gotVariance, variance)
	}
}

// of returns the default parameters with another number of rows and shape.
func of(n int, shape string) Params { return Params{N: n, Shape: shape, High: 100, Step: 1} }

func TestNormalTruncated(t *testing.T) {
	wide, fine := of(100_000, normal1D), of(100_000, normal1D)
	wide.Low, wide.High = -50, 150
	fine.Step = 0.1
	for _, test := range []struct {
		params Params
		a      float64 // the domain is mean ± a standard deviations
		cells  int
	}{{of(100_000, normal1D), 2, 100}, {wide, 4, 200}, {fine, 2, 1000}} {
		table := load(t, test.params, 1).Table
		if got := table.Schema().Attributes[0].Cells(); got != test.cells {
			t.Errorf("%+v: %d cells, want %d", test.params, got, test.cells)
		}
		inside := cdf(test.a) - cdf(-test.a)
		checkMoments(t, table, 50, 625*(1-2*test.a*phi(test.a)/inside))

		// Kolmogorov-Smirnov against the truncated distribution function. P(D > d) <= 2exp(−2nd²)
		// (Massart 1990), one in a million at d = sqrt(ln(2·10^6)/2n).
		values := make([]float64, table.Len())
		for row := range values {
			values[row] = table.Number(int32(row), 0)
		}
		sort.Float64s(values)
		n, distance := float64(len(values)), 0.0
		for i, x := range values {
			f := (cdf((x-50)/25) - cdf(-test.a)) / inside
			distance = max(distance, math.Abs(f-float64(i)/n), math.Abs(float64(i+1)/n-f))
		}
		if bound := math.Sqrt(math.Log(2e6) / (2 * n)); distance > bound {
			t.Errorf("KS distance %v from the truncated normal, at most %v by chance", distance,
				bound)
		}
		if values[0] < test.params.Low || values[len(values)-1] >= test.params.High {
			t.Errorf("values in %v..%v, want [%v, %v)", values[0], values[len(values)-1],
				test.params.Low, test.params.High)
		}
	}
}

// The streams and the arithmetic are part of the results: these values were drawn on amd64 when the
// package was written, and must never change.
func TestFrozen(t *testing.T) {
	normal := load(t, of(2, normal1D), 0).Table
	clusters := load(t, of(2, clusters5D), 0).Table
	got := []float64{normal.Number(0, 0), normal.Number(1, 0), clusters.Number(0, 4),
		clusters.Number(1, 4)}
	want := []float64{30.27551748197149, 55.96114837920042, 69.37132485667378, 70.14259107404392}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("value %d is %v, was %v", i, got[i], want[i])
		}
	}
}

func TestParams(t *testing.T) {
	_, err := Source.Load(context.Background(),
		datasets.Request{Params: &Params{10, clusters5D, -50, 100, 1}})
	if err == nil || !strings.Contains(err.Error(), "must be 0, 100 and 1 for clusters-5d") {
		t.Errorf("error %v", err)
	}
	widest := of(2, normal1D)
	widest.Low, widest.High, widest.Step = -1e6, 1e6, 1e-3
	if err := load(t, widest, 1).Table.Schema().Validate(); err != nil {
		t.Errorf("the widest domain in the finest cells: %v", err)
	}
}
