package c45

import (
	"context"
	"math"
	"slices"
	"sync"

	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/numeric/elementary"
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
	// fewCases bounds the table of estimated errors.
	fewCases = 64
	// maxTable bounds the table of x·log₂x.
	maxTable = 1 << 18
)

// feature is one attribute as the grower sees it: codes by position, ascending with the value when
// numeric.
type feature struct {
	attribute int
	numeric   bool
	few       bool      // numeric or of few values: its gain enters the average
	column    int       // its own or its bundle's
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
	links     int32 // index into grower.links: one for each branch
	pruned    bool  // already, and its cases are the same since
	// Errors of the subtree: on the training cases while growing, pessimistic once pruned.
	estimate    float64
	inseparable float64 // training errors that no test can save: cases equal in all but class
}

// tuning is what changes only the time that a fit takes, no tree; tests vary it.
type tuning struct {
	bundles bool // count two-valued features together, and merge cases that are equal but in class
	// nearCases is how many cases a node must come down to for them to be copied together: what
	// lies below is then close in memory. There must be scatter times as many altogether. On
	// 300,000 rows of Adult's width it takes a sixth of the time away.
	nearCases int
	// codesPerCase bounds how many codes a numeric feature may have for the cases of a node to be
	// tallied: reading a word of 64 marks takes about as long as sorting a fourth of a case.
	codesPerCase int
}

var tuned = tuning{bundles: true, nearCases: 1 << 13, codesPerCase: 256}

const scatter = 4

// problem is what a Fit begins with.
type problem struct {
	ctx       context.Context
	settings  settings
	tuning    tuning
	pessimism pessimism
	classes   int
	unit      float64 // what all sums of weights are counted in, settings.minCases too
	total     float64 // weight of all cases
	exactSums bool    // weights are whole numbers: sums are exact in any order
	features  []feature
	bundles   []*bundle
	columns   []codeColumn // what is counted, see tally
	largest   int          // arity of a feature
	anyFew    bool         // some feature is: those of many values are left out of the average
	xlog      []float64    // x·log₂x of small whole x
}

// cases are the training cases, row by row: see layOut.
type cases struct {
	codes []uint32
	// Words of a row, and the first of those behind its codes.
	stride, label int
	order         []int32 // each node's cases side by side
	// gathered holds copies of the cases in the order of the tree's leaves, of all nodes that
	// gather was called for; there order[i] is i. scattered says that the cases of the node being
	// grown are still in codes, far from each other.
	gathered  []uint32
	scattered bool
}

// grown is the tree so far.
type grown struct {
	nodes   []node
	weights []float64 // by node and class
	links   []int32   // to the nodes at branches, -1 for a branch without cases
}

// grower is the state of one Fit.
type grower struct {
	problem
	cases
	grown
	tallies
	scratch
}

// scratch is memory that is used again.
type scratch struct {
	counts    []float64    // code·classes + class
	sums      []uint64     // as the weights of a place
	bounds    []int32      // of branches
	bags      []int32      // of group
	spare     []int32      // of group, as long as order
	taken     []uint32     // the branch of each case
	newcomers []int32      // of prune
	keys      []uint64     // of scans by sorting
	steps     []codeWeight // of scans
	left      []float64    // one for each class
	tests     []test       // the valid ones of a node
	// estimates holds the pessimistic errors of small leaves by cases and errors; 0 if not known
	// yet.
	estimates [fewCases][fewCases]float64
}

// newGrower prepares the data.
func newGrower(ctx context.Context, settings settings, data classifiers.Data,
	tuning tuning) *grower {
	schema := data.Table.Schema()
	rows, labels, weights := data.Labels()
	unit, weights := common(weights)
	settings.minCases /= unit
	g := &grower{problem: problem{ctx: ctx, unit: unit, settings: settings, tuning: tuning,
		pessimism: newPessimism(settings.confidence), classes: schema.Classes(), largest: 2,
		xlog: tabled(), exactSums: wholeWeights(weights, len(rows))}}
	for i := range rows {
		g.total += weights.At(int32(i))
	}
	bundles := tuning.bundles && g.exactSums
	var columns [][]uint32
	codes, ones := make([]uint32, len(rows)), newBitmap(len(rows))
	for _, at := range classifiers.Features(schema) {
		f := newFeature(data.Table, at, rows, codes)
		f.few = f.numeric || float64(f.arity) < manyValues*g.total*g.unit
		g.anyFew = g.anyFew || f.few
		g.features = append(g.features, f)
		g.largest = max(g.largest, f.arity)
		if bundles && !f.numeric && f.arity == 2 {
			ones.set(codes)
			g.addToBundle(len(g.features)-1, ones, len(rows))
			continue // the codes' memory serves the next feature
		}
		g.features[len(g.features)-1].column = len(columns)
		columns = append(columns, codes)
		g.columns = append(g.columns,
			codeColumn{codes: f.arity, feature: len(g.features) - 1, numeric: f.numeric})
		codes = make([]uint32, len(rows))
	}
	g.candidates = newBitmap(len(g.features))
	for i := range g.features {
		g.candidates.add(i)
	}
	g.layOut(g.sealBundles(columns, len(rows)), labels, weights, bundles)
	// Generalised records need three nodes for four cases, others fewer. What grew would be copied.
	nodes := len(g.order)/5*4 + 1
	g.nodes, g.weights = make([]node, 0, nodes), make([]float64, 0, nodes*g.classes)
	g.links = make([]int32, 0, nodes)
	g.counts, g.left = make([]float64, g.largest*g.classes), make([]float64, g.classes)
	g.bounds, g.bags = make([]int32, g.largest+1), make([]int32, g.largest+1)
	return g
}

// newFeature writes a feature's codes to codes and describes it.
func newFeature(table *datasets.Table, at int, rows []int32, codes []uint32) feature {
	attribute := &table.Schema().Attributes[at]
	column := table.Column(at)
	column.Gather(rows, codes)
	f := feature{attribute: at, numeric: attribute.Kind == datasets.Numeric,
		arity: attribute.Cells()}
	if !f.numeric {
		return f
	}
	if attribute.Continuous {
		f.values = make([]float64, len(rows))
		for i, row := range rows {
			f.values[i] = orLast(table.Number(row, at))
		}
		exact := slices.Clone(f.values)
		f.values = distinct(f.values)
		for i, value := range exact {
			rank, _ := slices.BinarySearch(f.values, value)
			codes[i] = uint32(rank)
		}
	} else {
		f.cells = datasets.Ranks(codes)
		f.values = make([]float64, len(f.cells))
		for rank, cell := range f.cells {
			f.values[rank] = orLast(attribute.Number(cell))
		}
	}
	f.arity = len(f.values)
	return f
}

// orLast is a number or, for a missing one, infinity: a threshold, which is always a number that
// occurs, may set missing ones apart, and none lies above another number for their sake.
func orLast(number float64) float64 {
	if number != number {
		return math.Inf(1)
	}
	return number
}

// distinct sorts values in place and drops repetitions.
func distinct(values []float64) []float64 {
	slices.Sort(values)
	return slices.Compact(values)
}

// tabled is x·log₂x of whole x up to maxTable.
var tabled = sync.OnceValue(func() []float64 {
	table := make([]float64, maxTable+1)
	for x := 2; x < len(table); x++ {
		table[x] = float64(float64(x) * elementary.Log2(float64(x)))
	}
	return table
})

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
	at := int32(len(g.nodes))
	g.nodes = append(g.nodes, node{feature: -1, low: int32(low), high: int32(high)})
	g.weights = append(g.weights, make([]float64, g.classes)...)
	n := &g.nodes[at]
	n.inseparable = g.sumWeights(g.distribution(at), g.order[low:high])
	_, n.estimate = wrong(g.distribution(at))
	return at
}

// sumWeights writes the weight of each class over the given cases to dst. It returns the weight
// that any tree gets wrong: that of the lesser class of each case that has two.
func (g *grower) sumWeights(dst []float64, cases []int32) (floor float64) {
	clear(dst)
	if !g.exactSums {
		for _, i := range cases {
			g.add(dst, i)
		}
		return 0
	}
	codes, stride, label := g.codes, g.stride, g.label
	clear(g.sums)
	lesser := uint64(0)
	for _, i := range cases {
		row := codes[int(i)*stride+label:][:3]
		g.sums[row[0]] += uint64(row[1]) | uint64(row[2])<<32
		lesser += uint64(min(row[1], row[2]))
	}
	unpack(dst, g.sums)
	return float64(lesser)
}

// distribution is the weight of each class at a node.
func (g *grower) distribution(at int32) []float64 {
	from := int(at) * g.classes
	return g.weights[from : from+g.classes : from+g.classes]
}

// below are the nodes at the branches of a test, -1 for a branch without cases.
func (g *grower) below(at int32) []int32 {
	n := &g.nodes[at]
	if n.feature < 0 {
		return nil
	}
	return g.links[n.links:][:g.features[n.feature].branches()]
}

// wrong returns the weight of a distribution, and the part of it outside the majority class.
func wrong(distribution []float64) (cases, errors float64) {
	most := 0.0
	for _, w := range distribution {
		cases += w
		most = max(most, w)
	}
	return cases, cases - most
}

// gather copies the cases order[low:high] together and renumbers them.
func (g *grower) gather(low, high int) {
	if g.gathered == nil {
		g.gathered = make([]uint32, len(g.codes))
	}
	for at := low; at < high; at++ {
		copy(g.gathered[at*g.stride:][:g.stride], g.row(g.order[at]))
		g.order[at] = int32(at)
	}
}

// growTree grows the whole tree and returns its root. If cases were gathered, all have been in the
// end, and codes then is the copy.
func (g *grower) growTree() (int32, error) {
	g.scattered = len(g.order) >= g.tuning.nearCases*scatter
	root := g.leaf(0, len(g.order))
	if g.exactSums {
		g.tallyRoot()
	}
	err := g.grow(root, 0)
	if g.gathered != nil {
		g.codes = g.gathered
	}
	return root, err
}

// grow builds the tree below a leaf, unless it stays one. With whole weights, the tally at the
// depth must hold the leaf's cases if a test may be worth it, and is empty afterwards.
func (g *grower) grow(at int32, depth int) error {
	low, high := int(g.nodes[at].low), int(g.nodes[at].high)
	if !g.scattered || high-low > g.tuning.nearCases {
		return g.growHere(at, depth)
	}
	g.gather(low, high)
	g.codes, g.gathered, g.scattered = g.gathered, g.codes, false
	err := g.growHere(at, depth)
	g.codes, g.gathered, g.scattered = g.gathered, g.codes, true
	return err
}

// growHere is grow without gathering cases first.
func (g *grower) growHere(at int32, depth int) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	low, high := int(g.nodes[at].low), int(g.nodes[at].high)
	g.nodeTally = g.tallyAt(depth)
	feature, cut := g.choose(at)
	if feature < 0 {
		if g.scattered {
			g.gather(low, high)
		}
		g.clearAll(g.tallyAt(depth))
		return nil
	}
	bounds := g.partition(feature, cut, low, high)
	nodes, branches := len(g.nodes), len(g.links)
	largest := g.addLeaves(bounds)
	width := len(bounds) - 1
	if err := g.growBranches(branches, width, largest, depth); err != nil {
		return err
	}
	errorsBelow := 0.0
	for _, child := range g.links[branches:][:width] {
		if child >= 0 {
			errorsBelow += g.nodes[child].estimate
		}
	}
	n := &g.nodes[at]
	if errorsBelow >= n.estimate-collapseSlack/g.unit {
		// The tests save no training error: it stays a leaf.
		g.nodes, g.weights = g.nodes[:nodes], g.weights[:nodes*g.classes]
		g.links = g.links[:branches]
		return nil
	}
	n.feature, n.cut, n.links, n.estimate = int32(feature), cut, int32(branches), errorsBelow
	return nil
}

// addLeaves adds a leaf for each branch that has cases, and returns the branch with most of them.
func (g *grower) addLeaves(bounds []int32) (largest int) {
	for branch := range len(bounds) - 1 {
		low, high := bounds[branch], bounds[branch+1]
		if high-low > bounds[largest+1]-bounds[largest] {
			largest = branch
		}
		child := int32(-1)
		if low < high {
			child = g.leaf(int(low), int(high))
		}
		g.links = append(g.links, child)
	}
	return largest
}

// growBranches grows the children at some of the links. The largest comes last: the others are
// subtracted from the parent's tally, which is at depth, and what is left is the tally of the
// largest.
func (g *grower) growBranches(first, branches, largest, depth int) error {
	t := g.tallyAt(depth)
	most := g.links[first+largest]
	rest := g.exactSums && g.worthTesting(most)
	for branch := first; branch < first+branches; branch++ {
		child := g.links[branch]
		if child < 0 || child == most {
			continue
		}
		cases := g.order[g.nodes[child].low:g.nodes[child].high]
		if g.exactSums && g.worthTesting(child) {
			small := g.tallyAt(depth + 1)
			small.columns = append(small.columns, t.columns...)
			g.include(small, cases)
			if rest {
				g.subtract(t, small)
			}
		} else if rest {
			g.exclude(t, cases)
		}
		if err := g.grow(child, depth+1); err != nil {
			return err
		}
	}
	if !rest {
		g.clearAll(t)
	}
	return g.grow(most, depth)
}

// branches is the number of branches of a test on a feature.
func (f *feature) branches() int {
	if f.numeric {
		return 2
	}
	return f.arity
}

// partition groups order[low:high] by branch, keeping the order within each, and returns the
// branches' bounds in order, until it is called again.
func (g *grower) partition(feature int, cut uint32, low, high int) []int32 {
	f := &g.features[feature]
	bounds := g.bounds[:f.branches()+1]
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
	if len(g.taken) < len(cases) {
		g.taken = make([]uint32, len(cases))
	}
	taken := g.taken[:len(cases)]
	for n, i := range cases { // a nominal feature outside of bundles: its codes are the branches
		taken[n] = g.code(f.column, i)
		bounds[taken[n]+1]++
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
// to the ends of both sides, and the end of the side it belongs to moves on: no branch to predict.
func (g *grower) halve(f *feature, cut uint32, cases, spare []int32) int32 {
	spare = spare[:len(cases)]
	codes, stride, first := g.codes[f.column:], g.stride, uint32(g.columns[f.column].first)
	left, right := 0, 0
	if f.bundle != nil {
		value := f.value
		for _, i := range cases {
			taken := int(value[codes[int(i)*stride]-first])
			cases[left], spare[right] = i, i
			left, right = left+1-taken, right+taken
		}
	} else {
		if !f.numeric {
			cut = 0
		}
		most := first + cut
		for _, i := range cases {
			taken := 0
			if codes[int(i)*stride] > most {
				taken = 1
			}
			cases[left], spare[right] = i, i
			left, right = left+1-taken, right+taken
		}
	}
	copy(cases[left:], spare[:right])
	return int32(left)
}
