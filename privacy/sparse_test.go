package privacy

import (
	"math"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// TestSparseAtTheEnds: with hardly any noise the counts are those of the table, with hardly any
// budget about half of all are seen.
func TestSparseAtTheEnds(t *testing.T) {
	for _, epsilon := range []float64{1e-290, 1e-9, 30} {
		b := NewBudget(2 * epsilon)
		root := b.Root()
		for name, noise := range map[string]*Noise{
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
				must.Near(t, math.Exp(laplaceLaw(k, count, rate)), sum, 1e-7, rate, count, k)
			}
		}
	}
}
