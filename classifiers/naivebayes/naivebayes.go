// Package naivebayes holds the naive Bayes classifier "naive-bayes", which fits a normal
// distribution of each numeric attribute to each class, as Weka does by default. It leaves out
// kernel densities and discretisation learnt from the data.
//
// Priors and counts are smoothed by adding one (Laplace), over the public domain, never over the
// values that happen to occur. Products are sums of logarithms.
//
// Deviations from Weka's NaiveBayes:
//   - a class without any training weight is never predicted, where add-one alone would let it win
//     on rare records;
//   - the precision of a numeric attribute with one distinct value is its public step, not 0.01;
//   - the probability of an interval in the upper tail is computed as the lower tail's mirror
//     image, so that it does not cancel to 0 beyond eight standard deviations.
package naivebayes

import (
	"context"
	"slices"

	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/numeric/elementary"
)

// Classifier is naive Bayes (Duda & Hart 1973; John & Langley 1995).
var Classifier = classifiers.Add(classifiers.Info{
	Name:     "naive-bayes",
	Title:    "Naive Bayes",
	Source:   "John & Langley 1995; Weka 3.6 NaiveBayes with default options",
	Revision: 1,
}, fit)

// fit estimates priors and likelihoods.
func fit(ctx context.Context, data classifiers.Data) (classifiers.Model, error) {
	schema := data.Table.Schema()
	s := newSample(data)
	m := &model{prior: make([]float64, len(s.present))}
	m.Scored = classifiers.Scored{Each: m.each, Occurring: s.present, Classes: schema.Classes()}
	if len(s.rows) == 0 {
		return m, nil
	}
	total := 0.0
	for _, weight := range s.perClass {
		total += weight
	}
	for k := range s.present {
		m.prior[k] = elementary.Log((s.perClass[k] + 1) / (total + float64(schema.Classes())))
	}
	for _, at := range classifiers.Features(schema) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		attribute := &schema.Attributes[at]
		if attribute.Kind == datasets.Numeric {
			m.features = append(m.features, s.fitGaussian(at, attribute))
		} else {
			m.features = append(m.features, s.fitCells(at, attribute))
		}
	}
	return m, nil
}

// sample is the training data in the form all estimators read.
type sample struct {
	table    *datasets.Table
	rows     []int32
	weights  classifiers.Weights
	present  []uint32  // the classes that have weight, ascending; 0 if none has
	labels   []uint32  // index into present, by position in rows
	perClass []float64 // weight of each present class
}

func newSample(data classifiers.Data) *sample {
	rows, labels, weights := data.Labels()
	counts := make([]float64, data.Table.Schema().Classes())
	for i, label := range labels {
		counts[label] += weights.At(int32(i))
	}
	s := &sample{table: data.Table, rows: rows, weights: weights, labels: labels}
	s.present, _ = classifiers.Occurring(counts)
	for _, class := range s.present {
		s.perClass = append(s.perClass, counts[class])
	}
	for i, label := range labels {
		at, _ := slices.BinarySearch(s.present, label)
		labels[i] = uint32(at)
	}
	return s
}

// feature scores one attribute: it adds log P(value | class) to every row's scores.
type feature interface {
	// add adds to scores[i·classes+k] for each row i and present class k.
	add(scores []float64, table *datasets.Table, rows []int32)
}

// model is a fitted naive Bayes.
type model struct {
	classifiers.Scored
	prior    []float64 // logarithms
	features []feature
}

// each calls use with the position of each row and its logarithms of joint probabilities with the
// classes present, which use may change.
func (m *model) each(table *datasets.Table, rows []int32, use func(i int, scores []float64)) {
	classifiers.InBlocks(rows, len(m.prior), func(scores []float64, part []int32) {
		for i := range part {
			copy(scores[i*len(m.prior):], m.prior)
		}
		for _, f := range m.features {
			f.add(scores, table, part)
		}
	}, use)
}

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
	column.Gather(s.rows, codes)
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
	var room [classifiers.Block]uint32
	codes := room[:len(rows)]
	table.Column(f.attribute).Gather(rows, codes)
	for i, code := range codes {
		for k, log := range f.logs[int(code)*f.classes : int(code+1)*f.classes] {
			scores[i*f.classes+k] += log
		}
	}
}
