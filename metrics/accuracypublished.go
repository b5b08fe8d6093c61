package metrics

import (
	"context"
	"fmt"

	"ppdp/algorithms"
	"ppdp/metrics/encoding"
)

func init() { Register(accuracyPublished{}) }

// accuracyPublished is how well a classifier predicts from a release in the form that its kind is
// evaluated in by Al-Hussaeni et al.: partitions by generalised records, synthetic and raw records
// as they are. It puts baselines of both kinds, and the raw data, into one figure.
type accuracyPublished struct{}

var _ Parameterised = accuracyPublished{}

// Params returns the default encoding of regions, that of accuracy-generalised.
func (accuracyPublished) Params() Params {
	return &GeneralisedParams{Encoding: encoding.NodeMidpoint}
}

func (accuracyPublished) Info() Info {
	return Info{
		Name: "accuracy-published", Title: "Classification accuracy", Unit: "fraction",
		Source: "Al-Hussaeni et al. 2018, sections 5.1 and 5.2: accuracy-generalised of " +
			"releases that have regions, accuracy of the others",
		Needs:      []algorithms.Product{algorithms.Records},
		Classifier: true, HigherIsBetter: true, Revision: 1,
	}
}

// Measure is that of accuracy-generalised where the release holds regions, and that of accuracy
// where not, which is the same in every encoding.
func (accuracyPublished) Measure(ctx context.Context, c Case) (float64, bool, error) {
	if c.Release.Regions == nil {
		return accuracy{}.Measure(ctx, c)
	}
	if _, ok := c.Params.(*GeneralisedParams); !ok {
		return 0, false, fmt.Errorf("accuracy-published: parameters of type %T", c.Params)
	}
	return generalised{}.Measure(ctx, c)
}
