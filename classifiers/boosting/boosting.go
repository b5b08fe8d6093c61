// Package boosting holds gradient-boosted trees for classes: "boosting". Each tree is a step
// against the gradient of the log loss (Friedman, Greedy Function Approximation: A Gradient
// Boosting Machine, Annals of Statistics 2001), grown leaf by leaf from histograms with Newton's
// leaf values (Ke et al., LightGBM: A Highly Efficient Gradient Boosting Decision Tree, NIPS 2017).
// The settings are the defaults of scikit-learn's HistGradientBoostingClassifier, without early
// stopping. It leaves out missing values, subsampling and every choice of settings by looking at
// data.
//
// Gradients and weights are whole numbers (package bins), so that their sums do not depend on the
// order of rows, and a row of weight w counts like w rows.
//
// A categorical attribute is divided where its values, in the order of their gradient over
// curvature, are (Fisher, On Grouping for Maximum Homogeneity, JASA 1958). Values of little weight
// stay together, with those that a node has not seen.
package boosting

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/bins"
	"ppdp/datasets"
	"ppdp/numeric/elementary"
)

func init() {
	classifiers.Register(Default)
	classifiers.RegisterRegressor(Default)
}

// Classifier is gradient-boosted trees.
type Classifier struct {
	Trees  int     // steps; one tree a step and class, one a step for two classes
	Leaves int     // of a tree at most
	Rate   float64 // of each step
	Weight float64 // rows in a leaf at least; where they weigh more than 1, their weight
}

// Default has scikit-learn's defaults.
var Default = Classifier{Trees: 100, Leaves: 31, Rate: 0.1, Weight: 20}

func (c Classifier) Info() classifiers.Info {
	return classifiers.Info{
		Name:  "boosting",
		Title: "Gradient boosting",
		Source: fmt.Sprintf("Friedman 2001; histograms as in Ke et al. 2017; %d trees of at most "+
			"%d leaves, at least %v records each, rate %v", c.Trees, c.Leaves, c.Weight, c.Rate),
		Revision: 2,
	}
}

// Fit adds up trees, each fitted to what those before leave of the classes.
func (c Classifier) Fit(ctx context.Context, data classifiers.Data) (classifiers.Model, error) {
	if err := data.Check(ctx); err != nil {
		return nil, err
	}
	rows, labels, weights := data.Labels()
	b := newBoost(c, data, rows, labels, weights)
	for range b.Trees {
		if b.machines == 0 {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.step()
	}
	return b.model, nil
}

// boost is the state between two steps.
type boost struct {
	Classifier
	grower
	model    *model
	machines int       // numbers that a row's classes follow from: 1 for two classes
	classes  []int     // by row: its class among those that occur
	scores   []float64 // machine k of row i at k·rows+i
	weights  []int64
}

func newBoost(c Classifier, data classifiers.Data, rows []int32, labels []uint32,
	given []float64) *boost {
	weights, total, unit := bins.Units(given, len(rows))
	b := &boost{Classifier: c, weights: weights, classes: make([]int, len(rows))}
	share := make([]int64, data.Table.Schema().Classes())
	for i, label := range labels {
		share[label] += weights[i]
	}
	m := new(model)
	b.model, m.Each, m.Classes = m, m.each, len(share)
	if m.Occurring, b.machines = classifiers.Occurring(share); b.machines == 0 {
		return b
	}
	for i, label := range labels {
		b.classes[i], _ = slices.BinarySearch(m.Occurring, label)
	}
	m.start = make([]float64, b.machines)
	logOf := func(k int) float64 {
		return elementary.Log(float64(share[m.Occurring[k]]) / float64(total))
	}
	for k := range m.start {
		m.start[k] = logOf(k)
		if b.machines == 1 {
			m.start[k] = logOf(1) - logOf(0)
		}
	}
	b.scores = make([]float64, b.machines*len(rows))
	for i := range b.scores {
		b.scores[i] = m.start[i/len(rows)]
	}
	matrix := bins.New(data.Table, rows, weights, classifiers.Features(data.Table.Schema()))
	m.features = matrix.Features
	// A gradient is at most 1: with all weights its sum stays below 2⁶².
	b.grower.init(matrix, c, unit, total, min(30, 62-bits.Len64(uint64(total))))
	return b
}

// step adds a tree for each machine, all fitted to the classes' probabilities before the step.
func (b *boost) step() {
	n, machines := len(b.classes), b.machines
	probabilities := make([]float64, n*machines)
	each := make([]float64, machines)
	for i := range n {
		for k := range each {
			each[k] = b.scores[k*n+i]
		}
		if machines == 1 {
			each[0] = classifiers.Logistic(each[0])
		} else {
			classifiers.Softmax(each)
		}
		for k, p := range each {
			probabilities[k*n+i] = p
		}
	}
	for k := range machines {
		of := probabilities[k*n : (k+1)*n]
		for i, p := range of {
			target := 0.0
			if b.classes[i] == k && machines > 1 || b.classes[i] == 1 && machines == 1 {
				target = 1
			}
			b.set(i, p-target, float64(p*(1-p)), b.weights[i])
		}
		b.grow(b.model, b.scores[k*n:(k+1)*n])
	}
}

// model adds up the trees of each machine. It is safe for concurrent use.
type model struct {
	classifiers.Scored
	start    []float64
	features []bins.Feature
	trees    []bins.Tree // step by step, and in it machine by machine
	values   [][]float64 // what each tree's leaves add to a machine's score
}

// each calls use with the position of each row and its machines' scores, which it may change.
func (m *model) each(table *datasets.Table, rows []int32, use func(i int, scores []float64)) {
	machines := len(m.start)
	scores, of := make([]float64, machines*bins.Block), make([]float64, machines)
	reset := func() {
		for k, start := range m.start {
			for i := range bins.Block {
				scores[k*bins.Block+i] = start
			}
		}
	}
	reset()
	bins.Walk(m.features, m.trees, table, rows, func(tree int, leaves []int32) {
		values, scores := m.values[tree], scores[tree%machines*bins.Block:]
		for i, leaf := range leaves {
			scores[i] += values[leaf]
		}
	}, func(from, n int) {
		for i := range n {
			for k := range of {
				of[k] = scores[k*bins.Block+i]
			}
			use(from+i, of)
		}
		reset()
	})
}

// FitNumber adds up trees for the squared loss, each fitted to what those before leave of the
// target's numbers: the defaults of scikit-learn's HistGradientBoostingRegressor. Numbers are
// shares of the target's range.
func (c Classifier) FitNumber(ctx context.Context, data classifiers.Data,
	target int) (classifiers.NumberModel, error) {
	if err := data.CheckTarget(ctx, target); err != nil {
		return nil, err
	}
	rows, given := data.Counted()
	weights, total, unit := bins.Units(given, len(rows))
	schema := data.Table.Schema()
	a := &schema.Attributes[target]
	score := &model{start: []float64{0.5}}
	m := &classifiers.Ranged{Each: score.each, Low: a.Low, Width: a.High - a.Low}
	if total == 0 {
		return m, nil
	}
	matrix := bins.New(data.Table, rows, weights, classifiers.Others(schema, target))
	score.features = matrix.Features
	// A gradient is at most most: with all weights its sum stays below 2⁶².
	const most = 2
	var g grower
	g.init(matrix, c, unit, total, min(30, 61-bits.Len64(uint64(total))))
	shares, scores := make([]float64, len(rows)), make([]float64, len(rows))
	sum := int64(0)
	for i, row := range rows {
		shares[i] = (data.Table.Number(row, target) - m.Low) / m.Width
		g.set(i, shares[i], 1, weights[i])
		sum += g.all[i].gradient
	}
	score.start[0] = float64(sum) / (float64(total) * g.scale)
	for i := range scores {
		scores[i] = score.start[0]
	}
	for range c.Trees {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i, of := range scores {
			g.set(i, max(-most, min(most, of-shares[i])), 1, weights[i])
		}
		g.grow(score, scores)
	}
	return m, nil
}
