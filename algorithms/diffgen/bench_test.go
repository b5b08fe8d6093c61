package diffgen

import (
	"context"
	"fmt"
	"os"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/partition"
	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/privacy"
	"ppdp/random"
)

// adultTable is the selection of Al-Hussaeni et al. 2018: 45,222 records, 6 numeric and 8 categorical attributes.
func adultTable(tb testing.TB) *datasets.Table {
	dir := os.Getenv("PPDP_DATA")
	if dir == "" {
		tb.Skip("PPDP_DATA is not set: it names the directory that holds adult/adult.data.gz")
	}
	source := adult.Source{}
	loaded, err := source.Load(context.Background(), datasets.Request{
		Params: &adult.Params{Select: "diffmulti"}, Files: datasets.Files{Dirs: []string{dir}}, Key: random.NewKey(0),
	})
	if err != nil {
		tb.Fatal(err)
	}
	return loaded.Table
}

// benchmarked makes a release of all rows of Adult at ε = 1, without its records.
func benchmarked(b *testing.B, table *datasets.Table, rows []int32, params *Params, seed uint64) *algorithms.Release {
	r, err := Algorithm{}.Release(context.Background(), algorithms.Input{
		Table: table, Rows: rows, Params: params, Variant: algorithms.Published,
		Budget: privacy.NewBudget(1), Noise: random.NewStreams(random.NewKey(seed)),
	})
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// BenchmarkAdult times what DiffGen publishes: all regions with their noisy counts, at ε = 1. Records are
// counted and not drawn. Seeds are 0 to 7 in turn, because the number of cells varies greatly with the cut; regions/op and
// records/op are those published.
func BenchmarkAdult(b *testing.B) {
	table := adultTable(b)
	all := table.AllRows()
	rows := make([]int32, len(all))
	for _, h := range []int{10, 20} {
		for _, empty := range []Empty{Drawn, Omitted} {
			for _, utility := range []partition.Utility{partition.MaxClass, partition.InformationGain} {
				b.Run(fmt.Sprintf("h=%d/%s/%s", h, empty, utility), func(b *testing.B) {
					params := DefaultParams()
					params.Specialisations, params.Empty, params.Utility = h, empty, utility
					regions, records := 0, 0.0
					b.ReportAllocs()
					for i := uint64(0); b.Loop(); i++ {
						copy(rows, all)
						r := benchmarked(b, table, rows, params, i%8)
						n, _ := r.RecordCount()
						regions += r.Regions.Len()
						records += n
					}
					b.ReportMetric(float64(regions)/float64(b.N), "regions/op")
					b.ReportMetric(records/float64(b.N), "records/op")
					b.ReportMetric(float64(len(rows))*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
				})
			}
		}
	}
}

// BenchmarkRecords times the drawing of records alone, from the regions of BenchmarkAdult's largest release.
func BenchmarkRecords(b *testing.B) {
	table := adultTable(b)
	params := DefaultParams()
	params.Specialisations = 20
	records := 0
	b.ReportAllocs()
	for i := range b.N {
		b.StopTimer()
		r := benchmarked(b, table, table.AllRows(), params, uint64(i%8))
		b.StartTimer()
		drawn, _, err := r.Records(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		records += drawn.Len()
	}
	b.ReportMetric(float64(records)/b.Elapsed().Seconds(), "records/s")
}
