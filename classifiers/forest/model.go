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
