package dpcube

import (
	"context"
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/margins"
	"ppdp/algorithms/kernel/partition"
	"ppdp/privacy"
)

// binShare is the share of epsilon that decides on private bins, all attributes together.
const binShare = 0.1

// release is the state of one release.
type release struct {
	params  *Params
	grid    *grid
	epsilon float64 // of each phase

	path    privacy.Path
	phase1  *privacy.Noise
	phase2  *privacy.Noise
	exact   []int32   // rows of each cell,
	noisy   []float64 // the first phase's counts of them, and
	counts  []float64 // what is published
	blocks  *blocks
	builder *partition.Builder
}

// publish releases a table. Time is linear in the rows, and in the cells for each level of the
// tree.
func publish(ctx context.Context, in algorithms.Input,
	params *Params) (*algorithms.Release, error) {
	r, err := newRelease(in, params)
	if err != nil {
		return nil, err
	}
	schema := in.Table.Schema()
	space := partition.NewSpace(in.Table, schema.QuasiIdentifiers())
	r.exact = r.grid.count(space, in.Rows)
	if err := r.estimate(ctx); err != nil {
		return nil, err
	}
	r.builder = partition.NewBuilder(space, math.MaxInt32)
	if axes := r.grid.axes(); axes != nil {
		r.builder.Generalise(axes)
	}
	if err := r.publish(0, 0); err != nil {
		return nil, err
	}
	out := &algorithms.Release{Regions: r.builder.Regions(), Structure: r.blocks.structure}
	if warning := r.grid.warning(schema); warning != "" {
		out.Warnings = append(out.Warnings, warning)
	}
	values, counts := in.Noise.Open("values"), out.Regions.Counts
	if err := partition.AddRecords(out, schema, counts, r.params.Drawing, values); err != nil {
		return nil, fmt.Errorf("dpcube: %w", err)
	}
	return out, nil
}

// newRelease lays the grid and declares the mechanisms.
func newRelease(in algorithms.Input, params *Params) (_ *release, err error) {
	epsilon, path := in.Budget.Epsilon(), in.Budget.Root()
	schema := in.Table.Schema()
	var private []*margins.Bins
	if params.Cut != margins.Equal {
		spent := 0.0
		private, spent, err = margins.CutAll(&in, schema.QuasiIdentifiers(), margins.Wide,
			params.Bins, 1, &path, float64(binShare*epsilon))
		if err != nil {
			return nil, fmt.Errorf("dpcube: %w", err)
		}
		epsilon -= spent
	}
	g, err := newGrid(schema, params, private)
	if err != nil {
		return nil, fmt.Errorf("dpcube: %w", err)
	}
	return &release{params: params, grid: g, epsilon: epsilon / 2, path: path,
		phase1: in.CountNoise("cell counts", privacy.Exact(1)),
		phase2: in.CountNoise("block counts", privacy.Exact(1))}, nil
}

// estimate runs both phases: it fills noisy and counts.
func (r *release) estimate(ctx context.Context) error {
	r.noisy = make([]float64, r.grid.cells)
	for i, n := range r.exact {
		r.noisy[i] = float64(n)
	}
	if err := r.phase1.AddAll(&r.path, r.epsilon, r.noisy); err != nil {
		return err
	}
	r.counts = make([]float64, r.grid.cells)
	r.blocks = newBlocks(ctx, r.grid, r.noisy)
	r.blocks.explained = float64(r.params.Threshold * r.phase1.Variance(r.epsilon))
	r.blocks.publish = r.block
	return r.blocks.partition(0)
}

// block counts the current block once more and spreads the count evenly over its cells.
func (r *release) block() error {
	total := 0
	r.blocks.runs(func(_ []int, from, to int) {
		for _, n := range r.exact[from:to] {
			total += int(n)
		}
	})
	path := r.path.Fork() // blocks are disjoint
	count, err := r.phase2.Add(&path, r.epsilon, float64(total))
	if err != nil {
		return err
	}
	even := math.Max(0, count/float64(r.blocks.size()))
	r.blocks.runs(func(_ []int, from, to int) {
		for i := from; i < to; i++ {
			r.counts[i] = even
		}
	})
	return nil
}

// publish makes every cell of the grid a region, attribute after attribute: by descending its
// taxonomy where values are joined along one, else by cuts in the middle. first is the index of the
// first cell at the parts chosen on the attributes before dim.
func (r *release) publish(dim, first int) error {
	if dim < len(r.grid.divisions) {
		if r.grid.divisions[dim].level != nil {
			return r.nodes(dim, first)
		}
		return r.parts(dim, first, 0, r.grid.sides[dim])
	}
	_, counts, err := r.builder.Leaf()
	if err != nil {
		return err
	}
	copy(counts, r.counts[first:first+r.grid.classes])
	return r.blocks.poll.After(1)
}

// nodes publishes the cells below the current taxonomy node of attribute dim.
func (r *release) nodes(dim, first int) error {
	division := &r.grid.divisions[dim]
	part := division.level.Group[division.axis.Code[r.builder.Low[dim]]]
	if r.builder.Nodes[dim] == division.level.Node[part] {
		return r.publish(dim+1, first+int(part)*r.grid.strides[dim])
	}
	return r.builder.Specialise(dim, func(int) error { return r.nodes(dim, first) })
}

// parts publishes the cells in the parts [low, high) of attribute dim.
func (r *release) parts(dim, first, low, high int) error {
	if high-low == 1 {
		return r.publish(dim+1, first+low*r.grid.strides[dim])
	}
	middle := low + (high-low)/2
	return r.builder.Halve(dim, r.grid.starts[dim][middle],
		func() error { return r.parts(dim, first, low, middle) },
		func() error { return r.parts(dim, first, middle, high) })
}
