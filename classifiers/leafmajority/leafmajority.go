// Package leafmajority holds the classifier that predicts the majority class of the region a record
// falls in: "leaf-majority". With a published partition the regions are the partition's and the
// majority is that of the published, noisy counts: what the release says by itself, without any
// learner on top. It leaves out how a record finds its region, which is the metrics' business.
package leafmajority

import (
	"cmp"
	"context"
	"encoding/binary"

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
	classes := data.Table.Schema().Classes()
	rows, labels, weights := data.Labels()
	m := &model{features: classifiers.Features(data.Table.Schema()), classes: map[string]uint32{}}
	points, room := make([]string, len(rows)), make([]byte, 0, 4*len(m.features))
	for i, row := range rows {
		points[i] = string(m.point(room, data.Table, row))
	}
	groups := equal.Groups(len(rows),
		func(i, j int32) int { return cmp.Compare(points[i], points[j]) },
		func(i, j int32) int { return cmp.Compare(weights.At(i), weights.At(j)) })
	// One region more, without counts, stands for the points that were never seen.
	counts := make([]float64, (len(groups)+1)*classes)
	for g, group := range groups {
		for _, i := range group {
			counts[g*classes+int(labels[i])] += weights.At(i)
		}
	}
	predicted := c.FitRegions(counts, classes)
	for g, group := range groups {
		m.classes[points[group[0]]] = predicted[g]
	}
	m.unseen = predicted[len(groups)]
	return m, nil
}

// model has the class of each point that was seen, and one class for all others.
type model struct {
	features []int
	classes  map[string]uint32
	unseen   uint32
}

// Predict finds every row among the points.
func (m *model) Predict(dst []uint32, table *datasets.Table, rows []int32) {
	point := make([]byte, 0, 4*len(m.features))
	for i, row := range rows {
		class, seen := m.classes[string(m.point(point, table, row))]
		if dst[i] = class; !seen {
			dst[i] = m.unseen
		}
	}
}

// point appends the codes of a row's features to dst, in an order of bytes that is theirs.
func (m *model) point(dst []byte, table *datasets.Table, row int32) []byte {
	for _, at := range m.features {
		dst = binary.BigEndian.AppendUint32(dst, table.Column(at).At(row))
	}
	return dst
}
