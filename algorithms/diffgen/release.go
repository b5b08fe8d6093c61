package diffgen

import (
	"context"
	"fmt"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/privacy"
)

// publish releases a table. Time is n·log n in the rows, and linear in what is published.
func publish(ctx context.Context, in algorithms.Input, p *Params) (*algorithms.Release, error) {
	c, err := newCut(ctx, in, p)
	if err != nil {
		return nil, err
	}
	if err := c.search(ctx); err != nil {
		return nil, err
	}
	g, err := c.product()
	if err != nil {
		return nil, err
	}
	exact := g.count(c, in.Rows)
	poll := partition.NewPoll(ctx)
	published, err := exact.noised(&poll, g, c.path, c.noise, p.MaxNodes)
	if err != nil {
		return nil, err
	}
	regions, err := write(&poll, g, published, c.space.Attributes(), c.axes, p.MaxNodes)
	if err != nil {
		return nil, err
	}
	leaves := regions.Len()
	out := &algorithms.Release{Regions: regions,
		Structure: algorithms.Structure{Nodes: c.made + leaves, Leaves: leaves, Depth: c.made}}
	values := in.Noise.Open("values")
	err = partition.AddRecords(out, in.Table.Schema(), regions.Counts, p.Drawing, values)
	if err != nil {
		return nil, fmt.Errorf("diffgen: %w", err)
	}
	return out, nil
}

// newCut declares the mechanisms and counts the records of each attribute's values.
func newCut(ctx context.Context, in algorithms.Input, params *Params) (*cut, error) {
	schema := in.Table.Schema()
	c := &cut{params: params, path: in.Budget.Root(), labels: make([]uint32, len(in.Rows)),
		space: partition.NewSpace(in.Table, schema.QuasiIdentifiers()),
		scorer: partition.Scorer{Utility: params.Utility, Classes: schema.Classes(),
			Records: len(in.Rows)}}
	c.axes = partition.Axes(schema, c.space.Attributes())
	claimed := c.scorer.Sensitivity()
	choice := privacy.Sensitivity{Claimed: claimed, Proven: claimed,
		Monotone: c.scorer.Monotone() && in.Variant != algorithms.Strict}
	c.cutPoints = partition.NewCutPoints(in, c.scorer, choice)
	c.choice = in.Budget.Exponential("candidates", in.Noise.Open("candidates"), choice)
	c.noise = in.CountNoise("cell counts", privacy.Exact(1))
	c.space.Labels(in.Rows, c.labels)
	numeric := 0
	for dim, axis := range c.axes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if axis == nil {
			numeric++
		}
		c.marginals = append(c.marginals, newMarginal(c.space, dim, axis, in.Rows))
	}
	c.step = step(in.Budget.Epsilon(), numeric, params.Specialisations)
	return c, nil
}
