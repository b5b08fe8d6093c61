package metrics

import (
	"math"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
)

// TestMarginalDistanceByHand: two attributes of two values and a class. The rows are (0,0,a),
// (0,1,a), (1,1,b) and (1,1,b); the records are (0,0,a), (0,0,b), (1,1,b), (1,1,b).
func TestMarginalDistanceByHand(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "x", High: 2, Step: 1}, {Name: "y", High: 20, Step: 1},
		{Name: "c", Kind: datasets.Categorical, Values: []string{"a", "b"}, Role: datasets.Class}}}
	table := func(rows ...[3]uint32) *datasets.Table {
		b := datasets.NewBuilder(schema, len(rows))
		for _, row := range rows {
			at := b.AddRow()
			for a, code := range row {
				b.Set(at, a, code)
			}
		}
		return b.Table()
	}
	// y has 20 cells: with two bins, cells 0 to 9 and 10 to 19
	truth := table([3]uint32{0, 3, 0}, [3]uint32{0, 19, 0}, [3]uint32{1, 10, 1},
		[3]uint32{1, 12, 1})
	records := table([3]uint32{0, 9, 0}, [3]uint32{0, 0, 1}, [3]uint32{1, 19, 1},
		[3]uint32{1, 10, 1})
	weighted := &algorithms.Release{Table: table([3]uint32{0, 9, 0}, [3]uint32{0, 0, 1},
		[3]uint32{1, 10, 1}), Weights: []float64{1.5, 1.5, 3}}
	for _, c := range []struct {
		release *algorithms.Release
		params  MarginalDistanceParams
		want    float64
	}{
		// as below, of queries: x ≤ 0 agrees, y ≤ 0 is 1:2, c ≤ a is 2:1
		{nil, MarginalDistanceParams{1, false, 2, Equally, 0}, (0 + 0.25 + 0.25) / 3},
		// (x, y) ≤ (0, 0) is 1:2, (x, c) ≤ (0, a) is 2:1, (y, c) ≤ (0, a) agrees
		{nil, MarginalDistanceParams{2, false, 2, Equally, 0}, (0.25 + 0.25 + 0) / 3},
		// y ≤ 0, 1, 2, 9, 10 and 11, of 19, are off by one record
		{nil, MarginalDistanceParams{1, false, 20, Equally, 0}, (0 + 0.25*6/19 + 0.25) / 3},
		{&algorithms.Release{Table: truth}, MarginalDistanceParams{3, false, 20, Equally, 0}, 0},
	} {
		if c.release == nil {
			c.release = &algorithms.Release{Table: records}
		}
		got, ok, err := rangeError(t.Context(), Case{Table: truth, Train: truth.AllRows(),
			Release: c.release}, &c.params)
		if err != nil || !ok || math.Abs(got-c.want) > 1e-15 {
			t.Errorf("range-error %+v: %v, %t, %v, want %v", c.params, got, ok, err, c.want)
		}
	}
	for _, c := range []struct {
		release *algorithms.Release
		params  MarginalDistanceParams
		want    float64
	}{
		// x agrees; y has 1:3 and 2:2, c has 2:2 and 1:3
		{nil, MarginalDistanceParams{1, false, 2, Equally, 0}, (0 + 0.25 + 0.25) / 3},
		{nil, MarginalDistanceParams{1, true, 2, Equally, 0}, 0.25},
		// xy: (0,1) moves to (0,0); xc: (0,a) to (0,b); yc: (1,a) to (0,b)
		{nil, MarginalDistanceParams{2, false, 2, Equally, 0}, 0.25},
		{nil, MarginalDistanceParams{3, false, 2, Equally, 0}, 0.25},
		// in cells, 3 and 19 with a and 12 with b are missing
		{nil, MarginalDistanceParams{2, true, 20, Equally, 0}, (0.25 + 0.75) / 2},
		{weighted, MarginalDistanceParams{2, false, 2, Equally, 0}, 0.25},
		{&algorithms.Release{Table: truth}, MarginalDistanceParams{3, false, 20, Equally, 0}, 0},
	} {
		if c.release == nil {
			c.release = &algorithms.Release{Table: records}
		}
		got, ok, err := marginalDistance(t.Context(), Case{Table: truth, Train: truth.AllRows(),
			Release: c.release}, &c.params)
		if err != nil || !ok || math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%+v: %v, %t, %v, want %v", c.params, got, ok, err, c.want)
		}
	}
	empty := &algorithms.Release{Table: table()}
	if _, ok, err := marginalDistance(t.Context(), Case{Table: truth, Train: truth.AllRows(),
		Release: empty}, &MarginalDistanceParams{2, false, 2, Equally, 0}); ok || err != nil {
		t.Errorf("of no records: %t, %v", ok, err)
	}
}
