package linear

import (
	"math"
	"ppdp/classifiers"
	"ppdp/datasets"
)

// Model is a set of fitted machines. It is safe for concurrent use.
type Model struct {
	Features []Feature
	// Classes are those that occurred, ascending: with two, the one machine separates the second
	// from the first; with more, machine k separates class k from the rest; with one there is no
	// machine.
	Classes  []uint32
	Machines int
	Weights  []float64 // of number f and machine k at f·Machines+k
	Bias     []float64
	Schema   int // classes of the schema
}

// NewModel returns machines of weight 0 for the classes that occur among points: class 0 alone
// where there is no weight at all.
func NewModel(l *Layout, p *Points) *Model {
	m := &Model{Features: l.Features, Schema: p.Classes}
	counts := make([]float64, p.Classes)
	for i, weight := range p.Mass {
		counts[i%p.Classes] += weight
	}
	m.Classes, m.Machines = classifiers.Occurring(counts)
	m.Weights = make([]float64, m.Machines*l.Size)
	m.Bias = make([]float64, m.Machines)
	return m
}

// Each calls use with the position in rows of each row and its machines' scores, which use may
// change.
func (m *Model) Each(table *datasets.Table, rows []int32, use func(i int, scores []float64)) {
	codes := make([]uint32, min(classifiers.Block, len(rows)))
	classifiers.InBlocks(rows, m.Machines, func(scores []float64, part []int32) {
		m.score(scores, codes[:len(part)], table, part)
	}, use)
}

// Predict writes the class of the largest score, the lowest code of equals.
func (m *Model) Predict(dst []uint32, table *datasets.Table, rows []int32) {
	m.Each(table, rows, func(i int, scores []float64) {
		dst[i] = classifiers.Likeliest(m.Classes, scores)
	})
}

// Scores writes each machine's score to its class's place; with one machine the first class has its
// negative. A class that did not occur has a score below all others.
func (m *Model) Scores(dst []float64, table *datasets.Table, rows []int32) {
	for i := range dst[:len(rows)*m.Schema] {
		dst[i] = math.Inf(-1)
	}
	m.Each(table, rows, func(i int, scores []float64) {
		of := dst[i*m.Schema : (i+1)*m.Schema]
		if m.Machines == 1 {
			of[m.Classes[0]], of[m.Classes[1]] = -scores[0], scores[0]
			return
		}
		for k, score := range scores {
			of[m.Classes[k]] = score
		}
	})
}

// score writes w·x + b of each row and machine.
func (m *Model) score(scores []float64, codes []uint32, table *datasets.Table, rows []int32) {
	k := m.Machines
	for i := range rows {
		copy(scores[i*k:(i+1)*k], m.Bias)
	}
	for n := range m.Features {
		f := &m.Features[n]
		if f.indicators > 0 {
			table.Column(f.attribute).Gather(rows, codes)
			for i, code := range codes {
				if code < f.skip {
					continue
				}
				weights := m.Weights[(f.first+int(code-f.skip))*k:]
				for c := range k {
					scores[i*k+c] += weights[c]
				}
			}
			continue
		}
		weights := m.Weights[f.first*k : (f.first+1)*k]
		if f.cells != nil {
			table.Column(f.attribute).Gather(rows, codes)
		}
		for i, row := range rows {
			var value float64
			if f.cells != nil {
				value = f.cells[codes[i]]
			} else {
				value = f.scaled(table.Number(row, f.attribute))
			}
			for c, w := range weights {
				scores[i*k+c] += float64(w * value)
			}
		}
	}
}
