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

// Release publishes a table (Algorithm 1). Time is linear in the rows for each level of the tree,
// but for cut points, which take sorting.
func (Algorithm) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	r, err := newRecursion(ctx, in)
	if err != nil {
		return nil, err
	}
	if err := r.root(in.Rows); err != nil {
		return nil, fmt.Errorf("diffmulti: %w", err)
	}
	return r.publish(in)
}

func (r *recursion) root(rows []int32) error {
	for i := range rows {
		rows[i] = int32(i) // the store numbers them by their place
	}
	var stats []int32
	if len(rows) > 0 {
		stats = r.slot(0)
		r.store.tally(rows, r.cuts, stats, 1)
	}
	return r.region(rows, stats, 1, r.params.Specialisations, place{}, allFresh)
}

// recursion is the state of one release.
type recursion struct {
	ctx     context.Context
	params  *Params
	variant algorithms.Variant
	epsilon float64
	step    float64 // ε′, what one draw on the way to a leaf costs
	longest int     // |g|
	left    int     // how many more specialisations may be made before it ends early

	layout  *layout
	store   store
	builder *partition.Builder
	scorer  partition.Scorer
	below   [][]nodeChildren // by dimension and taxonomy node
	roots   []uint32         // cells of each dimension

	candidates *privacy.Exponential
	cutPoints  *partition.CutPoints
	shares     shares
	leaves     privacy.Noise
	points     []uint32 // the current region's cut point on each numeric attribute,
	cuts       []uint32 // and its place among the distinct values

	paths      paths
	places     []place // of each leaf
	counts     []int32 // class counts of each leaf, without noise
	rows, done int     // of the input, and in leaves
	statistics [][]int32
	scratch    divideScratch
	frequency  frequencies
	children   []int32 // class counts of a candidate's children
	scores     []float64
	open       []int // the candidates' dimensions
	penalties  [2]float64
	families   []*family // by depth
	work       int       // since the last check of the context

	compactFrom int // the size of a store from which regions of few of its rows are copied together
}

// nodeChildren is what specialising a taxonomy node takes.
type nodeChildren struct {
	start     int       // where the node's slots begin, from the start of the dimension's
	ends      []int     // where each child's slots end
	penalties []float64 // certainty penalties of the children
	child     []int32   // the child of each of the node's slots
}

// family is the scratch of one level of the recursion; but for the path it lives while children are
// visited.
type family struct {
	path  privacy.Path
	sizes []int32
	given []int
	stats [][]int32
}

// place is where a region is in the budget: specialisations and cut points above it.
type place struct{ depth, cutPoints int }

// allFresh and noneFresh say for which numeric attributes a region has no cut point yet; a number
// from 0 names the one attribute whose interval its parent has cut.
const (
	allFresh  = -1
	noneFresh = -2
)

// newRecursion checks the input against the parameters and declares the mechanisms.
func newRecursion(ctx context.Context, in algorithms.Input) (*recursion, error) {
	params, err := algorithms.CheckInput[*Params](ctx, Algorithm{}, in)
	if err != nil {
		return nil, err
	}
	epsilon, schema := in.Budget.Epsilon(), in.Table.Schema()
	scorer := partition.Scorer{Utility: params.Utility, Classes: schema.Classes(),
		Records: len(in.Rows)}
	scorer.Program = in.Variant == algorithms.RefCode
	attributes := schema.QuasiIdentifiers()
	axes := partition.Axes(schema, attributes)
	space := partition.NewSpace(in.Table, attributes)
	r := &recursion{
		ctx: ctx, params: params, variant: in.Variant, epsilon: epsilon,
		scorer: scorer, compactFrom: cacheRows, rows: len(in.Rows),
		builder: partition.NewBuilder(space, params.MaxNodes),
	}
	r.builder.Generalise(axes)
	r.layout, r.store = pack(in.Table, in.Rows, attributes, axes, half)
	if r.left = params.Iterations; r.left == 0 {
		r.left = math.MaxInt
	}
	r.longest = params.LongestPath
	if r.longest == 0 {
		r.longest = longestPath(axes, params.NumericHeight)
	}
	r.step = step(epsilon, len(r.layout.numbers), r.longest)
	for dim, axis := range axes {
		r.roots = append(r.roots, space.Cells(dim))
		r.below = append(r.below, childrenOf(axis, r.layout.classes))
	}
	r.points = make([]uint32, len(r.layout.numbers))
	r.cuts = make([]uint32, len(r.layout.numbers))
	root := in.Budget.Root()
	r.paths.put(place{}, &root)
	r.declare(in)
	return r, nil
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
func (r *recursion) declare(in algorithms.Input) {
	claimed := r.scorer.Sensitivity()
	choice := privacy.Sensitivity{Claimed: claimed, Proven: claimed,
		Monotone: r.scorer.Monotone() && in.Variant == algorithms.Published}
	r.cutPoints = partition.NewCutPoints(in, r.scorer, choice)
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
	r.leaves = in.CountNoise("leaf counts", privacy.Exact(1))
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

// slot returns the i-th statistics of the stack, all 0.
func (r *recursion) slot(i int) []int32 {
	for len(r.statistics) <= i {
		r.statistics = append(r.statistics, make([]int32, r.layout.slots))
	}
	clear(r.statistics[i])
	return r.statistics[i]
}

// contextEvery is how much work, in rows and nodes, is done between two checks of the context:
// some milliseconds.
const contextEvery = 1 << 20

// A region whose rows lie scattered among many others costs a cache miss for each row in every
// pass. When it holds at most one in compactBelow of a store that is too large for a cache, its
// rows are copied together: a quarter of the time of ten million rows of Adult's width.
const (
	compactBelow = 4
	cacheRows    = 1 << 16
)

// region handles the builder's current box, which the given rows lie in. stats are the rows'
// statistics, whose memory the call may use up; nil of a region without rows or one that is certain
// to be a leaf. free is the first unused slot of statistics. h specialisations may be
// made from here on.
func (r *recursion) region(rows, stats []int32, free, h int, at place, fresh int) error {
	if r.work += len(rows) + r.layout.slots; r.work > contextEvery {
		r.work = 0
		if err := r.ctx.Err(); err != nil {
			return err
		}
	}
	if h <= 0 || at.depth >= r.longest || r.left == 0 || !r.specialisable() {
		return r.leaf(rows, at)
	}
	r.left--
	if whole := r.store; whole.size() >= r.compactFrom && len(rows) <= whole.size()/compactBelow {
		r.store = whole.compact(rows)
		defer func() { r.store = whole }()
	}
	for len(r.families) <= at.depth {
		r.families = append(r.families, new(family))
	}
	path := &r.families[at.depth].path // done with before the children's turn
	*path = *r.paths.at(at)
	// The cut point this region draws must be gone when its siblings are visited.
	if fresh >= 0 {
		point, cut := r.points[fresh], r.cuts[fresh]
		defer func() { r.points[fresh], r.cuts[fresh] = point, cut }()
	}
	if err := r.drawCutPoints(path, rows, stats, &at, fresh); err != nil {
		return err
	}
	dim, err := r.choose(path, stats)
	if err != nil {
		return err
	}
	if r.layout.axes[dim] == nil {
		return r.cut(rows, stats, free, h, at, path, dim)
	}
	return r.specialise(rows, stats, free, h, at, path, dim)
}

// specialisable reports whether any attribute of the current box has children (Definition 4.1).
func (r *recursion) specialisable() bool {
	for dim := range r.roots {
		if r.hasChildren(dim) {
			return true
		}
	}
	return false
}

func (r *recursion) hasChildren(dim int) bool {
	if r.layout.axes[dim] == nil {
		return r.builder.Width(dim) > 1
	}
	return len(r.below[dim][r.builder.Nodes[dim]].ends) > 0
}

// drawCutPoints draws the cut points that the current box does not have yet (line 9), and enters
// the rows below them into the statistics.
func (r *recursion) drawCutPoints(path *privacy.Path, rows, stats []int32, at *place,
	fresh int) error {
	for i, dim := range r.layout.numbers {
		if fresh != allFresh && fresh != i || r.builder.Width(dim) <= 1 {
			continue
		}
		r.frequency.out.Root = r.roots[dim]
		r.frequency.gather(r.layout, r.store, rows, dim, r.builder.Low[dim], r.builder.High[dim])
		f := &r.frequency.out
		point, err := r.cutPoints.Choose(path, r.step, f)
		if err != nil {
			return err
		}
		at.cutPoints++
		place, _ := slices.BinarySearch(r.layout.values[dim], point)
		r.points[i], r.cuts[i] = point, uint32(place)
		if stats == nil {
			continue
		}
		below := stats[r.layout.at[dim] : r.layout.at[dim]+r.layout.classes]
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

// choose scores the candidates, one for each attribute that has children (line 10), and selects one
// (line 11).
func (r *recursion) choose(path *privacy.Path, stats []int32) (dim int, err error) {
	r.open, r.scores = r.open[:0], r.scores[:0]
	classes := r.layout.classes
	number := 0
	for dim, axis := range r.layout.axes {
		i := number
		if axis == nil {
			number++
		}
		if !r.hasChildren(dim) {
			continue
		}
		r.open = append(r.open, dim)
		if stats == nil { // no rows: all candidates score the same
			r.scores = append(r.scores, 0)
			continue
		}
		if axis != nil {
			r.scores = append(r.scores, r.scoreNode(stats[r.layout.at[dim]:],
				&r.below[dim][r.builder.Nodes[dim]]))
			continue
		}
		r.fit(2 * classes)
		sides := r.children[:2*classes]
		copy(sides, stats[r.layout.at[dim]:r.layout.at[dim]+classes])
		for y := range classes {
			sides[classes+y] = stats[r.layout.total+y] - sides[y]
		}
		root := float64(r.roots[dim])
		r.penalties[0] = float64(r.points[i]-r.builder.Low[dim]) / root
		r.penalties[1] = float64(r.builder.High[dim]-r.points[i]) / root
		r.scores = append(r.scores, r.scorer.Score(sides, r.penalties[:]))
	}
	chosen, err := r.candidates.Choose(path, r.step, r.scores, nil)
	if err != nil {
		return 0, err
	}
	return r.open[chosen], nil
}

// scoreNode scores the specialisation of a taxonomy node. slots are its dimension's statistics.
func (r *recursion) scoreNode(slots []int32, n *nodeChildren) float64 {
	classes := r.layout.classes
	r.fit(len(n.ends) * classes)
	children := r.children[:len(n.ends)*classes]
	clear(children)
	from := n.start
	for c, end := range n.ends {
		counts := children[c*classes : (c+1)*classes]
		if classes == 2 { // the usual case, without the inner loop
			no, yes := int32(0), int32(0)
			for slot := from; slot < end; slot += 2 {
				no += slots[slot]
				yes += slots[slot+1]
			}
			counts[0], counts[1] = no, yes
		} else {
			for slot := from; slot < end; slot += classes {
				for y := range counts {
					counts[y] += slots[slot+y]
				}
			}
		}
		from = end
	}
	return r.scorer.Score(children, n.penalties)
}

func (r *recursion) fit(n int) {
	if len(r.children) < n {
		r.children = make([]int32, 2*n)
	}
}

// cut divides the current box in two at its cut point on a numeric dimension (line 12).
func (r *recursion) cut(rows, stats []int32, free, h int, at place, path *privacy.Path,
	dim int) error {
	i := slices.Index(r.layout.numbers, dim)
	f, free, err := r.divide(rows, stats, free, h, at, path, dim, 2, nil, r.cuts[i])
	if err != nil {
		return err
	}
	at.depth++
	return r.builder.Halve(dim, r.points[i], func() error {
		return r.region(rows[:f.sizes[0]], f.stats[0], free, f.given[0], at, i)
	}, func() error {
		return r.region(rows[f.sizes[0]:], f.stats[1], free, f.given[1], at, i)
	})
}

// specialise replaces the current box's node on a dimension by its children (line 12).
func (r *recursion) specialise(rows, stats []int32, free, h int, at place, path *privacy.Path,
	dim int) error {
	n := &r.below[dim][r.builder.Nodes[dim]]
	f, free, err := r.divide(rows, stats, free, h, at, path, dim, len(n.ends), n, 0)
	if err != nil {
		return err
	}
	at.depth++
	from := int32(0)
	return r.builder.Specialise(dim, func(c int) error {
		own := rows[from : from+f.sizes[c]]
		from += f.sizes[c]
		return r.region(own, f.stats[c], free, f.given[c], at, noneFresh)
	})
}

// divide sorts the rows by child, shares out the specialisations that are left (line 13) and
// prepares the statistics of the children that will be specialised. It returns the first slot of
// statistics that is still free.
func (r *recursion) divide(rows, stats []int32, free, h int, at place, path *privacy.Path, dim,
	children int, n *nodeChildren, cut uint32) (*family, int, error) {
	f := r.families[at.depth]
	if len(f.sizes) < children {
		f.sizes, f.given = make([]int32, children), make([]int, children)
		f.stats = make([][]int32, children)
	}
	sizes, given := f.sizes[:children], f.given[:children]
	clear(f.stats)
	r.store.divide(rows, &r.scratch, dim, n, cut, sizes)
	if err := r.shares.divide(path, r.step, h, sizes, given); err != nil {
		return nil, 0, err
	}
	at.depth++
	r.paths.put(at, path)
	if stats == nil || at.depth >= r.longest {
		return f, free, nil
	}
	largest, needed := 0, 0
	for c, n := range sizes {
		if n > sizes[largest] {
			largest = c
		}
		if given[c] > 0 {
			needed += int(n)
		}
	}
	// The largest child's statistics are the parent's without those of the others: often less to
	// read.
	inherit := given[largest] > 0 && len(rows)-int(sizes[largest]) < needed
	from := int32(0)
	for c, n := range sizes {
		own := rows[from : from+n]
		from += n
		switch {
		case n == 0 || inherit && c == largest || !inherit && given[c] <= 0:
		case given[c] <= 0:
			r.store.tally(own, r.cuts, stats, -1)
		default:
			f.stats[c] = r.slot(free)
			free++
			r.store.tally(own, r.cuts, f.stats[c], 1)
			if inherit {
				for i, n := range f.stats[c] {
					stats[i] -= n
				}
			}
		}
	}
	if inherit {
		f.stats[largest] = stats
	}
	return f, free, nil
}

// leaf makes the current box a leaf; its counts are published when all leaves are known.
func (r *recursion) leaf(rows []int32, at place) error {
	if n := r.builder.Room(r.done, r.rows); n > 0 {
		r.counts = slices.Grow(r.counts, n*r.layout.classes)
		r.places = slices.Grow(r.places, n)
	}
	r.done += len(rows)
	if _, _, err := r.builder.Leaf(); err != nil {
		return err
	}
	from := len(r.counts)
	for range r.layout.classes {
		r.counts = append(r.counts, 0)
	}
	r.store.classCounts(rows, r.counts[from:])
	r.places = append(r.places, at)
	return nil
}

// publish adds noise to the leaves' counts (line 21) and draws records.
func (r *recursion) publish(in algorithms.Input) (*algorithms.Release, error) {
	regions := r.builder.Regions()
	// Not what each leaf's own path has left: under dm one record moves the scores of regions that
	// it is not in (errata D3), so it also pays for levels below its leaf. The longest path has
	// paid for all levels.
	spent := 0.0
	for _, at := range r.places {
		spent = math.Max(spent, r.paths.at(at).Spent())
	}
	epsilon := r.epsilon - spent
	classes := r.layout.classes
	var path privacy.Path
	for leaf, at := range r.places {
		if leaf%(1<<14) == 1<<14-1 {
			if err := r.ctx.Err(); err != nil {
				return nil, err
			}
		}
		counts := regions.Count(leaf)
		for y, n := range r.counts[leaf*classes : (leaf+1)*classes] {
			counts[y] = float64(n)
		}
		path = *r.paths.at(at)
		if err := r.leaves.AddAll(&path, epsilon, counts); err != nil {
			return nil, err
		}
		for y, n := range counts {
			if r.variant == algorithms.RefCode {
				n = math.Ceil(n)
			}
			counts[y] = math.Max(0, math.Floor(n))
		}
	}
	release := &algorithms.Release{Regions: regions, Structure: r.builder.Structure()}
	schema := in.Table.Schema()
	draws, drawing := in.Noise.Open("records"), r.params.Drawing
	if err := partition.AddRecords(release, schema, regions.Counts, drawing, draws); err != nil {
		return nil, fmt.Errorf("diffmulti: %w", err)
	}
	if r.shares.rule == ByExact {
		release.Warnings = append(release.Warnings, "hprime: none shares out specialisations by"+
			" exact sizes: not private")
	}
	return release, nil
}

// paths holds what has been paid on the way to a region, by specialisations and cut points above
// it. Every draw costs ε′, so that regions with as many of both have paid the same.
type paths [][]*privacy.Path

func (p paths) at(where place) *privacy.Path { return p[where.depth][where.cutPoints] }

func (p *paths) put(where place, path *privacy.Path) {
	for len(*p) <= where.depth {
		*p = append(*p, nil)
	}
	row := &(*p)[where.depth]
	for len(*row) <= where.cutPoints {
		*row = append(*row, nil)
	}
	if at := &(*row)[where.cutPoints]; *at == nil {
		own := *path
		*at = &own
	}
}
