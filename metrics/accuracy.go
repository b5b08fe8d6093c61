package metrics

import (
	"context"
	"fmt"

	"ppdp/classifiers"
)

func init() {
	Register(parameterised[LearnParams]{Info{
		Name: "accuracy", Title: "Classification accuracy", Unit: "fraction",
		Source: "Qardaji & Li 2012, section 4.2: trained on the release, tested on raw rows " +
			"held out",
		Classifier: true, AsPublished: true, HigherIsBetter: true, Revision: 1,
	}, LearnParams{}, accuracy})
}

// accuracy is how well a classifier that has seen only the release predicts real rows: the share of
// test rows of the original table whose class it predicts. Undefined without test rows.
func accuracy(ctx context.Context, c Case, _ *LearnParams) (float64, error) {
	predicted, err := predictFromRecords(ctx, c)
	return shareRight(c, predicted, err)
}

// shareRight is the share of the test rows whose class was predicted, given the prediction for each
// and the error of predicting.
func shareRight(c Case, predicted []uint32, err error) (float64, error) {
	labels := c.Table.Column(c.Table.Schema().Class())
	right := 0
	for i, class := range predicted {
		if class == labels.At(c.Test[i]) {
			right++
		}
	}
	return float64(right) / float64(len(predicted)), err
}

// learn trains the case's classifier on the published records, with their weights.
func learn(ctx context.Context, c Case) (classifiers.Model, error) {
	type key struct{ classifier string }
	of := key{c.Classifier.Info().Name}
	return memoize(ctx, c.Published, of, func() (classifiers.Model, error) {
		table, weights, err := publishedRecords(ctx, c)
		if err != nil {
			return nil, err
		}
		return fit(ctx, c.Classifier,
			classifiers.Data{Table: table, Rows: table.AllRows(), Weights: weights})
	})
}

// predictFromRecords returns the classes that the case's classifier, trained on the published
// records, predicts for the test rows of the original table. An empty release is like any other:
// the classifier then predicts class 0. A classifier of regions learns from the published partition
// instead, and a row's prediction is that of its region.
func predictFromRecords(ctx context.Context, c Case) ([]uint32, error) {
	name := c.Classifier.Info().Name
	if of, ok := c.Classifier.(classifiers.RegionClassifier); ok {
		located, err := locateTest(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		byRegion := of.FitRegions(c.Release.Regions.Counts, c.Release.Regions.Classes)
		predicted := make([]uint32, len(located))
		for i, region := range located {
			predicted[i] = byRegion[region]
		}
		return predicted, nil
	}
	if len(c.Test) == 0 {
		return nil, nil
	}
	type key struct{ classifier string }
	return memoize(ctx, c.Published, key{name}, func() ([]uint32, error) {
		model, err := learn(ctx, c)
		if err != nil {
			return nil, err
		}
		if sure, ok := model.(classifiers.SureModel); ok {
			a, err := answer(ctx, c, sure)
			return a.classes, err
		}
		predicted := make([]uint32, len(c.Test))
		model.Predict(predicted, c.Table, c.Test)
		return predicted, nil
	})
}

// answers are what a model says of the test rows.
type answers struct {
	classes       []uint32
	probabilities []float64
}

// answer is both, as most that ask for one ask for the other.
func answer(ctx context.Context, c Case, model classifiers.SureModel) (answers, error) {
	type key struct{ classifier string }
	return memoize(ctx, c.Published, key{c.Classifier.Info().Name}, func() (answers, error) {
		a := answers{make([]uint32, len(c.Test)),
			make([]float64, len(c.Test)*c.Table.Schema().Classes())}
		model.Sure(a.classes, a.probabilities, c.Table, c.Test)
		return a, nil
	})
}
