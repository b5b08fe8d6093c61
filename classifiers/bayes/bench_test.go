package bayes

import (
	"testing"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/testtable"
)

func BenchmarkFit(b *testing.B) {
	table, fold := testtable.Benchmark(b)
	data := classifiers.Data{Table: table, Rows: fold.Train}
	b.ReportAllocs()
	for b.Loop() {
		testtable.Fit(b, Classifier{}, data)
	}
	b.ReportMetric(float64(len(fold.Train)*b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkPredict(b *testing.B) {
	table, fold := testtable.Benchmark(b)
	model := testtable.Fit(b, Classifier{}, classifiers.Data{Table: table, Rows: fold.Train})
	dst := make([]uint32, len(fold.Test))
	b.ReportAllocs()
	for b.Loop() {
		model.Predict(dst, table, fold.Test)
	}
	b.ReportMetric(float64(len(fold.Test)*b.N)/b.Elapsed().Seconds(), "rows/s")
}
