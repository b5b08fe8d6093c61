// Package controls holds releases that no method is behind. Of a degree sequence, "zeros" publishes
// n zeros, which anyone can who knows n, and "perfect" the truth: the first is a floor every method
// has to beat before a comparison says anything, the second is the ceiling of what any could reach.
// Of a table, "sample" publishes a random part of the records: what a release is worth can be said
// as the size of the sample that is worth as much.
//
// Deviations: none; there is no paper.
package controls

import (
	"context"
	"slices"

	"ppdp/algorithms"
)

func init() {
	algorithms.Register(Algorithm{"zeros", "n zeros", "No data are read but the number of nodes," +
		" which is public everywhere here: it needs no budget.",
		func(truth []int32) []int32 { return make([]int32, len(truth)) }})
	algorithms.Register(Algorithm{"perfect", "True degree sequence",
		"No privacy at all: the degrees are published unchanged. For reference only.",
		slices.Clone[[]int32]})
}

// Algorithm is one of the releases.
type Algorithm struct {
	name, title, note string
	of                func(truth []int32) []int32
}

func (a Algorithm) Info() algorithms.Info {
	return algorithms.Info{
		Name: a.name, Title: a.title, Source: "none: a control",
		Input: algorithms.GraphInput, Produces: []algorithms.Product{algorithms.DegreesProduct},
		Variants: []algorithms.Guarantee{algorithms.NotPrivate(a.note)},
		Revision: 1,
	}
}

func (Algorithm) Params() algorithms.Params { return &algorithms.NoParams{} }

// Release publishes one degree for each node. It costs no budget and draws nothing.
func (a Algorithm) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	if _, err := algorithms.CheckInput[*algorithms.NoParams](ctx, a, in); err != nil {
		return nil, err
	}
	degrees := a.of(in.Graph.DegreeSequence())
	if degrees == nil { // a clone of nothing
		degrees = []int32{}
	}
	return &algorithms.Release{Degrees: degrees}, nil
}
