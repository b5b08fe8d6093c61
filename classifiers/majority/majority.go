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

// Info names the classifier.
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
		if weights == nil {
			counts[label]++
		} else {
			counts[label] += weights[i]
		}
	}
	return model(classifiers.Majority(counts)), nil
}

type model uint32

func (m model) Predict(dst []uint32, _ *datasets.Table, rows []int32) {
	for i := range rows {
		dst[i] = uint32(m)
	}
}
