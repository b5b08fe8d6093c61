package svm

import (
	"ppdp/classifiers"
	"ppdp/datasets"
)

// model is a set of fitted machines.
type model struct {
	features []feature
	// classes are those that occurred, ascending: with two, the one machine separates the second
	// from the first; with more, machine k separates class k from the rest; with one there is no
	// machine.
	classes  []uint32
	machines int
	weights  []float64 // of number f and machine k at f·machines+k
	bias     []float64
}

// block is the number of rows scored together, so that their scores stay in the first-level cache.
const block = 512

// Predict writes the class of the largest score, the lowest code of equals.
func (m *model) Predict(dst []uint32, table *datasets.Table, rows []int32) {
	if m.machines == 0 {
		for i := range rows {
			dst[i] = m.classes[0]
		}
		return
	}
	scores := make([]float64, min(block, len(rows))*m.machines)
	codes := make([]uint32, min(block, len(rows)))
	for len(rows) > 0 {
		part := rows[:min(block, len(rows))]
		m.score(scores[:len(part)*m.machines], codes[:len(part)], table, part)
		for i := range part {
			dst[i] = m.decide(scores[i*m.machines : (i+1)*m.machines])
		}
		dst, rows = dst[len(part):], rows[len(part):]
	}
}

func (m *model) decide(scores []float64) uint32 {
	if m.machines == 1 {
		if scores[0] > 0 {
			return m.classes[1]
		}
		return m.classes[0]
	}
	return m.classes[classifiers.Majority(scores)]
}

// score writes w·x + b of each row and machine.
func (m *model) score(scores []float64, codes []uint32, table *datasets.Table, rows []int32) {
	k := m.machines
	for i := range rows {
		copy(scores[i*k:(i+1)*k], m.bias)
	}
	for n := range m.features {
		f := &m.features[n]
		if f.indicators > 0 {
			classifiers.Codes(codes, table.Column(f.attribute), rows)
			for i, code := range codes {
				if code < f.skip {
					continue
				}
				weights := m.weights[(f.first+int(code-f.skip))*k:]
				for c := range k {
					scores[i*k+c] += weights[c]
				}
			}
			continue
		}
		weights := m.weights[f.first*k : (f.first+1)*k]
		if f.cells != nil {
			classifiers.Codes(codes, table.Column(f.attribute), rows)
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
