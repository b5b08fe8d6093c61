// Package day2016 releases a graph's degree sequence under node privacy after W.-Y. Day, N. Li and
// M. Lyu, Publishing Graph Degree Distribution with Node Differential Privacy, SIGMOD 2016: the
// graph is projected onto one of degrees at most θ, which bounds what one node can move, and the
// degree distribution of the projection is released.
//
// The projection and its sensitivity are in package degrees (Projection): neighbouring graphs are G
// and G', in which one node v is isolated; v falls from a ≤ θ kept edges to 0, the other nodes move
// by Σ|δ| ≤ a in all. The number of nodes n is public. Hence
//   - the cumulative counts C(d) = #{kept degree ≤ d}, d = 0, ..., θ-1, move by Σ|δ| + a ≤ 2θ in
//     L1, since a node whose degree moves by j moves j of them by 1 (C(θ) = n is public);
//   - the histogram moves by at most 2(θ+1): at most θ nodes beside v change their cell.
//
// A tenth of epsilon chooses θ among 1, 2, 4, ... below Λ, and Λ itself (degrees.ChooseBound).
//
// Deviations:
//   - The paper removes a node and states 2θ+1 for the histogram and θ+1 for the cumulative one;
//     here a node is isolated and n is public, hence 2θ+2 and 2θ.
//   - The paper's quality function for θ was not at hand; the one used is this project's own, as is
//     the constant in the noise term of the cumulative form, set by eye on four public networks. It
//     only steers utility.
//   - No grouping of cells (the paper's Ω). The cumulative counts are brought to the nearest
//     non-decreasing sequence, the histogram to the nearest one of no negative cell and sum n.
//   - Λ = max-degree is offered for comparison with Qardaji & Li 2012 in the published variant
//     only; it reads a private value (errata G4). Strict noise is two-sided geometric, not Laplace.
package day2016

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/degrees"
	"ppdp/privacy"
)

func init() { algorithms.Register(Algorithm{}) }

// Algorithm is the baseline "day2016".
type Algorithm struct{}

var _ algorithms.VariantChecker = Algorithm{}

// Form says what noise is added to.
type Form string

const (
	Cumulative Form = "cumulative" // counts of nodes of degree at most d
	Histogram  Form = "histogram"  // counts of nodes of degree d
)

func (Form) Enum() []string { return algorithms.Words(Cumulative, Histogram) }

// PrivateTheta lets the exponential mechanism choose θ.
const PrivateTheta = "private"

// Params are the parameters of "day2016".
type Params struct {
	Form Form `yaml:"form" doc:"the counts that get noise: of nodes of degree at most d, or of degree d"`
	// Theta is the paper's θ.
	Theta  string      `yaml:"theta" doc:"the bound on degrees that the graph is projected to" values:"private (chosen by the exponential mechanism) or a whole number of at least 1"`
	Lambda degrees.Cap `yaml:"lambda" doc:"the largest theta that may be chosen privately" values:"n-1, max-degree (one node's private value) or a public whole number of at least 1"`
}

func (p *Params) Validate() error {
	errs := []error{p.Lambda.Validate("lambda")}
	if p.Lambda == degrees.Estimated {
		errs = append(errs, fmt.Errorf("lambda: %q, must be max-degree, n-1 or a whole number of "+
			"at least 1; theta is what can be private", p.Lambda))
	}
	if p.Theta != PrivateTheta {
		errs = append(errs, degrees.CheckNumber("theta", p.Theta, PrivateTheta))
	}
	return errors.Join(errs...)
}

func (Algorithm) Params() algorithms.Params { return DefaultParams() }

// DefaultParams are cumulative counts for a θ chosen privately.
func DefaultParams() *Params {
	return &Params{Form: Cumulative, Theta: PrivateTheta, Lambda: degrees.Nodes}
}

func (a Algorithm) Info() algorithms.Info {
	return algorithms.Info{
		Name:     "day2016",
		Title:    "Degree distribution by edge-addition projection",
		Source:   "Day, Li & Lyu 2016",
		Input:    algorithms.GraphInput,
		Produces: []algorithms.Product{algorithms.DegreesProduct},
		Variants: algorithms.DefaultGuarantees(a, algorithms.Strict, algorithms.Published),
		Revision: 1,
	}
}

// Guarantee depends on where the candidates for θ end.
func (Algorithm) Guarantee(v algorithms.Variant, params algorithms.Params) algorithms.Guarantee {
	p := params.(*Params)
	g := algorithms.NodePrivacy(v,
		"Holds for every graph: the projection bounds each node's influence.")
	if p.Theta == PrivateTheta && p.Lambda.Leaks() {
		g.Status, g.Errata = algorithms.Broken, []string{"G4"}
		g.Note = "The candidates for theta end at the maximum degree, a private value of one" +
			" node: the guarantee holds only where it is public knowledge anyway."
	}
	return g
}

// CheckVariant refuses what the strict variant cannot promise.
func (a Algorithm) CheckVariant(v algorithms.Variant, params algorithms.Params) error {
	if v == algorithms.Strict && a.Guarantee(v, params).Status != algorithms.Holds {
		return params.(*Params).Lambda.CheckPublic("lambda")
	}
	return nil
}

// Release publishes n degrees between 0 and θ. Structure.Leaves is the number of cells, θ+1. The
// first release from a graph sorts its edges and projects it by every candidate; later ones find
// that done.
func (a Algorithm) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	p, err := algorithms.CheckInput[*Params](ctx, a, in)
	if err != nil {
		return nil, err
	}
	n := in.Graph.Nodes()
	if n == 0 {
		return &algorithms.Release{Degrees: []int32{}}, nil
	}
	path := in.Budget.Root()
	theta, err := chooseTheta(ctx, in, p, &path)
	if err != nil {
		return nil, err
	}
	counts := degrees.Project(in.Graph, theta).Counts
	var values []float64
	if p.Form == Cumulative {
		values = make([]float64, theta)
		below := 0
		for d := range values {
			below += int(counts[d])
			values[d] = float64(below)
		}
	} else {
		values = make([]float64, theta+1)
		for d, count := range counts {
			values[d] = float64(count)
		}
	}
	sensitivity := privacy.Exact(countSensitivity(p.Form, theta))
	noise := in.CountNoise("counts", sensitivity)
	if err := noise.AddAll(&path, path.Remaining(), values); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p.Form == Cumulative {
		degrees.Isotonic(values)
	} else {
		nearestCounts(values, float64(n))
		for d := 1; d < len(values); d++ {
			values[d] += values[d-1]
		}
		values = values[:theta] // the last is n
	}
	cells := make([]int32, theta+1)
	for d := range cells {
		cells[d] = int32(d)
	}
	return &algorithms.Release{Degrees: degrees.Below(cells, values, n),
		Structure: algorithms.Structure{Leaves: len(cells)}}, nil
}

// countSensitivity is the L1 sensitivity of the vector noise is added to.
func countSensitivity(form Form, theta int) float64 {
	if form == Histogram {
		return float64(2*theta + 2)
	}
	return float64(2 * theta)
}

// chooseTheta returns the θ the parameters name, or charges a tenth of epsilon and chooses one.
func chooseTheta(ctx context.Context, in algorithms.Input, p *Params,
	path *privacy.Path) (int, error) {
	most := max(1, in.Graph.Nodes()-1)
	if p.Theta != PrivateTheta {
		theta, err := strconv.Atoi(p.Theta)
		return min(theta, most), err
	}
	epsilon := float64(degrees.BoundShare * in.Budget.Epsilon())
	return degrees.ChooseBound(ctx, &in, path, epsilon, "theta", p.Lambda.Of(in.Graph),
		func(theta int) float64 { return noiseCost(p.Form, theta, in.Budget.Epsilon()-epsilon) })
}

// noiseCost estimates how far noise for theta moves the degrees in all (W1 distance times n).
// Inference pools the long flat stretches of the cumulative counts, so that errors of scale b over
// θ of them add up like √θ·b. A histogram's errors add up on the way to its cumulative counts, a
// random walk whose mean height after k steps of variance 2b² is 2b·√(k/π).
func noiseCost(form Form, theta int, epsilon float64) float64 {
	const (
		pooled = 3 // set by eye on the networks of Qardaji & Li 2012, for epsilon from 0.1 to 10
		walked = 4 / (3 * math.SqrtPi)
	)
	scale, root := countSensitivity(form, theta)/epsilon, math.Sqrt(float64(theta))
	if form == Histogram {
		return float64(walked * scale * root * float64(theta))
	}
	return float64(pooled * scale * root)
}

// nearestCounts replaces values by the nearest ones, in least squares, that are not negative and
// add up to total > 0: a common amount is taken off (or added) and what falls below 0 is cut.
func nearestCounts(values []float64, total float64) {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	sum, shift := 0.0, 0.0
	for k := 1; k <= len(sorted); k++ {
		value := sorted[len(sorted)-k]
		sum += value
		next := (sum - total) / float64(k)
		if value <= next { // with this one the shift would cut it off again
			break
		}
		shift = next
	}
	for i, value := range values {
		values[i] = max(0, value-shift)
	}
}
