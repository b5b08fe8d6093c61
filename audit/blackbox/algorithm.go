package blackbox

import (
	"context"
	"fmt"
	"slices"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// Neighbours are two neighbouring inputs of an algorithm.
type Neighbours struct {
	Name string // how they differ, in words
	// Inputs hold a table, with its rows or nil for all of them, or a graph. Nothing else is used.
	Inputs [2]algorithms.Input
}

// AlgorithmTarget is the claim that a variant of an algorithm under parameters, which are only
// read, has with a budget of (epsilon, delta), pure where delta is 0, of persons where the tables'
// schema says so. Up to eight of the records by which two tables differ are their probes. A panic
// of the algorithm counts as an error.
func AlgorithmTarget(a algorithms.Algorithm, variant algorithms.Variant, params algorithms.Params,
	epsilon, delta float64, neighbours ...Neighbours) Target {
	target := Target{Name: fmt.Sprintf("%s %s", a.Info().Name, variant), Epsilon: epsilon,
		Delta: delta}
	for _, n := range neighbours {
		inputs := n.Inputs
		for side := range inputs {
			if in := &inputs[side]; in.Table != nil && in.Rows == nil {
				in.Rows = in.Table.AllRows()
			}
		}
		release := func(ctx context.Context, key random.Key, side int, times float64) (
			release *algorithms.Release, err error) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("panic: %v", r)
				}
			}()
			in := inputs[side]
			budget := privacy.NewApproximate(times*epsilon, delta)
			if in.Table != nil {
				budget.Group(in.Table.Schema().Contributions)
			}
			release, err = a.Release(ctx, algorithms.Input{
				Table: in.Table, Graph: in.Graph, Rows: slices.Clone(in.Rows),
				Params: params, Variant: variant,
				Budget: budget, Noise: random.NewStreams(key),
			})
			if err == nil {
				_, _, err = release.Records(ctx)
			}
			return release, err
		}
		target.Pairs = append(target.Pairs, Pair{n.Name, release, probes(inputs)})
	}
	return target
}

// maxProbes bounds the records that features are read of.
const maxProbes = 8

// probes lists distinct records that one table has more often than the other.
func probes(inputs [2]algorithms.Input) [][]uint32 {
	surplus := make(map[string]int)
	var differing [][]uint32
	for side, in := range inputs {
		for _, row := range in.Rows {
			surplus[fmt.Sprint(codes(in.Table, row))] += 1 - 2*side
		}
	}
	for _, in := range inputs {
		for _, row := range in.Rows {
			record := codes(in.Table, row)
			if key := fmt.Sprint(record); surplus[key] != 0 && len(differing) < maxProbes {
				surplus[key] = 0
				differing = append(differing, record)
			}
		}
	}
	return differing
}

// codes lists the codes of a record.
func codes(t *datasets.Table, row int32) []uint32 {
	record := make([]uint32, len(t.Schema().Attributes))
	for at := range record {
		record[at] = t.Column(at).At(row)
	}
	return record
}
