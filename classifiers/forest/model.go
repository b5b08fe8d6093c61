package forest

import (
	"ppdp/classifiers"
	"ppdp/classifiers/internal/bins"
	"ppdp/datasets"
)

// model is the trees. It is safe for concurrent use.
type model struct {
	classes  int // of the schema
	features []bins.Feature
	trees    [][]bins.Node
	shares   [][]float64 // of each tree's leaves
}

// each calls use with the position of each row and the sums of its class shares over all trees,
// which use may change.
func (m *model) each(table *datasets.Table, rows []int32, use func(i int, sums []float64)) {
	sums := make([]float64, m.classes*bins.Block)
	bins.Walk(m.features, m.trees, table, rows, func(tree int, leaves []int32) {
		for i, leaf := range leaves {
			of := sums[i*m.classes : (i+1)*m.classes]
			for class, share := range m.shares[tree][int(leaf)*m.classes:][:m.classes] {
				of[class] += share
			}
		}
	}, func(from, n int) {
		for i := range n {
			use(from+i, sums[i*m.classes:(i+1)*m.classes])
		}
		clear(sums)
	})
}

// Predict writes the class of the largest probability, the first of equals.
func (m *model) Predict(dst []uint32, table *datasets.Table, rows []int32) {
	m.each(table, rows, func(i int, sums []float64) { dst[i] = uint32(classifiers.Majority(sums)) })
}

// Probabilities writes the probability of each class of the schema, row by row.
func (m *model) Probabilities(dst []float64, table *datasets.Table, rows []int32) {
	m.each(table, rows, func(i int, sums []float64) {
		for class, sum := range sums {
			dst[i*m.classes+class] = sum / float64(len(m.trees))
		}
	})
}
