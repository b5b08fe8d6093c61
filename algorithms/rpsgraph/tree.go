package rpsgraph

import (
	"context"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/degrees"
	"ppdp/algorithms/kernel/partition"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// tree grows the paper's tree of cuts and counts its leaves.
type tree struct {
	poll     partition.Poll
	params   *Params
	degrees  *degrees.Bounded
	cuts     *privacy.Exponential
	share    float64 // epsilon of a level
	count    countFunc
	paths    []privacy.Path // of the current region and its ancestors, by depth
	released algorithms.Structure
	starts   []int32   // lowest degrees of the leaves, ascending
	counts   []float64 // their noisy counts
	// low is the lowest degree of the region whose cut is being chosen, before the number of nodes
	// below it and total that of the nodes in it: what score needs.
	low, before, total int
}

// countFunc counts the nodes of degrees low to high-1 with noise.
type countFunc func(path *privacy.Path, epsilon float64, low, high, depth int) (float64, error)

// newTree declares the mechanisms of a tree, which spends what is left of a path.
func newTree(ctx context.Context, in algorithms.Input, p *Params, degrees *degrees.Bounded,
	path privacy.Path) *tree {
	size := float64(2*degrees.Nodes + 1)
	epsilon := path.Remaining()
	t := &tree{
		poll: partition.NewPoll(ctx), params: p, degrees: degrees,
		cuts: in.Budget.Exponential("cuts", in.Noise.Open("cuts"),
			privacy.Sensitivity{Claimed: 0.5, Proven: float64(degrees.Most+1) / size}),
		share: float64(epsilon*(1-leafShare)) / float64(p.Depth),
		paths: make([]privacy.Path, p.Depth+1),
	}
	t.count = t.counter(in)
	t.paths[0] = path
	return t
}

// releaseTree is the published variant, and the strict one in the form of the paper's tree.
// It returns the lowest degrees of the leaves as well.
func releaseTree(ctx context.Context, in algorithms.Input, p *Params, degrees *degrees.Bounded,
	path privacy.Path) ([]int32, *algorithms.Release, error) {
	t := newTree(ctx, in, p, degrees, path)
	// A random tree of some depth has far fewer leaves than a full one, so only a part of these is
	// made room for.
	leaves := min(1<<p.Depth, degrees.Bound+1, 1<<13)
	t.starts, t.counts = make([]int32, 0, leaves), make([]float64, 0, leaves)
	if err := t.grow(0, degrees.Bound+1, 0); err != nil {
		return nil, nil, err
	}
	t.released.Leaves = len(t.starts)
	return t.starts, &algorithms.Release{Degrees: fill(p.Fill, t.starts, t.counts, degrees.Nodes),
		Structure: t.released}, nil
}

// counter declares the mechanism of leaf counts and returns how it counts a leaf.
func (t *tree) counter(in algorithms.Input) countFunc {
	stream := in.Noise.Open("counts")
	// All leaf counts together move by at most this much in L1: every moved degree leaves one leaf
	// and enters another.
	all := float64(2 * (t.degrees.Most + 1))
	exact := func(low, high int) float64 { return float64(t.degrees.Within(low, high-1)) }
	plain := func(noise *privacy.Noise) countFunc {
		return func(path *privacy.Path, epsilon float64, low, high, _ int) (float64, error) {
			return noise.Add(path, epsilon, exact(low, high))
		}
	}
	if in.Variant == algorithms.Strict {
		return plain(in.Budget.Geometric("leaf counts", stream,
			privacy.Sensitivity{Claimed: float64(2 * (t.degrees.Bound + 1)), Proven: all}))
	}
	if t.params.Counts == Laplace {
		return plain(in.Budget.Laplace("leaf counts", stream,
			privacy.Sensitivity{Claimed: 1, Proven: all}))
	}
	noise := in.Budget.Cauchy("leaf counts", stream, false)
	bound := t.boundary()
	return func(path *privacy.Path, epsilon float64, low, high, depth int) (float64, error) {
		return noise.Add(path, epsilon, bound(epsilon, low, high, depth), exact(low, high))
	}
}

// boundary returns the bound that Cauchy noise of a leaf is scaled to.
func (t *tree) boundary() func(epsilon float64, low, high, depth int) float64 {
	at := func(c int) int { return t.degrees.Within(c, c) }
	switch t.params.Counts {
	case Printed:
		return func(_ float64, low, high, _ int) float64 {
			if high-low == 1 {
				return float64(1 + at(low))
			}
			return float64(1 + at(low) + at(high-1))
		}
	case Cross:
		return func(_ float64, low, high, _ int) float64 { return float64(1 + at(low) + at(high)) }
	case Rigorous:
		// A leaf's bound is the largest of those at four degrees, which neighbouring leaves share.
		// known holds them by depth, on which a leaf's epsilon depends, and degree + 1; 0 is
		// unknown.
		known := make([][]float64, t.params.Depth+1)
		return func(epsilon float64, low, high, depth int) float64 {
			if known[depth] == nil {
				known[depth] = make([]float64, t.degrees.Bound+3)
			}
			largest := 0.0
			for _, c := range [...]int{low - 1, low, high - 1, high} {
				if known[depth][c+1] == 0 {
					known[depth][c+1] = smooth(t.degrees, c, privacy.Smoothness(epsilon))
				}
				largest = max(largest, known[depth][c+1])
			}
			return largest
		}
	}
	return func(float64, int, int, int) float64 { return 1 }
}

// score is the quality of equation 4, (r₁+r₂-|r₁-r₂|)/(4n+2), of cutting the region before degree
// low+1+candidate.
func (t *tree) score(candidate int) float64 {
	left := t.degrees.Below(t.low+1+candidate) - t.before
	return float64(min(left, t.total-left)) / float64(2*t.degrees.Nodes+1)
}

// grow cuts the region of degrees low to high-1, or counts it.
func (t *tree) grow(low, high, depth int) error {
	t.released.Nodes++
	if err := t.poll.After(64); err != nil { // a region takes as long as 64 rows
		return err
	}
	path := &t.paths[depth]
	if depth == t.params.Depth || high-low == 1 {
		count, err := t.count(path, path.Remaining(), low, high, depth)
		t.starts, t.counts = append(t.starts, int32(low)), append(t.counts, count)
		t.released.Depth = max(t.released.Depth, depth)
		return err
	}
	cut, err := t.cut(path, low, high)
	if err != nil {
		return err
	}
	t.paths[depth+1] = path.Fork()
	if err := t.grow(low, cut, depth+1); err != nil {
		return err
	}
	t.paths[depth+1] = path.Fork()
	return t.grow(cut, high, depth+1)
}

// cut chooses the lowest degree of the upper part of the region of degrees low to high-1.
func (t *tree) cut(path *privacy.Path, low, high int) (int, error) {
	t.low, t.before = low, t.degrees.Below(low)
	t.total = t.degrees.Below(high) - t.before
	best := float64(t.total/2) / float64(2*t.degrees.Nodes+1)
	chosen, err := t.cuts.ChooseBounded(path, t.share, high-low-1, 0, best, t.score)
	return low + 1 + chosen, err
}

// fill turns the noisy counts of leaves into n ascending degrees, each the lowest of its leaf. It
// may change counts.
func fill(how Fill, starts []int32, counts []float64, n int) []int32 {
	switch how {
	case Rescale:
		sum := 0.0
		for i, count := range counts {
			// Heavy-tailed counts can be so large that their sum is no number; beyond 2⁵³ n there
			// is no difference to see.
			counts[i] = min(max(count, 0), float64(n)*0x1p53)
			sum += counts[i]
		}
		below := 0.0
		for i, count := range counts {
			if sum > 0 {
				below += count / sum
			} else { // nothing is known
				below = float64(i+1) / float64(len(counts))
			}
			counts[i] = float64(below * float64(n))
		}
	case Cumulative:
		for i := range counts {
			counts[i] = min(max(counts[i], -0x1p53), 0x1p53)
			if i > 0 {
				counts[i] += counts[i-1]
			}
		}
		degrees.Isotonic(counts)
	default:
		sum := 0.0
		for i, count := range counts {
			sum += max(0, math.Round(min(count, float64(n))))
			counts[i] = sum
		}
	}
	return degrees.Below(starts, counts[:len(counts)-1], n)
}

// place gives every node, which comes with the lowest degree of its interval, the degree of it that
// values names. starts are the lowest degrees of all intervals, ascending; the last one ends with
// lambda. released stays ascending. Only uniform values need the stream.
func place(values partition.Values, stream *random.Stream, starts []int32, lambda int,
	released []int32) {
	if values == partition.Low {
		return
	}
	interval := 0
	for from, end := 0, 0; from < len(released); from = end {
		low := released[from]
		for end = from; end < len(released) && released[end] == low; end++ {
		}
		for starts[interval] < low {
			interval++
		}
		high := int32(lambda)
		if interval+1 < len(starts) {
			high = starts[interval+1] - 1
		}
		nodes := released[from:end]
		for i := range nodes {
			if values == partition.Midpoint {
				nodes[i] = low + (high-low)/2
			} else {
				nodes[i] = low + int32(stream.IntN(int(high-low+1)))
			}
		}
		if values == partition.Uniform {
			slices.Sort(nodes)
		}
	}
}
