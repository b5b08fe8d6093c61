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
	column := table.Column(f.attribute)
	switch {
	case column.U8 != nil:
		lookUp(scores, f.logs, f.classes, column.U8, rows)
	case column.U16 != nil:
		lookUp(scores, f.logs, f.classes, column.U16, rows)
	case column.U32 != nil:
		lookUp(scores, f.logs, f.classes, column.U32, rows)
	}
}

func lookUp[T uint8 | uint16 | uint32](scores, logs []float64, classes int, codes []T,
	rows []int32) {
	if classes == 2 { // by far the most common case, and worth a loop without an inner one
		for i, row := range rows {
			at := 2 * int(codes[row])
			scores[2*i] += logs[at]
			scores[2*i+1] += logs[at+1]
		}
		return
	}
	for i, row := range rows {
		at := int(codes[row]) * classes
		for k := range classes {
			scores[i*classes+k] += logs[at+k]
		}
	}
}
