package privbayes

import (
	"context"
	"math"

	"ppdp/privacy"
)

// parent is a node at a level of generalisation.
type parent struct{ node, level int }

// pair is a node of the network with its parents, all of which come before it.
type pair struct {
	child   int
	parents []parent
}

// chooser draws pairs by the exponential mechanism, at equal cost each.
type chooser struct {
	ctx     context.Context
	scorer  *scorer
	choice  *privacy.Exponential
	path    *privacy.Path
	epsilon float64 // of one choice
}

func (c *chooser) choose(scores []float64) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.choice.Choose(c.path, c.epsilon, scores, nil)
}

// usefulDegree is the largest number of parents, at most degree and less than the number of nodes
// d, that leaves the average count of a marginal over bits theta times its noise (section 4 of the
// paper): n/2^(k+1) ≥ θ·Δ(d-k)/ε₂ with Δ the sensitivity of a marginal.
func usefulDegree(d, degree int, n, epsilon, sensitivity, theta float64) int {
	k := min(degree, d-1)
	for ; k > 0; k-- {
		if float64(n*epsilon) >= theta*sensitivity*float64(d-k)*math.Ldexp(1, k+1) {
			return k
		}
	}
	return max(0, k)
}

// usefulCells is the largest number of cells of a marginal over attributes that is still
// theta-useful: n/cells ≥ θ·Δ·d/ε₂.
func usefulCells(d int, n, epsilon, sensitivity, theta float64) float64 {
	return math.Max(0, n*epsilon/(theta*sensitivity*float64(d)))
}
