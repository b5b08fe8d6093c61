package classifiers

import (
	"math"
	"testing"
)

// TestFiguresByHand works a matrix through on paper: 50 rows, of class 0 20 right and 5 wrong, of
// class 1 10 wrong and 15 right. Chance agrees on 25/50·30/50 + 25/50·20/50 = 0.5, so kappa is
// (0.7−0.5)/(1−0.5).
func TestFiguresByHand(t *testing.T) {
	c := NewConfusion(2)
	for range 20 {
		c.Add(0, 0, 1)
	}
	c.Add(0, 1, 5)
	c.Add(1, 0, 10)
	c.Add(1, 1, 7.5)
	c.Add(1, 1, 7.5)
	for _, figure := range []struct {
		name      string
		got, want float64
	}{
		{"total", c.Total(), 50},
		{"correct", c.Correct(), 35},
		{"accuracy", c.Accuracy(), 0.7},
		{"kappa", c.Kappa(), 0.4},
		{"precision of 0", c.Precision(0), 20.0 / 30},
		{"recall of 0", c.Recall(0), 20.0 / 25},
		{"F1 of 0", c.F1(0), 40.0 / 55},
		{"precision of 1", c.Precision(1), 15.0 / 20},
		{"recall of 1", c.Recall(1), 15.0 / 25},
		{"F1 of 1", c.F1(1), 30.0 / 45},
		{"macro precision", c.MacroPrecision(), (2.0/3 + 3.0/4) / 2},
		{"macro recall", c.MacroRecall(), 0.7},
		{"macro F1", c.MacroF1(), (40.0/55 + 30.0/45) / 2},
	} {
		if math.Abs(figure.got-figure.want) > 1e-12 {
			t.Errorf("%s %v, want %v", figure.name, figure.got, figure.want)
		}
	}
	twice := NewConfusion(2)
	twice.Merge(c)
	twice.Merge(c)
	if twice.Total() != 100 || twice.At(1, 0) != 20 || twice.Kappa() != c.Kappa() {
		t.Errorf("merged twice: %v", twice.Weights)
	}
}

func TestUndefinedFigures(t *testing.T) {
	empty := NewConfusion(2)
	if !math.IsNaN(empty.Accuracy()) {
		t.Errorf("accuracy of no predictions %v, must be NaN", empty.Accuracy())
	}
	c := NewConfusion(2)
	c.Add(0, 0, 3)
	if !math.IsNaN(c.Precision(1)) || !math.IsNaN(c.Recall(1)) || !math.IsNaN(c.Kappa()) || !math.IsNaN(c.MacroRecall()) {
		t.Errorf("figures of an absent class %v %v, kappa %v: must be NaN", c.Precision(1), c.Recall(1), c.Kappa())
	}
	if c.Accuracy() != 1 || c.Precision(0) != 1 {
		t.Errorf("accuracy %v, precision %v, must be 1", c.Accuracy(), c.Precision(0))
	}
}
