package svm

import (
	"context"
	"os"
	"testing"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/linear"
	"ppdp/classifiers/internal/testtable"
	"ppdp/datasets"
	"ppdp/numeric/random"
)

// benchmarkTable is Adult with all 15 attributes, or its stand-in.
func benchmarkTable(b *testing.B) (*datasets.Table, []int32) {
	b.Helper()
	const rows = 36_177 // four fifths of Adult's 45,222
	if os.Getenv("PPDP_DATA") == "" {
		b.Log("PPDP_DATA is not set: stand-in for Adult")
		table := testtable.StandIn(b, "diffmulti", rows)
		return table, table.AllRows()
	}
	table := testtable.Adult(b, "diffmulti")
	return table, table.AllRows()[:rows]
}

func BenchmarkFit(b *testing.B) {
	table, rows := benchmarkTable(b)
	testtable.BenchmarkFit(b, Classifier{}, table, rows)
	p := linear.NewPoints(classifiers.Data{Table: table, Rows: rows},
		linear.NewLayout(table.Schema()))
	s, err := solve(context.Background(), p, 1, defaultC(p),
		random.NewKey(0).Derive("svm").Stream())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(s.rounds), "rounds")
	b.ReportMetric(s.gap/s.primal, "gap")
}
