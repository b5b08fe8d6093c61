package metrics

import (
	"context"
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/diffgen"
	"ppdp/classifiers/c45"
	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/metrics/encoding"
	"ppdp/privacy"
	"ppdp/random"
)

func BenchmarkZZ(b *testing.B) {
	set, err := adult.Source{}.Load(context.Background(),
		datasets.Request{Params: &adult.Params{Select: "diffmulti"},
			Files: datasets.Files{Dirs: []string{"/work/shared/data"}}})
	if err != nil {
		b.Fatal(err)
	}
	rows := set.Table.AllRows()
	c := Case{Table: set.Table, Train: rows[:30_162], Test: rows[30_162:]}
	for _, v := range []algorithms.Variant{algorithms.Published, algorithms.Strict} {
		params := diffgen.DefaultParams()
		params.Specialisations = 20
		c.Release, err = diffgen.Algorithm{}.Release(context.Background(), algorithms.Input{
			Table: set.Table, Rows: slices.Clone(c.Train), Params: params, Variant: v,
			Budget: privacy.NewBudget(1), Noise: random.NewStreams(random.NewKey(1)),
		})
		if err != nil {
			b.Fatal(err)
		}
		c.Params = &GeneralisedParams{Encoding: encoding.NodeMidpoint}
		c.Classifier = c45.Default
		b.Run(string(v), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := tryMeasure(b, "accuracy-published", c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
