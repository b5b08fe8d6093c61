// Package leafmajority holds the classifier that predicts the majority class of the region a record
// falls in: "leaf-majority". With a published partition the regions are the partition's and the
// majority is that of the published, noisy counts: what the release says by itself, without any
// learner on top. It leaves out how a record finds its region, which is the metrics' business.
package leafmajority

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/equal"
	"ppdp/datasets"
)

func init() { classifiers.Register(Classifier{}) }

// Classifier predicts the class of the greatest count in a record's region, of equals the one with
// the lowest code. A region without any count has the majority of all regions together, class 0
// when nothing was counted at all.
type Classifier struct{}

var _ classifiers.RegionClassifier = Classifier{}

func (Classifier) Info() classifiers.Info {
	return classifiers.Info{
		Name:     "leaf-majority",
		Title:    "Majority of the region",
		Source:   "the noisy majority vote of Qardaji & Li 2012, section 4.2, as a prediction",
		Revision: 1,
	}
}

// FitRegions takes each region's majority.
func (Classifier) FitRegions(counts []float64, classes int) []uint32 {
	total := make([]float64, classes)
	for i, count := range counts {
		total[i%classes] += count
	}
	overall := uint32(classifiers.Majority(total))
	predicted := make([]uint32, len(counts)/classes)
	for r := range predicted {
		region := counts[r*classes : (r+1)*classes]
		predicted[r] = uint32(classifiers.Majority(region))
		if region[predicted[r]] == 0 {
			predicted[r] = overall
		}
	}
	return predicted
}

// Fit learns from records, where no partition was published: those that agree on the code of every
// feature are a region.
func (c Classifier) Fit(ctx context.Context, data classifiers.Data) (classifiers.Model, error) {
	if err := data.Check(ctx); err != nil {
		return nil, err
	}
	schema := data.Table.Schema()
	classes := schema.Classes()
	rows, labels, weights := data.Labels()
	m := &model{features: classifiers.Features(schema)}
	codes := m.codes(data.Table, rows)
	width := len(m.features)
	point := func(i int32) []uint32 { return codes[int(i)*width : int(i+1)*width] }
	var counts []float64
	for _, group := range equal.Groups(len(rows),
		func(i, j int32) int { return slices.Compare(point(i), point(j)) },
		func(i, j int32) int { return cmp.Compare(weights.At(i), weights.At(j)) }) {
		m.points = append(m.points, point(group[0])...)
		of := make([]float64, classes)
		for _, i := range group {
			of[labels[i]] += weights.At(i)
		}
		counts = append(counts, of...)
	}
	// One region more, without counts, stands for the points that were never seen.
	m.classes = c.FitRegions(append(counts, make([]float64, classes)...), classes)
	return m, nil
}

// model is a sorted list of points with their classes; the last class is that of all other points.
type model struct {
	features []int
	points   []uint32
	classes  []uint32
}

// block is the number of rows whose codes are gathered together.
const block = 512

// Predict finds every row among the points.
func (m *model) Predict(dst []uint32, table *datasets.Table, rows []int32) {
	width, last := len(m.features), len(m.classes)-1
	codes := make([]uint32, min(block, len(rows))*width)
	column := make([]uint32, min(block, len(rows)))
	for len(rows) > 0 {
		part := rows[:min(block, len(rows))]
		m.gather(codes, column, table, part)
		for i := range part {
			dst[i] = m.classes[m.find(codes[i*width:(i+1)*width], last)]
		}
		dst, rows = dst[len(part):], rows[len(part):]
	}
}

// find returns the index of a point among the first n, or n.
func (m *model) find(point []uint32, n int) int {
	width := len(point)
	at, found := sort.Find(n, func(i int) int {
		return slices.Compare(point, m.points[i*width:(i+1)*width])
	})
	if !found {
		return n
	}
	return at
}

// codes returns the rows' points, one after the other.
func (m *model) codes(table *datasets.Table, rows []int32) []uint32 {
	codes := make([]uint32, len(rows)*len(m.features))
	m.gather(codes, make([]uint32, len(rows)), table, rows)
	return codes
}

func (m *model) gather(codes, column []uint32, table *datasets.Table, rows []int32) {
	width := len(m.features)
	column = column[:len(rows)]
	for f, attribute := range m.features {
		classifiers.Codes(column, table.Column(attribute), rows)
		for i, code := range column {
			codes[i*width+f] = code
		}
	}
}
