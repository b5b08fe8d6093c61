package id3

import (
	"testing"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/testtable"
)

// TestAdultAgainstPlain compares golearn's tree with plain ID3 on Adult's nominal attributes, where
// branches are deep and many of them empty.
func TestAdultAgainstPlain(t *testing.T) {
	table, err := testtable.Adult(t, "rps").Project("workclass", "education",
		"marital-status", "occupation",
		"relationship", "race", "sex", "native-country", "salary")
	if err != nil {
		t.Fatal(err)
	}
	train := table.AllRows()[:20000]
	model := testtable.Fit(t, Classifier{}, classifiers.Data{Table: table, Rows: train})
	got := testtable.Predict(model, table)
	weights := make([]float64, table.Len())
	for i := range weights {
		weights[i] = 1
	}
	p := &plain{table: table, weights: weights, class: table.Schema().Class(),
		features: classifiers.Features(table.Schema())}
	for row := 20000; row < table.Len(); row += 1000 {
		if want := p.predict(int32(row), train, map[int]bool{}); got[row] != want {
			t.Errorf("row %d predicted as %d, ID3 says %d", row, got[row], want)
		}
	}
}
