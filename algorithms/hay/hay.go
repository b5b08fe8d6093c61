// Package hay releases a graph's degree sequence after M. Hay, C. Li, G. Miklau and D. Jensen,
// Accurate Estimation of the Degree Distribution of Private Networks, ICDM 2009: Laplace noise on
// the sorted degrees, then constrained inference, the non-decreasing sequence nearest to the noisy
// one.
//
// The sorted sequence moves by at most 2 in L1 when an edge comes or goes (both ends by 1, and
// sorting never increases an L1 distance), and by at most 2Λ when a node of degree at most Λ is
// isolated: its degree falls by at most Λ, up to Λ neighbours lose 1 each (errata G5). The number
// of nodes is public. Noise is drawn once for the whole vector.
//
// Deviations:
//   - The paper protects edges, or k edges, which a budget of ε/k does. Isolation of a node, and
//     the noisy sequence without inference, are what Qardaji & Li 2012 (section 5) compare with.
//   - Released degrees are rounded and clamped to [0, Λ], the numbers that can be degrees. The
//     papers do not say whether they do so, and distances depend on it. Without inference the noisy
//     degrees are sorted again.
//   - Degrees above a public Λ are lowered to Λ before noise is added. The edge guarantee stays,
//     but 2Λ bounds a node's influence only among graphs without such degrees; a release from
//     another graph reports this in a warning and in the ledger.
//   - lambda: private chooses Λ for a tenth of epsilon and projects the graph by it
//     (degrees.ChooseBound, degrees.Projection): an isolated node then moves its own degree by at
//     most Λ and the others by at most Λ in all, whatever the graph. For nodes only.
//   - Λ = max-degree, the setting of Figures 4(a) and 5(a) of Qardaji & Li, reads a private value
//     (errata G4). The strict variant refuses it. Strict noise is two-sided geometric, not Laplace.
package hay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/degrees"
	"ppdp/privacy"
)

// Neighbours says which graphs count as neighbours, and so what is protected.
type Neighbours string

const (
	Edge Neighbours = "edge" // one edge added or removed
	Node Neighbours = "node" // one node isolated
)

func (Neighbours) Enum() []string { return algorithms.Words(Edge, Node) }

// Params are the parameters of "hay".
type Params struct {
	Neighbours Neighbours `yaml:"neighbours" doc:"what is protected: one edge or one node"`
	Inference  bool       `yaml:"inference" doc:"bring noisy degrees into ascending order by isotonic regression"`
	// Lambda is Λ.
	Lambda degrees.Cap `yaml:"lambda" doc:"the largest degree there may be" values:"n-1, max-degree (one node's private value), private (an estimate, for neighbours: node) or a public whole number of at least 1"`
}

func (p *Params) Validate() error {
	var private error
	if p.Lambda == degrees.Estimated && p.Neighbours != Node {
		private = fmt.Errorf("lambda: %s needs neighbours: node; noise for edges does not depend"+
			" on lambda", p.Lambda)
	}
	return errors.Join(private, p.Lambda.Validate())
}

// DefaultParams are constrained inference for one edge.
func DefaultParams() *Params {
	return &Params{Neighbours: Edge, Inference: true, Lambda: degrees.Nodes}
}

// Algorithm is the baseline "hay".
var Algorithm = algorithms.Add(algorithms.Info{
	Name:     "hay",
	Title:    "Constrained inference on the sorted degree sequence",
	Source:   "Hay, Li, Miklau & Jensen 2009; node neighbours: Qardaji & Li 2012, section 5",
	Input:    algorithms.GraphInput,
	Produces: []algorithms.Product{algorithms.DegreesProduct},
	Variants: variants(),
	Revision: 1,
}, DefaultParams, publish)

func variants() []algorithms.Guarantee {
	all := algorithms.Guarantees(DefaultParams(), algorithms.Published, algorithms.Strict)
	for i := range all {
		all[i].Note += " What is protected depends on neighbours: edge or node."
	}
	return all
}

// Guarantee depends on the neighbours and on where Λ comes from.
func (p *Params) Guarantee(v algorithms.Variant) algorithms.Guarantee {
	g := algorithms.NodePrivacy(v, "Sensitivity twice lambda.", "G5")
	switch p.Neighbours {
	case Edge:
		g.Unit, g.Relation = "edge", algorithms.AddOrRemoveEdge
		g.Note = "Sensitivity 2."
	case Node:
		p.Lambda.Restrict(&g)
	}
	p.Lambda.Qualify(&g) // it sets the noise for nodes, and for edges it bounds the output
	return g
}

// CheckVariant refuses what the strict variant cannot promise.
func (p *Params) CheckVariant(v algorithms.Variant) error { return p.Lambda.CheckVariant(v) }

// publish releases n degrees.
func publish(ctx context.Context, in algorithms.Input, p *Params) (*algorithms.Release, error) {
	path := in.Budget.Root()
	truth, err := degrees.Bound(ctx, &in, &path, p.Lambda, p.noiseCost(in.Graph.Nodes()))
	if err != nil {
		return nil, fmt.Errorf("hay: %w", err)
	}
	lambda, values := truth.Bound, make([]float64, 0, truth.Nodes)
	for d := range lambda + 1 {
		for range truth.Within(d, d) {
			values = append(values, float64(d))
		}
	}
	release := &algorithms.Release{}
	var sensitivity privacy.Sensitivity
	switch p.Neighbours {
	case Edge:
		sensitivity = privacy.Exact(2)
	case Node:
		sensitivity = privacy.Exact(2 * float64(lambda))
		// A node above the cap still moves all its neighbours.
		if p.Lambda != degrees.Estimated {
			sensitivity.Proven = float64(lambda + max(lambda, in.Graph.MaxDegree()))
		}
	}
	release.Warnings = truth.Warnings(p.Neighbours == Node)
	noise := in.CountNoise("degrees", sensitivity)
	if err := noise.AddAll(&path, path.Remaining(), values); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p.Inference {
		degrees.Isotonic(values)
	}
	release.Degrees = make([]int32, len(values))
	for i, value := range values {
		release.Degrees[i] = int32(math.Round(min(max(value, 0), float64(lambda))))
	}
	if !p.Inference {
		slices.Sort(release.Degrees)
	}
	return release, nil
}

// noiseCost estimates how far noise for a bound moves the degrees in all: noise of its scale on
// each of n. Inference averages it over nodes of equal degree: what is left of all of it is at most
// its scale times √(n·bound).
func (p *Params) noiseCost(n int) func(bound int, epsilon float64) float64 {
	return func(bound int, epsilon float64) float64 {
		scale := float64(2*bound) / epsilon
		if p.Inference {
			return float64(scale * math.Sqrt(float64(n)*float64(min(n, bound))))
		}
		return float64(scale * float64(n))
	}
}
