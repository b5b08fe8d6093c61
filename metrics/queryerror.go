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
	const source = "LeFevre et al. 2006, sections 5 and 6 (Fig. 17): queries with one predicate, " +
		"uniform spread inside regions"
	Register(countError{Info{
		Name: "count-error", Title: "Error of count queries, mean", Unit: "records", Revision: 1,
		Source: source, Needs: []algorithms.Product{algorithms.Boxes},
	}, mean})
	Register(countError{Info{
		Name: "count-error-std", Title: "Error of count queries, standard deviation",
		Unit: "records", Revision: 1,
		Source: source, Needs: []algorithms.Product{algorithms.Boxes},
	}, deviation})
	Register(aggregateError{})
}

// CountErrorParams are the parameters of the metrics count-error and count-error-std.
type CountErrorParams struct {
	WorkloadParams `yaml:",inline"`
}

// countError is how far a release's answers to count queries are from the truth.
type countError struct {
	info      Info
	statistic func(errors []float64) float64
}

var _ Parameterised = countError{}

func (m countError) Info() Info { return m.info }

// Params returns the defaults: every value of every quasi-identifier, boxes.
func (countError) Params() Params { return &CountErrorParams{defaultWorkload()} }

// Measure compares the number of all training rows, suppressed ones included, that satisfy a
// predicate with its estimate. Undefined for a workload without a query.
func (m countError) Measure(ctx context.Context, c Case) (float64, bool, error) {
	params, ok := c.Params.(*CountErrorParams)
	if !ok {
		return 0, false, fmt.Errorf("%s: parameters of type %T", m.info.Name, c.Params)
	}
	off, err := workloadErrors(ctx, c, &params.WorkloadParams, -1,
		func(a *Answer) (float64, bool) { return a.Count, true })
	if err != nil || len(off) == 0 {
		return 0, false, wrap(m.info.Name, err)
	}
	return m.statistic(off), true, nil
}

// Aggregate is a function over the rows a query selects.
type Aggregate string

const (
	Sum     Aggregate = "sum"
	Average Aggregate = "avg"
	Min     Aggregate = "min"
	Max     Aggregate = "max"
)

// Enum lists the words a specification may use.
func (Aggregate) Enum() []string {
	return []string{string(Sum), string(Average), string(Min), string(Max)}
}

// of picks the aggregate from an answer; all but a sum are undefined where nothing is counted.
func (f Aggregate) of(a *Answer) (float64, bool) {
	switch f {
	case Sum:
		return a.Sum, true
	case Min:
		return a.Min, a.Count > 0
	case Max:
		return a.Max, a.Count > 0
	default:
		return a.Average()
	}
}

// AggregateErrorParams are the parameters of the metric aggregate-error.
type AggregateErrorParams struct {
	WorkloadParams `yaml:",inline"`
	// Aggregate is avg (the default), sum, min or max.
	Aggregate Aggregate `yaml:"aggregate"`
	// Of is the name of the aggregated attribute, a numeric quasi-identifier. It has to be given.
	Of string `yaml:"of"`
}

// Validate reports everything out of range.
func (p *AggregateErrorParams) Validate() error {
	errs := []error{p.WorkloadParams.Validate()}
	if p.Aggregate != Sum && p.Aggregate != Average && p.Aggregate != Min && p.Aggregate != Max {
		errs = append(errs, fmt.Errorf("aggregate: %q, must be %s, %s, %s or %s",
			p.Aggregate, Sum, Average, Min, Max))
	}
	if p.Of == "" {
		errs = append(errs, errors.New("of: missing, must name a numeric quasi-identifier"))
	}
	return errors.Join(errs...)
}

// aggregateError is how far a release's sums, averages and extremes are from the truth.
type aggregateError struct{}

var _ Parameterised = aggregateError{}

func (aggregateError) Info() Info {
	return Info{
		Name: "aggregate-error", Title: "Error of aggregate queries, mean", Revision: 1,
		Source: "LeFevre et al. 2006, section 5: sums and averages by the mean statistic, " +
			"extremes by the range statistic; in the attribute's unit",
		Needs: []algorithms.Product{algorithms.Boxes},
	}
}

func (aggregateError) Params() Params {
	return &AggregateErrorParams{WorkloadParams: defaultWorkload(), Aggregate: Average}
}

// Measure averages the absolute error over the queries whose answer is defined both in truth and by
// the release. Undefined where there is none.
func (m aggregateError) Measure(ctx context.Context, c Case) (float64, bool, error) {
	params, ok := c.Params.(*AggregateErrorParams)
	if !ok {
		return 0, false, fmt.Errorf("aggregate-error: parameters of type %T", c.Params)
	}
	schema := c.Table.Schema()
	of := schema.Index(params.Of)
	if of < 0 || schema.Attributes[of].Role != datasets.QuasiIdentifier ||
		schema.Attributes[of].Kind != datasets.Numeric {
		return 0, false, fmt.Errorf("aggregate-error: of: %q, must be a numeric quasi-identifier",
			params.Of)
	}
	off, err := workloadErrors(ctx, c, &params.WorkloadParams, of, params.Aggregate.of)
	if err != nil || len(off) == 0 {
		return 0, false, wrap("aggregate-error", err)
	}
	return mean(off), true, nil
}

func wrap(metric string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", metric, err)
}

// workloadErrors lists the absolute errors of a workload's queries; those undefined on either side
// are left out.
func workloadErrors(ctx context.Context, c Case, p *WorkloadParams, of int,
	pick func(*Answer) (float64, bool)) ([]float64, error) {
	if c.Release.Regions == nil {
		return nil, errors.New("the release holds no regions")
	}
	predicates, err := p.predicates(c.Table.Schema())
	if err != nil {
		return nil, err
	}
	estimator := NewEstimator(c.Table.Schema(), c.Release.Regions, p.Ranges)
	var exact *truth
	off := make([]float64, 0, len(predicates))
	for i := range predicates {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if exact == nil || exact.attribute != predicates[i].Attribute {
			if exact, err = newTruth(ctx, c.Table, c.Train, predicates[i].Attribute,
				of); err != nil {
				return nil, err
			}
		}
		estimate, err := estimator.Estimate(Query{Where: predicates[i : i+1], Of: of})
		if err != nil {
			return nil, err
		}
		answer := exact.answer(predicates[i])
		estimated, ok := pick(&estimate)
		known, defined := pick(&answer)
		if ok && defined {
			off = append(off, math.Abs(estimated-known))
		}
	}
	return off, nil
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, x := range values {
		sum += x
	}
	return sum / float64(len(values))
}

// deviation is the population's standard deviation: the queries are the whole workload, not a
// sample.
func deviation(values []float64) float64 {
	m, sum := mean(values), 0.0
	for _, x := range values {
		sum += float64((x - m) * (x - m))
	}
	return math.Sqrt(sum / float64(len(values)))
}
