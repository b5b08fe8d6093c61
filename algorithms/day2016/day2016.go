// Package day2016 releases a graph's degree sequence under node privacy after W.-Y. Day, N. Li and
// M. Lyu, Publishing Graph Degree Distribution with Node Differential Privacy, SIGMOD 2016: the
// graph is projected onto one of degrees at most θ, which bounds what one node can move, and the
// degree distribution of the projection is released.
//
// The projection looks at the edges in an order that depends on their ends alone (a hash) and keeps
// one iff both its ends have kept fewer than θ so far. Neighbouring graphs are G and G', in which
// one node v is isolated; the number of nodes n is public.
//
// Sensitivity. Let a be the number of v's edges that G keeps, a ≤ θ, and let δ(x), x ≠ v, be x's
// kept degree in G less that in G', as the edges are looked at one after the other. Σ|δ| starts at
// 0. A kept edge of v adds at most 1. At any other edge {x, y} nothing changes unless the decisions
// differ. If G keeps the edge and G' does not, one end, say x, is full in G' only, so δ(x) < 0 and
// |δ(x)| falls by 1 while |δ(y)| rises by at most 1; the other case is the same with the graphs
// exchanged. So Σ|δ| ≤ a in the end, while v falls from a to 0. Hence
//   - the cumulative counts C(d) = #{kept degree ≤ d}, d = 0, ..., θ-1, move by Σ|δ| + a ≤ 2θ in
//     L1, since a node whose degree moves by j moves j of them by 1 (C(θ) = n is public);
//   - the histogram moves by at most 2(θ+1): at most θ nodes beside v change their cell;
//   - the number of kept edges, half the sum of kept degrees, is larger in G by (a + Σδ)/2, between
//     0 and a ≤ θ.
//
// Choice of θ. A tenth of epsilon chooses among 1, 2, 4, ... below Λ, and Λ itself, by what θ
// costs: the degree the projection takes away, and what noise of its scale adds, less the former's
// part that all candidates share: q(θ) = 2·(edges kept) - noise(θ). One node moves q(θ) by between
// 0 and 2θ, in the same direction for all candidates. The difference of two candidates' q moves by
// at most 2·max(θ, θ'), so the score -max over θ' of (q(θ') - q(θ))/(2·max(θ, θ')) moves by at most
// 1, and the exponential mechanism chooses by it: large candidates do not drown the choice among
// small ones (after Raskhodnikova & Smith 2016).
//
// Deviations:
//   - The paper removes a node and states 2θ+1 for the histogram and θ+1 for the cumulative one;
//     here a node is isolated and n is public, hence 2θ+2 and 2θ.
//   - The paper's quality function for θ was not at hand; the one above is this project's own, as
//     is the constant in the noise term of the cumulative form, set by eye on four public networks.
//     It only steers utility.
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
	"ppdp/algorithms/degrees"
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

// selectionShare is the part of epsilon that choosing θ costs.
const selectionShare = 0.1

// Params are the parameters of "day2016".
type Params struct {
	Form  Form   `yaml:"form"`  // cumulative (default) or histogram
	Theta string `yaml:"theta"` // "private" (default) or a whole number of at least 1
	// Lambda is the largest θ that may be chosen privately: n-1 (default), max-degree or a public
	// number.
	Lambda degrees.Cap `yaml:"lambda"`
}

func (p *Params) Validate() error {
	errs := []error{algorithms.CheckWord("form", p.Form), p.Lambda.Validate("lambda")}
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
	if p.Theta == PrivateTheta && p.Lambda.Private() {
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
	counts := project(in.Graph, theta).counts
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
	candidates := candidateThetas(p.Lambda.Of(in.Graph))
	if len(candidates) == 1 { // nothing to choose, nothing to pay
		return candidates[0], nil
	}
	epsilon := float64(selectionShare * in.Budget.Epsilon())
	quality := make([]float64, len(candidates))
	for i, theta := range candidates {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		cost := noiseCost(p.Form, theta, in.Budget.Epsilon()-epsilon)
		if math.IsInf(cost, 1) {
			return 0, fmt.Errorf("day2016: %w: theta %d", privacy.ErrTooSmall, theta)
		}
		quality[i] = 2*float64(project(in.Graph, theta).edges) - cost
	}
	chosen, err := in.Budget.Exponential("theta", in.Noise.Open("theta"), privacy.Exact(1)).
		Choose(path, epsilon, scores(candidates, quality), nil)
	return candidates[chosen], err
}

// candidateThetas lists 1, 2, 4, ... below lambda, and lambda.
func candidateThetas(lambda int) []int {
	var thetas []int
	for theta := 1; theta < lambda; theta *= 2 {
		thetas = append(thetas, theta)
	}
	return append(thetas, lambda)
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

// scores turns qualities whose sensitivity grows with theta into scores of sensitivity 1; the best
// is 0.
func scores(thetas []int, quality []float64) []float64 {
	scores := make([]float64, len(thetas))
	for i := range scores {
		worst := 0.0
		for j := range thetas {
			worst = max(worst, (quality[j]-quality[i])/float64(2*max(thetas[i], thetas[j])))
		}
		scores[i] = -worst
	}
	return scores
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
