// Package majority holds the classifier that predicts the most frequent class whatever the
// record: the floor every useful release has to clear.
package majority

import (
	"context"

	"ppdp/classifiers"
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
	t := new(classifiers.Tree) // of a single leaf
	t.Root = ^t.Ends.Add(counts)
	return t, nil
}
