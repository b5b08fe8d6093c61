package metrics

import (
	"context"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets"
)

func init() {
	Register(parameterised[AmountsParams]{Info{
		Name: "amounts", Title: "Error of amounts", Revision: 1, Records: true,
		Source: "ppdp: |published/true - 1| of the mean, the median or the 95th percentile of a " +
			"number, over rows released; the mean over numbers where the true one is not 0",
	}, AmountsParams{Of: MeanAmount}, amountsError})
}

// Amount is a figure of a number's distribution.
type Amount string

const (
	MeanAmount   Amount = "mean"
	MedianAmount Amount = "median"
	HighAmount   Amount = "p95"
)

func (Amount) Enum() []string { return algorithms.Words(MeanAmount, MedianAmount, HighAmount) }

// AmountsParams are the parameters of amounts.
type AmountsParams struct {
	Of Amount `yaml:"of" doc:"the figure; quantiles are the least value that so large a share of the records do not exceed"`
}

// amountsError is undefined without rows or published records, and where each true figure is 0.
func amountsError(ctx context.Context, c Case, p *AmountsParams) (float64, error) {
	schema, table := c.Table.Schema(), c.Release.Table
	sum, n := 0.0, 0
	for a := range schema.Attributes {
		if schema.Attributes[a].Kind != datasets.Numeric {
			continue
		}
		truth, err := amountsOf(ctx, c.Truth, c.Table, c.Train, a, nil)
		if err != nil {
			return 0, err
		}
		published, err := amountsOf(ctx, c.Published, table, table.AllRows(), a, c.Release.Weights)
		if err != nil {
			return 0, err
		}
		if off := math.Abs(published[p.Of]/truth[p.Of] - 1); truth[p.Of] != 0 && !math.IsNaN(off) {
			sum, n = sum+off, n+1
		}
	}
	return sum / float64(n), nil
}

// amountsOf are an attribute's figures over the rows that have it, NaN where those have no weight.
func amountsOf(ctx context.Context, memo *Memo, table *datasets.Table, rows []int32, a int,
	weights []float64) (map[Amount]float64, error) {
	type key struct{ attribute int }
	return memoize(ctx, memo, key{a}, func() (map[Amount]float64, error) {
		sample := columnSample(table, a, rows, weights)
		return map[Amount]float64{MeanAmount: sample.mean(), MedianAmount: sample.quantile(0.5),
			HighAmount: sample.quantile(0.95)}, nil
	})
}
