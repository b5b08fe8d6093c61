// Package id3 holds ID3 decision trees (Quinlan 1986): multiway tests on nominal attributes, chosen
// by information gain. It leaves out numeric attributes (ID3 has none; use c45), pruning and
// missing values.
//
// Rows with equal features and class are merged into one record that has the sum of their weights.
// The tree is grown on these distinct records, of which generalised tables have few.
//
// Deviations from Quinlan 1986:
//   - a branch no training case took predicts the majority of its parent, where the paper leaves
//     the object unclassified;
//   - growth stops where no attribute has any gain, at the majority class.
package id3

import (
	"context"
	"slices"

	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/elementary"
)

func init() { classifiers.Register(Classifier{}) }

// Classifier is ID3: multiway tests of the greatest information gain, no pruning.
type Classifier struct{}

// Info names the classifier.
func (Classifier) Info() classifiers.Info {
	return classifiers.Info{
		Name:     "id3",
		Title:    "ID3",
		Source:   "Quinlan 1986",
		Revision: 1,
	}
}

// Fit grows a tree. A numeric feature is an error wrapping classifiers.ErrNumeric.
func (Classifier) Fit(ctx context.Context, data classifiers.Data) (classifiers.Model, error) {
	if err := data.Check(ctx); err != nil {
		return nil, err
	}
	schema := data.Table.Schema()
	var bad datasets.Problems
	for _, at := range classifiers.Features(schema) {
		if schema.Attributes[at].Kind != datasets.Categorical {
			bad.Add("%s: %w; leave it out or use c45",
				schema.Attributes[at].Name, classifiers.ErrNumeric)
		}
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	s := newSample(data)
	records := make([]int, len(s.labels))
	for i := range records {
		records[i] = i
	}
	t := &Tree{attributes: s.features}
	var err error
	if t.root, err = t.grow(ctx, s, records, make([]bool, len(s.features))); err != nil {
		return nil, err
	}
	return t, nil
}

// sample is the training data as distinct records with weights, in lexicographic order of their
// codes: the tree cannot depend on the order of the rows.
type sample struct {
	features []int
	classes  int
	arity    []int
	codes    [][]uint32 // by feature, then record
	labels   []uint32
	weights  []float64
}

func newSample(data classifiers.Data) *sample {
	schema := data.Table.Schema()
	rows, labels, weights := data.Labels()
	s := &sample{features: classifiers.Features(schema), classes: schema.Classes()}
	raw := make([][]uint32, len(s.features))
	for i, at := range s.features {
		s.arity = append(s.arity, schema.Attributes[at].Cells())
		raw[i] = make([]uint32, len(rows))
		classifiers.Codes(raw[i], data.Table.Column(at), rows)
	}
	compare := func(a, b int) int {
		for _, column := range raw {
			if column[a] != column[b] {
				return int(int64(column[a]) - int64(column[b]))
			}
		}
		return int(int64(labels[a]) - int64(labels[b]))
	}
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	s.codes = make([][]uint32, len(raw))
	for n, i := range order {
		weight := 1.0
		if weights != nil {
			weight = weights[i]
		}
		if n > 0 && compare(order[n-1], i) == 0 {
			s.weights[len(s.weights)-1] += weight
			continue
		}
		for f := range raw {
			s.codes[f] = append(s.codes[f], raw[f][i])
		}
		s.labels = append(s.labels, labels[i])
		s.weights = append(s.weights, weight)
	}
	return s
}

// distribution is the weight of each class among some records.
func (s *sample) distribution(records []int) []float64 {
	weights := make([]float64, s.classes)
	for _, record := range records {
		weights[s.labels[record]] += s.weights[record]
	}
	return weights
}

// choose returns the feature of the greatest information gain over some records, the first of
// equals, or -1 when none has any. Features that are used further up are left out.
func (s *sample) choose(records []int, used []bool) int {
	best, gain := -1, least
	for f := range s.codes {
		if used[f] {
			continue
		}
		if g := s.gain(f, records); g > gain+least {
			best, gain = f, g
		}
	}
	return best
}

// least is the information gain, in bits per case, that counts as more than rounding.
const least = 1e-9

// gain is the information gain of a feature over some records, in bits per case.
func (s *sample) gain(f int, records []int) float64 {
	counts := make([]float64, s.arity[f]*s.classes)
	for _, record := range records {
		counts[int(s.codes[f][record])*s.classes+int(s.labels[record])] += s.weights[record]
	}
	before := s.distribution(records)
	total := 0.0
	for _, w := range before {
		total += w
	}
	after := 0.0
	for from := 0; from < len(counts); from += s.classes {
		after += bits(counts[from : from+s.classes])
	}
	return (bits(before) - after) / total
}

// bits is a distribution's entropy times its total weight.
func bits(weights []float64) float64 {
	total, sum := 0.0, 0.0
	for _, w := range weights {
		if w > 0 {
			total += w
			sum -= float64(w * elementary.Log2(w))
		}
	}
	if total > 0 {
		sum += float64(total * elementary.Log2(total))
	}
	return sum
}
