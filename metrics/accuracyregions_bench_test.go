package metrics

import (
	"context"
	"os"
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

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
