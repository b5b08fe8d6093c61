package convex

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"ppdp/internal/must"
)

// TestConjugate compares with Gaussian elimination: steps of A·step = -gradient for A = MMᵀ + 1.
func TestConjugate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "n")
		draw := rapid.Float64Range(-2, 2)
		var a mat.Dense
		m := mat.NewDense(n, n, rapid.SliceOfN(draw, n*n, n*n).Draw(t, "m"))
		a.Mul(m, m.T())
		gradient := rapid.SliceOfN(draw, n, n).Draw(t, "gradient")
		diagonal := make([]float64, n)
		for i := range n {
			a.Set(i, i, a.At(i, i)+1)
			diagonal[i] = a.At(i, i)
		}
		var want mat.VecDense
		must.Do(t, want.SolveVec(&a, mat.NewVecDense(n, gradient)))
		got := must.Get(Conjugate(t.Context(), gradient, diagonal, 1e-12, 10*n,
			func(to, direction []float64) {
				mat.NewVecDense(n, to).MulVec(&a, mat.NewVecDense(n, direction))
			}))
		for i, x := range got {
			if math.Abs(x+want.AtVec(i)) > 1e-8 {
				t.Fatalf("step %v, must be minus %v", got, want.RawVector().Data)
			}
		}
	})
}

// TestSoftmax: (diag(p) - ppᵀ)z for p = (½, ¼), z = (4, 8), by hand: pᵀz = 4.
func TestSoftmax(t *testing.T) {
	z := []float64{4, 8}
	if Softmax([]float64{0.5, 0.25}, z); z[0] != 0 || z[1] != 1 {
		t.Errorf("%v, must be 0 and 1", z)
	}
}
