package boosting

import (
	"testing"

	"ppdp/classifiers/internal/testtable"
)

// TestAdult compares with HistGradientBoostingClassifier of scikit-learn 1.2.1, categorical
// attributes named, no early stopping; classifiers/internal/testtable/reference.py is the program.
func TestAdult(t *testing.T) {
	testtable.Compare(t, Classifier{}, testtable.AdultHalf,
		testtable.Reference{Accuracy: 0.86919, AUC: 0.92613}, 0.003)
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
