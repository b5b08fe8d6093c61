// Package majority holds the classifier that predicts the most frequent class whatever the
// record: the floor every useful release has to clear.
package majority

import (
	"context"

	"ppdp/classifiers"
)

// Classifier predicts the class of the greatest weight in the training data; of equals the one
// with the lowest code, class 0 without data.
var Classifier = classifiers.Add(classifiers.Info{
	Name:     "majority",
	Title:    "Majority class",
	Source:   "Qardaji & Li 2012, Fig. 3 (benchmark)",
	Revision: 1,
}, fit)

// fit counts the classes.
func fit(ctx context.Context, data classifiers.Data) (classifiers.Model, error) {
	counts := make([]float64, data.Table.Schema().Classes())
	_, labels, weights := data.Labels()
	for i, label := range labels {
		counts[label] += weights.At(int32(i))
	}
	t := new(classifiers.Tree) // of a single leaf
	t.Root = ^t.Ends.Add(counts)
	return t, nil
}
