package privacy

import (
	"math"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// TestSparseLaw compares the noise of a million counts of 0 with the laws written out: of Laplace
// noise, rounded, P(x = k) = sinh(rate/2)·e^(-rate·k) for k ≥ 1; of two-sided geometric noise
// tanh(rate/2)·e^(-rate·k). Each cell of the comparison is a binomial number; of some 80 of them
// the largest deviation exceeds 5 standard deviations with probability below 5e-5.
func TestSparseLaw(t *testing.T) {
	const counts, most = 1_000_000, 8
	for _, rate := range []float64{0.1, 0.5, 2} {
		for name, first := range map[string]float64{"laplace": math.Sinh(rate / 2),
			"geometric": math.Tanh(rate / 2)} {
			b := NewBudget(rate)
			path := b.Root()
			var noise Counter = b.Laplace("x", random.NewKey(2).Derive(name).Stream(), Exact(1))
			if name == "geometric" {
				noise = b.Geometric("y", random.NewKey(2).Derive(name).Stream(), Exact(1))
			}
			z := must.Get(noise.Sparse(&path, rate, SparseTable{Cells: counts, Width: 1}))
			if path.Spent() != rate {
				t.Errorf("%s: %v was charged, must be %v", name, path.Spent(), rate)
			}
			var seen [most + 1]float64 // by value, larger ones at the end
			beside, last := 0.0, -2
			for cell := make([]float64, 1); ; {
				place, ok := z.Next(cell)
				if !ok {
					break
				}
				at, value := int(place), cell[0]
				if value != math.Trunc(value) || value < 1 {
					t.Fatalf("%s: value %v", name, value)
				}
				if at == last+1 {
					beside++
				}
				last = at
				seen[min(int(value), most)]++
			}
			p := 0.0
			for k := 1; k < most; k++ {
				q := first * math.Exp(-rate*float64(k))
				within(t, name, k, seen[k], counts, q)
				p += q
			}
			rest := first * math.Exp(-rate*most) / (1 - math.Exp(-rate))
			within(t, name, most, seen[most], counts, rest)
			// Neighbouring counts are independent: pairs of two that are seen have probability p².
			// Their number has a variance of less than p²+2p³ for each pair, since only pairs that
			// share a count go together.
			p += rest
			if d := math.Abs(beside-counts*p*p) / math.Sqrt(counts*(p*p+2*p*p*p)); d > 5 {
				t.Errorf("%s at %v: %v pairs of neighbours, expected %v", name, rate, beside,
					counts*p*p)
			}
		}
	}
}

func within(t *testing.T, name string, k int, seen, n, p float64) {
	t.Helper()
	if d := math.Abs(seen-n*p) / math.Sqrt(n*p*(1-p)); d > 5 {
		t.Errorf("%s: value %d seen %v times of %v, expected %v", name, k, seen, n, n*p)
	}
}

// TestSparseAtTheEnds: with hardly any noise the counts are those of the table, with hardly any
// budget about half of all are seen.
func TestSparseAtTheEnds(t *testing.T) {
	for _, epsilon := range []float64{1e-290, 1e-9, 30} {
		b := NewBudget(2 * epsilon)
		root := b.Root()
		for name, noise := range map[string]Counter{
			"laplace":   b.Laplace("a", random.NewKey(3).Stream(), Exact(1)),
			"geometric": b.Geometric("b", random.NewKey(4).Stream(), Exact(1)),
		} {
			path := root.Fork()
			z := must.Get(noise.Sparse(&path, epsilon, SparseTable{Cells: 1000, Width: 2,
				Occupied: []uint64{5, 999}, Counts: []float64{0, 3, 40, 0}}))
			seen, counts := 0, make([]float64, 2)
			for last := -1; ; {
				cell, ok := z.Next(counts)
				if !ok {
					break
				}
				if int(cell) <= last || cell > 999 || counts[0]+counts[1] < 1 ||
					counts[0] != math.Trunc(counts[0]) || math.IsInf(counts[0]+counts[1], 1) {
					t.Fatalf("%s: cell %d after %d with %v", name, cell, last, counts)
				}
				last = int(cell)
				seen++
				if epsilon == 30 && (cell == 5 && (counts[0] != 0 || counts[1] != 3) ||
					cell == 999 && (counts[0] != 40 || counts[1] != 0)) {
					t.Errorf("%s: cell %d became %v", name, cell, counts)
				}
			}
			if epsilon == 30 && seen != 2 {
				t.Errorf("%s: %d cells seen, want the occupied ones", name, seen)
			}
			// A cell is unseen with probability 1/4: 5 standard deviations are 68.
			if epsilon < 1 && math.Abs(float64(seen)-750) > 68 {
				t.Errorf("%s: %d cells of 1000 seen, expected 750", name, seen)
			}
		}
	}
}

// TestSparseLaws: the logarithms of the laws add up to 1 over all outcomes, for counts of every
// kind, and are those of the densities integrated by the midpoint rule.
func TestSparseLaws(t *testing.T) {
	for _, rate := range []float64{0.1, 1, 3} {
		for _, count := range []float64{0, 1, 4} {
			laplace, geometric := 0.0, 0.0
			for k := range 2000 {
				laplace += math.Exp(laplaceLaw(float64(k), count, rate))
				geometric += math.Exp(geometricLaw(float64(k), count, rate))
			}
			if math.Abs(laplace-1) > 1e-12 || math.Abs(geometric-1) > 1e-12 {
				t.Errorf("rate %v, count %v: probabilities add up to %v and %v", rate, count,
					laplace, geometric)
			}
			for k := 1.0; k < 8; k++ {
				const steps = 20000
				sum := 0.0
				for i := range steps {
					x := k - 0.5 + (float64(i)+0.5)/steps - count
					sum += math.Exp(-math.Abs(x)*rate) * rate / 2 / steps
				}
				if got := math.Exp(laplaceLaw(k, count, rate)); math.Abs(got-sum) > 1e-7 {
					t.Errorf("rate %v, count %v: P(%v) = %v, want %v", rate, count, k, got, sum)
				}
			}
		}
	}
}
