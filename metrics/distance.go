package metrics

import (
	"context"
	"errors"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets"
)

func init() {
	const several = "; the mean over the numeric quasi-identifiers where there are several, each " +
		"in its own unit; of a graph, between degree sequences"
	register := func(info Info, between func(x, y Sample) float64) {
		info.Needs = []algorithms.Product{algorithms.RecordsProduct}
		info.GraphNeeds = []algorithms.Product{algorithms.DegreesProduct}
		Register(measured{info, func(ctx context.Context, c Case) (float64, bool, error) {
			return distance(ctx, c, between)
		}})
	}
	register(Info{
		Name: "w1", Title: "Earth mover's distance (W1)", Revision: 1,
		Source: "first Wasserstein distance" + several,
	}, Wasserstein1)
	register(Info{
		Name: "w2", Title: "Earth mover's distance (W2)", Revision: 1,
		Source: "Qardaji & Li 2012, section 4.1 (second Wasserstein distance)" + several,
	}, Wasserstein2)
	register(Info{
		Name: "ks", Title: "Kolmogorov-Smirnov distance", Revision: 1,
		Source: "largest difference of the distribution functions" + several,
		Unit:   "fraction",
	}, KolmogorovSmirnov)
}

// distance compares the numeric quasi-identifiers of the training rows with those of the published
// records, one marginal at a time, and averages; or a graph's degrees with the published ones. W1,
// W2 and KS differ only in the distance of two samples. It is undefined when nothing was published
// or there was nothing to publish. A table without such an attribute is an error.
func distance(ctx context.Context, c Case,
	between func(x, y Sample) float64) (float64, bool, error) {
	if c.Graph != nil {
		if c.Release.Degrees == nil {
			return 0, false, errors.New("the release holds no degrees")
		}
		value := between(degreeSample(c.Graph.DegreeSequence()), degreeSample(c.Release.Degrees))
		return value, !math.IsNaN(value), nil
	}
	attributes := numericQuasiIdentifiers(c.Table.Schema())
	if len(attributes) == 0 {
		return 0, false, errors.New("the table has no numeric quasi-identifier to compare")
	}
	published, weights, err := publishedRecords(ctx, c)
	if err != nil {
		return 0, false, err
	}
	rows := published.AllRows()
	sum := 0.0
	for _, attribute := range attributes {
		if err := ctx.Err(); err != nil {
			return 0, false, err
		}
		original, err := columnSample(c.Table, attribute, c.Train, nil)
		if err != nil {
			return 0, false, err
		}
		released, err := columnSample(published, attribute, rows, weights)
		if err != nil {
			return 0, false, err
		}
		sum += between(original, released)
	}
	value := sum / float64(len(attributes))
	return value, !math.IsNaN(value), nil
}

func numericQuasiIdentifiers(schema *datasets.Schema) []int {
	var numeric []int
	for _, attribute := range schema.QuasiIdentifiers() {
		if schema.Attributes[attribute].Kind == datasets.Numeric {
			numeric = append(numeric, attribute)
		}
	}
	return numeric
}
