package metrics

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	_ "ppdp/classifiers/all"
	"ppdp/datasets"
	"ppdp/internal/declared"
	"ppdp/internal/must"
)

// TestRegressionScores, by hand: truth 1, 2 and 6 has the mean 3 and squares 4 + 1 + 9 about it;
// the predictions 2, 2 and 4 leave 1 + 0 + 4.
func TestRegressionScores(t *testing.T) {
	predicted, truth := []float64{2, 2, 4}, []float64{1, 2, 6}
	must.Near(t, determination(predicted, truth), 1-5.0/14, 1e-12, "R²")
	must.Near(t, absoluteError(predicted, truth), 1, 1e-12, "mean error")
	if got := determination(predicted, []float64{2, 2, 2}); !math.IsNaN(got) {
		t.Errorf("R² of one number is %v, must be undefined", got)
	}
}

// onLine is a table of x and y = 2x + 1 for x from 0 to 9, without a class, as a case released as
// it is, with weights that leave only some of the records.
func onLine() Case {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "x", Low: 0, High: 10, Step: 1}, {Name: "y", Low: 0, High: 40, Step: 1},
		{Name: "z", Kind: datasets.Categorical, Values: []string{"a", "b"}}}}
	b, weights := datasets.NewBuilder(schema, 1010), make([]float64, 1010)
	for i := range weights {
		if weights[i] = 1; i >= 1000 { // records of another line, which have no weight
			weights[i] = 0
		}
		b.AddRow(uint32(i%10), uint32(weights[i])*uint32(2*(i%10)+1))
	}
	table := b.Table()
	rows := table.AllRows()
	return Case{Table: table, Train: rows, Test: rows[:10],
		Release: &algorithms.Release{Table: table, Weights: weights}}
}

// TestRegression learns a line: nearly all of it, but for what the penalty and the steps leave.
func TestRegression(t *testing.T) {
	for _, regressor := range []RegressorName{"ridge", "boosting"} {
		for name, want := range map[string]float64{"r2": 1, "mae": 0} { // order-free: each alone
			c := onLine()
			c.Params = &RegressionParams{Target: "y", Regressor: regressor}
			must.Near(t, defined(t, name, c, nil), want, 0.02, name, regressor)
			for _, target := range []string{"z", "", "w"} {
				c.Params = &RegressionParams{Target: target, Regressor: regressor}
				refuses(t, name, c, "target")
			}
		}
	}
	err := declared.Check(&RegressionParams{Regressor: "ridgy"})
	must.Fail(t, err, "target: missing")
	must.Fail(t, err, "regressor:")
}

// TestAUC compares with the definition: all pairs of a record of the class and one of another.
func TestAUC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		classes := rapid.IntRange(1, 4).Draw(t, "classes")
		n := rapid.IntRange(0, 12).Draw(t, "records")
		p, labels := make([]float64, n*classes), make([]uint32, n)
		for i := range labels {
			labels[i] = uint32(rapid.IntRange(0, classes-1).Draw(t, "label"))
			rest := 10
			for class := range classes {
				share := rest
				if class < classes-1 {
					share = rapid.IntRange(0, rest).Draw(t, "tenths")
				}
				rest -= share
				p[i*classes+class] = float64(share) / 10
			}
		}
		want, judged := 0.0, 0.0
		for class := range classes {
			right, pairs := 0.0, 0.0
			for i := range labels {
				for j := range labels {
					if int(labels[i]) != class || int(labels[j]) == class {
						continue
					}
					pairs++
					switch a, b := p[i*classes+class], p[j*classes+class]; {
					case a > b:
						right++
					case a == b:
						right += 0.5
					}
				}
			}
			if pairs > 0 {
				want += right / pairs
				judged++
			}
		}
		got := AUC(p, labels, classes)
		if math.IsNaN(got) != (judged == 0) || math.Abs(got-want/judged) > 1e-12 {
			t.Fatalf("area %v, by pairs %v of %v classes", got, want/judged, judged)
		}
	})
}

// TestScores, by hand: two records of class 1 with probabilities .8 and .6 of it, one of class 0
// with .7 of class 1.
func TestScores(t *testing.T) {
	p, labels := []float64{0.2, 0.8, 0.4, 0.6, 0.3, 0.7}, []uint32{1, 1, 0}
	loss := -(math.Log(0.8) + math.Log(0.6) + math.Log(0.3)) / 3
	must.Near(t, logLoss(p, labels, 2), loss, 1e-12, "log loss")
	bins := (0.2 + 0.4 + 0.7) / 3 // a bin for each
	must.Near(t, calibrationError(p, labels, 2), bins, 1e-12, "calibration")
}
