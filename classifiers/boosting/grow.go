package boosting

import (
	"cmp"
	"math"
	"slices"

	"ppdp/classifiers/internal/bins"
)

// sums are those of gradients, curvatures and weights over some rows, in whole numbers.
type sums struct{ gradient, curvature, weight int64 }

func (s *sums) add(o *sums) {
	s.gradient += o.gradient
	s.curvature += o.curvature
	s.weight += o.weight
}

func (s sums) minus(o sums) sums {
	return sums{s.gradient - o.gradient, s.curvature - o.curvature, s.weight - o.weight}
}

// histogram has the sums of each bin of one feature.
type histogram [bins.Most + 1]sums

// grower grows one tree after the other over the same rows.
type grower struct {
	matrix *bins.Matrix
	leaves int
	rate   float64
	scale  float64 // whole gradients in one
	// What both sides of a cut need at least, in the whole numbers of sums.
	weight, curvature int64
	support           int64 // weight that lets a value stand on its own

	all   []sums  // of each row
	index []int32 // rows, those of a node side by side
	spare []int32
	byRow []uint8 // the matrix, row by row
	free  [][]histogram
}

func (g *grower) init(matrix *bins.Matrix, c Classifier, unit float64, total int64, shift int) {
	const leastCurvature, leastSupport = 1e-3, 10
	whole := func(x float64) int64 { return max(1, int64(math.Ceil(min(x, math.MaxInt64/4)))) }
	// Records of less weight than 1, such as ten copies of a tenth each, count as records.
	mean := min(1, float64(total)*unit/float64(max(1, matrix.Rows)))
	*g = grower{matrix: matrix, leaves: c.Leaves, rate: c.Rate, scale: float64(int64(1) << shift),
		weight: whole(c.Weight * mean / unit), support: whole(leastSupport * mean / unit),
		all: make([]sums, matrix.Rows), index: make([]int32, matrix.Rows),
		spare: make([]int32, matrix.Rows), byRow: make([]uint8, matrix.Rows*len(matrix.Columns))}
	for f, column := range matrix.Columns {
		for row, bin := range column {
			g.byRow[row*len(matrix.Columns)+f] = bin
		}
	}
	g.curvature = whole(leastCurvature / unit * g.scale)
}

// set notes the gradient and the curvature of the loss at a row.
func (g *grower) set(row int, gradient, curvature float64, weight int64) {
	g.all[row] = sums{int64(math.RoundToEven(float64(gradient*g.scale))) * weight,
		int64(math.RoundToEven(float64(curvature*g.scale))) * weight, weight}
}

// part is a node that may still be cut: its rows are index[from:to].
type part struct {
	node       int32 // in the tree
	from, to   int
	total      sums
	histograms []histogram
	cut        cut
}

// cut divides a node: the bins that go left.
type cut struct {
	gain    float64 // 0 for none
	feature int
	left    bins.Set
	sums    sums // of the left side
}

// score is how much a side lowers the loss, times two and up to scale.
func (s *sums) score() float64 {
	return float64(float64(s.gradient)*float64(s.gradient)) / float64(s.curvature)
}

// grow adds a tree to the model, and its values to the rows' scores. The leaf that gains most is
// cut first, the one made first of equals.
func (g *grower) grow(to *model, scores []float64) {
	root := part{to: g.matrix.Rows, histograms: g.histograms()}
	for i := range g.index {
		g.index[i] = int32(i)
		root.total.add(&g.all[i])
	}
	g.count(&root)
	g.best(&root)
	nodes, values := make([]bins.Node, 1), []float64(nil)
	leaves := []part{root}
	for len(leaves) < g.leaves {
		at := 0
		for i := range leaves {
			if leaves[i].cut.gain > leaves[at].cut.gain {
				at = i
			}
		}
		if leaves[at].cut.gain <= 0 {
			break
		}
		left, right := g.divide(leaves[at], &nodes, len(leaves)+1 == g.leaves)
		leaves[at] = left
		leaves = append(leaves, right)
	}
	for _, leaf := range leaves {
		value := 0.0
		if leaf.total.curvature > 0 {
			step := float64(leaf.total.gradient) / float64(leaf.total.curvature)
			value = float64(-g.rate * step)
		}
		nodes[leaf.node].Leaf = int32(len(values))
		values = append(values, value)
		for _, row := range g.index[leaf.from:leaf.to] {
			scores[row] += value
		}
		if leaf.histograms != nil {
			g.free = append(g.free, leaf.histograms)
		}
	}
	to.trees, to.values = append(to.trees, bins.NewTree(nodes)), append(to.values, values)
}

// histograms returns one for each feature, for count to fill.
func (g *grower) histograms() []histogram {
	if last := len(g.free) - 1; last >= 0 {
		h := g.free[last]
		g.free = g.free[:last]
		return h
	}
	return make([]histogram, len(g.matrix.Columns))
}

// together is how many features count takes at a time, so that their histograms stay in the cache.
const together = 16

// count fills a part's histograms from its rows. It goes from row to row, not from feature to
// feature: an addition need not wait for one to the same bin just before.
func (g *grower) count(p *part) {
	n := len(p.histograms)
	for from := 0; from < n; from += together {
		to := min(n, from+together)
		histograms := p.histograms[from:to]
		for f := range histograms {
			clear(histograms[f][:g.matrix.Features[from+f].Bins])
		}
		for _, row := range g.index[p.from:p.to] {
			of := &g.all[row]
			gradient, curvature, weight := of.gradient, of.curvature, of.weight // in registers
			for f, bin := range g.byRow[int(row)*n:][from:to] {
				sums := &histograms[f][bin]
				sums.gradient += gradient
				sums.curvature += curvature
				sums.weight += weight
			}
		}
	}
}

// divide makes two parts of one. The smaller is counted, the other is what remains, unless neither
// will be cut, as none is after the last division.
func (g *grower) divide(p part, nodes *[]bins.Node, last bool) (left, right part) {
	at := p.from + bins.Divide(g.index[p.from:p.to], g.spare, g.matrix.Columns[p.cut.feature],
		&p.cut.left)
	first := int32(len(*nodes))
	*nodes = append(*nodes, bins.Node{}, bins.Node{})
	(*nodes)[p.node] = bins.Node{Feature: int32(p.cut.feature), Next: first, Left: p.cut.left}
	left = part{node: first, from: p.from, to: at, total: p.cut.sums}
	right = part{node: first + 1, from: at, to: p.to, total: p.total.minus(p.cut.sums)}
	small, large := &left, &right
	if right.to-right.from < left.to-left.from {
		small, large = large, small
	}
	large.histograms = p.histograms
	if last || !g.divisible(&left) && !g.divisible(&right) {
		return left, right
	}
	small.histograms = g.histograms()
	g.count(small)
	for f := range large.histograms {
		n := g.matrix.Features[f].Bins
		of, less := large.histograms[f][:n], small.histograms[f][:n]
		for bin := range of {
			of[bin] = of[bin].minus(less[bin])
		}
	}
	g.best(&left)
	g.best(&right)
	return left, right
}

// divisible says whether a part has enough for two sides.
func (g *grower) divisible(p *part) bool {
	return p.total.weight >= 2*g.weight && p.total.curvature >= 2*g.curvature
}

// best finds the cut of a part that gains most, the first of equals.
func (g *grower) best(p *part) {
	if !g.divisible(p) {
		return
	}
	for f := range g.matrix.Features {
		if g.matrix.Features[f].Categorical {
			g.group(p, f)
		} else {
			g.threshold(p, f)
		}
	}
}

// offer keeps a cut if it gains more than the best so far.
func (g *grower) offer(p *part, left *sums) bool {
	right := p.total.minus(*left)
	if left.weight < g.weight || right.weight < g.weight ||
		left.curvature < g.curvature || right.curvature < g.curvature {
		return false
	}
	gain := left.score() + right.score() - p.total.score()
	if !(gain > p.cut.gain) {
		return false
	}
	p.cut.gain, p.cut.sums = gain, *left
	return true
}

// threshold tries the bounds between a numeric attribute's bins.
func (g *grower) threshold(p *part, f int) {
	var left sums
	best := -1
	for bin := range g.matrix.Features[f].Bins - 1 {
		h := &p.histograms[f][bin]
		if h.weight == 0 {
			continue // as the bound before
		}
		left.add(h)
		if g.offer(p, &left) {
			best = bin
		}
	}
	if best < 0 {
		return
	}
	p.cut.feature, p.cut.left = f, bins.Below(best+1)
}

// group tries the bounds between a categorical attribute's values, in the order of their gradients
// over their curvature, from either end to the middle. Values without the weight to stand on their
// own stay with the larger part, as do those that do not occur.
func (g *grower) group(p *part, f int) {
	var order [bins.Most + 1]int
	n := 0
	for bin := range g.matrix.Features[f].Bins {
		if p.histograms[f][bin].weight >= g.support {
			order[n] = bin
			n++
		}
	}
	slope := func(bin int) float64 {
		h := &p.histograms[f][bin]
		return float64(h.gradient) / (float64(h.curvature) + float64(float64(g.support)*g.scale))
	}
	slices.SortStableFunc(order[:n], func(a, b int) int { return cmp.Compare(slope(a), slope(b)) })
	for range 2 {
		var left sums
		best := -1
		for i, bin := range order[:(n+1)/2] {
			left.add(&p.histograms[f][bin])
			if g.offer(p, &left) {
				best = i
			}
		}
		if best >= 0 {
			p.cut.feature, p.cut.left = f, bins.Set{}
			for _, bin := range order[:best+1] {
				p.cut.left.Add(uint8(bin))
			}
		}
		slices.Reverse(order[:n])
	}
}
