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
	algorithms.Register(Algorithm{Name: "independent"})
	algorithms.Register(Algorithm{Name: "nb-model", Class: true})
}

// Algorithm is one of the releases.
type Algorithm struct {
	Name  string
	Class bool // measure attributes with the class
}

func (a Algorithm) Info() algorithms.Info {
	title, note, revision := "Independent marginals", "All one-way marginals.", 6
	if a.Class {
		title, note, revision = "Naive Bayes model: each attribute with the class",
			"All marginals of one attribute and the class.", 5
	}
	return algorithms.Info{
		Name: a.Name, Title: title,
		Source:   "McKenna, Sheldon & Miklau 2019, a fixed choice of marginals",
		Input:    algorithms.TableInput,
		Produces: []algorithms.Product{algorithms.RecordsProduct},
		Variants: margins.Guarantees(note),
		Columns:  true,
		Revision: revision,
	}
}

func (a Algorithm) Params() algorithms.Params {
	p := margins.DefaultParams()
	if a.Class { // predicts better from equal bins of narrow attributes
		p.Cut = margins.Wide
	}
	return &p
}

// Release measures, fits and draws.
func (a Algorithm) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	params, err := algorithms.CheckInput[*margins.Params](ctx, a, in)
	if err != nil {
		return nil, err
	}
	d, err := margins.Open(ctx, &in, params)
	if err != nil {
		return nil, err
	}
	sets := d.OneWay()
	if a.Class {
		sets = d.WithClass()
	}
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
