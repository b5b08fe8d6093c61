package degrees

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestIsotonic compares with the min-max formula of isotonic regression: element i of the
// least-squares fit is the largest, over a ≤ i, of the smallest mean of elements a to b, over b ≥ i
// (Robertson, Wright & Dykstra 1988).
func TestIsotonic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Small whole numbers make ties and violations frequent.
		n := rapid.IntRange(0, 12).Draw(t, "n")
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(rapid.IntRange(-5, 5).Draw(t, "value"))
		}
		want := make([]float64, n)
		for i := range want {
			want[i] = math.Inf(-1)
			for a := 0; a <= i; a++ {
				least, sum := math.Inf(1), 0.0
				for b := a; b < n; b++ {
					if sum += values[b]; b >= i {
						least = min(least, sum/float64(b-a+1))
					}
				}
				want[i] = max(want[i], least)
			}
		}
		Isotonic(values)
		for i := range want {
			if math.Abs(values[i]-want[i]) > 1e-12 {
				t.Fatalf("element %d is %v, want %v", i, values[i], want[i])
			}
		}
	})
}
