package c45

import (
	"context"
	"slices"

	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/elementary"
)

const (
	// epsilon is the difference below which two criteria count as equal (Quinlan's program and J48
	// use the same order of magnitude): rounding then decides no test, the order of the attributes
	// does.
	epsilon = 1e-6
	// averageSlack lets tests just below the average gain compete; without it a single candidate
	// could fall below its own average by rounding.
	averageSlack = 1e-3
	// collapseSlack is how many training errors a subtree must save to be kept.
	collapseSlack = 1e-3
	// manyValues is the fraction of all cases from which on a nominal attribute has too many values
	// for its gain to enter the average.
	manyValues = 0.3
	// Branches of a numeric test hold at least a tenth of the node's cases per class, between the
	// minimum of cases and this.
	mostNumericCases = 25
	// maxTable bounds the table of x·log₂x.
	maxTable = 1 << 16
)

// feature is one attribute as the grower sees it: codes by position, ascending with the value when
// numeric.
type feature struct {
	attribute int
	numeric   bool
	column    int       // outside of bundles
	bundle    *bundle   // nil for none
	value     []uint8   // in a bundle: the code at each joint code
	ones      bitmap    // in a bundle: the joint codes at which the code is 1
	arity     int       // codes are below it
	values    []float64 // numeric: the distinct training values; the code is the rank
	cells     []uint32  // numeric, not continuous: the cells of those values
}

// node is a leaf or a test. The training cases of a node are order[low:high].
type node struct {
	feature   int32 // -1 for a leaf
	cut       uint32
	low, high int32
	weights   int     // index into grower.weights: one for each class
	children  []int32 // one for each branch, -1 for a branch without cases
	// Errors of the subtree: on the training cases while growing, pessimistic once pruned.
	estimate float64
}

// cases are what is known of the training cases.
type cases struct {
	codes  []uint32 // row by row, at position·stride + column: from the column's first on
	labels []uint32
	weight []float64 // by position; nil for 1 each
}

// grower holds the state of one Fit.
type grower struct {
	cases
	ctx       context.Context
	settings  Classifier
	pessimism pessimism
	classes   int
	total     float64 // weight of all cases

	features []feature
	bundles  []*bundle
	stride   int
	order    []int32

	// Copies of the cases in the order of the tree's leaves: those of nodes that gather has had, in
	// which order[i] is i. far says that the cases of the node that grows are not close in memory.
	near      cases
	nearCases int
	far       bool

	nodes   []node
	weights []float64

	xlog    []float64 // x·log₂x of small whole x
	whole   bool      // all weights are whole numbers: sums are exact in any order
	counts  []float64 // scratch: code·classes + class
	columns []codeColumn
	tallied []int32 // the columns counted at this node
	// The counts and marks of all columns.
	placeCounts []float64
	placeMarks  []uint64
	bags        []int32   // scratch of partition
	spare       []int32   // scratch of partition, as long as order
	taken       []uint32  // scratch of partition: the branch of each case
	keys        []uint64  // scratch of scans by sorting
	left        []float64 // scratch: one for each class
	tests       []test    // scratch: one for each feature
	largest     int       // arity
}

// newGrower prepares the data. Bundles change no tree, only the time it takes; tests go without to
// show it.
func newGrower(ctx context.Context, settings Classifier, data classifiers.Data,
	bundles bool) *grower {
	schema := data.Table.Schema()
	rows, labels, weights := data.Labels()
	g := &grower{
		ctx: ctx, settings: settings, pessimism: newPessimism(settings.Confidence),
		classes: schema.Classes(), cases: cases{labels: labels, weight: weights},
		order: make([]int32, len(rows)), spare: make([]int32, len(rows)),
		taken: make([]uint32, len(rows)), nearCases: nearCases,
	}
	for i := range g.order {
		g.order[i] = int32(i)
	}
	g.total = float64(len(rows))
	if weights != nil {
		g.total = 0
		for _, w := range weights {
			g.total += w
		}
	}
	g.largest = 2
	g.whole = whole(weights)
	bundles = bundles && g.whole
	var columns [][]uint32
	codes := make([]uint32, len(rows))
	for _, at := range classifiers.Features(schema) {
		f := newFeature(data.Table, at, rows, codes)
		g.features = append(g.features, f)
		g.largest = max(g.largest, f.arity)
		if bundles && !f.numeric && f.arity == 2 {
			g.join(len(g.features)-1, codes)
			continue // the codes' memory serves the next feature
		}
		g.features[len(g.features)-1].column = len(columns)
		columns = append(columns, codes)
		g.columns = append(g.columns, codeColumn{codes: f.arity})
		codes = make([]uint32, len(rows))
	}
	g.lay(g.seal(columns))
	g.counts = make([]float64, g.largest*g.classes)
	g.bags = make([]int32, g.largest+1)
	g.left = make([]float64, g.classes)
	g.tests = make([]test, len(g.features))
	g.xlog = make([]float64, min(len(rows), maxTable)+1)
	for x := 2; x < len(g.xlog); x++ {
		g.xlog[x] = float64(float64(x) * elementary.Log2(float64(x)))
	}
	return g
}

// newFeature writes a feature's codes to codes and describes it.
func newFeature(table *datasets.Table, at int, rows []int32, codes []uint32) feature {
	attribute := &table.Schema().Attributes[at]
	column := table.Column(at)
	classifiers.Codes(codes, column, rows)
	f := feature{attribute: at, numeric: attribute.Kind == datasets.Numeric,
		arity: attribute.Cells()}
	if !f.numeric {
		return f
	}
	if attribute.Continuous {
		f.values = make([]float64, len(rows))
		for i, row := range rows {
			f.values[i] = table.Number(row, at)
		}
		exact := slices.Clone(f.values)
		f.values = distinct(f.values)
		for i, value := range exact {
			rank, _ := slices.BinarySearch(f.values, value)
			codes[i] = uint32(rank)
		}
	} else {
		f.cells = ranks(codes, attribute.Cells())
		f.values = make([]float64, len(f.cells))
		for rank, cell := range f.cells {
			f.values[rank] = attribute.Number(cell)
		}
	}
	f.arity = len(f.values)
	return f
}

// cellsPerCase bounds how many cells a numeric attribute may have for its cases: walking them all
// then costs less than sorting the cases.
const cellsPerCase = 8

// ranks replaces cells, below the given number, by their ranks among those that occur, which it
// returns in ascending order.
func ranks(codes []uint32, cells int) []uint32 {
	if cells > cellsPerCase*len(codes) {
		occurring := distinct(slices.Clone(codes))
		for i, cell := range codes {
			rank, _ := slices.BinarySearch(occurring, cell)
			codes[i] = uint32(rank)
		}
		return occurring
	}
	rank := make([]uint32, cells) // 1 where a cell occurs, then its rank
	for _, cell := range codes {
		rank[cell] = 1
	}
	var occurring []uint32
	for cell, occurs := range rank {
		if occurs == 1 {
			rank[cell] = uint32(len(occurring))
			occurring = append(occurring, uint32(cell))
		}
	}
	for i, cell := range codes {
		codes[i] = rank[cell]
	}
	return occurring
}

// distinct sorts values in place and drops repetitions.
func distinct[T float64 | uint32](values []T) []T {
	slices.Sort(values)
	return slices.Compact(values)
}

// log2 is x·log₂x, 0 at 0.
func (g *grower) log2(x float64) float64 {
	if i := int(x); i >= 0 && i < len(g.xlog) && float64(i) == x {
		return g.xlog[i]
	}
	if x <= 0 {
		return 0
	}
	return float64(x * elementary.Log2(x))
}

// leaf adds a node without a test over order[low:high].
func (g *grower) leaf(low, high int) int32 {
	at := len(g.weights)
	for range g.classes {
		g.weights = append(g.weights, 0)
	}
	g.nodes = append(g.nodes, node{feature: -1, low: int32(low), high: int32(high), weights: at})
	g.weigh(g.weights[at:], g.order[low:high])
	n := &g.nodes[len(g.nodes)-1]
	_, n.estimate = wrong(g.weights[at:])
	return int32(len(g.nodes) - 1)
}

// weigh adds up the weight of each class over the given cases.
func (g *grower) weigh(dst []float64, cases []int32) {
	clear(dst)
	if g.weight == nil {
		for _, i := range cases {
			dst[g.labels[i]]++
		}
		return
	}
	for _, i := range cases {
		dst[g.labels[i]] += g.weight[i]
	}
}

// distribution is the weight of each class at a node.
func (g *grower) distribution(at int32) []float64 {
	from := g.nodes[at].weights
	return g.weights[from : from+g.classes : from+g.classes]
}

// wrong is the weight that the majority class does not account for.
func wrong(distribution []float64) (cases, errors float64) {
	most := 0.0
	for _, w := range distribution {
		cases += w
		most = max(most, w)
	}
	return cases, cases - most
}

// nearCases is how many cases a node must come down to for them to be copied together: what lies
// below is then close in memory. There must be scatter times as many altogether.
const (
	nearCases = 1 << 13
	scatter   = 4
)

// gather copies the cases order[low:high] together and renumbers them.
func (g *grower) gather(low, high int) {
	if g.near.labels == nil {
		g.near = cases{codes: make([]uint32, len(g.codes)), labels: make([]uint32, len(g.labels))}
		if g.weight != nil {
			g.near.weight = make([]float64, len(g.weight))
		}
	}
	for at := low; at < high; at++ {
		i := int(g.order[at])
		copy(g.near.codes[at*g.stride:][:g.stride], g.codes[i*g.stride:][:g.stride])
		g.near.labels[at] = g.labels[i]
		if g.weight != nil {
			g.near.weight[at] = g.weight[i]
		}
		g.order[at] = int32(at)
	}
}

// plant grows the whole tree. Afterwards all cases are where gather has put them, if it has.
func (g *grower) plant() (int32, error) {
	g.far = len(g.order) >= g.nearCases*scatter
	root, err := g.grow(0, len(g.order))
	if g.near.labels != nil {
		g.cases = g.near
	}
	return root, err
}

// grow builds the tree over order[low:high] and returns its root.
func (g *grower) grow(low, high int) (int32, error) {
	if !g.far || high-low > g.nearCases {
		return g.extend(low, high)
	}
	g.gather(low, high)
	g.cases, g.near, g.far = g.near, g.cases, false
	at, err := g.extend(low, high)
	g.cases, g.near, g.far = g.near, g.cases, true
	return at, err
}

// extend is grow where the cases are.
func (g *grower) extend(low, high int) (int32, error) {
	if err := g.ctx.Err(); err != nil {
		return -1, err
	}
	at := g.leaf(low, high)
	feature, cut := g.choose(at)
	if feature < 0 {
		if g.far {
			g.gather(low, high)
		}
		return at, nil
	}
	bounds := g.partition(feature, cut, low, high)
	children := make([]int32, len(bounds)-1)
	errorsBelow := 0.0
	for branch := range children {
		children[branch] = -1
		if bounds[branch] == bounds[branch+1] {
			continue
		}
		child, err := g.grow(int(bounds[branch]), int(bounds[branch+1]))
		if err != nil {
			return -1, err
		}
		children[branch] = child
		errorsBelow += g.nodes[child].estimate
	}
	n := &g.nodes[at]
	if errorsBelow >= n.estimate-collapseSlack {
		// The tests save no training error: it stays a leaf, and the nodes below are never reached.
		return at, nil
	}
	n.feature, n.cut, n.children, n.estimate = int32(feature), cut, children, errorsBelow
	return at, nil
}

// branches is the number of branches of a test on a feature.
func (f *feature) branches() int {
	if f.numeric {
		return 2
	}
	return f.arity
}

// branch writes the branch that each case takes.
func (g *grower) branch(f *feature, dst []uint32, cases []int32, cut uint32) {
	switch {
	case f.bundle != nil:
		for n, i := range cases {
			dst[n] = uint32(f.value[g.code(f.bundle.column, i)])
		}
	case f.numeric:
		for n, i := range cases {
			dst[n] = 0
			if g.code(f.column, i) > cut {
				dst[n] = 1
			}
		}
	default:
		for n, i := range cases {
			dst[n] = g.code(f.column, i)
		}
	}
}

// partition groups order[low:high] by branch, keeping the order within each, and returns the
// branches' bounds in order.
func (g *grower) partition(feature int, cut uint32, low, high int) []int32 {
	f := &g.features[feature]
	bounds := make([]int32, f.branches()+1)
	g.group(f, cut, g.order[low:high], g.spare[low:high], bounds)
	for i := range bounds {
		bounds[i] += int32(low)
	}
	return bounds
}

// group sorts cases by branch and writes the branches' bounds, relative to the slice.
func (g *grower) group(f *feature, cut uint32, cases, spare, bounds []int32) {
	if len(bounds) == 3 {
		bounds[0], bounds[1], bounds[2] = 0, g.halve(f, cut, cases, spare), int32(len(cases))
		return
	}
	clear(bounds)
	taken := g.taken[:len(cases)]
	g.branch(f, taken, cases, cut)
	for _, b := range taken {
		bounds[b+1]++
	}
	next := g.bags[:len(bounds)]
	next[0] = 0
	for b := 1; b < len(bounds); b++ {
		bounds[b] += bounds[b-1]
		next[b] = bounds[b]
	}
	for n, i := range cases {
		b := taken[n]
		spare[next[b]] = i
		next[b]++
	}
	copy(cases, spare)
}

// halve is group for two branches; it returns how many cases take the first. Every case is written
// to both sides, and one of the two moves on.
func (g *grower) halve(f *feature, cut uint32, cases, spare []int32) int32 {
	spare = spare[:len(cases)]
	left, right := 0, 0
	if f.bundle != nil {
		for _, i := range cases {
			taken := int(f.value[g.code(f.bundle.column, i)])
			cases[left], spare[right] = i, i
			left, right = left+1-taken, right+taken
		}
	} else {
		if !f.numeric {
			cut = 0
		}
		for _, i := range cases {
			taken := 0
			if g.code(f.column, i) > cut {
				taken = 1
			}
			cases[left], spare[right] = i, i
			left, right = left+1-taken, right+taken
		}
	}
	copy(cases[left:], spare[:right])
	return int32(left)
}
