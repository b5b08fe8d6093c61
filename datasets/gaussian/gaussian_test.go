package gaussian

import (
	"context"
	"errors"
	"math"
	"sort"
	"strings"
	"testing"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

func load(t testing.TB, params Params, seed uint64) *datasets.Dataset {
	t.Helper()
	dataset, err := Source{}.Load(context.Background(),
		datasets.Request{Params: &params, Key: random.NewKey(seed)})
	if err != nil {
		t.Fatal(err)
	}
	if dataset.Table.Len() != params.N {
		t.Fatalf("%d rows, want %d", dataset.Table.Len(), params.N)
	}
	if err := dataset.Table.Schema().Validate(); err != nil {
		t.Fatal(err)
	}
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

func TestClusterSizes(t *testing.T) {
	const n = 30_000
	table := load(t, of(n, clusters5D), 3).Table
	var counts [3]float64
	for row := range int32(n) {
		counts[table.Column(table.Schema().Class()).At(row)]++
	}
	for i, count := range counts {
		if bound := z * math.Sqrt(n*(1.0/3)*(2.0/3)); math.Abs(count-n/3) > bound {
			t.Errorf("cluster %d has %v points, want %v ± %v", i, count, n/3, bound)
		}
	}
}

// Points before rejection have mean μ and covariance F·Fᵀ. The sample covariance of normal
// variables has variance (Σ_ii·Σ_jj + Σ_ij²)/n.
func TestComponentMoments(t *testing.T) {
	const n = 100_000
	for c := range components {
		component := &components[c]
		stream := random.NewKey(4).Derive(component.name).Stream()
		var sum [dimensions]float64
		var products [dimensions][dimensions]float64
		outside := 0
		for range n {
			x := component.draw(stream)
			if !inside(x) {
				outside++
			}
			for i := range x {
				sum[i] += x[i] - component.mean[i]
				for j := range x {
					products[i][j] += (x[i] - component.mean[i]) * (x[j] - component.mean[j])
				}
			}
		}
		var covariance [dimensions][dimensions]float64
		for i := range covariance {
			for j := range covariance {
				for k := range dimensions {
					covariance[i][j] += component.factor[i][k] * component.factor[j][k]
				}
			}
		}
		for i := range sum {
			if math.Abs(sum[i]/n) > z*math.Sqrt(covariance[i][i]/n) {
				t.Errorf("%s: mean %d is off by %v", component.name, i, sum[i]/n)
			}
			for j := range sum {
				if j != i && covariance[i][j] == 0 {
					t.Errorf("%s: attributes %d and %d are uncorrelated, the covariance must be "+
						"full", component.name, i, j)
				}
				square := covariance[i][j] * covariance[i][j]
				bound := z * math.Sqrt((covariance[i][i]*covariance[j][j]+square)/n)
				if got := products[i][j] / n; math.Abs(got-covariance[i][j]) > bound {
					t.Errorf("%s: covariance (%d,%d) %v, want %v ± %v", component.name, i, j, got,
						covariance[i][j], bound)
				}
			}
			if component.factor[i][i] <= 0 {
				t.Errorf("%s: factor %d has diagonal %v, must be positive for full rank",
					component.name, i, component.factor[i][i])
			}
			for j := i + 1; j < dimensions; j++ {
				if component.factor[i][j] != 0 {
					t.Errorf("%s: the factor is not a lower triangle at (%d,%d)",
						component.name, i, j)
				}
			}
		}
		if share := float64(outside) / n; share > 0.01 {
			t.Errorf("%s: %.4f of the points fall outside the domain, must be rare",
				component.name, share)
		}
	}
}

// bayesAccuracy is the accuracy of a classifier that knows the three densities (the little mass cut
// off at the domain's ends is the same to a few per cent for all and ignored).
func bayesAccuracy(table *datasets.Table) float64 {
	right := 0
	for row := range int32(table.Len()) {
		best, label := math.Inf(-1), -1
		for at := range components {
			c := &components[at]
			// Solving F·z = x − mean gives log density −|z|²/2 − Σ log F_ii.
			var z [dimensions]float64
			score := 0.0
			for i := range z {
				rest := table.Number(row, i) - c.mean[i]
				for j := range i {
					rest -= c.factor[i][j] * z[j]
				}
				z[i] = rest / c.factor[i][i]
				score -= z[i]*z[i]/2 + math.Log(c.factor[i][i])
			}
			if score > best {
				best, label = score, at
			}
		}
		if uint32(label) == table.Column(dimensions).At(row) {
			right++
		}
	}
	return float64(right) / float64(table.Len())
}

// purity partitions space down to depth and weighs each region's largest cluster: along an
// attribute drawn at random, at the "median", the "middle" of the region, or "anywhere".
func purity(table *datasets.Table, depth int, how string, stream *random.Stream) float64 {
	pure := 0
	var cut func(rows []int32, low, high [dimensions]float64, depth int)
	cut = func(rows []int32, low, high [dimensions]float64, depth int) {
		at := stream.IntN(dimensions)
		if depth == 0 || len(rows) < 6 || high[at]-low[at] < 2 {
			var counts [len(components)]int
			for _, row := range rows {
				counts[table.Column(dimensions).At(row)]++
			}
			pure += max(counts[0], counts[1], counts[2])
			return
		}
		where := math.Floor((low[at] + high[at]) / 2)
		if how == "anywhere" {
			where = low[at] + 1 + float64(stream.IntN(int(high[at]-low[at])-1))
		}
		if how == "median" {
			sort.Slice(rows, func(i,
				j int) bool {
				return table.Number(rows[i], at) < table.Number(rows[j], at)
			})
			where = math.Round(table.Number(rows[len(rows)/2], at))
			where = min(max(where, low[at]+1), high[at]-1)
		}
		var left, right []int32
		for _, row := range rows {
			if table.Number(row, at) < where {
				left = append(left, row)
			} else {
				right = append(right, row)
			}
		}
		leftHigh, rightLow := high, low
		leftHigh[at], rightLow[at] = where, where
		cut(left, low, leftHigh, depth-1)
		cut(right, rightLow, high, depth-1)
	}
	var low, high [dimensions]float64
	for i := range high {
		low[i], high[i] = clusterLow, clusterHigh
	}
	cut(table.AllRows(), low, high, depth)
	return float64(pure) / float64(table.Len())
}

// Fig. 2 can only tell partitions apart if good ones are clearly better than careless ones and none
// is perfect. The figures of the package comment are those of this test, to two decimals.
func TestClustersAreOfInterest(t *testing.T) {
	table := load(t, of(10_000, clusters5D), 1).Table
	check := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 0.01 {
			t.Errorf("%s: %.3f, the package comment says %v", what, got, want)
		}
	}
	check("accuracy knowing the densities", bayesAccuracy(table), 0.96)
	for _, test := range []struct {
		depth                    int
		median, middle, anywhere float64
	}{{0, 0.34, 0.34, 0.34}, {3, 0.66, 0.45, 0.42}, {5, 0.74, 0.59, 0.51}, {10, 0.86, 0.77,
		0.63}, {20, 0.90, 0.90, 0.78}} {
		for how, want := range map[string]float64{"median": test.median, "middle": test.middle,
			"anywhere": test.anywhere} {
			mean := 0.0
			for seed := range 5 {
				mean += purity(table, test.depth, how, random.NewKey(uint64(seed)).Stream()) / 5
			}
			check(how, mean, want)
		}
	}
}

// A shorter table is the beginning of a longer one: scaling an experiment keeps its points.
func TestShorterIsAPrefix(t *testing.T) {
	for _, shape := range []string{normal1D, clusters5D} {
		short, long := load(t, of(50, shape), 7).Table, load(t,
			of(80, shape), 7).Table
		for row := range int32(50) {
			if short.Number(row, 0) != long.Number(row, 0) {
				t.Fatalf("%s: row %d differs", shape, row)
			}
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
	_, err := Source{}.Load(context.Background(),
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

// patience is a context that ends after some looks at it.
type patience struct {
	context.Context
	looks int
}

func (p *patience) Err() error {
	if p.looks--; p.looks < 0 {
		return context.Canceled
	}
	return nil
}

// TestLargeTablesStop: the context is looked at while rows are drawn.
func TestLargeTablesStop(t *testing.T) {
	for _, shape := range []string{normal1D, clusters5D} {
		params := of(3<<16, shape)
		if _, err := (Source{}).Load(&patience{t.Context(), 2},
			datasets.Request{Params: &params}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want %v", shape, err, context.Canceled)
		}
	}
}
