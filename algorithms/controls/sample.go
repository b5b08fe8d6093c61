package controls

import (
	"context"
	"math"
	"slices"

	"ppdp/algorithms"
)

func init() { algorithms.Register(Sample{}) }

// Sample publishes a part of the true records, drawn at random without replacement. Over several
// shares it is the learning curve by which results.Yardstick says how large a sample of the truth
// another release is as good as.
type Sample struct{}

// SampleParams choose how many records are published.
type SampleParams struct {
	Share float64 `yaml:"share" doc:"the part of the rows that is published, rounded to whole rows, but at least one" above:"0" max:"1"`
}

func (Sample) Info() algorithms.Info {
	return algorithms.Info{
		Name: "sample", Title: "Random sample of the original data", Source: "none: a control",
		Input: algorithms.TableInput, Produces: []algorithms.Product{algorithms.RecordsProduct},
		Variants: []algorithms.Guarantee{algorithms.NotPrivate(
			"No privacy for those in the sample: their records are published unchanged.")},
		Revision: 1,
	}
}

// Params returns a tenth of the records.
func (Sample) Params() algorithms.Params { return &SampleParams{Share: 0.1} }

// Release draws the sample, each set of its size with the same probability, and publishes it in the
// order of the rows. It costs no budget.
func (Sample) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	params, err := algorithms.CheckInput[*SampleParams](ctx, Sample{}, in)
	if err != nil {
		return nil, err
	}
	rows, draws := in.Rows, in.Noise.Open("sample")
	n := len(rows)
	wanted := min(n, max(1, int(math.Round(params.Share*float64(n)))))
	for i := range wanted { // Fisher and Yates, as far as it is needed
		j := min(n-1, i+int(draws.Open01()*float64(n-i)))
		rows[i], rows[j] = rows[j], rows[i]
	}
	chosen := slices.Clone(rows[:wanted])
	slices.Sort(chosen)
	return &algorithms.Release{Table: in.Table.Select(chosen)}, nil
}
