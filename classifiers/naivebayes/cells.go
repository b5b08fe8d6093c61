package naivebayes

import (
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/numeric/elementary"
)

// fitCells estimates P(cell | class) = (n(cell, class)+1)/(n(class)+cells).
func (s *sample) fitCells(at int, attribute *datasets.Attribute) feature {
	classes, cells := len(s.present), attribute.Cells()
	logs := s.histogram(s.table.Column(at), cells)
	for i, count := range logs {
		logs[i] = elementary.Log((count + 1) / (s.perClass[i%classes] + float64(cells)))
	}
	return &tabulated{attribute: at, classes: classes, logs: logs}
}

// histogram adds up the weight of each cell and class, at index cell·classes + class.
func (s *sample) histogram(column *datasets.Column, cells int) []float64 {
	classes := len(s.present)
	codes, counts := make([]uint32, len(s.rows)), make([]float64, cells*classes)
	classifiers.Codes(codes, column, s.rows)
	for i, code := range codes {
		counts[int(code)*classes+int(s.labels[i])] += s.weights.At(int32(i))
	}
	return counts
}

// tabulated holds the log-likelihood of every cell.
type tabulated struct {
	attribute, classes int
	logs               []float64 // cell·classes + class
}

func (f *tabulated) add(scores []float64, table *datasets.Table, rows []int32) {
	var room [block]uint32
	codes := room[:len(rows)]
	classifiers.Codes(codes, table.Column(f.attribute), rows)
	for i, code := range codes {
		for k, log := range f.logs[int(code)*f.classes : int(code+1)*f.classes] {
			scores[i*f.classes+k] += log
		}
	}
}
