package degrees

import (
	"context"
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/privacy"
)

// BoundShare is the part of a release's epsilon that choosing a bound costs.
const BoundShare = 0.1

// ChooseBound charges epsilon for a bound on degrees, by which the graph can then be projected: one
// of 1, 2, 4, ... below most, or most itself. cost estimates how far, over all nodes, the noise for
// a bound moves the released degrees; it must not read the graph. purpose names the mechanism and
// its stream. It reads no more than the numbers of edges that projections keep.
//
// A bound θ costs the degree its projection takes away and the noise, less the former's part that
// all candidates share: q(θ) = 2·(edges kept) - cost(θ). One node moves q(θ) by between 0 and 2θ,
// in the same direction for all candidates (see Projection). The difference of two candidates' q
// moves by at most 2·max(θ, θ'), so the score -max over θ' of (q(θ') - q(θ))/(2·max(θ, θ')) moves
// by at most 1, and the exponential mechanism chooses by it: large candidates do not drown the
// choice among small ones (after Raskhodnikova & Smith 2016).
func ChooseBound(ctx context.Context, in *algorithms.Input, path *privacy.Path, epsilon float64,
	purpose string, most int, cost func(bound int) float64) (int, error) {
	candidates := Candidates(most)
	if len(candidates) == 1 { // nothing to choose, nothing to pay
		return candidates[0], nil
	}
	quality := make([]float64, len(candidates))
	for i, bound := range candidates {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		noise := cost(bound)
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
