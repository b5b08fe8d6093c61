// Package mst publishes records from a maximum spanning tree of noisy marginals (R. McKenna, G.
// Miklau and D. Sheldon, Winning the NIST contest: A scalable and general approach to
// differentially private synthetic data, Journal of Privacy and Confidentiality 11(3), 2021: the
// general MST).
//
// The budget has three equal parts. One measures all one-way marginals. Values whose noisy counts
// are below three standard deviations are merged. The second chooses a tree: pair after pair that
// joins two parts of it, by the exponential mechanism on the L1 distance between the pair's counts
// and what the one-way marginals say. The third measures the chosen pairs. Private-PGM fits a model
// to both, and records are drawn from it.
//
// "mst-target" does the same given the class, a tree-augmented naive Bayes model: it measures each
// attribute with the class, chooses a tree over the other attributes by the distances of {a, b,
// class}, and measures these triples.
//
// Privacy. Neighbours differ by one record more or less, which moves one cell of a marginal by 1
// and each distance by at most 1, up or down: the exponential mechanism keeps its factor 2. In zCDP
// the d marginals of a part of the budget cost a d-th of it each, and a choice at epsilon costs
// epsilon²/8; in pure epsilon all of them share the part equally.
//
// Deviations:
//   - The paper accounts in zCDP by ε = ρ + 2√(ρ ln(1/δ)); here the tight conversion is used.
//   - The paper has no pure epsilon: its three parts are thirds of epsilon, Laplace noise takes the
//     place of Gaussian.
//   - Numeric attributes are cut into bins, private ones for a larger part of the first third. The
//     public program reads domains off the table.
//   - The number of records is estimated, as in the paper; some programs publish the exact one.
//   - A class is not merged by mst-target. Without a class mst-target is mst. With one attribute
//     the whole budget measures it.
package mst

import (
	"context"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/margins"
	"ppdp/algorithms/kernel/pgm"
	"ppdp/privacy"
)

// Algorithm is the baseline "mst".
var Algorithm = add("mst", "MST: a maximum spanning tree of noisy marginals",
	"McKenna, Miklau & Sheldon 2021, section 3", 6, margins.DefaultParams, false)

// Target is the baseline "mst-target".
var Target = add("mst-target", "MST with a target: a spanning tree given the class",
	"McKenna, Miklau & Sheldon 2021, conditioned on the class", 5, margins.TargetParams, true)

func add(name, title, source string, revision int, defaults func() *margins.Params,
	target bool) *algorithms.Baseline[*margins.Params] {
	return algorithms.Add(algorithms.Info{
		Name: name, Title: title, Source: source, Input: algorithms.TableInput,
		Produces: []algorithms.Product{algorithms.RecordsProduct},
		Variants: margins.Guarantees("Thirds for one-way marginals, the choice of a tree and" +
			" its marginals."),
		Columns:  true,
		Revision: revision,
	}, defaults, func(ctx context.Context, in algorithms.Input,
		params *margins.Params) (*algorithms.Release, error) {
		return publish(ctx, in, params, target)
	})
}

// publish measures, chooses, measures again and draws, given the class or not.
func publish(ctx context.Context, in algorithms.Input, params *margins.Params,
	target bool) (*algorithms.Release, error) {
	d, err := margins.Open(ctx, &in, params)
	if err != nil {
		return nil, err
	}
	sets, spared := d.OneWay(), -1
	nodes := sets
	if target && d.Class >= 0 && len(d.Sizes) > 1 {
		sets, spared = d.WithClass(), d.Class
		nodes = nil
		for at := range d.Sizes {
			if at != d.Class {
				nodes = append(nodes, []int{at})
			}
		}
	}
	part := in.Budget.Total() / 3
	if len(nodes) == 1 {
		part = in.Budget.Total()
	}
	first := d.Noise("first marginals")
	if err := d.MeasureAll(first, d.Each(part, sets), sets); err != nil {
		return nil, err
	}
	d.MergeRare(spared)
	model, err := d.Fit(1, nil)
	if err != nil {
		return nil, err
	}
	choice := in.Budget.Exponential("tree", in.Noise.Open("tree"), privacy.Exact(1))
	second := d.Noise("marginals of the tree")
	if len(nodes) > 1 {
		chosen, err := choose(d, &in, model, choice, nodes, spared, part)
		if err != nil {
			return nil, err
		}
		for _, set := range chosen {
			if err := d.Measure(second, part/float64(len(chosen)), set); err != nil {
				return nil, err
			}
		}
	}
	if model, err = d.Fit(2, nil); err != nil {
		return nil, err
	}
	return d.Publish(model, nil)
}

// choose picks the sets of a spanning tree over nodes: pairs of attributes, with the class unless
// that is -1. All choices together cost part.
func choose(d *margins.Data, in *algorithms.Input, model *pgm.Model,
	choice *privacy.Exponential, nodes [][]int, class int, part float64) ([][]int, error) {
	type edge struct {
		from, to int
		set      []int
		score    float64
	}
	var edges []edge
	for to := range nodes {
		for from := range to {
			set := []int{nodes[from][0], nodes[to][0]}
			if class >= 0 {
				set = append(set, class)
			}
			slices.Sort(set)
			exact, err := d.Exact(set)
			if err != nil {
				return nil, err
			}
			edges = append(edges, edge{from, to, set,
				margins.Distance(exact, model.Marginal(set))})
		}
	}
	epsilon := in.Budget.ChoiceEpsilon(part / float64(len(nodes)-1))
	tree := make([]int, len(nodes)) // of the forest that each node is in
	for i := range tree {
		tree[i] = i
	}
	var chosen [][]int
	for range len(nodes) - 1 {
		edges = slices.DeleteFunc(edges, func(e edge) bool { return tree[e.from] == tree[e.to] })
		scores := make([]float64, len(edges))
		for i, e := range edges {
			scores[i] = e.score
		}
		i, err := choice.Choose(&d.Path, epsilon, scores, nil)
		if err != nil {
			return nil, err
		}
		from, to := tree[edges[i].from], tree[edges[i].to]
		for n, p := range tree {
			if p == from {
				tree[n] = to
			}
		}
		chosen = append(chosen, edges[i].set)
	}
	return chosen, nil
}
