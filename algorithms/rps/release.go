package rps

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// publish releases a table (Algorithm 1). Time is linear in the rows for each level of the tree.
func publish(ctx context.Context, in algorithms.Input,
	params *Params) (*algorithms.Release, error) {
	r := newRecursion(ctx, in, params)
	if err := r.partition(in.Rows, 0); err != nil {
		return nil, fmt.Errorf("rps: %w", err)
	}
	return r.publish(in)
}

// recursion is the state of one release.
type recursion struct {
	poll    partition.Poll
	params  *Params
	space   *partition.Space
	builder *partition.Builder
	levels  []level
	paths   []privacy.Path // paths[d] is that of the region at depth d of the current branch
	rows    int            // the paper's N
	narrow  []uint32       // the cells of a dimension at which it is narrow enough

	cuts    *privacy.Exponential // of partition: balanced
	medians *privacy.Cauchy      // of partition: median
	stops   *privacy.Noise       // nil without stop tests
	leaves  *privacy.Noise       // nil where leaves ask no query
	choices *random.Stream       // attributes

	candidates candidates
	open       []int     // dimensions that the current box can still be cut on
	exact      []int32   // a leaf's class counts,
	noisy      []float64 // and with noise
	sizes      []float64 // records to draw, for each leaf and class
}

// CheckSchema refuses quality: class for tables without a class of two values.
func (p *Params) CheckSchema(s *datasets.Schema) error {
	if p.Partition != Balanced || p.Quality != Class {
		return nil
	}
	switch class := s.Class(); {
	case class < 0:
		return errors.New("quality: class needs a table with a class attribute")
	case s.Classes() != 2:
		return fmt.Errorf("quality: class needs a class of two values, %s has %d",
			s.Attributes[class].Name, s.Classes())
	}
	return nil
}

// newRecursion declares the mechanisms.
func newRecursion(ctx context.Context, in algorithms.Input, params *Params) *recursion {
	schema := in.Table.Schema()
	space := partition.NewSpace(in.Table, schema.QuasiIdentifiers())
	r := &recursion{
		poll: partition.NewPoll(ctx), params: params, space: space,
		builder: partition.NewBuilder(space, params.MaxNodes),
		levels:  params.levels(in.Budget.Epsilon()),
		paths:   make([]privacy.Path, params.Depth+1),
		rows:    len(in.Rows),
		exact:   make([]int32, space.Classes()),
		noisy:   make([]float64, space.Classes()),
	}
	for dim := range space.Dims() {
		r.narrow = append(r.narrow, uint32(max(1, params.Narrow*float64(space.Cells(dim)))))
		if space.Cells(dim) > r.narrow[dim] {
			r.open = append(r.open, dim)
		}
	}
	r.paths[0] = in.Budget.Root()
	r.candidates = candidates{space: space, quality: params.Quality}
	if params.Partition == Balanced {
		r.candidates.draws = in.Noise.Open("cuts")
		r.cuts = in.Budget.Exponential("cuts", r.candidates.draws, params.sensitivity(in.Variant))
	}
	if params.Partition == Median {
		r.medians = in.Budget.Cauchy("medians", in.Noise.Open("medians"), true)
	}
	if params.Partition != Balanced || params.Attributes == Random {
		r.choices = in.Noise.Open("attributes")
	}
	if slices.ContainsFunc(r.levels, func(l level) bool { return l.stop > 0 }) {
		r.stops = in.CountNoise("stop tests", privacy.Exact(1))
	}
	if params.Counts == Noisy || space.Classes() > 1 {
		r.leaves = in.CountNoise("leaf counts", privacy.Exact(1))
	}
	return r
}

// sensitivity is that of the quality function (errata R0b and R1). Both qualities never fall when
// a record joins. The strict variant does not ask for the credit this gives.
func (p *Params) sensitivity(variant algorithms.Variant) privacy.Sensitivity {
	const even, class = 0.5, 1.5
	switch {
	case p.Quality == Even:
		return privacy.Sensitivity{Claimed: even, Proven: even,
			Monotone: variant == algorithms.Published}
	case variant == algorithms.Published:
		return privacy.Sensitivity{Claimed: even, Proven: class, Monotone: true}
	default:
		return privacy.Exact(class)
	}
}

// partition handles the builder's current box, which the given rows lie in (RPS_recursion).
func (r *recursion) partition(rows []int32, depth int) error {
	if err := r.poll.After(len(rows) + 64); err != nil { // nodes without rows take time, too
		return err
	}
	if depth == r.params.Depth || len(r.open) == 0 {
		return r.leaf(rows, depth)
	}
	path, level := &r.paths[depth], &r.levels[depth]
	if level.stop > 0 {
		count, err := r.stops.Add(path, level.stop, float64(len(rows)))
		if err != nil {
			return err
		}
		if count <= r.params.Stop {
			return r.leaf(rows, depth)
		}
	}
	dim, at, err := r.choose(rows, path, level.cut)
	if err != nil {
		return err
	}
	n := r.space.Split(rows, dim, at)
	return r.builder.Halve(dim, at, func() error {
		r.paths[depth+1] = path.Fork()
		return r.part(rows[:n], depth+1, dim)
	}, func() error {
		r.paths[depth+1] = path.Fork()
		return r.part(rows[n:], depth+1, dim)
	})
}

// part is partition of a box that was cut on dim.
func (r *recursion) part(rows []int32, depth, dim int) error {
	if near := r.space.Near(rows); near != nil {
		space := r.space
		for i := range rows {
			rows[i] = int32(i)
		}
		r.space, r.candidates.space = near, near
		err := r.part(rows, depth, dim)
		r.space, r.candidates.space = space, space
		return err
	}
	if r.builder.Width(dim) > r.narrow[dim] {
		return r.partition(rows, depth)
	}
	at, _ := slices.BinarySearch(r.open, dim)
	r.open = slices.Delete(r.open, at, at+1)
	err := r.partition(rows, depth)
	r.open = slices.Insert(r.open, at, dim)
	return err
}

// choose picks a cut of the current box, which has at least one (balanced_partition).
func (r *recursion) choose(rows []int32, path *privacy.Path,
	epsilon float64) (dim int, at uint32, err error) {
	open := r.open
	if r.choices != nil {
		chosen := r.choices.IntN(len(open))
		open = open[chosen : chosen+1]
	}
	box := r.builder
	switch dim = open[0]; r.params.Partition {
	case Fixed:
		return dim, box.Low[dim] + box.Width(dim)/2, nil
	case Median:
		at, err = r.median(rows, dim, path, epsilon)
		return dim, at, err
	}
	c := &r.candidates
	c.dims, c.first, c.weights, c.scores = c.dims[:0], c.first[:0], c.weights[:0], c.scores[:0]
	for _, dim := range open {
		c.add(rows, dim, box.Low[dim], box.High[dim])
	}
	cut, err := r.cuts.ChooseElement(path, epsilon, c.scores, c.weights, c)
	return int(cut >> 32), uint32(cut), err
}

// leaf publishes the current box (summarize): its counts, and how many records of which class are
// to be drawn from it.
func (r *recursion) leaf(rows []int32, depth int) error {
	_, published, err := r.builder.Leaf()
	if err != nil {
		return err
	}
	label := 0
	if r.leaves != nil {
		path := &r.paths[depth]
		clear(r.exact)
		r.space.ClassCounts(rows, r.exact)
		for y, n := range r.exact {
			r.noisy[y] = float64(n)
		}
		if err := r.leaves.AddAll(path, path.Remaining(), r.noisy); err != nil {
			return err
		}
		for y, n := range r.noisy {
			if n > r.noisy[label] {
				label = y
			}
		}
		for y, n := range r.noisy {
			r.noisy[y] = math.Round(math.Max(0, n))
		}
	}
	size := 0.0
	if r.params.Counts == ByDepth { // noisy class counts serve the vote alone
		size = math.Ldexp(float64(r.rows), -depth)
		published[label] = size
	} else {
		copy(published, r.noisy)
		for _, n := range r.noisy {
			size += n
		}
	}
	first := len(r.sizes)
	r.sizes = append(r.sizes, make([]float64, len(r.noisy))...)
	r.sizes[first+label] = size // all records get the class of most
	return nil
}

// publish gives the regions their records (post_process).
func (r *recursion) publish(in algorithms.Input) (*algorithms.Release, error) {
	release := &algorithms.Release{Regions: r.builder.Regions(), Structure: r.builder.Structure()}
	schema := in.Table.Schema()
	values := in.Noise.Open("values")
	if err := partition.AddRecords(release, schema, r.sizes, r.params.Drawing, values); err != nil {
		return nil, fmt.Errorf("rps: %w", err)
	}
	if r.params.Counts == ByDepth {
		release.Warnings = append(release.Warnings, "counts: depth publishes the exact number of"+
			" records (errata R3)")
	}
	return release, nil
}
