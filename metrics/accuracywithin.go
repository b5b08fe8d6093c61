package metrics

import (
	"context"
	"math"

	"ppdp/classifiers"
	"ppdp/numeric/random"
)

func init() {
	Register(measured{Info{
		Name: "accuracy-within", Title: "Accuracy within the release", Unit: "fraction",
		Source: "Kohavi 1995, section 3.1, holdout: trained on one half of the published " +
			"records, tested on the other",
		Classifier: true, AsPublished: true, FromRecords: true, HigherIsBetter: true,
		Revision: 1, Records: true,
	}, accuracyWithin})
}

// withinKey deals the records: the same halves for all releases of as many records.
const withinKey = 1

// accuracyWithin is how far the labels of a release follow from the rest of its records: the
// weighted share that a classifier predicts in one half, drawn by a fixed seed, after it has learnt
// from the other. It says nothing of the original. Where it is far above that of the original
// records a release has made labels hard: it says what is likely and hides how likely. A release of
// fewer than two records has none, nor has one whose tested half has no weight. A classifier of
// regions is an error: regions have no halves.
func accuracyWithin(ctx context.Context, c Case) (float64, error) {
	table, weights := c.Release.Table, c.Release.Weights
	if table.Len() < 2 {
		return math.NaN(), nil
	}
	folds, err := classifiers.Folds(random.NewKey(withinKey), table.Len(), 2)
	if err != nil {
		return 0, err
	}
	half := folds[0]
	model, err := fit(ctx, c.Classifier,
		classifiers.Data{Table: table, Rows: half.Train, Weights: weights})
	if err != nil {
		return 0, err
	}
	predicted := make([]uint32, len(half.Test))
	model.Predict(predicted, table, half.Test)
	labels := table.Column(table.Schema().Class())
	right, all := 0.0, 0.0
	for i, row := range half.Test {
		all += weightOf(weights, row)
		if predicted[i] == labels.At(row) {
			right += weightOf(weights, row)
		}
	}
	return right / all, nil
}
