package margins

import (
	"math"
	"slices"
	"testing"

	"ppdp/datasets"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// quantiles are n numbers at even shares of a distribution, as cells of a domain whose zero is
// the given cell.
func quantiles(n int, zero, sign float64, quantile func(share float64) float64) []uint32 {
	cells := make([]uint32, n)
	for i := range cells {
		cells[i] = uint32(zero + sign*math.Floor(quantile((float64(i)+0.5)/float64(n))))
	}
	return cells
}

func pareto(index float64) func(float64) float64 {
	return func(share float64) float64 { return 1000 * math.Pow(1-share, -1/index) }
}

func lognormal(sigma float64) func(float64) float64 {
	return func(share float64) float64 {
		return 1000 * math.Exp(sigma*math.Sqrt2*math.Erfinv(2*share-1))
	}
}

// TestTailShape: eight leaves without noise say of Pareto's and lognormal tails how many records
// there are beyond them, and twice as far, up to a power of x that is less than a fifth.
func TestTailShape(t *testing.T) {
	normal := func(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
	for name, test := range map[string]struct {
		beyond func(x float64) float64
		off    float64
	}{
		"Pareto 1.5":    {func(x float64) float64 { return math.Pow(x, -1.5) }, 0.1},
		"Pareto 2.5":    {func(x float64) float64 { return math.Pow(x, -2.5) }, 0.18},
		"lognormal 1.5": {func(x float64) float64 { return 2 * normal(math.Log(x)/1.5) }, 0.18},
	} {
		var leaves []leaf
		var logs = []float64{0}
		for i := range 12 {
			x, count := math.Pow(2, float64(i+1)/2), 0.
			l := leaf{variance: 1e30} // unknown
			if i < 8 {
				count = 1e6 * (test.beyond(math.Pow(2, float64(i)/2)) - test.beyond(x))
				l = leaf{count: count, variance: 1}
			}
			leaves, logs = append(leaves, l), append(logs, math.Log(x))
		}
		got, ok := shape(leaves, logs)
		if !ok {
			t.Fatalf("%s: no tail", name)
		}
		for _, x := range []float64{16, 32} {
			want := 1e6 * test.beyond(x)
			if n := got.beyond(math.Log(x)); math.Abs(math.Log(n/want)) > test.off*math.Log(x) {
				t.Errorf("%s: %v records beyond %v, must be about %v (%+v)", name, n, x, want, got)
			}
		}
	}
}

// TestTailsKeepAmounts: 30,000 amounts of four distributions, with and without zeros, in bounds
// 400 times their 99th percentile, counted with a noise of 50: the middle one of nine releases has
// the mean within an eighth, and none is off by more than two fifths.
func TestTailsKeepAmounts(t *testing.T) {
	for name, of := range map[string]func(float64) float64{
		"lognormal 1.5": lognormal(1.5), "Pareto 1.5": pareto(1.5), "Pareto 2.5": pareto(2.5),
		"uniform": func(share float64) float64 { return 9000 * share },
	} {
		for _, zeros := range []int{0, 6000, 18000} {
			cells := append(make([]uint32, zeros), quantiles(30_000-zeros, 0, 1, of)...)
			truth := 0.0
			for _, cell := range cells {
				truth += float64(cell) / 30_000
			}
			high := int(400 * of(1-0.01*30_000/float64(30_000-zeros)))
			off := make([]float64, 9)
			for seed := range off {
				b, counts := noisyCut(t, wide(0, max(high, int(slices.Max(cells))+1)), cells,
					uint64(seed))
				off[seed] = math.Abs(expected(b, counts)/truth - 1)
			}
			if slices.Sort(off); off[4] > 1./8 || off[8] > 2./5 {
				t.Errorf("%s, %d zeros: means are off by %.2f", name, zeros, off)
			}
		}
	}
}

// noisyCut is a cut into 24 bins of counts whose noise has a standard deviation of 50.
func noisyCut(t *testing.T, a *datasets.Attribute, cells []uint32, seed uint64) (Bins, []float64) {
	t.Helper()
	budget := privacy.NewBudget(1)
	stream := random.NewKey(seed).Stream()
	noise, path := budget.DiscreteLaplace("x", stream, privacy.Exact(1)), budget.Root()
	b, counts, _, err := privateBins(a, slices.Values([][]uint32{cells}), 24, noise, &path,
		2*math.Sqrt2/50)
	if err != nil {
		t.Fatal(err)
	}
	return b, counts
}

// TestTailsMirror: without noise the tail of debts is that of amounts, number for number, and a
// largest value that many records share stays.
func TestTailsMirror(t *testing.T) {
	const most = 1 << 24
	up := quantiles(20_000, most, 1, lognormal(1))
	up = append(up, slices.Repeat([]uint32{2*most - 1}, 500)...)
	down := make([]uint32, len(up))
	for i, cell := range up {
		down[i] = 2*most - cell
	}
	b, counts := cutAt(t, wide(-most, 2*most), up, 24, 1000)
	m, mirrored := cutAt(t, wide(-most+1, 2*most), down, 24, 1000)
	got, want := expected(b, counts)-most, most-1-expected(m, mirrored)
	if math.Abs(got/want-1) > 0.02 {
		t.Errorf("means of %v and, mirrored, %v", got, want)
	}
	stream, far := random.NewKey(1).Stream(), 0
	for range 1000 {
		if low, _ := b.Leaf(uint32(b.Size-1), stream); low == 2*most-1 {
			far++
		}
	}
	if share := float64(far) / 1000 * counts[b.Size-1] / 500; math.Abs(share-1) > 0.15 {
		t.Errorf("the last bin draws %.2f of the 500 records of the largest value", share)
	}
}
