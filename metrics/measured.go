package metrics

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/internal/problem"
)

// measured is a metric made of its description and a function. It refuses cases that lack what the
// description says is needed: regions, degrees, a class attribute, a classifier. Its errors begin
// with its name. It needs records where the description names no product.
type measured struct {
	info    Info
	measure func(ctx context.Context, c Case) (float64, error) // NaN where it is undefined
}

func (m measured) Info() Info {
	if m.info.Needs == nil {
		m.info.Needs = []algorithms.Product{algorithms.RecordsProduct}
	}
	return m.info
}

func (m measured) Measure(ctx context.Context, c Case) (float64, bool, error) {
	var value float64
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
		if err = m.info.refuses(c.Classifier); err == nil && m.info.Records && c.Table != nil {
			_, _, err = publishedRecords(ctx, c)
		}
		if err == nil {
			value, err = m.measure(ctx, c)
		}
	}
	switch {
	case err != nil:
		return 0, false, fmt.Errorf("%s: %w", m.info.Name, err)
	case math.IsNaN(value):
		return 0, false, nil
	}
	return value, true, nil
}

// parameterised is measured with parameters of type *P, which must fit the table. P holds no
// pointers.
type parameterised[P any] struct {
	info     Info
	defaults P
	measure  func(ctx context.Context, c Case, params *P) (float64, error)
}

func (m parameterised[P]) Info() Info { return measured{info: m.info}.Info() }

// Params returns a copy of the defaults.
func (m parameterised[P]) Params() Params { return &m.defaults }

func (m parameterised[P]) Measure(ctx context.Context, c Case) (float64, bool, error) {
	params, ok := c.Params.(*P)
	if !ok {
		return 0, false, fmt.Errorf("%s: parameters of type %T", m.info.Name, c.Params)
	}
	return measured{m.info, func(ctx context.Context, c Case) (float64, error) {
		if p, ok := c.Params.(schemaChecker); ok {
			if err := p.CheckSchema(c.Table.Schema()); err != nil {
				return 0, err
			}
		}
		if l, ok := c.Params.(interface{ most() int }); ok && l.most() > 0 {
			var err error
			if c, err = sampledCase(ctx, c, l.most()); err != nil {
				return 0, err
			}
		}
		return m.measure(ctx, c, params)
	}}.Measure(ctx, c)
}

// LearnParams are parameters of metrics of what is learnt from a release's records.
type LearnParams struct {
	Rows int `yaml:"rows" doc:"the most published records that are learnt from, and the most rows tested: of more, a sample of this size is drawn, always the same; 0 for all" min:"0" max:"1000000000"`
}

func (p *LearnParams) most() int { return p.Rows }

// sampledCase is the case with samples of this size of more published records and of more rows
// tested. What it is a case of has memos of its own.
func sampledCase(ctx context.Context, c Case, most int) (Case, error) {
	table, weights, err := c.Release.Records(ctx)
	if err != nil {
		return c, err
	}
	type key struct{ most int }
	if len(c.Test) > most {
		tested, err := memoize(ctx, c.Truth, key{most}, func() (Case, error) {
			return Case{Test: permuted(c.Test, "tested")[:most], Truth: new(Memo)}, nil
		})
		if err != nil {
			return c, err
		}
		if slices.Equal(c.Train, c.Test) {
			c.Train = tested.Test
		}
		c.Test, c.Truth = tested.Test, tested.Truth
	}
	learnt, err := memoize(ctx, c.Published, key{most}, func() (Case, error) {
		if table == nil || table.Len() <= most {
			return Case{Release: c.Release, Published: new(Memo)}, nil
		}
		release, rows := *c.Release, permuted(table.AllRows(), "learnt")[:most]
		release.Table, release.Weights = table.Select(rows), nil
		if weights != nil {
			for _, row := range rows {
				release.Weights = append(release.Weights, weights[row])
			}
		}
		return Case{Release: &release, Published: new(Memo)}, nil
	})
	c.Release, c.Published = learnt.Release, learnt.Published
	return c, err
}

// fit trains a classifier. Errors begin with its name.
func fit(ctx context.Context, of classifiers.Classifier, data classifiers.Data) (classifiers.Model,
	error) {
	model, err := of.Fit(ctx, data)
	return model, problem.Named(of.Info().Name, err)
}

// weightOf is the weight of a row of a table: 1 where there are no weights.
func weightOf(weights []float64, row int32) float64 {
	if weights == nil {
		return 1
	}
	return weights[row]
}

// publishedRecords is the records of a case's release with their weights, nil for 1 each. They are
// the release's Table and Weights from then on.
func publishedRecords(ctx context.Context, c Case) (*datasets.Table, []float64, error) {
	table, weights, err := c.Release.Records(ctx)
	if err == nil && table == nil {
		err = errors.New("the release holds no records")
	}
	for row, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return nil, nil, fmt.Errorf("weight %v of row %d, must be finite and at least 0", w,
				row)
		}
	}
	return table, weights, err
}
