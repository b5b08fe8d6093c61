package privbayes

import (
	"context"
	"fmt"
	"os"
	"testing"

	"ppdp/algorithms/internal/testinput"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/numeric/random"
)

// adultTable loads the 45,222 complete rows and 15 attributes of Adult, or its stand-in of the same
// shape where $PPDP_DATA is not set.
func adultTable(tb testing.TB) *datasets.Table {
	var source datasets.Source = adult.Source{}
	dir := os.Getenv("PPDP_DATA")
	if dir == "" {
		tb.Log("PPDP_DATA is not set, Adult's stand-in is used: set it to the directory that" +
			" holds adult/adult.data.gz")
		source = adult.StandIn{}
	}
	params := source.Params().(*adult.Params)
	params.Select = "diffmulti"
	loaded, err := source.Load(context.Background(), datasets.Request{
		Params: params, Files: datasets.Files{Dirs: []string{dir}}, Key: random.NewKey(0),
	})
	if err != nil {
		tb.Fatal(err)
	}
	return loaded.Table
}

func benchmark(b *testing.B, table *datasets.Table, params *Params, variant algorithms.Variant,
	epsilon float64) {
	b.ReportAllocs()
	for i := uint64(0); b.Loop(); i++ {
		testinput.LazyRelease(b, Algorithm{}, testinput.Input(table, params, variant, epsilon, i))
	}
	b.ReportMetric(float64(table.Len())*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkAdult is a release of Adult over its 52 bits, of every degree. Theta is small so that
// the degree is the one asked for. Degree 5 takes a minute or more and is left out under -short.
func BenchmarkAdult(b *testing.B) {
	table := adultTable(b)
	for degree := range 6 {
		if degree == 5 && testing.Short() {
			continue
		}
		b.Run(fmt.Sprintf("degree=%d", degree), func(b *testing.B) {
			params := DefaultParams()
			params.Degree, params.Theta = degree, 1e-6
			benchmark(b, table, params, algorithms.Published, 1)
		})
	}
}
