package cmd

import (
	"context"
	"slices"
	"testing"
	"time"

	"ppdp/algorithms"
	"ppdp/algorithms/mondrian"
	"ppdp/experiments/engine"
	"ppdp/experiments/language"
	"ppdp/internal/regress"
	"ppdp/internal/results"
	"ppdp/privacy"
)

// plantedSpec is compare/noise and rps/noise in one, on few records.
const plantedSpec = `name: mine/planted
title: Planted changes
source: none
seed: 1
trials: 16
folds: 2
dataset: {name: gaussian, shape: [clusters-5d, normal-1d], n: 2000, resample: true}
epsilon: [2]
algorithms:
  - {name: rps, variant: [published, strict], params: {quality: even, depth: 4}}
  - {name: mondrian, params: {k: 3}}
measure:
  - {metric: count-noise, params: {per: [class, region]}}
  - {metric: [records, regions]}
`

// changed is an algorithm with a change planted in it: in what it is given, or in what it
// publishes.
type changed struct {
	algorithms.Algorithm
	input   func(*algorithms.Input)
	release func(*algorithms.Input, *algorithms.Release)
}

func (a changed) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	if a.input != nil {
		a.input(&in)
	}
	given := in // the algorithm may reorder the rows it is given
	given.Rows = slices.Clone(in.Rows)
	release, err := a.Algorithm.Release(ctx, given)
	if err == nil && a.release != nil {
		a.release(&in, release)
	}
	return release, err
}

// spending multiplies the budget behind the accountant's back: noise shrinks by as much.
func spending(factor float64) func(*algorithms.Input) {
	return func(in *algorithms.Input) {
		in.Budget = privacy.NewBudget(factor * in.Budget.Epsilon())
	}
}

// exactCounts puts the true counts of classes in place of the published ones.
func exactCounts(in *algorithms.Input, release *algorithms.Release) {
	regions, class := release.Regions, in.Table.Schema().Class()
	codes := make([]uint32, len(regions.Attributes))
	clear(regions.Counts)
	for _, row := range in.Rows {
		for d, attribute := range regions.Attributes {
			codes[d] = in.Table.Column(attribute).At(row)
		}
		label := uint32(0)
		if class >= 0 {
			label = in.Table.Column(class).At(row)
		}
		regions.Count(regions.Locate(codes))[label]++
	}
}

// amongAll is the level that makes n comparisons as strict as they are among the fewer than 6000 of
// all quick experiments: Holm's correction multiplies by their number.
func amongAll(n int) float64 { return regress.DefaultOptions.Alpha * float64(n) / 6000 }

// TestPlantedChanges: the gate must find each change of an algorithm under the baseline's seed,
// where it compares exactly, and under another, where it tests, at the level of all quick
// experiments; unchanged runs must pass.
//
// That does not depend on the seeds. Of the noise on 2 × 2 × 16 class counts (two folds, two
// classes, as many leaves) a trial's mean has a relative standard deviation of 1/√64 = 0.13; with
// 16 trials a side half the noise is away by 0.5/(0.13·√(1.25/16)) = 14 standard errors. A dropped
// leaf has 1000/16 = 62 points, give or take a third where there is one dimension: it adds 3.9 ±
// 1.3/√2 to a mean noise of 1 ± 0.2, which makes 16 standard errors. At 15 degrees of freedom a t
// of 10 has p = 5e-8, which the correction takes to 3e-6 here and 6e-4 among all.
func TestPlantedChanges(t *testing.T) {
	t.Parallel()
	type variant = algorithms.Variant
	measure := func(seed uint64, name string, variant variant, plant *changed) *regress.Reference {
		t.Helper()
		s := must(language.Parse("planted.yaml", []byte(plantedSpec)))
		plan := must(s.Plan(language.Overrides{Seed: &seed}))
		planted := 0
		for _, config := range plan.Configs {
			if plant != nil && config.Info.Name == name && config.Guarantee.Variant == variant {
				config.Implementation = changed{config.Implementation, plant.input, plant.release}
				planted++
			}
		}
		if plant != nil && planted == 0 {
			t.Fatalf("nothing is planted in %s, %s", name, variant)
		}
		clock := func() time.Time { return time.Time{} }
		run, err := engine.Run(context.Background(), plan,
			engine.Options{Out: t.TempDir(), Workers: 2, Clock: clock})
		if err != nil || run.Failed > 0 {
			t.Fatalf("%d jobs failed: %v %v", run.Failed, run.Failures, err)
		}
		outcome := must(results.Open(run.Dir))
		return regress.ReferenceOf(outcome)
	}
	compare := func(old, new *regress.Reference, alpha float64) *regress.Gate {
		return regress.Compare([]regress.Pair{{Old: old, New: new}},
			regress.Options{Alpha: alpha, Floor: regress.DefaultOptions.Floor})
	}
	old := measure(1, "", "", nil)
	g := compare(old, measure(1, "", "", nil), regress.DefaultOptions.Alpha)
	if g.Counts[regress.Same] != len(g.Comparisons) {
		t.Errorf("unchanged, under the baseline's seed: %v, must all be the same", g.Counts)
	}
	// Each gives a false alarm with a chance of at most 1 %: all three are silent with one of at
	// least 0.97, and the seeds are fixed.
	for seed := uint64(2); seed < 5; seed++ {
		if g := compare(old, measure(seed, "", "", nil), regress.DefaultOptions.Alpha); g.Failed() {
			t.Errorf("unchanged, seed %d: %v", seed, g.Counts)
		}
	}
	alpha := amongAll(len(g.Comparisons))
	for _, c := range []struct {
		name, algorithm string
		variant         algorithms.Variant
		change          changed
	}{
		{"Laplace noise of half the scale", "rps", algorithms.Published,
			changed{input: spending(2)}},
		{"geometric noise of half the scale", "rps", algorithms.Strict,
			changed{input: spending(2)}},
		{"no noise at all", "rps", algorithms.Published, changed{input: spending(1e6)}},
		{"exact class counts published", "rps", algorithms.Strict, changed{release: exactCounts}},
		{"dropped leaf", "rps", algorithms.Published,
			changed{release: func(_ *algorithms.Input, release *algorithms.Release) {
				clear(release.Regions.Count(0))
			}}},
		{"split off by one", "rps", algorithms.Published,
			changed{release: func(_ *algorithms.Input, release *algorithms.Release) {
				release.Regions.Tree[0].At++
			}}},
		{"test rows among the training rows", "rps", algorithms.Strict,
			changed{input: func(in *algorithms.Input) { in.Rows = in.Table.AllRows() }}},
		{"regions of k-1 records", "mondrian", algorithms.Published,
			changed{input: func(in *algorithms.Input) {
				fewer := *in.Params.(*mondrian.Params)
				fewer.K--
				in.Params = &fewer
			}}},
	} {
		for _, seed := range []uint64{1, 2} {
			g := compare(old, measure(seed, c.algorithm, c.variant, &c.change), alpha)
			t.Logf("%s, seed %d: %v", c.name, seed, g.Counts)
			if !g.Failed() {
				t.Errorf("%s, seed %d: not seen: %v", c.name, seed, g.Counts)
			}
		}
	}
}
