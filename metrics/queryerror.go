package metrics

import (
	"context"
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets"
)

func init() {
	register := func(info Info, statistic func(errors []float64) float64) {
		info.Source = "LeFevre et al. 2006, sections 5 and 6 (Fig. 17): queries with one " +
			"predicate, uniform spread inside regions"
		info.Unit, info.Needs = "records", []algorithms.Product{algorithms.RegionsProduct}
		Register(parameterised[*CountErrorParams]{info,
			func() *CountErrorParams { return &CountErrorParams{defaultWorkload()} },
			func(ctx context.Context, c Case, params *CountErrorParams) (float64, bool, error) {
				off, err := countErrors(ctx, c, params)
				if err != nil || len(off) == 0 {
					return 0, false, err
				}
				return statistic(off), true, nil
			}})
	}
	register(Info{
		Name: "count-error", Title: "Error of count queries, mean", Revision: 1,
	}, mean)
	register(Info{
		Name: "count-error-std", Title: "Error of count queries, standard deviation", Revision: 1,
	}, deviation)
	Register(parameterised[*AggregateErrorParams]{Info{
		Name: "aggregate-error", Title: "Error of aggregate queries, mean", Revision: 1,
		Source: "LeFevre et al. 2006, section 5: sums and averages by the mean statistic, " +
			"extremes by the range statistic; in the attribute's unit",
		Needs: []algorithms.Product{algorithms.RegionsProduct},
	}, func() *AggregateErrorParams {
		return &AggregateErrorParams{WorkloadParams: defaultWorkload(), Aggregate: Average}
	}, aggregateError})
}

// CountErrorParams are the parameters of the metrics count-error and count-error-std.
type CountErrorParams struct {
	WorkloadParams `yaml:",inline"`
}

// countErrors is how far a release's answers to count queries are from the truth: the number of all
// training rows, suppressed ones included, that satisfy a predicate, against its estimate.
func countErrors(ctx context.Context, c Case, params *CountErrorParams) ([]float64, error) {
	return workloadErrors(ctx, c, &params.WorkloadParams, -1,
		func(a *Answer) (float64, bool) { return a.Count, true })
}

// Aggregate is a function over the rows a query selects.
type Aggregate string

const (
	Sum     Aggregate = "sum"
	Average Aggregate = "avg"
	Min     Aggregate = "min"
	Max     Aggregate = "max"
)

func (Aggregate) Enum() []string { return algorithms.Words(Sum, Average, Min, Max) }

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
	Aggregate      Aggregate `yaml:"aggregate" doc:"what a query asks of the records it selects"`
	Of             string    `yaml:"of" doc:"the attribute that is aggregated" values:"the name of a numeric quasi-identifier; it has to be given"`
}

func (p *AggregateErrorParams) Validate() error {
	var bad datasets.Problems
	bad.AddError(p.WorkloadParams.Validate())
	if p.Of == "" {
		bad.Add("of: missing, must name a numeric quasi-identifier")
	}
	return bad.Err()
}

// aggregateError is how far a release's sums, averages and extremes are from the truth: the mean of
// the absolute errors over the queries whose answer is defined both in truth and by the release.
func aggregateError(ctx context.Context, c Case,
	params *AggregateErrorParams) (float64, bool, error) {
	schema := c.Table.Schema()
	of := schema.Index(params.Of)
	if of < 0 || schema.Attributes[of].Role != datasets.QuasiIdentifier ||
		schema.Attributes[of].Kind != datasets.Numeric {
		return 0, false, fmt.Errorf("of: %q, must be a numeric quasi-identifier",
			params.Of)
	}
	off, err := workloadErrors(ctx, c, &params.WorkloadParams, of, params.Aggregate.of)
	if err != nil || len(off) == 0 {
		return 0, false, err
	}
	return mean(off), true, nil
}

// workloadErrors lists the absolute errors of a workload's queries; those undefined on either side
// are left out.
func workloadErrors(ctx context.Context, c Case, p *WorkloadParams, of int,
	pick func(*Answer) (float64, bool)) ([]float64, error) {
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
