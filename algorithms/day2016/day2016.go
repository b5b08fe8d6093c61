// Package day2016 releases a graph's degree sequence under node privacy after W.-Y. Day, N. Li and
// M. Lyu, Publishing Graph Degree Distribution with Node Differential Privacy, SIGMOD 2016: the
// graph is projected onto one of degrees at most θ, which bounds what one node can move, and the
// degree distribution of the projection is released.
//
// The projection and its sensitivity are in package degrees (Projection): neighbouring graphs are G
// and G', in which one node v is isolated; v falls from a ≤ θ kept edges to 0, the other nodes move
// by Σ|δ| ≤ a in all. The number of nodes n is public. Hence the cumulative counts C(d) = #{kept
// degree ≤ d}, d = 0, ..., θ-1, move by Σ|δ| + a ≤ 2θ in L1, since a node whose degree moves by j
// moves j of them by 1 (C(θ) = n is public).
//
// A tenth of epsilon chooses θ among 1, 2, 4, ... below Λ, and Λ itself (degrees.ChooseBound).
//
// Deviations:
//   - The paper removes a node and states θ+1; here a node is isolated and n is public, hence 2θ.
//   - The paper's histogram of degrees, and a θ that is given, are left out.
//   - The paper's quality function for θ was not at hand; the one used is this project's own, as is
//     the constant in its noise term, set by eye on four public networks. It only steers utility.
//   - No grouping of cells (the paper's Ω). The cumulative counts are brought to the nearest
//     non-decreasing sequence.
//   - Λ = max-degree is offered for comparison with Qardaji & Li 2012 in the published variant
//     only; it reads a private value (errata G4). Strict noise is two-sided geometric, not Laplace.
package day2016

import (
	"context"
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/degrees"
	"ppdp/datasets"
	"ppdp/privacy"
)

// Params are the parameters of "day2016".
type Params struct {
	Lambda degrees.Cap `yaml:"lambda" doc:"the largest theta, the bound on degrees, that may be chosen" values:"n-1, max-degree (one node's private value) or a public whole number of at least 1"`
}

func (p *Params) Validate() error {
	if p.Lambda == degrees.Estimated {
		return fmt.Errorf("lambda: %q, must be max-degree, n-1 or a whole number of at least 1; "+
			"theta is what is private", p.Lambda)
	}
	return p.Lambda.Validate()
}

// DefaultParams let θ be any degree.
func DefaultParams() *Params { return &Params{Lambda: degrees.Nodes} }

// Algorithm is the baseline "day2016".
var Algorithm = algorithms.Add(algorithms.Info{
	Name:     "day2016",
	Title:    "Degree distribution by edge-addition projection",
	Source:   "Day, Li & Lyu 2016",
	Input:    algorithms.GraphInput,
	Produces: []algorithms.Product{algorithms.DegreesProduct},
	Variants: algorithms.Guarantees(DefaultParams(), algorithms.Strict, algorithms.Published),
	Revision: 1,
}, DefaultParams, publish)

// Guarantee depends on where the candidates for θ end.
func (p *Params) Guarantee(v algorithms.Variant) algorithms.Guarantee {
	g := algorithms.NodePrivacy(v,
		"Holds for every graph: the projection bounds each node's influence.")
	p.Lambda.Qualify(&g)
	return g
}

// CheckVariant refuses what the strict variant cannot promise.
func (p *Params) CheckVariant(v algorithms.Variant) error { return p.Lambda.CheckVariant(v) }

// publish releases n degrees between 0 and θ. Structure.Leaves is the number of cells, θ+1. The
// first release from a graph sorts its edges and projects it by every candidate; later ones find
// that done.
func publish(ctx context.Context, in algorithms.Input, p *Params) (*algorithms.Release, error) {
	path := in.Budget.Root()
	theta, err := degrees.ChooseBound(ctx, &in, &path, "theta", p.Lambda, noiseCost)
	if err != nil {
		return nil, err
	}
	counts := degrees.Project(in.Graph, theta).Counts
	values, below := make([]float64, theta), 0
	for d := range values {
		below += int(counts[d])
		values[d] = float64(below)
	}
	noise := in.CountNoise("counts", privacy.Exact(sensitivity(theta)))
	if err := noise.AddAll(&path, path.Remaining(), values); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	degrees.Isotonic(values)
	cells := datasets.InOrder(theta + 1)
	return &algorithms.Release{Degrees: degrees.Below(cells, values, in.Graph.Nodes()),
		Structure: algorithms.Structure{Leaves: len(cells)}}, nil
}

// sensitivity is the L1 sensitivity of the cumulative counts that noise is added to.
func sensitivity(theta int) float64 { return float64(2 * theta) }

// noiseCost estimates how far noise for theta moves the degrees in all (W1 distance times n).
// Inference pools the long flat stretches of the cumulative counts, so that errors of scale b over
// θ of them add up like √θ·b.
func noiseCost(theta int, epsilon float64) float64 {
	const pooled = 3 // set by eye on the networks of Qardaji & Li 2012, for epsilon from 0.1 to 10
	return float64(pooled * (sensitivity(theta) / epsilon) * math.Sqrt(float64(theta)))
}
