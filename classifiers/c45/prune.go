package c45

import "math"

// pruneSlack is how much worse, in errors, a simpler tree may be estimated and still be taken.
const pruneSlack = 0.1

// prune replaces, bottom up, every subtree by a leaf or by its largest branch when that is not
// estimated to make more errors (Quinlan 1993, section 4.2).
func (g *grower) prune(at int32) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	n := g.nodes[at]
	if n.feature < 0 {
		g.nodes[at].estimate = g.leafErrors(g.distribution(at))
		return nil
	}
	subtree := 0.0
	largest, most := -1, 0.0
	for branch, child := range n.children {
		if child < 0 {
			continue
		}
		if err := g.prune(child); err != nil {
			return err
		}
		subtree += g.nodes[child].estimate
		if cases, _ := wrong(g.distribution(child)); cases > most {
			largest, most = branch, cases
		}
	}
	leaf := g.leafErrors(g.distribution(at))
	child := n.children[largest]
	// The branch would take all cases of this node: its own and, sent down it, those of its
	// siblings.
	strangers := append(g.strangers[:0], g.order[n.low:g.nodes[child].low]...)
	strangers = append(strangers, g.order[g.nodes[child].high:n.high]...)
	g.strangers = strangers
	// As soon as raising is known to make so many errors, it does not matter how many.
	enough := subtree + pruneSlack
	if leaf <= enough {
		enough = leaf - pruneSlack
	}
	r := raising{grower: g, spare: enough + float64(raisedSlack*subtree) - g.nodes[child].estimate}
	raised := r.withStrangers(child, strangers)
	if r.spare < 0 {
		raised = math.Inf(1)
	}

	switch {
	case leaf <= subtree+pruneSlack && leaf <= raised+pruneSlack:
		g.nodes[at].feature, g.nodes[at].children = -1, nil
		g.nodes[at].estimate = leaf
	case raised <= subtree+pruneSlack:
		g.nodes[at].feature, g.nodes[at].cut = g.nodes[child].feature, g.nodes[child].cut
		g.nodes[at].children = g.nodes[child].children
		g.redistribute(at)
		return g.prune(at) // its subtrees have new cases
	default:
		g.nodes[at].estimate = subtree
	}
	return nil
}

func (g *grower) leafErrors(distribution []float64) float64 {
	return g.pessimism.errors(wrong(distribution))
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

// withStrangers is the estimate of a pruned subtree if the given cases joined its own, unless spare
// falls below 0. It reorders the strangers.
func (r *raising) withStrangers(at int32, strangers []int32) float64 {
	n := &r.nodes[at]
	if len(strangers) == 0 || r.spare < 0 {
		return n.estimate
	}
	if n.feature < 0 {
		joined := r.joined(r.distribution(at), strangers)
		r.spare -= joined - n.estimate
		return joined
	}
	f := &r.features[n.feature]
	var two [3]int32
	bounds := two[:]
	if len(n.children) != 2 {
		bounds = make([]int32, len(n.children)+1)
	}
	r.group(f, n.cut, strangers, r.grower.spare[:len(strangers)], bounds)
	sum := 0.0
	for branch, child := range n.children {
		part := strangers[bounds[branch]:bounds[branch+1]]
		switch {
		case child >= 0:
			sum += r.withStrangers(child, part)
		case len(part) > 0:
			joined := r.joined(nil, part)
			r.spare -= joined
			sum += joined
		}
	}
	return sum
}

// joined is the estimate of a leaf with the given distribution (nil for no cases) and the
// strangers.
func (g *grower) joined(distribution []float64, strangers []int32) float64 {
	g.weigh(g.left, strangers)
	for k, w := range distribution {
		g.left[k] += w
	}
	return g.leafErrors(g.left)
}

// redistribute sends the cases of a node down its tests again after a branch was raised to it.
func (g *grower) redistribute(at int32) {
	n := g.nodes[at]
	g.weigh(g.distribution(at), g.order[n.low:n.high])
	if n.feature < 0 {
		return
	}
	bounds := g.partition(int(n.feature), n.cut, int(n.low), int(n.high))
	for branch, child := range n.children {
		low, high := bounds[branch], bounds[branch+1]
		switch {
		case child >= 0:
			g.nodes[child].low, g.nodes[child].high = low, high
			g.redistribute(child)
		case low < high:
			n.children[branch] = g.leaf(int(low), int(high))
		}
	}
}
