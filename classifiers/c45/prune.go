package c45

import (
	"math"
	"slices"
)

// pruneSlack is how much worse, in errors, a simpler tree may be estimated and still be taken.
const pruneSlack = 0.1

// prune replaces, bottom up, every subtree by a leaf or by its largest branch when that is not
// estimated to make more errors (Quinlan 1993, section 4.2).
func (g *grower) prune(at int32) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	n := g.nodes[at]
	if n.pruned { // and would come out the same
		return nil
	}
	g.nodes[at].pruned = true
	leaf := g.leafErrors(g.distribution(at))
	if n.feature < 0 {
		g.nodes[at].estimate = leaf
		return nil
	}
	subtree := 0.0
	largest, most := int32(-1), 0.0
	for _, child := range g.below(at) {
		if child < 0 {
			continue
		}
		if err := g.prune(child); err != nil {
			return err
		}
		subtree += g.nodes[child].estimate
		if cases, _ := wrong(g.distribution(child)); cases > most {
			largest, most = child, cases
		}
	}
	raised := leaf // as a leaf would be that had all cases
	if !g.exactSums || g.nodes[largest].feature >= 0 {
		raised = g.raised(at, largest, leaf, subtree)
	}

	switch {
	case leaf <= subtree+pruneSlack && leaf <= raised+pruneSlack:
		g.nodes[at].feature = -1
		g.nodes[at].estimate = leaf
	case raised <= subtree+pruneSlack:
		g.raise(at, largest)
		return g.prune(at) // its subtrees have new cases
	default:
		g.nodes[at].estimate = subtree
	}
	return nil
}

// raised estimates the errors of a node's largest branch if it took all cases of the node: its own
// and, sent down it, those of its siblings, which it leaves in newcomers. It may return infinity
// where the branch is not to be raised.
func (g *grower) raised(at, largest int32, leaf, subtree float64) float64 {
	n, child := &g.nodes[at], &g.nodes[largest]
	// With this many errors the branch is not raised, so that counting may stop there.
	enough := subtree + pruneSlack
	if leaf <= enough {
		enough = leaf - pruneSlack
	}
	r := raising{grower: g, spare: enough + float64(raisedSlack*subtree) - child.estimate}
	if r.spare < 0 {
		return math.Inf(1)
	}
	newcomers := append(g.newcomers[:0], g.order[n.low:child.low]...)
	newcomers = append(newcomers, g.order[child.high:n.high]...)
	g.newcomers = newcomers
	errors := r.withNewcomers(largest, newcomers)
	if r.spare < 0 {
		return math.Inf(1)
	}
	return errors
}

// raise puts a node's largest branch in its place, with all cases of the node.
func (g *grower) raise(at, largest int32) {
	n, child := &g.nodes[at], g.nodes[largest]
	n.feature, n.cut, n.links, n.pruned = child.feature, child.cut, child.links, false
	if !g.exactSums {
		g.redistribute(at)
		return
	}
	low := n.low
	n.low, n.high = child.low, child.high
	g.merged = g.merged[:0]
	g.takeIn(at, g.newcomers, low)
	copy(g.order[low:], g.merged)
}

// takeIn sends newcomers down a node and appends the cases of its leaves, old and new, to merged,
// whose first case will be order[low]. It is for whole weights, with which order does not matter.
func (g *grower) takeIn(at int32, newcomers []int32, low int32) {
	n := &g.nodes[at]
	start := low + int32(len(g.merged))
	if len(newcomers) == 0 {
		g.merged = append(g.merged, g.order[n.low:n.high]...)
		g.move(at, start-n.low)
		return
	}
	n.pruned = false
	if n.feature < 0 {
		g.merged = append(append(g.merged, g.order[n.low:n.high]...), newcomers...)
		g.sumWeights(g.left, newcomers)
		add(g.distribution(at), g.left)
	} else {
		f := &g.features[n.feature]
		var two [3]int32
		bounds := boundsOf(f, two[:])
		g.group(f, n.cut, newcomers, g.spare[:len(newcomers)], bounds)
		clear(g.distribution(at))
		below := g.below(at)
		for branch := range below {
			part := newcomers[bounds[branch]:bounds[branch+1]]
			if below[branch] < 0 && len(part) > 0 {
				below[branch] = g.emptyLeaf(0, 0)
			}
			if child := below[branch]; child >= 0 {
				g.takeIn(child, part, low)
				add(g.distribution(at), g.distribution(child))
			}
		}
	}
	n = &g.nodes[at]
	n.low, n.high = start, low+int32(len(g.merged))
}

// boundsOf has room for the bounds of a feature's branches: two has, where these are two.
func boundsOf(f *feature, two []int32) []int32 {
	if f.branches() == 2 {
		return two
	}
	return make([]int32, f.branches()+1)
}

// add adds weights to a distribution.
func add(dst, weights []float64) {
	for k, w := range weights {
		dst[k] += w
	}
}

// move moves the cases of a node, and of all below it.
func (g *grower) move(at, by int32) {
	if by == 0 {
		return
	}
	n := &g.nodes[at]
	n.low, n.high = n.low+by, n.high+by
	for _, child := range g.below(at) {
		if child >= 0 {
			g.move(child, by)
		}
	}
}

// leafErrors estimates the errors of a leaf, and keeps it for those of few cases, which most are.
func (g *grower) leafErrors(distribution []float64) float64 {
	cases, errors := wrong(distribution)
	if !g.exactSums || cases >= fewCases {
		return g.pessimism.errors(cases, errors)
	}
	known := &g.estimates[int(cases)][int(errors)]
	if *known == 0 {
		*known = g.pessimism.errors(cases, errors)
	}
	return *known
}

// raising estimates a pruned subtree that takes in cases of its siblings. Estimates grow with
// every case that joins (TestErrorsGrow), so that one that has grown by more than spare, below 0
// from then on, need not be added up to the end.
type raising struct {
	*grower
	spare float64
}

// raisedSlack is far above the rounding of what is added up, as a share of it.
const raisedSlack = 1e-9

// withNewcomers is the estimate of a pruned subtree if the given cases joined its own, unless spare
// falls below 0. It reorders the newcomers.
func (r *raising) withNewcomers(at int32, newcomers []int32) float64 {
	n := &r.nodes[at]
	if len(newcomers) == 0 || r.spare < 0 {
		return n.estimate
	}
	if n.feature < 0 {
		joined := r.joined(r.distribution(at), newcomers)
		r.spare -= joined - n.estimate
		return joined
	}
	f := &r.features[n.feature]
	var two [3]int32
	bounds := boundsOf(f, two[:])
	r.group(f, n.cut, newcomers, r.grower.spare[:len(newcomers)], bounds)
	sum := 0.0
	for branch, child := range r.below(at) {
		part := newcomers[bounds[branch]:bounds[branch+1]]
		switch {
		case child >= 0:
			sum += r.withNewcomers(child, part)
		case len(part) > 0:
			joined := r.joined(nil, part)
			r.spare -= joined
			sum += joined
		}
	}
	return sum
}

// joined is the estimate of a leaf with the given distribution (nil for no cases) and the
// newcomers.
func (g *grower) joined(distribution []float64, newcomers []int32) float64 {
	g.sumWeights(g.left, newcomers)
	add(g.left, distribution)
	return g.leafErrors(g.left)
}

// redistribute sends the cases of a node down its tests again after a branch was raised to it, in
// their order.
func (g *grower) redistribute(at int32) {
	g.nodes[at].pruned = false
	n := g.nodes[at]
	g.sumWeights(g.distribution(at), g.order[n.low:n.high])
	if n.feature < 0 {
		return
	}
	bounds := slices.Clone(g.partition(int(n.feature), n.cut, int(n.low), int(n.high)))
	below := g.below(at)
	for branch, child := range below {
		low, high := bounds[branch], bounds[branch+1]
		switch {
		case child >= 0:
			g.nodes[child].low, g.nodes[child].high = low, high
			g.redistribute(child)
		case low < high:
			below[branch] = g.leaf(int(low), int(high))
		}
	}
}
