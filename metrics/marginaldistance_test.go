package metrics

import (
	"math"
	"testing"

	"ppdp/datasets"
)

// TestMarginalDistanceByHand: two attributes of two values and a class. The rows are (0,0,a),
// (0,1,a), (1,1,b) and (1,1,b); the records are (0,0,a), (0,0,b), (1,1,b), (1,1,b). y has 20 cells:
// with two bins, cells 0 to 9 and 10 to 19.
func TestMarginalDistanceByHand(t *testing.T) {
	class := category("c", "a", "b")
	class.Role = datasets.Class
	table := func(rows ...[]uint32) *datasets.Table {
		return codedTable([]datasets.Attribute{number("x", 2), number("y", 20), class}, rows...)
	}
	truth := table([]uint32{0, 3, 0}, []uint32{0, 19, 0}, []uint32{1, 10, 1}, []uint32{1, 12, 1})
	records := table([]uint32{0, 9, 0}, []uint32{0, 0, 1}, []uint32{1, 19, 1}, []uint32{1, 10, 1})
	weighted := table([]uint32{0, 9, 0}, []uint32{0, 0, 1}, []uint32{1, 10, 1})
	for _, c := range []struct {
		metric           string
		records          *datasets.Table
		attributes, bins int
		class            bool
		want             float64
	}{
		// x agrees; y has 1:3 and 2:2, c has 2:2 and 1:3
		{"marginal-distance", records, 1, 2, false, (0 + 0.25 + 0.25) / 3},
		{"marginal-distance", records, 1, 2, true, 0.25},
		// xy: (0,1) moves to (0,0); xc: (0,a) to (0,b); yc: (1,a) to (0,b)
		{"marginal-distance", records, 2, 2, false, 0.25},
		{"marginal-distance", records, 3, 2, false, 0.25},
		// in cells, 3 and 19 with a and 12 with b are missing
		{"marginal-distance", records, 2, 20, true, (0.25 + 0.75) / 2},
		{"marginal-distance", weighted, 2, 2, false, 0.25},
		{"marginal-distance", truth, 3, 20, false, 0},
		// x ≤ 0 agrees, y ≤ 0 is 1:2, c ≤ a is 2:1
		{"range-error", records, 1, 2, false, (0 + 0.25 + 0.25) / 3},
		// (x, y) ≤ (0, 0) is 1:2, (x, c) ≤ (0, a) is 2:1, (y, c) ≤ (0, a) agrees
		{"range-error", records, 2, 2, false, (0.25 + 0.25 + 0) / 3},
		// y ≤ 0, 1, 2, 9, 10 and 11, of 19, are off by one record
		{"range-error", records, 1, 20, false, (0 + 0.25*6/19 + 0.25) / 3},
		{"range-error", truth, 3, 20, false, 0},
	} {
		of := against(truth, c.records, nil)
		if c.records == weighted {
			of.Release.Weights = []float64{1.5, 1.5, 3}
		}
		of.Params = &MarginalDistanceParams{c.attributes, c.class, c.bins, Equally, 0}
		if got, ok := measure(t, c.metric, of); !ok || math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%+v: %v, %t", c, got, ok)
		}
	}
}
