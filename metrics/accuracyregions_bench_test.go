package metrics

import (
	"context"
	"os"
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/diffgen"
	"ppdp/algorithms/diffmulti"
	"ppdp/classifiers"
	"ppdp/classifiers/c45"
	"ppdp/classifiers/leafmajority"
	"ppdp/classifiers/svm"
	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/metrics/internal/encoding"
	"ppdp/privacy"
	"ppdp/random"
)

// multiRelease is DiffMulti's release of n specialisations.
func multiRelease(b *testing.B, specialisations int) Case {
	b.Helper()
	params := diffmulti.DefaultParams()
	params.Specialisations = specialisations
	return released(b, diffmulti.Algorithm{}, params)
}

// released is a strict release of two thirds of Adult; the rest are to be tested.
func released(b *testing.B, a algorithms.Algorithm, params algorithms.Params) Case {
	b.Helper()
	var source datasets.Source = adult.Source{}
	if os.Getenv("PPDP_DATA") == "" {
		b.Log("PPDP_DATA is not set: the stand-in")
		source = adult.StandIn{}
	}
	set := must(source.Load(context.Background(),
		datasets.Request{Params: &adult.Params{Select: "diffmulti"},
			Files: datasets.Files{Dirs: []string{os.Getenv("PPDP_DATA")}}}))
	rows := set.Table.AllRows()
	c := Case{Table: set.Table, Train: rows[:30_162], Test: rows[30_162:]}
	c.Release = must(a.Release(context.Background(), algorithms.Input{
		Table: set.Table, Rows: slices.Clone(c.Train), Params: params, Variant: algorithms.Strict,
		Budget: privacy.NewBudget(1), Noise: random.NewStreams(random.NewKey(1)),
	}))
	return c
}

// BenchmarkGeneralised evaluates the regions of 10,000 specialisations.
func BenchmarkGeneralised(b *testing.B) {
	c := multiRelease(b, 10_000)
	for _, e := range []encoding.Encoding{encoding.NodeMidpoint, encoding.NominalMidpoint} {
		c.Params = &GeneralisedParams{Encoding: e}
		for _, c.Classifier = range []classifiers.Classifier{leafmajority.Classifier{},
			svm.Classifier{}, c45.Default} {
			b.Run(string(e)+"/"+c.Classifier.Info().Name, func(b *testing.B) {
				for b.Loop() {
					if _, _, err := tryMeasure(b, "accuracy-generalised", c); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(len(c.Test)*b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}

// BenchmarkTrainRegions trains classifiers on the regions of 100,000 specialisations of DiffMulti,
// 89,000 weighted records of 145 attributes, and C4.5 on those of 20 of DiffGen, 660,000.
func BenchmarkTrainRegions(b *testing.B) {
	params := diffgen.DefaultParams()
	params.Specialisations = 20
	fit := func(of string, c Case, as ...classifiers.Classifier) {
		e := must(encodeRecords(context.Background(), c, encoding.NodeMidpoint, nil))
		data := classifiers.Data{Table: e.table, Rows: e.table.AllRows(), Weights: e.weights}
		for _, c := range as {
			b.Run(of+"/"+c.Info().Name, func(b *testing.B) {
				for b.Loop() {
					if _, err := c.Fit(context.Background(), data); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(len(data.Rows)*b.N)/b.Elapsed().Seconds(), "records/s")
			})
		}
	}
	fit("diffmulti", multiRelease(b, 100_000), svm.Classifier{}, c45.Default)
	fit("diffgen", released(b, diffgen.Algorithm{}, params), c45.Default)
}
