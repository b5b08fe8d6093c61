// Package rpsgraph releases a graph's degree sequence by Recursive Partitioning and Summarization
// (Qardaji & Li, ASIACCS 2012, section 5): the degrees 0 to Λ are cut in two again and again, each
// cut chosen by the exponential mechanism; the nodes in each leaf are counted with noise; every
// node is released with the lowest degree of its leaf. The version for tables is package rps.
//
// Privacy. The unit is a node, neighbours differ by isolating one: its degree becomes 0 and each
// neighbour's falls by 1. The number of nodes n is public. Half of epsilon is
// kept for the leaf's count, which also gets what is left over on a short path; the rest is spent
// on cuts, evenly over the levels.
//
// A level's cuts cost no more than they are charged (errata G1). One node that leaves a region or
// enters it moves all the region's scores min(r₁, r₂)/(2n+1) the same way by at most 1/(2n+1),
// which costs e/(2n+1) at a level of charge e. Isolating a node of degree Λ moves Λ+1 degrees, each
// out of one region and into another, so the level costs at most 2(Λ+1)/(2n+1)·e, and so do the
// leaf counts with 2(Λ+1) in the place of the fraction. The largest sum over a path in the ledger
// is therefore a bound for the whole release.
//
// A private bound (lambda: private) is chosen for a tenth of epsilon by degrees.ChooseBound, and
// the graph is projected by it. Of Λ these arguments use only that an isolated node moves the
// degrees of at most Λ others, by at most Λ in all, and its own by at most Λ. For the chosen bound
// that is true of the projected degrees of every graph (degrees.Projection).
//
// Variants:
//   - published: leaf counts with noise for one count. The paper wants Cauchy noise for a smooth
//     bound, and describes the bound in words. Five readings (Params.Counts), none of them private
//     for nodes (errata G3).
//   - strict: two-sided geometric noise for what one node can do to all counts. Three forms
//     (Params.Form): cumulative counts at boundaries fixed beforehand, whose L1 sensitivity is Λ +
//     min(Λ, k-1) for k intervals (each neighbour crosses one boundary at most, the node itself
//     min(Λ, k-1)), brought into ascending order by isotonic regression; or the paper's tree with
//     leaf counts for sensitivity 2(Λ+1). Λ must be public or a private bound (errata G4).
//
// Deviations:
//   - How noisy counts become n degrees is not in the paper. Params.Fill offers three readings.
//   - The lowest degree of a leaf stands for all of it (section 5.1). Section 5.2 can be read as
//     saying so of Λ = n-1 alone; Params.Values offers the other ways of section 3.2.
//   - The private estimate of the maximum degree that section 5.1 mentions is not worked out there.
//     The one here is a bound that pays for itself, mostly below the maximum.
//   - Counts are clamped and rounded on the way. A region of one degree is a leaf, without a query.
//   - "All remaining privacy budget" (section 3.2) goes to the leaf's count.
//   - Cuts are drawn by rejection from the uniform cut, which follows the same law: equation 4
//     hardly distinguishes cuts (errata G2).
//   - Degrees above a public Λ are lowered to it. The guarantee of strict covers graphs without
//     such degrees; a release from another graph says so in a warning and shows it in the ledger.
package rpsgraph

import (
	"context"
	"errors"
	"fmt"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/degrees"
	"ppdp/algorithms/kernel/partition"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// Counts says what noise the published variant adds to the count of a leaf of degrees a to b-1, at
// ε of charge.
type Counts string

const (
	// Printed is Cauchy noise for 1 + nodes of degree a + nodes of degree b-1: "the removed node"
	// and "the nodes with degrees at the region boundaries", as section 5.1 has it.
	Printed Counts = "printed"
	// Cross is Cauchy noise for 1 + nodes of degree a + nodes of degree b: those an isolated
	// neighbour takes across.
	Cross Counts = "cross"
	// Unit is Cauchy noise for 1, of scale 6/ε.
	Unit Counts = "unit"
	// Laplace is Laplace noise of scale 1/ε, as for tables: "the normal count query", which section
	// 5.1 rules out.
	Laplace Counts = "laplace"
	// Rigorous is Cauchy noise for a true smooth bound on this one count (errata G3), "the smooth
	// sensitivity of the count query" of section 5.1.
	Rigorous Counts = "rigorous"
)

func (Counts) Enum() []string { return algorithms.Words(Printed, Cross, Unit, Laplace, Rigorous) }

// Fill says how noisy leaf counts become n degrees.
type Fill string

const (
	// Lowest fills from the lowest leaf up until there are n degrees; what is missing is of the
	// highest leaf.
	Lowest Fill = "lowest"
	// Rescale scales the counts, negative ones taken for 0, to the sum n.
	Rescale Fill = "rescale"
	// Cumulative adds the counts up and brings the sums into ascending order by isotonic
	// regression.
	Cumulative Fill = "cumulative"
)

func (Fill) Enum() []string { return algorithms.Words(Lowest, Rescale, Cumulative) }

// Form is what the strict variant releases.
type Form string

const (
	// Growing counts nodes below boundaries that grow by a quarter: 1, 2, 3, 4, 5, 6, 7, 8, 10, 12,
	// 15, ...
	Growing Form = "growing"
	// Halving counts nodes below boundaries found by halving intervals, depth times.
	Halving Form = "halving"
	// Tree is the paper's tree of chosen cuts with leaf counts.
	Tree Form = "em"
)

func (Form) Enum() []string { return algorithms.Words(Growing, Halving, Tree) }

// Params are the parameters of "rps-graph".
type Params struct {
	// Lambda is Λ.
	Lambda degrees.Cap `yaml:"lambda" doc:"the largest degree there may be" values:"n-1, max-degree (one node's private value), private (an estimate for a tenth of epsilon, by which the graph is projected) or a public whole number of at least 1"`
	// Depth is the paper's d_max, 15 in section 5.1.
	Depth  int    `yaml:"depth" doc:"the largest number of cuts above a leaf" min:"1" max:"24"`
	Counts Counts `yaml:"counts" doc:"the noise of the published variant"`
	Fill   Fill   `yaml:"fill" doc:"how leaf counts become degrees"`
	// Values reads no data. Low is how section 5.1 ends; section 5.2 says it of Λ = n-1 ("in this
	// case"). The middle, rounded down, and a degree drawn for each node are those of section 3.2.
	Values partition.Values `yaml:"values" doc:"the degree of its interval that a node gets"`
	Form   Form             `yaml:"form" doc:"what the strict variant releases"`
}

// leafShare is the part of epsilon kept for a leaf's count, the rest being for cuts.
const leafShare = 0.5

func (p *Params) Validate() error {
	var rigorous error
	if p.Lambda == degrees.Estimated && p.Counts == Rigorous {
		rigorous = errors.New("counts: rigorous is a bound for graphs as they are, must be" +
			" another with lambda: private, which projects them")
	}
	return errors.Join(rigorous, p.Lambda.Validate())
}

// DefaultParams are the paper's depth and its noise as far as it is printed.
func DefaultParams() *Params {
	return &Params{Lambda: degrees.Nodes, Depth: 15, Counts: Printed, Fill: Lowest,
		Values: partition.Low, Form: Growing}
}

// Algorithm is the baseline "rps-graph".
var Algorithm = algorithms.Add(algorithms.Info{
	Name:     "rps-graph",
	Title:    "Recursive Partitioning and Summarization of a degree sequence",
	Source:   "Qardaji & Li 2012, section 5",
	Input:    algorithms.GraphInput,
	Produces: []algorithms.Product{algorithms.DegreesProduct},
	Variants: algorithms.Guarantees(DefaultParams(), algorithms.Published, algorithms.Strict),
	Revision: 1,
}, DefaultParams, publish)

// Guarantee depends on the noise and on where Λ comes from.
func (p *Params) Guarantee(v algorithms.Variant) algorithms.Guarantee {
	g := algorithms.NodePrivacy(v, "Noise covers what one node does to all counts together.",
		"G1", "G3", "G4")
	p.Lambda.Restrict(&g)
	if p.Lambda == degrees.Estimated {
		g.Note += " The graph is projected by a private estimate, so that it holds for every graph."
	}
	if v == algorithms.Published {
		g.Status, g.Errata = algorithms.Broken, []string{"G1", "G2", "G3"}
		g.Note = "One node moves the counts of all its neighbours' leaves, noise covers one count: "
		if p.Counts == Laplace {
			g.Note += "up to 2(lambda+1) times the charge."
		} else {
			g.Note += "no finite epsilon is proven."
		}
	}
	p.Lambda.Qualify(&g)
	return g
}

// CheckVariant refuses what the strict variant cannot promise.
func (p *Params) CheckVariant(v algorithms.Variant) error { return p.Lambda.CheckVariant(v) }

// publish releases n degrees between 0 and Λ.
func publish(ctx context.Context, in algorithms.Input, p *Params) (*algorithms.Release, error) {
	path := in.Budget.Root()
	truth, err := degrees.Bound(ctx, &in, &path, p.Lambda, noiseCost)
	if err != nil {
		return nil, fmt.Errorf("rps-graph: %w", err)
	}
	var starts []int32
	var release *algorithms.Release
	if in.Variant == algorithms.Strict && p.Form != Tree {
		starts, release, err = releaseCumulative(in, p, truth, path)
	} else {
		starts, release, err = releaseTree(ctx, in, p, truth, path)
	}
	if err != nil {
		return nil, err
	}
	var draws *random.Stream
	if p.Values == partition.Uniform {
		draws = in.Noise.Open("values")
	}
	place(p.Values, draws, starts, truth.Bound, release.Degrees)
	release.Warnings = truth.Warnings(in.Variant == algorithms.Strict)
	return release, nil
}

// noiseCost estimates how far the noise for a bound moves the degrees in all: that of the growing
// form, whose cumulative counts are off by about its scale, which moves as many nodes by the width
// of an interval. The widths add up to the bound.
func noiseCost(bound int, epsilon float64) float64 {
	counts := len(growing(bound)) - 1
	return float64(float64(bound) * float64(bound+min(bound, counts)) / epsilon)
}

// releaseCumulative is the strict variant with boundaries fixed beforehand. It returns the lowest
// degrees of its intervals as well.
func releaseCumulative(in algorithms.Input, p *Params, truth *degrees.Bounded,
	path privacy.Path) ([]int32, *algorithms.Release, error) {
	var starts []int32
	if p.Form == Growing {
		starts = growing(truth.Bound)
	} else {
		starts = halving(nil, 0, int32(truth.Bound+1), p.Depth)
	}
	values := make([]float64, len(starts)-1)
	for i := range values {
		values[i] = float64(truth.Below(int(starts[i+1])))
	}
	own := min(truth.Bound, len(values)) // boundaries the node itself may cross
	claimed, proven := float64(truth.Bound+own), float64(truth.Most+own)
	sensitivity := privacy.Sensitivity{Claimed: claimed, Proven: proven}
	counts := in.Budget.Geometric("cumulative counts", in.Noise.Open("counts"), sensitivity)
	if err := counts.AddAll(&path, path.Remaining(), values); err != nil {
		return nil, nil, err
	}
	degrees.Isotonic(values)
	return starts, &algorithms.Release{
		Degrees:   degrees.Below(starts, values, truth.Nodes),
		Structure: algorithms.Structure{Leaves: len(starts)},
	}, nil
}

// growing lists the lowest degrees of intervals that cover 0 to lambda: each begins at a quarter
// more than the one before, or at the next degree.
func growing(lambda int) []int32 {
	starts := []int32{0}
	for at := 1; at <= lambda; at = max(at+1, at+at/4) {
		starts = append(starts, int32(at))
	}
	return starts
}

// halving appends the lowest degrees of the intervals that [low, high) falls into when it is halved
// depth times.
func halving(starts []int32, low, high int32, depth int) []int32 {
	if depth == 0 || high-low <= 1 {
		return append(starts, low)
	}
	middle := low + (high-low)/2
	return halving(halving(starts, low, middle, depth-1), middle, high, depth-1)
}
