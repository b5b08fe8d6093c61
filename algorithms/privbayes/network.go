package privbayes

import (
	"context"
	"math"
	"slices"
	"sort"

	"ppdp/numeric/random"
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
	k := max(0, min(degree, d-1))
	for k > 0 && float64(n*epsilon) < theta*sensitivity*float64(d-k)*math.Ldexp(1, k+1) {
		k--
	}
	return k
}

// usefulCells is the largest number of cells of a marginal over attributes that is still
// theta-useful: n/cells ≥ θ·Δ·d/ε₂.
func usefulCells(d int, n, epsilon, sensitivity, theta float64) float64 {
	return math.Max(0, n*epsilon/(theta*sensitivity*float64(d)))
}

// conditional draws a node given its parents.
type conditional struct {
	child   int
	size    int
	parents []lookup
	// cumulative holds, for parent configuration p and value x at p·size+x, the mass of values up
	// to x.
	cumulative []float64
}

// lookup is one parent's part of the number of a configuration.
type lookup struct {
	node int
	add  []uint32 // by the parent's value
}

// newConditional makes a conditional of joint counts, which it overwrites. A configuration of no
// mass gets the uniform law. levels are those of all nodes.
func newConditional(p apPair, all []levels, joint []float64) conditional {
	c := conditional{child: p.child, size: all[p.child].size[0], cumulative: joint}
	stride := uint32(1)
	for _, of := range p.parents {
		values := all[of.node].of[of.level]
		add := make([]uint32, len(values))
		for v, at := range values {
			add[v] = stride * at
		}
		c.parents = append(c.parents, lookup{of.node, add})
		stride *= uint32(all[of.node].size[of.level])
	}
	for at := 0; at < len(joint); at += c.size {
		row := joint[at : at+c.size]
		sum := 0.0
		for x, mass := range row {
			sum += mass
			row[x] = sum
		}
		if sum > 0 {
			continue
		}
		for x := range row {
			row[x] = float64(x + 1)
		}
	}
	return c
}

// draw draws the child's value, given those of the parents. There is no branch on a drawn bit,
// which would be guessed wrong half the time.
func (c *conditional) draw(nodes []uint32, stream *random.Stream) {
	config := uint32(0)
	for i := range c.parents {
		p := &c.parents[i]
		config += p.add[nodes[p.node]]
	}
	row := c.cumulative[int(config)*c.size:][:c.size]
	u := float64(stream.Open01() * row[len(row)-1])
	x := 0
	switch {
	case len(row) == 2:
		if row[0] <= u {
			x = 1
		}
	case len(row) <= 32:
		for x < len(row)-1 && row[x] <= u {
			x++
		}
	default:
		x = sort.Search(len(row)-1, func(i int) bool { return row[i] > u })
	}
	nodes[c.child] = uint32(x)
}

// marginalise sums the joint counts of an AP pair of bits down to those of a node among its
// parents, with the other AP pair's parents, which are among them too. Bit j of a configuration is
// the j-th parent.
func marginalise(joint []float64, from, to apPair) []float64 {
	place := func(node int) int { // 0 for the child of from, else one more than the parent's index
		for j, p := range from.parents {
			if p.node == node {
				return j + 1
			}
		}
		return 0
	}
	places := []int{place(to.child)}
	for _, p := range to.parents {
		places = append(places, place(p.node))
	}
	sums := make([]float64, 1<<len(places))
	for cell, mass := range joint { // bit 0 of a cell is the child, bit j+1 the j-th parent
		at := 0
		for j, from := range places {
			at |= cell >> from & 1 << j
		}
		sums[at] += mass
	}
	return sums
}
