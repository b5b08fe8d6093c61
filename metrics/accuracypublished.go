package metrics

import (
	"context"

	"ppdp/algorithms"
	"ppdp/metrics/internal/encoding"
)

func init() {
	Register(parameterised[GeneralisedParams]{Info{
		Name: "accuracy-published", Title: "Classification accuracy", Unit: "fraction",
		Source: "Al-Hussaeni et al. 2018, section 5.1: accuracy-generalised of " +
			"releases that have regions, accuracy of the others",
		Needs:      []algorithms.Product{algorithms.RecordsProduct},
		Classifier: true, HigherIsBetter: true, Revision: 1,
	}, defaultEncoding, accuracyPublished})
}

// accuracyPublished is how well a classifier predicts from a release in the form that its kind is
// evaluated in by Al-Hussaeni et al.: partitions by generalised records (accuracy-generalised),
// synthetic and raw records as they are (accuracy), which is the same in every encoding. It puts
// baselines of both kinds, and the raw data, into one figure.
func accuracyPublished(ctx context.Context, c Case,
	params *GeneralisedParams) (float64, bool, error) {
	predicted, err := predictFromPublished(ctx, c, params.Encoding)
	return shareRight(c, predicted, err)
}

// predictFromPublished returns the classes predicted for the test rows from generalised records
// where the release has regions, else from its records.
func predictFromPublished(ctx context.Context, c Case, as encoding.Encoding) ([]uint32, error) {
	if c.Release.Regions == nil {
		return predictFromRecords(ctx, c)
	}
	return predictFromGeneralised(ctx, c, as)
}
