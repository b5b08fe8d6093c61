package diffmulti

import (
	"context"
	"fmt"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
	"ppdp/privacy"
)

// publish releases a table (Algorithm 1). Time is linear in the rows for each level of the tree,
// but for cut points, which take sorting.
func publish(ctx context.Context, in algorithms.Input,
	params *Params) (*algorithms.Release, error) {
	r := newRecursion(ctx, in, params)
	if err := r.grow(r.root(in.Rows)); err != nil {
		return nil, fmt.Errorf("diffmulti: %w", err)
	}
	return r.publish(in)
}

// problem is what stays the same during a release.
type problem struct {
	poll    partition.Poll
	params  *Params
	variant algorithms.Variant
	epsilon float64
	step    float64 // ε′, what one draw on the way to a leaf costs
	longest int     // |g|

	*layout
	below  [][]nodeChildren // by dimension and taxonomy node
	roots  []uint32         // cells of each dimension
	scorer partition.Scorer

	splitPoints *partition.CutPoints // line 9
	candidates  *privacy.Exponential // line 11
	shares      shares               // line 13
	leafNoise   *privacy.Noise       // line 21
}

// nodeChildren is what specialising a taxonomy node takes.
type nodeChildren struct {
	start     int       // where the node's slots begin, from the start of the dimension's
	ends      []int     // where each child's slots end
	penalties []float64 // certainty penalties of the children
	child     []int32   // the child of each of the node's slots
}

// part is P_i of Algorithm 1: the builder's current box and the rows in it.
type part struct {
	rows []int32
	// stats are the rows' statistics, whose memory may be used up; nil without rows, or where the
	// part is certain to be a leaf.
	stats []int32
	h     int // h′: how many specialisations may be made from here on
	at    place
	// fresh is the numeric attribute that has no split point yet, its interval being new:
	// everyNumber, or noNumber.
	fresh int
}

const (
	everyNumber = -1
	noNumber    = -2
)

// place is where a part is in the budget: specialisations and split points above it.
type place struct{ depth, splitPoints int }

// recursion is the state of one release.
type recursion struct {
	problem
	store   *packed
	builder *partition.Builder
	left    int      // how many more specialisations may be made before the loop is ended
	points  []uint32 // the current part's split point on each numeric attribute,
	cuts    []uint32 // and its place among the distinct values
	// paths holds what has been paid on the way to a region. Every draw costs ε′, so that regions
	// at the same place have paid the same.
	paths map[place]privacy.Path

	// Of the leaves: their places, and class counts without noise.
	places []place
	counts []int32

	scratch
}

// scratch is memory that is used again.
type scratch struct {
	families   []*family // by depth
	statistics [][]int32 // a stack, whose first taken are in use
	taken      int
	dividing   divideScratch
	frequency  frequencies
	children   []int32 // class counts of a candidate's children
	penalties  [2]float64
	scores     []float64
	open       []int // the candidates' dimensions
}

// family is what a part's children get; but for the path, which is the part's own, it lives while
// they are visited.
type family struct {
	path  privacy.Path
	sizes []int32
	given []int
	stats [][]int32
}

// newRecursion packs the rows and declares the mechanisms.
func newRecursion(ctx context.Context, in algorithms.Input, params *Params) *recursion {
	schema := in.Table.Schema()
	attributes := schema.QuasiIdentifiers()
	axes := partition.Axes(schema, attributes)
	space := partition.NewSpace(in.Table, attributes)
	r := &recursion{
		problem: problem{poll: partition.NewPoll(ctx), params: params, variant: in.Variant,
			epsilon: in.Budget.Epsilon(), longest: params.LongestPath,
			scorer: partition.Scorer{Utility: params.Utility, Classes: schema.Classes(),
				Records: len(in.Rows), Program: in.Variant == algorithms.RefCode}},
		builder: partition.NewBuilder(space, maxNodes),
		left:    params.Iterations,
	}
	r.builder.Generalise(axes)
	r.store = pack(space, in.Rows, axes)
	r.layout = r.store.layout
	if r.left == 0 {
		r.left = math.MaxInt
	}
	if r.longest == 0 {
		r.longest = longestPath(axes, params.NumericHeight)
	}
	r.step = step(r.epsilon, len(r.numbers), r.longest)
	for dim, axis := range axes {
		r.roots = append(r.roots, space.Cells(dim))
		r.below = append(r.below, childrenOf(axis, r.classes))
	}
	r.points = make([]uint32, len(r.numbers))
	r.cuts = make([]uint32, len(r.numbers))
	r.paths = map[place]privacy.Path{{}: in.Budget.Root()}
	r.declare(in)
	return r
}

// longestPath is |g|: the sum of the taxonomies' heights, where numeric attributes count for a
// public number (section 4.6).
func longestPath(axes []*datasets.Axis, numeric int) int {
	sum := 0
	for _, axis := range axes {
		if axis == nil {
			sum += numeric
		} else {
			sum += axis.Taxonomy.Height()
		}
	}
	return sum
}

// step is ε′ = ε/(2(|A_num|+3|g|)) (Algorithm 1, line 5). Without attributes nothing is ever drawn.
func step(epsilon float64, numeric, longest int) float64 {
	if numeric+3*longest == 0 {
		return epsilon / 2
	}
	return epsilon / (2 * float64(numeric+3*longest))
}

// declare opens the streams and enters the mechanisms into the ledger.
func (r *problem) declare(in algorithms.Input) {
	claimed := r.scorer.Sensitivity()
	choice := privacy.Sensitivity{Claimed: claimed, Proven: claimed,
		Monotone: r.scorer.Monotone() && in.Variant == algorithms.Published}
	r.splitPoints = partition.NewCutPoints(in, r.scorer, choice)
	if r.scorer.Program && r.scorer.Utility == partition.Discernibility {
		choice.Proven = math.Max(claimed, 10_000) // the range of its scores
	}
	r.candidates = in.Budget.Exponential("candidates", in.Noise.Open("candidates"), choice)
	r.shares = shares{rule: r.params.rule(in.Variant)}
	switch r.shares.rule {
	case ByStrict:
		r.shares.noise = in.CountNoise("specialisations", privacy.Exact(1))
	case ByPublished, ByRefCode:
		unbounded := privacy.Sensitivity{Claimed: 1, Proven: math.Inf(1)} // errata D1 and D8
		r.shares.noise = in.CountNoise("specialisations", unbounded)
	}
	if r.shares.rule != ByRefCode {
		r.shares.draws = in.Noise.Open("remainders")
	}
	r.leafNoise = in.CountNoise("leaf counts", privacy.Exact(1))
}

// childrenOf prepares the specialisation of each node of a taxonomy.
func childrenOf(axis *datasets.Axis, classes int) []nodeChildren {
	if axis == nil {
		return nil
	}
	nodes := make([]nodeChildren, len(axis.Taxonomy.Nodes))
	for node := range nodes {
		children := axis.Taxonomy.Nodes[node].Children
		if len(children) == 0 {
			continue
		}
		n := nodeChildren{start: int(axis.Low[node]) * classes,
			child: make([]int32, int(axis.High[node]-axis.Low[node])*classes)}
		for c, child := range children {
			n.ends = append(n.ends, int(axis.High[child])*classes)
			n.penalties = append(n.penalties, axis.Penalty(child))
			end := n.ends[c]
			for slot := int(axis.Low[child]) * classes; slot < end; slot++ {
				n.child[slot-n.start] = int32(c)
			}
		}
		nodes[node] = n
	}
	return nodes
}

// A part whose rows lie scattered among many others costs a cache miss for each row in every pass.
// When it holds at most one in compactBelow of a store that is too large for a cache, its rows are
// copied together: a quarter of the time of ten million rows of Adult's width.
const (
	compactBelow = 4
	cacheRows    = 1 << 16
)

// root is the part of all rows, at the tops of their taxonomies (line 1).
func (r *recursion) root(rows []int32) part {
	for i := range rows {
		rows[i] = int32(i) // the store numbers them by their place
	}
	p := part{rows: rows, h: r.params.Specialisations, fresh: everyNumber}
	if len(rows) > 0 {
		p.stats = r.take()
		r.store.tally(rows, r.cuts, p.stats, 1)
	}
	return p
}

// grow is one iteration of the loop of Algorithm 1, and those of all parts below this one: they are
// visited in their order, in place of a stack.
func (r *recursion) grow(p part) error {
	if err := r.poll.After(len(p.rows) + r.slots); err != nil {
		return err
	}
	if !r.valid(&p) {
		return r.leaf(p.rows, p.at) // lines 16 to 18
	}
	r.left--
	whole, taken := r.store, r.taken
	if whole.size() >= cacheRows && len(p.rows) <= whole.size()/compactBelow {
		r.store = whole.compact(p.rows)
	}
	var point, cut uint32
	if p.fresh >= 0 { // the point drawn here must be gone when the part's siblings are visited
		point, cut = r.points[p.fresh], r.cuts[p.fresh]
	}
	if err := r.iterate(&p); err != nil {
		return err
	}
	if p.fresh >= 0 {
		r.points[p.fresh], r.cuts[p.fresh] = point, cut
	}
	r.store, r.taken = whole, taken
	return nil
}

// iterate is lines 9 to 15.
func (r *recursion) iterate(p *part) error {
	f := r.familyAt(p.at.depth)
	f.path = r.paths[p.at]
	if err := r.drawSplitPoints(&f.path, p); err != nil { // line 9
		return err
	}
	r.score(p.stats)                                                   // line 10
	chosen, err := r.candidates.Choose(&f.path, r.step, r.scores, nil) // line 11
	if err != nil {
		return err
	}
	dim := r.open[chosen]
	r.specialise(p.rows, dim, f)                                  // line 12
	err = r.shares.divide(&f.path, r.step, p.h, f.sizes, f.given) // line 13
	if err != nil {
		return err
	}
	at := place{p.at.depth + 1, p.at.splitPoints}
	if _, known := r.paths[at]; !known {
		r.paths[at] = f.path
	}
	r.prepare(p, at, f)
	return r.visit(p.rows, dim, at, f) // lines 14 and 15
}

// valid says whether a part incurs a valid specialisation (line 8): it may be made, and some
// attribute has children (Definition 4.1).
func (r *recursion) valid(p *part) bool {
	if p.h <= 0 || p.at.depth >= r.longest || r.left == 0 {
		return false
	}
	for dim := range r.roots {
		if r.hasChildren(dim) {
			return true
		}
	}
	return false
}

func (r *recursion) hasChildren(dim int) bool {
	if r.axes[dim] == nil {
		return r.builder.Width(dim) > 1
	}
	return len(r.node(dim).ends) > 0
}

// node is the current box's taxonomy node on a dimension with an axis.
func (r *recursion) node(dim int) *nodeChildren { return &r.below[dim][r.builder.Nodes[dim]] }

// drawSplitPoints draws the split points that a part does not have yet, and enters the rows below
// them into the statistics.
func (r *recursion) drawSplitPoints(path *privacy.Path, p *part) error {
	for i, dim := range r.numbers {
		if p.fresh != everyNumber && p.fresh != i || r.builder.Width(dim) <= 1 {
			continue
		}
		f := &r.frequency.out
		f.Root, f.Low, f.High = r.roots[dim], r.builder.Low[dim], r.builder.High[dim]
		r.frequency.gather(r.store, p.rows, dim)
		point, err := r.splitPoints.Choose(path, r.step, f)
		if err != nil {
			return err
		}
		p.at.splitPoints++
		cut, _ := slices.BinarySearch(r.values[dim], point)
		r.points[i], r.cuts[i] = point, uint32(cut)
		if p.stats == nil {
			continue
		}
		below := p.stats[r.first[dim] : r.first[dim]+r.classes]
		clear(below)
		for v, value := range f.Values {
			if value >= point {
				break
			}
			for y := range below {
				below[y] += f.Counts[v*len(below)+y]
			}
		}
	}
	return nil
}

// score scores the candidates, one for each attribute of the current box that has children; all
// alike without statistics, as there are no rows then.
func (r *recursion) score(stats []int32) {
	r.open, r.scores = r.open[:0], r.scores[:0]
	for dim, axis := range r.axes {
		if !r.hasChildren(dim) {
			continue
		}
		score := 0.0
		switch {
		case stats == nil:
		case axis == nil:
			score = r.scoreNumber(stats, dim)
		default:
			score = r.scoreNode(stats[r.first[dim]:], r.node(dim))
		}
		r.open, r.scores = append(r.open, dim), append(r.scores, score)
	}
}

// scoreNumber scores the cut of a numeric dimension at its split point.
func (r *recursion) scoreNumber(stats []int32, dim int) float64 {
	classes := r.classes
	sides := r.room(2)
	copy(sides, stats[r.first[dim]:r.first[dim]+classes])
	for y := range classes {
		sides[classes+y] = stats[r.total+y] - sides[y]
	}
	root, point := float64(r.roots[dim]), r.points[r.number(dim)]
	r.penalties[0] = float64(point-r.builder.Low[dim]) / root
	r.penalties[1] = float64(r.builder.High[dim]-point) / root
	return r.scorer.Score(sides, r.penalties[:])
}

// scoreNode scores the specialisation of a taxonomy node. slots are its dimension's statistics.
func (r *recursion) scoreNode(slots []int32, n *nodeChildren) float64 {
	classes := r.classes
	children := r.room(len(n.ends))
	clear(children)
	from := n.start
	for c, end := range n.ends {
		counts := children[c*classes : (c+1)*classes]
		for slot := from; slot < end; slot += classes {
			for y := range counts {
				counts[y] += slots[slot+y]
			}
		}
		from = end
	}
	return r.scorer.Score(children, n.penalties)
}

// room is memory for the class counts of so many children.
func (r *recursion) room(children int) []int32 {
	if n := children * r.classes; len(r.children) < n {
		r.children = make([]int32, 2*n)
	}
	return r.children[:children*r.classes]
}

// number is the position of a numeric dimension among these.
func (r *problem) number(dim int) int { return slices.Index(r.numbers, dim) }

// specialise sorts a part's rows by the children that the current box has on a dimension, and
// writes the children's sizes.
func (r *recursion) specialise(rows []int32, dim int, f *family) {
	if r.axes[dim] == nil {
		f.fit(2)
		r.store.cut(rows, &r.dividing, dim, r.cuts[r.number(dim)], f.sizes)
		return
	}
	n := r.node(dim)
	f.fit(len(n.ends))
	r.store.specialise(rows, &r.dividing, dim, n, f.sizes)
}

// prepare makes the statistics of those children at a place that will be specialised.
func (r *recursion) prepare(p *part, at place, f *family) {
	if p.stats == nil || at.depth >= r.longest {
		return
	}
	largest, needed := 0, 0
	for c, n := range f.sizes {
		if n > f.sizes[largest] {
			largest = c
		}
		if f.given[c] > 0 {
			needed += int(n)
		}
	}
	// The largest child's statistics are the parent's without those of the others: often less to
	// read.
	inherit := f.given[largest] > 0 && len(p.rows)-int(f.sizes[largest]) < needed
	from := int32(0)
	for c, n := range f.sizes {
		own := p.rows[from : from+n]
		from += n
		switch {
		case n == 0 || inherit && c == largest || !inherit && f.given[c] <= 0:
		case f.given[c] <= 0:
			r.store.tally(own, r.cuts, p.stats, -1)
		default:
			f.stats[c] = r.take()
			r.store.tally(own, r.cuts, f.stats[c], 1)
			if inherit {
				for i, n := range f.stats[c] {
					p.stats[i] -= n
				}
			}
		}
	}
	if inherit {
		f.stats[largest] = p.stats
	}
}

// visit grows each of the children, which are at the same place.
func (r *recursion) visit(rows []int32, dim int, at place, f *family) error {
	from, fresh := int32(0), noNumber
	grow := func(c int) error {
		own := rows[from : from+f.sizes[c]]
		from += f.sizes[c]
		return r.grow(part{own, f.stats[c], f.given[c], at, fresh})
	}
	if r.axes[dim] != nil {
		return r.builder.Specialise(dim, grow)
	}
	fresh = r.number(dim)
	return r.builder.Halve(dim, r.points[fresh], func() error { return grow(0) },
		func() error { return grow(1) })
}

func (s *scratch) familyAt(depth int) *family {
	for len(s.families) <= depth {
		s.families = append(s.families, new(family))
	}
	return s.families[depth]
}

// fit makes room for so many children, none of which has statistics.
func (f *family) fit(children int) {
	if cap(f.sizes) < children {
		f.sizes, f.given = make([]int32, children), make([]int, children)
		f.stats = make([][]int32, children)
	}
	f.sizes, f.given, f.stats = f.sizes[:children], f.given[:children], f.stats[:children]
	clear(f.stats)
}

// take returns the next statistics of the stack, all 0.
func (r *recursion) take() []int32 {
	if len(r.statistics) <= r.taken {
		r.statistics = append(r.statistics, make([]int32, r.slots))
	}
	stats := r.statistics[r.taken]
	clear(stats)
	r.taken++
	return stats
}
