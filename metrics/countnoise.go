package metrics

import (
	"context"
	"fmt"
	"math"

	"ppdp/algorithms"
)

func init() {
	Register(parameterised[CountNoiseParams]{Info{
		Name: "count-noise", Title: "Noise of published counts, mean", Unit: "records", Revision: 1,
		Source: "mean absolute difference between a published count and the training records it " +
			"counts; E|Laplace(b)| = b",
		Needs: []algorithms.Product{algorithms.RegionsProduct},
	}, CountNoiseParams{Per: PerClass}, countNoise})
}

// Per says what a count is of.
type Per string

const (
	// PerClass is each class of each region.
	PerClass Per = "class"
	// PerRegion is each region, its classes together.
	PerRegion Per = "region"
)

func (Per) Enum() []string { return algorithms.Words(PerClass, PerRegion) }

// CountNoiseParams are the parameters of the metric count-noise.
type CountNoiseParams struct {
	Per Per `yaml:"per" doc:"what a count is of: the records of a class in a region, or of the whole region"`
}

// countNoise is how far a release's counts are from the numbers of records they are counts of. It
// says nothing about use: it measures the mechanism itself. Where counts are far above 0, and so
// are never clamped, its expectation is that of the noise alone, b for Laplace noise of scale b and
// 1/sinh(ε) for two-sided geometric noise of ratio e^-ε, whatever the regions. Over many counts it
// hardly varies, which is why a change of noise shows here first.
//
// It averages over all published counts, those of empty regions included, and is undefined for
// a release of no region. Suppressed records are in no count. Classes apart, a release of other
// classes than the table's is an error.
func countNoise(ctx context.Context, c Case, params *CountNoiseParams) (float64, error) {
	regions, schema, classes := c.Release.Regions, c.Table.Schema(), 1
	if params.Per == PerClass && schema.Class() >= 0 && regions.Classes > 1 {
		if classes = schema.Classes(); classes != regions.Classes {
			return 0, fmt.Errorf("the release counts %d classes, the table has %d",
				regions.Classes, classes)
		}
	}
	exact, err := trueCounts(ctx, c, classes)
	if err != nil {
		return 0, err
	}
	published := regions.Counts
	if classes == 1 {
		published = publishedSizes(regions)
	}
	sum := 0.0
	for i, n := range published {
		sum += math.Abs(n - exact[i])
	}
	return sum / float64(len(exact)), nil
}
