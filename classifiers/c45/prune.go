package c45

import "slices"

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
		raised = g.raised(at, largest)
	}

	switch {
	case leaf <= min(subtree, raised)+pruneSlack/g.unit:
		g.nodes[at].feature = -1
		g.nodes[at].estimate = leaf
	case raised <= subtree+pruneSlack/g.unit:
		child := g.nodes[largest]
		n := &g.nodes[at]
		n.feature, n.cut, n.links = child.feature, child.cut, child.links
		g.redistribute(at)
		return g.prune(at) // its subtrees have new cases
	default:
		g.nodes[at].estimate = subtree
	}
	return nil
}

// raised estimates the errors of a node's largest branch if it took all cases of the node: its own
// and, sent down it, those of its siblings.
func (g *grower) raised(at, largest int32) float64 {
	n, child := &g.nodes[at], &g.nodes[largest]
	newcomers := append(g.newcomers[:0], g.order[n.low:child.low]...)
	g.newcomers = append(newcomers, g.order[child.high:n.high]...)
	return g.withNewcomers(largest, g.newcomers)
}

// withNewcomers is the estimate of a pruned subtree if the given cases, which it reorders, joined
// its own.
func (g *grower) withNewcomers(at int32, newcomers []int32) float64 {
	n := &g.nodes[at]
	if len(newcomers) == 0 {
		return n.estimate
	}
	if n.feature < 0 {
		return g.joined(g.distribution(at), newcomers)
	}
	f := &g.features[n.feature]
	bounds := make([]int32, f.branches()+1)
	g.group(f, n.cut, newcomers, g.spare[:len(newcomers)], bounds)
	sum := 0.0
	for branch, child := range g.below(at) {
		part := newcomers[bounds[branch]:bounds[branch+1]]
		switch {
		case child >= 0:
			sum += g.withNewcomers(child, part)
		case len(part) > 0:
			sum += g.joined(nil, part)
		}
	}
	return sum
}

// leafErrors estimates the errors of a leaf, and keeps it for those of few cases, which most are.
func (g *grower) leafErrors(distribution []float64) float64 {
	cases, errors := wrong(distribution)
	if !g.exactSums || cases >= fewCases {
		return g.pessimism.errors(cases*g.unit, errors*g.unit) / g.unit
	}
	known := &g.estimates[int(cases)][int(errors)]
	if *known == 0 {
		*known = g.pessimism.errors(cases*g.unit, errors*g.unit) / g.unit
	}
	return *known
}

// joined is the estimate of a leaf with the given distribution (nil for no cases) and the
// newcomers.
func (g *grower) joined(distribution []float64, newcomers []int32) float64 {
	g.sumWeights(g.left, newcomers)
	for k, w := range distribution {
		g.left[k] += w
	}
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
