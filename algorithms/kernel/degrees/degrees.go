// Package degrees is the kernel under the baselines that release a graph's degree sequence: the
// bound on degrees, stated or chosen privately, the projection of a graph onto one, isotonic
// regression, and degrees from cumulative counts. It leaves out how degrees are partitioned and
// counted.
package degrees

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/privacy"
)

// Below returns n ascending degrees. cumulative[i], rounded and clamped to [0, n], of them are
// below starts[i+1]; each is the lowest degree of its interval. starts, ascending, has one element
// more than cumulative. Where a count is less than the one before it, its interval is empty.
func Below(starts []int32, cumulative []float64, n int) []int32 {
	degrees := make([]int32, n)
	at := 0
	for i, count := range cumulative {
		end := int(math.Round(min(max(count, 0), float64(n))))
		for ; at < end; at++ {
			degrees[at] = starts[i]
		}
	}
	for last := starts[len(cumulative)]; at < n; at++ {
		degrees[at] = last
	}
	return degrees
}

// Isotonic replaces values by the non-decreasing sequence nearest to it in least squares, in place
// and in linear time (pool adjacent violators). Applied to noisy numbers whose truth is known to be
// sorted it is the constrained inference of Hay et al. 2009.
func Isotonic(values []float64) {
	// A stack of blocks: values[b] is the mean of block b, sizes[b] how many elements it pools.
	sizes := make([]int32, len(values))
	blocks := 0
	for _, mean := range values {
		size := int32(1)
		for blocks > 0 && values[blocks-1] >= mean {
			blocks--
			size += sizes[blocks]
			mean += float64((values[blocks] - mean) * (float64(sizes[blocks]) / float64(size)))
		}
		values[blocks], sizes[blocks] = mean, size
		blocks++
	}
	// Block b begins at element b or later, so filling from the end overwrites no mean still
	// needed.
	end := len(values)
	for b := blocks - 1; b >= 0; b-- {
		begin := end - int(sizes[b])
		mean := values[b]
		for i := begin; i < end; i++ {
			values[i] = mean
		}
		end = begin
	}
}

// boundShare is the part of a release's epsilon that choosing a bound costs.
const boundShare = 0.1

// ChooseBound charges a tenth of the release's epsilon for a bound on degrees, by which the graph
// can then be projected: one of 1, 2, 4, ... below the cap, or the cap itself. cost estimates how
// far, over all nodes, noise for a bound and the rest of epsilon moves the released degrees; it
// must not read the graph. purpose names the mechanism and its stream. It reads no more than the
// numbers of edges that projections keep.
//
// A bound θ costs the degree its projection takes away and the noise, less the former's part that
// all candidates share: q(θ) = 2·(edges kept) - cost(θ). One node moves q(θ) by between 0 and 2θ,
// in the same direction for all candidates (see Projection). The difference of two candidates' q
// moves by at most 2·max(θ, θ'), so the score -max over θ' of (q(θ') - q(θ))/(2·max(θ, θ')) moves
// by at most 1, and the exponential mechanism chooses by it: large candidates do not drown the
// choice among small ones (after Raskhodnikova & Smith 2016).
func ChooseBound(ctx context.Context, in *algorithms.Input, path *privacy.Path, purpose string,
	most Cap, cost func(bound int, rest float64) float64) (int, error) {
	epsilon := float64(boundShare * in.Budget.Epsilon())
	candidates := Candidates(most.Of(in.Graph))
	if len(candidates) == 1 { // nothing to choose, nothing to pay
		return candidates[0], nil
	}
	quality := make([]float64, len(candidates))
	for i, bound := range candidates {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		noise := cost(bound, in.Budget.Epsilon()-epsilon)
		if math.IsInf(noise, 1) {
			return 0, fmt.Errorf("%w: %s %d", privacy.ErrTooSmall, purpose, bound)
		}
		quality[i] = 2*float64(Project(in.Graph, bound).Edges) - noise
	}
	chosen, err := in.Budget.Exponential(purpose, in.Noise.Open(purpose), privacy.Exact(1)).
		Choose(path, epsilon, scores(candidates, quality), nil)
	return candidates[chosen], err
}

// Candidates lists 1, 2, 4, ... below most, and most.
func Candidates(most int) []int {
	var bounds []int
	for bound := 1; bound < most; bound *= 2 {
		bounds = append(bounds, bound)
	}
	return append(bounds, most)
}

// scores turns qualities whose sensitivity grows with the bound into scores of sensitivity 1; the
// best is 0.
func scores(bounds []int, quality []float64) []float64 {
	scores := make([]float64, len(bounds))
	for i := range scores {
		worst := 0.0
		for j := range bounds {
			worst = max(worst, (quality[j]-quality[i])/float64(2*max(bounds[i], bounds[j])))
		}
		scores[i] = -worst
	}
	return scores
}

// Cap says how the bound on a graph's degrees (Λ in Qardaji & Li 2012, section 5) is found:
// "max-degree", "n-1", "private" or a whole number of at least 1.
type Cap string

const (
	// MaxDegree is the graph's true maximum degree: one node's private value (errata G4), which the
	// paper treats as public. A bound that really is public is written as a number.
	MaxDegree Cap = "max-degree"
	// Nodes is the number of nodes less one, which no degree exceeds. The number of nodes is
	// public.
	Nodes Cap = "n-1"
	// Estimated is a private estimate (see ChooseBound), by which the graph is projected. Not every
	// algorithm has it.
	Estimated Cap = "private"
)

// Validate reports an invalid cap, by the yaml key that all have: lambda.
func (c Cap) Validate() error {
	if c == MaxDegree || c == Nodes || c == Estimated {
		return nil
	}
	if n, err := strconv.Atoi(string(c)); err == nil && n >= 1 && n <= math.MaxInt32 {
		return nil
	}
	return fmt.Errorf("lambda: %q, must be max-degree, n-1, private or a whole number in [1, %d]",
		string(c), math.MaxInt32)
}

// Qualify enters into a guarantee that the cap is read off the private graph without noise.
func (c Cap) Qualify(g *algorithms.Guarantee) {
	if c != MaxDegree {
		return
	}
	reason := "The maximum degree is a private value of one node: the guarantee holds only where" +
		" it is public knowledge anyway."
	if g.Variant == algorithms.Strict {
		reason += " Such releases are refused."
	}
	g.Break(reason, "G4")
}

// CheckVariant refuses under strict a cap that is not public.
func (c Cap) CheckVariant(v algorithms.Variant) error {
	if v != algorithms.Strict || c != MaxDegree {
		return nil
	}
	return fmt.Errorf("lambda: %s is one node's value, must be n-1 or a public number, or private"+
		" where an estimate is offered (errata G4)", c)
}

// Restrict adds to a guarantee that it is for degrees of at most the cap, where that is a number.
func (c Cap) Restrict(g *algorithms.Guarantee) {
	if n, err := strconv.Atoi(string(c)); err == nil {
		g.MaxDegree = n
		g.Relation += ", degrees at most " + string(c)
	}
}

// Of is the cap for a graph: at least 1 and, in a graph of two nodes or more, at most n-1. Before
// it is estimated nothing but n-1 is known.
func (c Cap) Of(g *datasets.Graph) int {
	bound := max(1, g.Nodes()-1)
	switch c {
	case Nodes, Estimated:
	case MaxDegree:
		bound = max(1, g.MaxDegree())
	default:
		if n, err := strconv.Atoi(string(c)); err == nil {
			bound = max(1, min(bound, n))
		}
	}
	return bound
}
