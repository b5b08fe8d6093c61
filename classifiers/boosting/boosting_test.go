package boosting

import (
	"testing"

	"ppdp/classifiers/internal/testtable"
)

// TestReference compares with HistGradientBoostingClassifier of scikit-learn 1.2.1, categorical
// attributes named, no early stopping; classifiers/internal/testtable/reference.py is the program.
func TestReference(t *testing.T) {
	testtable.Compare(t, Classifier{}, 0.003, map[string]testtable.Reference{
		"adult":    {Accuracy: 0.86919, AUC: 0.92613},
		"diabetes": {Accuracy: 0.64141, AUC: 0.69379},
		"acs":      {Accuracy: 0.81924, AUC: 0.90747},
	})
}

// TestNumberReference compares with HistGradientBoostingRegressor of scikit-learn 1.2.1, as
// TestReference does.
func TestNumberReference(t *testing.T) {
	testtable.CompareNumbers(t, Classifier{}, 0.005, map[string]testtable.Reference{
		"adult":    {R2: 0.46970, MAE: 7.53749},
		"diabetes": {R2: 0.42050, MAE: 1.70191},
		"acs":      {R2: 0.81495, MAE: 7.15924},
	})
}

// BenchmarkFit measures a hundred trees of 31 leaves on 30,162 rows of 14 attributes; its speed goal
// is half a second of processor time.
func BenchmarkFit(b *testing.B) {
	table, rows := testtable.BenchmarkHalf(b)
	testtable.BenchmarkFit(b, Classifier{}, table, rows)
}

func BenchmarkPredict(b *testing.B) {
	table, fold := testtable.Benchmark(b)
	testtable.BenchmarkPredict(b, Classifier{}, table, fold.Train, fold.Test)
}
