package metrics

import (
	"math"
	"strings"
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

// line is a table of x and y = 2x + 1 for x from 0 to 9, without a class, as a case released as it
// is, with weights that leave only some of the records.
func line() Case {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "x", Low: 0, High: 10, Step: 1}, {Name: "y", Low: 0, High: 40, Step: 1},
		{Name: "z", Kind: datasets.Categorical, Values: []string{"a", "b"}}}}
	b := datasets.NewBuilder(schema, 1010)
	for i := range 1010 {
		b.AddRow(uint32(i%10), uint32(2*(i%10)+1))
	}
	for row := 1000; row < 1010; row++ {
		b.Set(row, 1, 0) // records of another line, which have no weight
	}
	table := b.Table()
	weights := make([]float64, table.Len())
	for row := range 1000 {
		weights[row] = 1
	}
	rows := table.AllRows()
	return Case{Table: table, Train: rows, Test: rows[:10],
		Release: &algorithms.Release{Table: table, Weights: weights}}
}

// TestRegression learns a line: nearly all of it, but for what the penalty and the steps leave.
func TestRegression(t *testing.T) {
	for _, regressor := range []RegressorName{"ridge", "boosting"} {
		for name, want := range map[string]float64{"r2": 1, "mae": 0} { // order-free: each alone
			m := must.Get(Lookup(name))
			c := line()
			c.Params = &RegressionParams{Target: "y", Regressor: regressor}
			got, ok, err := m.Measure(t.Context(), c)
			if err != nil || !ok || math.Abs(got-want) > 0.02 {
				t.Errorf("%s of %s: %v, %t, %v, must be near %v", name, regressor, got, ok, err,
					want)
			}
			for _, target := range []string{"z", "", "w"} {
				c.Params = &RegressionParams{Target: target, Regressor: regressor}
				_, _, err := m.Measure(t.Context(), c)
				must.Fail(t, err, "target", target)
			}
		}
	}
	p := &RegressionParams{Regressor: "ridgy"}
	if err := declared.Check(p); err == nil || !strings.Contains(err.Error(), "target: missing") ||
		!strings.Contains(err.Error(), "regressor:") {
		t.Errorf("error %v, must name both keys", err)
	}
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
	for _, c := range []struct {
		name string
		of   func([]float64, []uint32, int) float64
		want float64
	}{
		{"log loss", logLoss, -(math.Log(0.8) + math.Log(0.6) + math.Log(0.3)) / 3},
		{"calibration", calibrationError, (0.2 + 0.4 + 0.7) / 3}, // a bin for each
	} {
		must.Near(t, c.of(p, labels, 2), c.want, 1e-12, c.name)
	}
}
