// Package forest holds random forests: "forest" (Breiman, Random Forests, Machine Learning 2001). A
// tree is grown on a resample of the records until its leaves are pure; at each node the test of
// the lowest Gini impurity over √d features drawn at random is taken, d of them all, and a forest
// gives the mean of its trees' class shares. The settings are scikit-learn's defaults. It leaves
// out estimates from the records that a resample omits, and every choice of settings by looking at
// data.
//
// A resample gives each record of weight w a weight drawn from Poisson(w), as Oza & Russell (Online
// Bagging and Boosting, AISTATS 2001) do: the multinomial draw of the paper has nearly that law,
// and no meaning for weights that are no whole numbers.
//
// A categorical attribute is divided where its values, in the order of the share that the node's
// most frequent class has among them, are: for two classes the best division of all (Breiman et
// al., Classification and Regression Trees, 1984, section 4.2.2).
package forest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/bins"
	"ppdp/classifiers/internal/equal"
	"ppdp/datasets"
	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
)

func init() { classifiers.Register(Classifier{}) }

const defaultTrees = 100

// Classifier is a random forest. Trees is how many trees it has; 0 stands for defaultTrees.
type Classifier struct{ Trees int }

func (c Classifier) Info() classifiers.Info {
	return classifiers.Info{Name: "forest", Title: "Random forest", Revision: 1,
		Source: fmt.Sprintf("Breiman 2001; %d trees", cmp.Or(c.Trees, defaultTrees))}
}

// Fit grows the trees, each from a stream of random numbers of its own.
func (c Classifier) Fit(ctx context.Context, data classifiers.Data) (classifiers.Model, error) {
	if err := data.Check(ctx); err != nil {
		return nil, err
	}
	c.Trees = cmp.Or(c.Trees, defaultTrees)
	g := newGrower(data)
	m := &model{features: g.matrix.Features, classes: g.classes}
	for t := range c.Trees {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// The draws are part of the method, not of the experiment: they depend on nothing else.
		grown := g.grow(random.NewKey(uint64(t)).Derive("forest").Stream())
		m.trees = append(m.trees, bins.NewTree(grown.nodes))
		m.leaves = append(m.leaves, grown.leaves)
	}
	return m, nil
}

// grower grows one tree after the other over the same records.
type grower struct {
	matrix  *bins.Matrix
	labels  []uint32
	weights []float64 // of distinct records
	classes int
	tries   int // features drawn at a node

	none   []float64 // the chance that a resample omits a record
	drawn  []int64   // weights of the resample
	index  []int32   // records, those of a node side by side
	spare  []int32
	counts []int64  // of the node, by class
	left   []int64  // of the side of the division under test, by class
	tally  []int64  // of the feature under test, class by class within a bin
	filled bins.Set // bins of it that are not empty
	order  []int    // features, in the order drawn
}

// newGrower merges records that fall into the same bins and have one label, in an order that does
// not depend on that of the rows.
func newGrower(data classifiers.Data) *grower {
	rows, labels, given := data.Labels()
	units, _, unit := bins.Units(given, len(rows))
	schema := data.Table.Schema()
	g := &grower{matrix: bins.New(data.Table, rows, units, classifiers.Features(schema)),
		classes: schema.Classes()}
	columns := g.matrix.Columns
	groups := equal.Groups(len(rows), func(a, b int32) int {
		for _, column := range columns {
			if d := int(column[a]) - int(column[b]); d != 0 {
				return d
			}
		}
		return int(labels[a]) - int(labels[b])
	}, nil)
	for f, column := range columns {
		columns[f] = make([]uint8, len(groups))
		for i, group := range groups {
			columns[f][i] = column[group[0]]
		}
	}
	for _, group := range groups {
		total := int64(0)
		for _, row := range group {
			total += units[row]
		}
		g.labels = append(g.labels, labels[group[0]])
		weight := float64(total) * unit
		g.weights = append(g.weights, weight)
		g.none = append(g.none, elementary.Exp(-weight))
	}
	g.tries = max(1, int(math.Sqrt(float64(len(columns)))))
	g.drawn, g.spare = make([]int64, len(groups)), make([]int32, len(groups))
	g.tally = make([]int64, (bins.Most+1)*g.classes)
	g.counts, g.left = make([]int64, g.classes), make([]int64, g.classes)
	for f := range columns {
		g.order = append(g.order, f)
	}
	return g
}

// tree is nodes and what leaves say.
type tree struct {
	nodes []bins.Node
	leaves
}

// leaves are those of one tree. Most are pure.
type leaves struct {
	of     []int32   // the class of a pure leaf, or ^i of one whose class shares begin at shares[i]
	shares []float64 // class by class
}

func (g *grower) grow(stream *random.Stream) tree {
	g.index = g.index[:0]
	for i, w := range g.weights {
		if g.drawn[i] = poisson(stream, w, g.none[i]); g.drawn[i] > 0 {
			g.index = append(g.index, int32(i))
		}
	}
	if len(g.index) == 0 { // so few that none was drawn
		for i := range g.drawn {
			g.drawn[i] = 1
			g.index = append(g.index, int32(i))
		}
	}
	t := tree{nodes: make([]bins.Node, 1)}
	g.node(&t, 0, 0, len(g.index), stream)
	return t
}

// leaf makes node at the next leaf.
func (t *tree) leaf(at, says int32) {
	t.nodes[at].Leaf = int32(len(t.of))
	t.of = append(t.of, says)
}

// node fills in node at of a tree from records index[from:to].
func (g *grower) node(t *tree, at int32, from, to int, stream *random.Stream) {
	counts := g.counts
	clear(counts)
	for _, i := range g.index[from:to] {
		counts[g.labels[i]] += g.drawn[i]
	}
	total, most := int64(0), 0
	for class, n := range counts {
		total += n
		if n > counts[most] {
			most = class
		}
	}
	if counts[most] == total {
		t.leaf(at, int32(most))
		return
	}
	best := g.best(g.index[from:to], total, most, stream)
	if !best.found {
		t.leaf(at, int32(^len(t.shares)))
		for _, n := range counts {
			t.shares = append(t.shares, float64(n)/float64(total))
		}
		return
	}
	middle := from + bins.Divide(g.index[from:to], g.spare, g.matrix.Columns[best.feature],
		&best.left)
	next := int32(len(t.nodes))
	t.nodes = append(t.nodes, bins.Node{}, bins.Node{})
	t.nodes[at] = bins.Node{Feature: int32(best.feature), Next: next, Left: best.left}
	g.node(t, next, from, middle, stream)
	g.node(t, next+1, middle, to, stream)
}

// division is a test of a node: the bins that go left.
type division struct {
	found   bool
	feature int
	left    bins.Set
	purity  float64 // the sum over sides of Σ n²/Σ n, which the lowest impurity makes largest
}

// best draws features until enough were tried and one of them divides the records.
func (g *grower) best(rows []int32, total int64, most int,
	stream *random.Stream) (best division) {
	for drawn := range g.order {
		if drawn >= g.tries && best.found {
			break
		}
		other := drawn + int(stream.Uint32N(uint32(len(g.order)-drawn)))
		g.order[drawn], g.order[other] = g.order[other], g.order[drawn]
		g.try(g.order[drawn], rows, total, most, &best)
	}
	return best
}

// try counts a feature's bins and looks for a better division by them.
func (g *grower) try(feature int, rows []int32, total int64, most int, best *division) {
	column, k := g.matrix.Columns[feature], g.classes
	for _, i := range rows {
		bin := column[i]
		g.filled.Add(bin)
		g.tally[int(bin)*k+int(g.labels[i])] += g.drawn[i]
	}
	var room [bins.Most + 1]uint8
	order := g.filled.Append(room[:0])
	of := func(bin uint8) []int64 { return g.tally[int(bin)*k : (int(bin)+1)*k] }
	if g.matrix.Features[feature].Categorical && len(order) > 2 {
		var shares [bins.Most + 1]float64
		for _, bin := range order {
			sum := int64(0)
			for _, n := range of(bin) {
				sum += n
			}
			shares[bin] = float64(of(bin)[most]) / float64(sum)
		}
		slices.SortStableFunc(order,
			func(a, b uint8) int { return cmp.Compare(shares[a], shares[b]) })
	}
	left, weight, cut, heavier := g.left, int64(0), -1, false
	clear(left)
	inside, outside := 0.0, 0.0 // Σ n² of either side
	for _, n := range g.counts {
		outside += float64(float64(n) * float64(n))
	}
	for i := range max(1, len(order)) - 1 {
		for class, n := range of(order[i]) {
			if n == 0 {
				continue
			}
			before := left[class]
			left[class] += n
			weight += n
			// (b+n)² - b² = n(b+left), and of the other side likewise: exact below 2⁵³.
			inside += float64(float64(n) * float64(before+left[class]))
			outside -= float64(float64(n) * float64(2*g.counts[class]-before-left[class]))
		}
		purity := inside/float64(weight) + outside/float64(total-weight)
		if !best.found || purity > best.purity {
			best.found, best.purity, cut, heavier = true, purity, i, weight > total/2
		}
	}
	if cut >= 0 {
		best.feature = feature
		best.left = g.side(order, cut, heavier, feature)
	}
	for _, bin := range order {
		clear(of(bin))
	}
	g.filled = bins.Set{}
}

// side is the set of bins that go left. Numbers between two bins go with the lower one; values that
// the node has not seen go to the heavier side.
func (g *grower) side(order []uint8, cut int, leftIsHeavier bool, feature int) (left bins.Set) {
	f := &g.matrix.Features[feature]
	if !f.Categorical {
		return bins.Below(int(order[cut]) + 1)
	}
	if leftIsHeavier {
		left = bins.Below(f.Bins)
		for i := range left {
			left[i] &^= g.filled[i]
		}
	}
	for _, bin := range order[:cut+1] {
		left.Add(bin)
	}
	return left
}

// large is the mean above which a Poisson number is a rounded normal one of the same variance.
// Means of real records are far below it; only weights that stand for many records exceed it.
const large = 500

// poisson draws a number with the given mean; p is the chance exp(-mean) of 0.
func poisson(stream *random.Stream, mean, p float64) int64 {
	if mean > large {
		x := mean + float64(math.Sqrt(mean)*stream.NormFloat64())
		return int64(max(0, math.Round(min(x, 1<<40))))
	}
	// The distribution function is passed by inversion.
	u, k := stream.Open01(), int64(0)
	for u > p && k < 10*large {
		u -= p
		k++
		p = float64(p * mean / float64(k))
	}
	return k
}

// model is the trees. It is safe for concurrent use.
type model struct {
	classes  int // of the schema
	features []bins.Feature
	trees    []bins.Tree
	leaves   []leaves // of each tree
}

// Predict writes the class of the largest probability, the first of equals.
func (m *model) Predict(dst []uint32, table *datasets.Table, rows []int32) {
	m.Sure(dst, nil, table, rows)
}

// Probabilities writes the probability of each class of the schema, row by row.
func (m *model) Probabilities(dst []float64, table *datasets.Table, rows []int32) {
	m.Sure(nil, dst, table, rows)
}

// Sure does what both do, from the sums of each row's class shares over all trees.
func (m *model) Sure(classes []uint32, probabilities []float64, table *datasets.Table,
	rows []int32) {
	sums := make([]float64, m.classes*bins.Block)
	bins.Walk(m.features, m.trees, table, rows, func(tree int, at []int32) {
		says := &m.leaves[tree]
		for i, leaf := range at {
			of := sums[i*m.classes : (i+1)*m.classes]
			class := says.of[leaf]
			if class >= 0 {
				of[class]++
				continue
			}
			for class, share := range says.shares[^class:][:m.classes] {
				of[class] += share
			}
		}
	}, func(from, n int) {
		for i := range n {
			of := sums[i*m.classes : (i+1)*m.classes]
			if classes != nil {
				classes[from+i] = uint32(classifiers.Majority(of))
			}
			if probabilities != nil {
				for class, sum := range of {
					probabilities[(from+i)*m.classes+class] = sum / float64(len(m.trees))
				}
			}
		}
		clear(sums)
	})
}
