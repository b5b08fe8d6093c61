package metrics

import (
	"context"
	"errors"
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets"
)

func init() {
	const several = "; the mean over the numeric quasi-identifiers where there are several, each " +
		"in its own unit; of a graph, between degree sequences"
	Register(distance{Info{
		Name: "w1", Title: "Earth mover's distance (W1)", Revision: 1,
		Source:     "first Wasserstein distance" + several,
		Needs:      []algorithms.Product{algorithms.Records},
		GraphNeeds: []algorithms.Product{algorithms.DegreeSequence},
	}, Wasserstein1})
	Register(distance{Info{
		Name: "w2", Title: "Earth mover's distance (W2)", Revision: 1,
		Source:     "Qardaji & Li 2012, section 4.1 (second Wasserstein distance)" + several,
		Needs:      []algorithms.Product{algorithms.Records},
		GraphNeeds: []algorithms.Product{algorithms.DegreeSequence},
	}, Wasserstein2})
	Register(distance{Info{
		Name: "ks", Title: "Kolmogorov-Smirnov distance", Revision: 1,
		Source:     "largest difference of the distribution functions" + several,
		Unit:       "fraction",
		Needs:      []algorithms.Product{algorithms.Records},
		GraphNeeds: []algorithms.Product{algorithms.DegreeSequence},
	}, KolmogorovSmirnov})
}

// distance compares the numeric quasi-identifiers of the training rows with those of the published
// records, one marginal at a time, or a graph's degrees with the published ones: W1, W2 and KS
// differ only in the distance of two samples.
type distance struct {
	info    Info
	between func(x, y Sample) float64
}

func (d distance) Info() Info { return d.info }

// Measure averages the distance over the numeric quasi-identifiers. It is undefined when nothing
// was published or there was nothing to publish. A table without such an attribute is an error.
func (d distance) Measure(ctx context.Context, c Case) (float64, bool, error) {
	if c.Graph != nil {
		if c.Release.Degrees == nil {
			return 0, false, errors.New(d.info.Name + ": the release holds no degrees")
		}
		value := d.between(degreeSample(c.Graph.DegreeSequence()), degreeSample(c.Release.Degrees))
		return value, !math.IsNaN(value), nil
	}
	attributes := numericQuasiIdentifiers(c.Table.Schema())
	if len(attributes) == 0 {
		return 0, false, errors.New(d.info.Name +
			": the table has no numeric quasi-identifier to compare")
	}
	published, weights, err := c.Release.Records(ctx)
	switch {
	case err != nil:
		return 0, false, fmt.Errorf("%s: %w", d.info.Name, err)
	case published == nil:
		return 0, false, errors.New(d.info.Name + ": the release holds no records")
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
		sum += d.between(original, released)
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
