// Package independent holds two releases of fixed marginals, floors for everything that chooses
// what it measures. "independent" measures each attribute alone; its records carry no signal about
// the class. "nb-model" measures each attribute with the class, which makes the model of a naive
// Bayes classifier. Both share the budget equally among the marginals and fit by Private-PGM
// (McKenna, Sheldon & Miklau 2019).
//
// Deviations:
//   - No paper is behind the two; they are the simplest of Private-PGM's models.
//   - Numeric attributes are cut into bins, private ones at three times the cost of others.
//   - nb-model without a class attribute is independent.
package independent

import (
	"context"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/margins"
)

func init() {
	info := algorithms.Info{
		Name: "independent", Title: "Independent marginals",
		Source:   "McKenna, Sheldon & Miklau 2019, a fixed choice of marginals",
		Input:    algorithms.TableInput,
		Produces: []algorithms.Product{algorithms.RecordsProduct},
		Variants: margins.Guarantees("All one-way marginals."),
		Columns:  true,
		Revision: 6,
	}
	algorithms.Add(info, margins.DefaultParams, measuring((*margins.Data).OneWay))
	info.Name, info.Title = "nb-model", "Naive Bayes model: each attribute with the class"
	info.Variants = margins.Guarantees("All marginals of one attribute and the class.")
	info.Revision = 5
	algorithms.Add(info, margins.TargetParams, measuring((*margins.Data).WithClass))
}

// measuring measures the marginals of some sets of attributes, fits and draws.
func measuring(of func(*margins.Data) [][]int) algorithms.Releaser[*margins.Params] {
	return func(ctx context.Context, in algorithms.Input,
		params *margins.Params) (*algorithms.Release, error) {
		d, err := margins.Open(ctx, &in, params)
		if err != nil {
			return nil, err
		}
		sets := of(d)
		noise := d.Noise("marginals")
		if err := d.MeasureAll(noise, d.Each(in.Budget.Total(), sets), sets); err != nil {
			return nil, err
		}
		model, err := d.Fit(2, nil)
		if err != nil {
			return nil, err
		}
		return d.Publish(model, nil)
	}
}
