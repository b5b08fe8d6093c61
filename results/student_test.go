package results

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestStudentQuantile compares the usual table, closed forms for one and two degrees of freedom and
// gonum's inverse of the incomplete beta function.
func TestStudentQuantile(t *testing.T) {
	for degrees, want := range map[int]string{1: "12.706", 2: "4.303", 3: "3.182", 4: "2.776",
		5: "2.571", 9: "2.262", 10: "2.228", 30: "2.042", 99: "1.984", 120: "1.980"} {
		if got := fmt.Sprintf("%.3f", studentQuantile(0.95, degrees)); got != want {
			t.Errorf("%d degrees of freedom: %s, want %s", degrees, got, want)
		}
	}
	const tolerance = 1e-12
	for _, coverage := range []float64{0.01, 0.5, 0.9, 0.95, 0.999} {
		tail := (1 - coverage) / 2
		for degrees, want := range map[int]float64{1: 1 / math.Tan(math.Pi*tail),
			2: coverage / math.Sqrt(2*tail*(1-tail))} {
			if got := studentQuantile(coverage, degrees); math.Abs(got/want-1) > tolerance {
				t.Errorf("%d degrees of freedom, %v: %v, want %v", degrees, coverage, got, want)
			}
		}
		for degrees := 1; degrees <= 200; degrees++ {
			want := distuv.StudentsT{Sigma: 1, Nu: float64(degrees)}.Quantile(1 - tail)
			if got := studentQuantile(coverage, degrees); math.Abs(got/want-1) > 1e-9 {
				t.Errorf("%d degrees of freedom, %v: %v, want %v", degrees, coverage, got, want)
			}
		}
	}
}
