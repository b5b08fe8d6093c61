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
)

// adultTable is the selection of Al-Hussaeni et al. 2018: 45,222 records, 6 numeric and 8 categorical attributes.
func adultTable(tb testing.TB) *datasets.Table {
	dir := os.Getenv("PPDP_DATA")
	if dir == "" {
		tb.Skip("PPDP_DATA is not set: it names the directory that holds adult/adult.data.gz")
	}
	source := adult.Source{}
	loaded, err := source.Load(context.Background(), datasets.Request{
		Params: &adult.Params{Select: "diffmulti"}, Files: datasets.Files{Dirs: []string{dir}}, Key: privacy.NewKey(0),
	})
	if err != nil {
		tb.Fatal(err)
	}
	return loaded.Table
}

// BenchmarkAdult releases Adult at ε = 1 from seeds 0 to 7 in turn, because the number of cells varies
// greatly with the cut: cells/op are those published.
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
					regions, records := 0, 0
					b.ReportAllocs()
					for i := uint64(0); b.Loop(); i++ {
						copy(rows, all)
						r, err := DiffGen{}.Release(context.Background(), algorithms.Input{
							Table: table, Rows: rows, Params: params, Variant: algorithms.Published,
							Budget: privacy.NewBudget(1), Noise: privacy.NewStreams(privacy.NewKey(i % 8)),
						})
						if err != nil {
							b.Fatal(err)
						}
						regions += r.Regions.Len()
						n, _ := r.RecordCount()
						records += int(n)
					}
					b.ReportMetric(float64(regions)/float64(b.N), "regions/op")
					b.ReportMetric(float64(records)/float64(b.N), "records/op")
					b.ReportMetric(float64(len(rows))*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
				})
			}
		}
	}
}
