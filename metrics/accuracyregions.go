package metrics

import (
	"context"
	"errors"
	"fmt"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/internal/problem"
	"ppdp/metrics/internal/encoding"
)

func init() {
	// The share of the test rows whose class is predicted, undefined without any.
	register := func(name, source string, needs []algorithms.Product,
		predict func(context.Context, Case, encoding.Encoding) ([]uint32, error)) {
		Register(parameterised[GeneralisedParams]{Info{
			Name: name, Title: "Classification accuracy", Unit: "fraction",
			Source: "Al-Hussaeni et al. 2018, section 5.1: " + source, Needs: needs,
			Classifier: true, HigherIsBetter: true, Revision: 1,
		}, defaultEncoding,
			func(ctx context.Context, c Case, params *GeneralisedParams) (float64, error) {
				predicted, err := predict(ctx, c, params.Encoding)
				return shareRight(c, predicted, err)
			}})
	}
	register("accuracy-generalised", "training and test records generalised to the published "+
		"regions", []algorithms.Product{algorithms.RegionsProduct}, predictFromGeneralised)
	register("accuracy-published", "accuracy-generalised of releases that have regions, accuracy "+
		"of the others", nil, predictFromPublished)
}

// GeneralisedParams are the parameters of accuracy-generalised.
type GeneralisedParams struct {
	Encoding encoding.Encoding `yaml:"encoding" doc:"how a classifier sees a region"`
}

// defaultEncoding is the one Al-Hussaeni et al. use for C4.5.
var defaultEncoding = GeneralisedParams{Encoding: encoding.NodeMidpoint}

// predictFromGeneralised returns the classes predicted for the test rows where training and test
// records are put into the release's regions, and a region's records count as often as the release
// says: it trains the case's classifier on one record for each region and class, weighted by the
// published count, and a row's prediction is that for the record of its region.
func predictFromGeneralised(ctx context.Context, c Case, as encoding.Encoding) ([]uint32, error) {
	type key struct {
		classifier string
		encoding   encoding.Encoding
	}
	name := c.Classifier.Info().Name
	predicted, err := memoize(ctx, c.Published, key{name, as}, func() ([]uint32, error) {
		located, err := locateTest(ctx, c)
		if err != nil || len(located) == 0 {
			return nil, err
		}
		type key struct{ encoding encoding.Encoding }
		e, err := memoize(ctx, c.Published, key{as},
			func() (*encodedRecords, error) { return encodeRecords(ctx, c, as, located) })
		if err != nil {
			return nil, err
		}
		rows := e.table.AllRows()
		model, err := c.Classifier.Fit(ctx,
			classifiers.Data{Table: e.table, Rows: rows[:e.trained], Weights: e.weights})
		if err != nil {
			return nil, err
		}
		byRegion, predicted := make([]uint32, len(rows)-e.trained), make([]uint32, len(located))
		model.Predict(byRegion, e.table, rows[e.trained:])
		for i, region := range located {
			predicted[i] = byRegion[e.at[region]-1]
		}
		return predicted, nil
	})
	return predicted, problem.Named(name, err)
}

// encodedRecords are a release's regions as a table: first one record for each region and class
// with a count, then the regions of the test rows, once each and without weight.
type encodedRecords struct {
	table   *datasets.Table
	weights []float64 // by row: the published counts
	trained int       // records to learn from
	at      []int32   // by region: its row after these, from 1; 0 where no test row lies in it
}

func encodeRecords(ctx context.Context, c Case, as encoding.Encoding,
	located []int32) (*encodedRecords, error) {
	regions := c.Release.Regions
	var records []encoding.Record
	e := &encodedRecords{at: make([]int32, regions.Len())}
	for i, count := range regions.Counts {
		if count > 0 {
			records = append(records, encoding.Record{Region: int32(i / regions.Classes),
				Class: uint32(i % regions.Classes)})
			e.weights = append(e.weights, count)
		}
	}
	e.trained = len(records)
	for _, region := range located {
		if e.at[region] == 0 {
			e.at[region] = int32(len(records)-e.trained) + 1
			records = append(records, encoding.Record{Region: region})
			e.weights = append(e.weights, 0)
		}
	}
	var err error
	e.table, err = as.Encode(ctx, c.Table.Schema(), regions, records)
	return e, err
}

// locateTest returns the regions that the test rows lie in. The release's own assignment is of the
// training rows and may part equal points.
func locateTest(ctx context.Context, c Case) ([]int32, error) {
	switch regions := c.Release.Regions; {
	case regions == nil:
		return nil, errors.New("the release holds no regions")
	case regions.Classes != c.Table.Schema().Classes():
		return nil, fmt.Errorf("regions of %d classes for a table of %d",
			regions.Classes, c.Table.Schema().Classes())
	}
	type key struct{}
	return memoize(ctx, c.Published, key{}, func() ([]int32, error) {
		return locatePoints(ctx, c.Release.Regions, c.Table, c.Test)
	})
}

// predictFromPublished returns the classes predicted for the test rows from a release in the form
// that its kind is evaluated in by Al-Hussaeni et al.: partitions by generalised records, synthetic
// and raw records as they are, which is the same in every encoding. It puts baselines of both
// kinds, and the raw data, into one figure.
func predictFromPublished(ctx context.Context, c Case, as encoding.Encoding) ([]uint32, error) {
	if c.Release.Regions == nil {
		return predictFromRecords(ctx, c)
	}
	return predictFromGeneralised(ctx, c, as)
}
