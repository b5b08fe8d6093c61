package diffgen

import (
	"context"
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
	"ppdp/privacy"
)

// Release publishes a table. Time is n·log n in the rows, and linear in what is published.
func (Algorithm) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	c, noise, err := newCut(ctx, in)
	if err != nil {
		return nil, err
	}
	schema := in.Table.Schema()
	space := partition.NewSpace(in.Table, schema.QuasiIdentifiers())
	axes := partition.Axes(schema, space.Attributes())
	labels := make([]uint32, len(in.Rows))
	space.Labels(in.Rows, labels)
	for dim, axis := range axes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.marginals = append(c.marginals, newMarginal(space, dim, axis, in.Rows))
	}
	if err := c.search(ctx); err != nil {
		return nil, err
	}
	g, err := c.product()
	if err != nil {
		return nil, err
	}
	exact := g.count(space, c.marginals, in.Rows, labels)
	p := c.params
	published, err := exact.noised(ctx, g, c.path, c.path.Remaining(), noise, p.Empty, p.MaxNodes)
	if err != nil {
		return nil, err
	}
	regions, err := write(ctx, g, published, space.Attributes(), axes, p.MaxNodes)
	if err != nil {
		return nil, err
	}
	out := &algorithms.Release{Regions: regions, Structure: c.structure(regions)}
	values := in.Noise.Open("values")
	if err := partition.AddRecords(out, schema, regions.Counts, p.Drawing, values); err != nil {
		return nil, fmt.Errorf("diffgen: %w", err)
	}
	return out, nil
}

// newCut checks the input against the parameters and declares the mechanisms; the counter is that
// of the cells.
func newCut(ctx context.Context, in algorithms.Input) (*cut, privacy.Counter, error) {
	params, err := algorithms.CheckInput[*Params](ctx, Algorithm{}, in)
	if err != nil {
		return nil, nil, err
	}
	schema := in.Table.Schema()
	scorer := partition.Scorer{Utility: params.Utility, Classes: schema.Classes(),
		Records: len(in.Rows)}
	c := &cut{params: params, path: in.Budget.Root(), scorer: scorer}
	numeric := 0
	for _, attribute := range schema.QuasiIdentifiers() {
		if schema.Attributes[attribute].Kind == datasets.Numeric {
			numeric++
		}
	}
	c.step = step(in.Budget.Epsilon(), numeric, params.Specialisations)
	claimed := c.scorer.Sensitivity()
	choice := privacy.Sensitivity{Claimed: claimed, Proven: claimed,
		Monotone: c.scorer.Monotone() && in.Variant != algorithms.Strict}
	c.cutPoints = partition.NewCutPoints(in, scorer, choice)
	c.choice = in.Budget.Exponential("candidates", in.Noise.Open("candidates"), choice)
	cells := privacy.Exact(1)
	if params.Empty == Omitted {
		cells.Proven = math.Inf(1)
	}
	if in.Variant == algorithms.Strict {
		return c, in.Budget.Geometric("cell counts", in.Noise.Open("cell counts"), cells), nil
	}
	return c, in.Budget.Laplace("cell counts", in.Noise.Open("cell counts"), cells), nil
}
