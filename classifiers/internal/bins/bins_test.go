package bins

import (
	"math"
	"slices"
	"testing"
)

// TestUnits: whole weights are themselves, the smallest numbers there are still have a unit, and
// large ones keep their ratios.
func TestUnits(t *testing.T) {
	const least = math.SmallestNonzeroFloat64
	for _, c := range []struct {
		weights []float64
		ratios  []float64
	}{
		{nil, []float64{1, 1}}, {[]float64{3, 0, 2}, []float64{3, 0, 2}},
		{[]float64{least, 2 * least}, []float64{1, 2}}, {[]float64{1e300, 2.5e300}, []float64{2, 5}},
		{[]float64{0.25, 0.5}, []float64{1, 2}},
	} {
		units, total, unit := Units(c.weights, len(c.ratios))
		sum := int64(0)
		for i, n := range units {
			sum += n
			if want := float64(units[0]) * c.ratios[i] / c.ratios[0]; math.Abs(float64(n)-want) > 2 {
				t.Errorf("%v: units %v, must be as %v", c.weights, units, c.ratios)
			}
		}
		if sum != total || total <= 0 || total >= 1<<(totalBits+1) || !(unit > 0) {
			t.Errorf("%v: units %v of %v, total %d", c.weights, units, unit, total)
		}
	}
	if units, _, _ := Units([]float64{3, 0, 2}, 3); !slices.Equal(units, []int64{3, 0, 2}) {
		t.Errorf("whole weights became %v", units)
	}
}
