package boosting

import (
	"ppdp/classifiers"
	"ppdp/classifiers/internal/bins"
	"ppdp/datasets"
)

// tree is nodes and what each leaf adds to a machine's score.
type tree struct {
	nodes  []bins.Node
	values []float64
}

// model adds up the trees of each machine. It is safe for concurrent use.
type model struct {
	classes  []uint32 // that occur, ascending
	schema   int      // classes of the schema
	start    []float64
	features []bins.Feature
	trees    []bins.Tree // step by step, and in it machine by machine
	values   [][]float64 // of each tree's leaves
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

// Predict writes the class of the largest probability, the first of equals.
func (m *model) Predict(dst []uint32, table *datasets.Table, rows []int32) {
	m.Sure(dst, nil, table, rows)
}

// Probabilities writes the probability of each class of the schema, row by row.
func (m *model) Probabilities(dst []float64, table *datasets.Table, rows []int32) {
	m.Sure(nil, dst, table, rows)
}

// Sure does what both do.
func (m *model) Sure(classes []uint32, probabilities []float64, table *datasets.Table,
	rows []int32) {
	if probabilities != nil {
		clear(probabilities[:len(rows)*m.schema])
	}
	m.each(table, rows, func(i int, scores []float64) {
		if classes != nil {
			best := classifiers.Majority(scores)
			if len(scores) == 1 && scores[0] > 0 {
				best = 1
			}
			classes[i] = m.classes[best]
		}
		if probabilities != nil {
			classifiers.FromScores(probabilities[i*m.schema:(i+1)*m.schema], m.classes, scores)
		}
	})
}
