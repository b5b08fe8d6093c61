package metrics

import (
	"context"
	"math"

	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/internal/problem"
)

func init() {
	register := func(name, title, source string, higher bool,
		value func(predicted, truth []float64) float64) {
		Register(parameterised[RegressionParams]{Info{Name: name, Title: title, Revision: 1,
			Source:  source + "; trained on the release's records, tested on raw rows held out",
			Records: true, HigherIsBetter: higher,
		}, RegressionParams{Regressor: "boosting"},
			func(ctx context.Context, c Case, params *RegressionParams) (float64, error) {
				predicted, truth, err := regression(ctx, c, params)
				return value(predicted, truth), err
			}})
	}
	register("r2", "Coefficient of determination R²",
		"Hastie, Tibshirani & Friedman 2009: 1 - squared errors of a regressor / those of the mean",
		true, determination)
	register("mae", "Mean absolute error",
		"folklore: the mean of |prediction of a regressor - truth|, in the target's unit",
		false, absoluteError)
}

// RegressorName names a registered regressor.
type RegressorName string

// Enum lists them.
func (RegressorName) Enum() []string { return classifiers.Regressors() }

// RegressionParams are the parameters of the metrics r2 and mae.
type RegressionParams struct {
	Target    string        `yaml:"target" doc:"the attribute that is learnt from all others" values:"the name of a numeric attribute; it has to be given" missing:"must name a numeric attribute"`
	Regressor RegressorName `yaml:"regressor" doc:"what learns it"`

	LearnParams `yaml:",inline"`
}

// CheckSchema reports a target that is no numeric attribute.
func (p *RegressionParams) CheckSchema(s *datasets.Schema) error {
	at := s.Index(p.Target)
	return problem.Unless(at >= 0 && s.Attributes[at].Kind == datasets.Numeric,
		"target: %q, must be a numeric attribute of the table", p.Target)
}

// regression returns what a regressor, trained on the published records with their weights,
// predicts for the test rows of the original table, and their numbers there.
func regression(ctx context.Context, c Case, params *RegressionParams) (predicted, truth []float64,
	err error) {
	at := c.Table.Schema().Index(params.Target)
	test := c.Table.Present(c.Test, at) // a number that is missing cannot be predicted
	predicted, err = memoize(ctx, c.Published, *params, func() ([]float64, error) {
		regressor, err := classifiers.LookupRegressor(string(params.Regressor))
		if err != nil {
			return nil, err
		}
		table := c.Release.Table
		model, err := regressor.FitNumber(ctx, classifiers.Data{Table: table,
			Rows: table.Present(table.AllRows(), at), Weights: c.Release.Weights}, at)
		if err != nil {
			return nil, problem.Named(string(params.Regressor), err)
		}
		predicted := make([]float64, len(test))
		model.Numbers(predicted, c.Table, test)
		return predicted, nil
	})
	for i := range predicted {
		truth = append(truth, c.Table.Number(test[i], at))
	}
	return predicted, truth, err
}

// determination is 1 - Σ (prediction - truth)² / Σ (mean - truth)², NaN where all are equal.
func determination(predicted, truth []float64) float64 {
	mean, left, all := 0.0, 0.0, 0.0
	for _, y := range truth {
		mean += y / float64(len(truth))
	}
	for i, y := range truth {
		left += float64((predicted[i] - y) * (predicted[i] - y))
		all += float64((mean - y) * (mean - y))
	}
	if all == 0 {
		return math.NaN()
	}
	return 1 - left/all
}

// absoluteError is the mean of |prediction - truth|.
func absoluteError(predicted, truth []float64) float64 {
	sum := 0.0
	for i, y := range truth {
		sum += math.Abs(predicted[i] - y)
	}
	return sum / float64(len(truth))
}
