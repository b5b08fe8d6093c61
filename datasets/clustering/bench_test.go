package clustering

import (
	"context"
	"os"
	"testing"

	"ppdp/datasets"
	"ppdp/datasets/adult"
)

// census is Adult with all 15 attributes, or its stand-in where there are no data.
func census(tb testing.TB) *datasets.Table {
	tb.Helper()
	var source datasets.Source = adult.Source{}
	request := datasets.Request{Params: &adult.Params{Select: "diffmulti"},
		Files: datasets.Files{Dirs: []string{os.Getenv("PPDP_DATA")}}}
	if os.Getenv("PPDP_DATA") == "" {
		tb.Log("PPDP_DATA is not set: the stand-in")
		source = adult.StandIn{}
	}
	set, err := source.Load(context.Background(), request)
	if err != nil {
		tb.Fatal(err)
	}
	return set.Table
}

// BenchmarkClusters is one bisection: ten restarts, each some passes over the rows.
func BenchmarkClusters(b *testing.B) {
	table := census(b)
	v := NewVectors(table.Schema(), table.Schema().QuasiIdentifiers())
	v.AddRows(table, table.AllRows())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Clusters(context.Background(), 2); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(v.Len()*b.N)/b.Elapsed().Seconds(), "rows/s")
}
