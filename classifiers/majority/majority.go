// Package majority holds the classifier that predicts the most frequent class whatever the
// record: the floor every useful release has to clear.
package majority

import (
	"context"

	"ppdp/classifiers"
	"ppdp/datasets"
)

func init() { classifiers.Register(Classifier{}) }

// Classifier predicts the class of the greatest weight in the training data; of equals the one
// with the lowest code, class 0 without data.
type Classifier struct{}

func (Classifier) Info() classifiers.Info {
	return classifiers.Info{
		Name:     "majority",
		Title:    "Majority class",
		Source:   "Qardaji & Li 2012, Fig. 3 (benchmark)",
		Revision: 1,
	}
}

// Fit counts the classes.
func (Classifier) Fit(ctx context.Context, data classifiers.Data) (classifiers.Model, error) {
	if err := data.Check(ctx); err != nil {
		return nil, err
	}
	counts := make([]float64, data.Table.Schema().Classes())
	_, labels, weights := data.Labels()
	for i, label := range labels {
		counts[label] += weights.At(int32(i))
	}
	return newModel(counts), nil
}

// model is the shares of the classes.
type model []float64

func newModel(counts []float64) model {
	sum := 0.0
	for _, n := range counts {
		sum += n
	}
	if sum == 0 {
		counts[0], sum = 1, 1
	}
	for class := range counts {
		counts[class] /= sum
	}
	return counts
}

// Predict writes the class of the largest share, the first of equals.
func (m model) Predict(dst []uint32, _ *datasets.Table, rows []int32) {
	best := uint32(classifiers.Majority(m))
	for i := range rows {
		dst[i] = best
	}
}

// Probabilities writes the shares of the classes, for each row.
func (m model) Probabilities(dst []float64, _ *datasets.Table, rows []int32) {
	for i := range rows {
		copy(dst[i*len(m):], m)
	}
}
