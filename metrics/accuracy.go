package metrics

import (
	"context"
	"errors"
	"fmt"

	"ppdp/algorithms"
	"ppdp/classifiers"
)

func init() {
	Register(measured{Info{
		Name: "accuracy", Title: "Classification accuracy", Unit: "fraction",
		Source: "Qardaji & Li 2012, section 4.2: trained on the release, tested on raw rows " +
			"held out",
		Needs:      []algorithms.Product{algorithms.RecordsProduct},
		Classifier: true, AsPublished: true, HigherIsBetter: true, Revision: 1,
	}, accuracy})
}

// accuracyOf is what the accuracy on a release's records depends on besides the release:
// accuracy-published asks for it too.
type accuracyOf struct{ classifier string }

// figure is what Measure returns of a value.
type figure struct {
	value float64
	ok    bool
}

// accuracy is how well a classifier that has seen only the release predicts real rows. It trains
// the case's classifier on the published records, with their weights, and returns the share of test
// rows of the original table whose class it predicts. An empty release is measured like any other:
// the classifier then predicts class 0. A classifier of regions learns from the published partition
// instead, and a row's prediction is that of its region. Undefined without test rows.
func accuracy(ctx context.Context, c Case) (float64, bool, error) {
	class := c.Table.Schema().Class()
	switch {
	case class < 0:
		return 0, false, errNoClass
	case c.Classifier == nil:
		return 0, false, errors.New("needs a classifier")
	}
	if of, ok := c.Classifier.(classifiers.RegionClassifier); ok {
		value, ok, err := measureRegions(ctx, c, func(located []int32) ([]uint32, error) {
			byRegion := of.FitRegions(c.Release.Regions.Counts, c.Release.Regions.Classes)
			predicted := make([]uint32, len(located))
			for i, region := range located {
				predicted[i] = byRegion[region]
			}
			return predicted, nil
		})
		if err != nil {
			return 0, false, fmt.Errorf("%s: %w", of.Info().Name, err)
		}
		return value, ok, nil
	}
	m, err := memoize(ctx, c.Published, accuracyOf{c.Classifier.Info().Name},
		func() (figure, error) { return accuracyOfRecords(ctx, c) })
	return m.value, m.ok, err
}

// accuracyOfRecords trains on the published records.
func accuracyOfRecords(ctx context.Context, c Case) (figure, error) {
	table, weights, err := c.Release.Records(ctx)
	switch {
	case err != nil:
		return figure{}, err
	case table == nil:
		return figure{}, errors.New("the release holds no records")
	case len(c.Test) == 0:
		return figure{}, nil
	}
	model, err := c.Classifier.Fit(ctx,
		classifiers.Data{Table: table, Rows: table.AllRows(), Weights: weights})
	if err != nil {
		return figure{}, fmt.Errorf("%s: %w", c.Classifier.Info().Name, err)
	}
	predicted := make([]uint32, len(c.Test))
	model.Predict(predicted, c.Table, c.Test)
	labels := c.Table.Column(c.Table.Schema().Class())
	right := 0
	for i, row := range c.Test {
		if predicted[i] == labels.At(row) {
			right++
		}
	}
	return figure{float64(right) / float64(len(c.Test)), true}, nil
}
