package metrics

import (
	"context"
	"math"
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/internal/declared"
	"ppdp/internal/must"
)

// counting notes how many rows it has learnt from and what they weigh, and predicts class 0.
type counting struct{ learnt, tested, mass *int }

func (counting) Info() classifiers.Info { return classifiers.Info{Name: "counting"} }

func (m counting) Fit(_ context.Context, data classifiers.Data) (classifiers.Model, error) {
	*m.learnt += len(data.Rows)
	for _, row := range data.Rows {
		*m.mass += int(data.Weights[row])
	}
	return m, nil
}

func (m counting) Predict(dst []uint32, _ *datasets.Table, rows []int32) {
	*m.tested += len(rows)
	clear(dst)
}

// TestLearnParams: with a limit a learner sees so many records, with their weights, and is tested
// on so many rows, once for a release; without one, or with one that no table exceeds, all of them.
func TestLearnParams(t *testing.T) {
	var rows [][2]uint32
	for i := range uint32(500) {
		rows = append(rows, [2]uint32{i % 10, i % 3})
	}
	table := labelledBy(rows)
	weights := slices.Repeat([]float64{3}, table.Len())
	for _, c := range []struct{ limit, learnt, tested int }{{0, 300, 200}, {300, 300, 200},
		{250, 250, 200}, {90, 90, 90}} {
		learner := counting{new(int), new(int), new(int)}
		of := Case{Table: table, Train: table.AllRows()[:300], Test: table.AllRows()[300:],
			Classifier: learner, Truth: new(Memo), Published: new(Memo),
			Params: &LearnParams{c.limit}}
		of.Release = &algorithms.Release{Table: table.Select(of.Train), Weights: weights[:300]}
		var values [2]float64
		for i := range values {
			var ok bool
			if values[i], ok = measure(t, "accuracy", of); !ok {
				t.Fatal("undefined")
			}
		}
		if *learner.learnt != c.learnt || *learner.tested != c.tested ||
			*learner.mass != 3*c.learnt || values[0] != values[1] {
			t.Errorf("limit %d: %d learnt of mass %d, %d tested, %v", c.limit, *learner.learnt,
				*learner.mass, *learner.tested, values)
		}
		// A third of the rows is of class 0; of 90 within five deviations.
		must.Near(t, values[0], 1.0/3, 5*math.Sqrt(2./9/90), c.limit)
	}
	if declared.Check(&LearnParams{-1}) == nil {
		t.Error("rows -1 are taken")
	}
}

// TestAllowed: a promise of ε = ln 3 leaves .3 at a tenth, by its definition, and an area of 3/4,
// below lines from (0, 0) by (1/4, 3/4) to (1, 1). Without a promise there is no number.
func TestAllowed(t *testing.T) {
	c := Case{Release: &algorithms.Release{Promised: algorithms.Promise{Epsilon: math.Log(3)}}}
	for of, want := range map[AttackFigure]float64{AttackTPR: 0.3, AttackAUC: 0.75} { // order-free
		c.Params = &MembershipParams{Score: DensityScore, Of: of, FPR: 0.1, Allowed: true}
		wants(t, "membership", c, nil, want, of)
	}
	c.Release = &algorithms.Release{}
	undefined(t, "membership", c)
}
