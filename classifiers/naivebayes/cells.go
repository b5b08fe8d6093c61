package naivebayes

import (
	"slices"

	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/numeric/elementary"
)

// maxDense is the largest domain whose likelihoods are tabulated cell by cell; larger ones keep
// only the cells that occur.
const maxDense = 1 << 16

// fitCells estimates P(cell | class) = (n(cell, class)+1)/(n(class)+cells).
func (s *sample) fitCells(at int, attribute *datasets.Attribute) feature {
	classes, cells := len(s.present), attribute.Cells()
	column := s.table.Column(at)
	if cells <= maxDense {
		table := s.histogram(column, cells)
		for i, count := range table {
			k := i % classes
			table[i] = elementary.Log((count + 1) / (s.perClass[k] + float64(cells)))
		}
		return &tabulated{attribute: at, classes: classes, logs: table}
	}
	codes := make([]uint32, len(s.rows))
	classifiers.Codes(codes, column, s.rows)
	seen := slices.Clone(codes)
	slices.Sort(seen)
	seen = slices.Compact(seen)
	// One row more than there are seen cells: the last holds the likelihood of all others.
	logs := make([]float64, (len(seen)+1)*classes)
	for i, code := range codes {
		j, _ := slices.BinarySearch(seen, code)
		logs[j*classes+int(s.labels[i])] += s.weights.At(int32(i))
	}
	for i, count := range logs {
		k := i % classes
		logs[i] = elementary.Log((count + 1) / (s.perClass[k] + float64(cells)))
	}
	return &sparse{attribute: at, classes: classes, seen: seen, logs: logs}
}

// histogram adds up the weight of each cell and class, at index cell·classes + class.
func (s *sample) histogram(column *datasets.Column, cells int) []float64 {
	counts := make([]float64, cells*len(s.present))
	switch {
	case column.U8 != nil:
		count(counts, column.U8, s)
	case column.U16 != nil:
		count(counts, column.U16, s)
	case column.U32 != nil:
		count(counts, column.U32, s)
	}
	return counts
}

func count[T uint8 | uint16 | uint32](counts []float64, codes []T, s *sample) {
	classes := len(s.present)
	for i, row := range s.rows {
		counts[int(codes[row])*classes+int(s.labels[i])] += s.weights.At(int32(i))
	}
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

// sparse holds the log-likelihoods of the cells that occur in a large domain.
type sparse struct {
	attribute, classes int
	seen               []uint32 // ascending
	// Index in seen · classes + class; the last row is for every other cell.
	logs []float64
}

func (f *sparse) add(scores []float64, table *datasets.Table, rows []int32) {
	codes := table.Column(f.attribute).U32
	for i, row := range rows {
		j, found := slices.BinarySearch(f.seen, codes[row])
		if !found {
			j = len(f.seen)
		}
		for k := range f.classes {
			scores[i*f.classes+k] += f.logs[j*f.classes+k]
		}
	}
}
