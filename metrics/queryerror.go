package metrics

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"ppdp/algorithms"
	"ppdp/datasets"
)

func init() {
	register := func(name, of string, statistic func(errors []float64) float64) {
		Register(parameterised[CountErrorParams]{Info{
			Name: name, Title: "Error of count queries, " + of, Unit: "records", Revision: 1,
			Source: "LeFevre et al. 2006, sections 5 and 6 (Fig. 17): queries with one " +
				"predicate, uniform spread inside regions",
			Needs: []algorithms.Product{algorithms.RegionsProduct},
		}, CountErrorParams{Ranges: Box},
			func(ctx context.Context, c Case, params *CountErrorParams) (float64, error) {
				off, err := countErrors(ctx, c, params)
				return statistic(off), err
			}})
	}
	register("count-error", "mean", mean)
	register("count-error-std", "standard deviation", deviation)
}

// CountErrorParams describe a workload of count queries, "attribute = value" for every value of the
// domain.
type CountErrorParams struct {
	Attribute string `yaml:"attribute" doc:"the attribute of the queries' predicates" values:"the name of a quasi-identifier; empty for each in turn"`
	Ranges    Ranges `yaml:"ranges" doc:"over which cells a region's records are spread: its box or the range its records span"`
}

// attributes are the positions of those asked for.
func (p *CountErrorParams) attributes(schema *datasets.Schema) ([]int, error) {
	all := schema.QuasiIdentifiers()
	if p.Attribute == "" {
		return all, nil
	}
	at := schema.Index(p.Attribute)
	if !slices.Contains(all, at) {
		return nil, fmt.Errorf("attribute: %q, must be one of the quasi-identifiers %s",
			p.Attribute, strings.Join(schema.Names(datasets.QuasiIdentifier), ", "))
	}
	return []int{at}, nil
}

// maxQueries bounds a workload.
const maxQueries = 1 << 17

// countErrors is how far a release's answers are from the truth, query by query: the number of all
// training rows that have a value, suppressed ones included, against its estimate.
func countErrors(ctx context.Context, c Case, params *CountErrorParams) ([]float64, error) {
	schema := c.Table.Schema()
	attributes, err := params.attributes(schema)
	if err != nil {
		return nil, err
	}
	var off []float64
	for _, at := range attributes {
		if len(off)+schema.Attributes[at].Cells() > maxQueries {
			return nil, fmt.Errorf("more than %d queries, must be about an attribute of fewer "+
				"values", maxQueries)
		}
		estimates, err := estimatedCounts(ctx, c, at, params.Ranges)
		if err != nil {
			return nil, err
		}
		truth, column := make([]int, len(estimates)), c.Table.Column(at)
		for _, row := range c.Train {
			truth[column.At(row)]++
		}
		for code, n := range truth {
			off = append(off, math.Abs(estimates[code]-float64(n)))
		}
	}
	return off, nil
}

// estimatedCounts is how many records of a release have each value of an attribute, when those of a
// region are spread evenly over the cells of its ranges (LeFevre et al. 2006, section 5).
func estimatedCounts(ctx context.Context, c Case, attribute int, ranges Ranges) ([]float64, error) {
	a, regions := &c.Table.Schema().Attributes[attribute], c.Release.Regions
	dim := slices.Index(regions.Attributes, attribute)
	if dim < 0 {
		return nil, fmt.Errorf("%s is not generalised by the release", a.Name)
	}
	counts, extents := make([]float64, a.Cells()), ranges.of(regions)
	for region, size := range publishedSizes(regions) {
		if region%pollEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		low, high := extents.Interval(region, dim)
		each := float64(size * (1 / float64(high-low)))
		for place := low; place < high; place++ {
			code := place
			if regions.Axes != nil && regions.Axes[dim] != nil {
				code = regions.Axes[dim].Code[place]
			}
			counts[code] += each
		}
	}
	return counts, nil
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
