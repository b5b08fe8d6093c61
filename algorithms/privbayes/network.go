package privbayes

import (
	"context"
	"math"
	"slices"

	"ppdp/privacy"
)

// parent is a node at a level of generalisation.
type parent struct{ node, level int }

// apPair is an attribute-parent pair: a node of the network with its parents, all of which come
// before it.
type apPair struct {
	child   int
	parents []parent
}

// space is what a network grows over.
type space struct {
	candidates
	levels []levels // how each node may be generalised as a parent
	// related says that some node may have a parent.
	related bool
	// derived is how many nodes come before the first AP pair with a marginal of its own, which has
	// all of them: the paper's k for bits, 0 for attributes.
	derived int
}

// candidates are the AP pairs that may come next in a network.
type candidates interface {
	// grow adds a node to the network and returns the scores of the candidates from then on.
	grow(newest int) ([]float64, error)
	// pair is the candidate of a score.
	pair(i int) apPair
	// joint counts the records with configuration p of the parents, the first parent's value
	// changing fastest, and child x at p·children+x. It is valid until the next call.
	joint(p apPair) []int32
}

// search is what the searches for candidates share.
type search struct {
	ctx    context.Context
	scorer *scorer
	inside []int  // nodes of the network, ascending
	added  []bool // of each node: whether it is inside
}

// add puts a node into the network.
func (s *search) add(node int) {
	s.added[node] = true
	at, _ := slices.BinarySearch(s.inside, node)
	s.inside = slices.Insert(s.inside, at, node)
}

// greedyBayes is the paper's GreedyBayes: after a first node, of which any is as good, each step
// adds the AP pair that the exponential mechanism chooses by score. The d-1 choices share epsilon.
func (f *fit) greedyBayes(over *space, epsilon float64) ([]apPair, error) {
	d := len(over.levels)
	choice := f.in.Budget.Exponential("network", f.in.Noise.Open("network"),
		sensitivity(f.params.Encoding, f.in.Variant, len(f.in.Rows)))
	network := []apPair{{child: f.in.Noise.Open("first node").IntN(d)}}
	for len(network) < d {
		scores, err := over.grow(network[len(network)-1].child)
		if err != nil {
			return nil, err
		}
		i, err := choice.Choose(&f.path, epsilon/float64(d-1), scores, nil)
		if err != nil {
			return nil, err
		}
		network = append(network, over.pair(i))
	}
	return network, nil
}

// noisyConditionals is the paper's NoisyConditionals: the marginals of AP pairs get noise, negative
// counts are raised to 0, and each node gets its conditional. The first ones, derived from the
// marginal of the AP pair after them, cost nothing. The marginals share epsilon.
func (f *fit) noisyConditionals(over *space, network []apPair, epsilon float64) ([]conditional,
	error) {
	noise := f.in.CountNoise("marginals", privacy.Exact(f.marginalSensitivity()))
	conditionals, measured := make([]conditional, len(network)), len(network)-over.derived
	for i := over.derived; i < len(network); i++ {
		if err := f.ctx.Err(); err != nil {
			return nil, err
		}
		counts := over.joint(network[i])
		noisy := make([]float64, len(counts))
		for cell, n := range counts {
			noisy[cell] = float64(n)
		}
		if err := noise.AddAll(&f.path, epsilon/float64(measured), noisy); err != nil {
			return nil, err
		}
		for cell, n := range noisy {
			noisy[cell] = max(0, n)
		}
		if i == over.derived {
			for j, p := range network[:i] {
				conditionals[j] = newConditional(p, over.levels, marginalise(noisy, network[i], p))
			}
		}
		conditionals[i] = newConditional(network[i], over.levels, noisy)
	}
	return conditionals, nil
}

// usefulDegree is the largest number of parents, at most degree and less than the number of nodes
// d, that makes marginals over bits theta-useful: their average count is theta times its noise
// (section 4 of the paper). That is n/2^(k+1) ≥ θ·Δ(d-k)/ε₂ with Δ the sensitivity of a marginal.
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
