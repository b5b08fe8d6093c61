package testinput

import (
	"context"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// TB is what these helpers need of a test, a benchmark or a rapid check.
type TB interface {
	Helper()
	Fatal(...any)
}

// Input is all rows of a table, with a budget of epsilon and the noise of a seed.
func Input(table *datasets.Table, params algorithms.Params, variant algorithms.Variant,
	epsilon float64, seed uint64) algorithms.Input {
	in := GraphInput(nil, params, variant, epsilon, seed)
	in.Table, in.Rows = table, table.AllRows()
	return in
}

// GraphInput is a graph, with a budget of epsilon and the noise of a seed.
func GraphInput(g *datasets.Graph, params algorithms.Params, variant algorithms.Variant,
	epsilon float64, seed uint64) algorithms.Input {
	return algorithms.Input{Graph: g, Params: params, Variant: variant,
		Budget: privacy.NewBudget(epsilon), Noise: random.NewStreams(random.NewKey(seed))}
}

// Release makes a release and draws its records.
func Release(t TB, a algorithms.Algorithm, in algorithms.Input) *algorithms.Release {
	t.Helper()
	r := LazyRelease(t, a, in)
	if _, _, err := r.Records(context.Background()); err != nil {
		t.Fatal(err)
	}
	return r
}

// LazyRelease makes a release and does not draw its records.
func LazyRelease(t TB, a algorithms.Algorithm, in algorithms.Input) *algorithms.Release {
	t.Helper()
	return must.Get(a.Release(context.Background(), in))
}
