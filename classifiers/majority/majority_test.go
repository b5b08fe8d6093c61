package majority

import (
	"testing"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/testtable"
)

func TestMajority(t *testing.T) {
	table := testtable.Weather(false) // 5 no, 9 yes
	predict := func(rows []int32, weights []float64) uint32 {
		model := testtable.Fit(t, Classifier{},
			classifiers.Data{Table: table, Rows: rows, Weights: weights})
		predicted := testtable.Predict(model, table)
		for _, class := range predicted {
			if class != predicted[0] {
				t.Fatalf("predictions differ: %v", predicted)
			}
		}
		return predicted[0]
	}
	if got := predict(table.AllRows(), nil); got != 1 {
		t.Errorf("predicted %d, yes (1) is the majority", got)
	}
	heavy := make([]float64, table.Len())
	heavy[0], heavy[2] = 1.5, 1 // a "no" of more weight than a "yes"
	if got := predict(table.AllRows(), heavy); got != 0 {
		t.Errorf("predicted %d, no (0) has more weight", got)
	}
	if got := predict([]int32{0, 2}, nil); got != 0 {
		t.Errorf("predicted %d of one row each, must be the lower code 0", got)
	}
}
