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

// Of four degrees of freedom the coverage of t is sin θ (1 + cos² θ/2), tan θ = t/2: differences of
// 1 to 5 have t² = 18, so that tan² θ is 9/2.
func TestPaired(t *testing.T) {
	nan := math.NaN()
	x, y := []float64{1, 1, nan, 1, 1, 1, 1}, []float64{3, 2, 9, 4, nan, 6, 5}
	d := Paired(x, y)
	want := 1 - math.Sqrt(9.0/11)*(1+1.0/11)
	if d.N != 5 || d.Mean != 3 || math.Abs(d.P-want) > 1e-12 {
		t.Errorf("%+v, want 3 of 5 trials and p %v", d, want)
	}
	near(t, "standard error", d.SE, math.Sqrt(0.5), 1e-15) // their variance is 5/2
	if back := Paired(y, x); back.Mean != -3 || back.P != d.P || back.SE != d.SE {
		t.Errorf("the other way round %+v", back)
	}
	for _, c := range []struct {
		x, y []float64
		p    float64
	}{
		{[]float64{1, 2}, []float64{1, 2}, 1},
		{[]float64{1, 2, 3}, []float64{2, 3, 4}, 0.25}, // three signs alike, one way or the other
		{[]float64{1, nan}, []float64{2, 3}, nan},
	} {
		if p := Paired(c.x, c.y).P; p != c.p && !(math.IsNaN(p) && math.IsNaN(c.p)) {
			t.Errorf("%v and %v: p %v, want %v", c.x, c.y, p, c.p)
		}
	}
}
