package metrics

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ppdp/algorithms"
	"ppdp/datasets"
)

// measured is a metric made of its description and a function. It refuses cases that lack what the
// description says is needed: regions, degrees, a class attribute, a classifier. Its errors begin
// with its name.
type measured struct {
	info    Info
	measure func(ctx context.Context, c Case) (value float64, ok bool, err error)
}

func (m measured) Info() Info { return m.info }

func (m measured) Measure(ctx context.Context, c Case) (float64, bool, error) {
	var value float64
	var ok bool
	var err error
	switch needs := m.info.Needs; {
	case slices.Contains(needs, algorithms.RegionsProduct) && c.Release.Regions == nil:
		err = errors.New("the release holds no regions")
	case slices.Contains(needs, algorithms.DegreesProduct) && c.Release.Degrees == nil:
		err = errors.New("the release holds no degrees")
	case m.info.needsClass() && c.Table.Schema().Class() < 0:
		err = errNoClass
	case m.info.Classifier && c.Classifier == nil:
		err = errors.New("needs a classifier")
	default:
		value, ok, err = m.measure(ctx, c)
	}
	if err != nil {
		return 0, false, fmt.Errorf("%s: %w", m.info.Name, err)
	}
	return value, ok, nil
}

// parameterised is measured with parameters of type P, a pointer.
type parameterised[P Params] struct {
	info     Info
	defaults func() P
	measure  func(ctx context.Context, c Case, params P) (value float64, ok bool, err error)
}

func (m parameterised[P]) Info() Info { return m.info }

func (m parameterised[P]) Params() Params { return m.defaults() }

func (m parameterised[P]) Measure(ctx context.Context, c Case) (float64, bool, error) {
	params, ok := c.Params.(P)
	if !ok {
		return 0, false, fmt.Errorf("%s: parameters of type %T", m.info.Name, c.Params)
	}
	return measured{m.info, func(ctx context.Context, c Case) (float64, bool, error) {
		return m.measure(ctx, c, params)
	}}.Measure(ctx, c)
}

// publishedRecords is the records of a case's release with their weights, nil for 1 each.
func publishedRecords(ctx context.Context, c Case) (*datasets.Table, []float64, error) {
	table, weights, err := c.Release.Records(ctx)
	if err == nil && table == nil {
		err = errors.New("the release holds no records")
	}
	return table, weights, err
}
