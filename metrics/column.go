package metrics

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/datasets"
)

func init() {
	Register(parameterised[ColumnParams]{Info{Name: "column", Title: "Column", Revision: 1,
		Records: true,
		Source: "column shapes (SDMetrics): the distance of Kolmogorov and Smirnov for numbers, " +
			"total variation for categories; means, quantiles and shares as they are defined"},
		ColumnParams{Of: ColumnDistance, At: 0.5, Rank: 1}, column})
}

// ColumnFigure is a number that describes a column.
type ColumnFigure string

const (
	ColumnDistance ColumnFigure = "distance" // from the original's distribution, 0 to 1
	ColumnMissing  ColumnFigure = "missing"  // share that is missing, or has no value of the schema
	ColumnMean     ColumnFigure = "mean"     // of a number
	ColumnQuantile ColumnFigure = "quantile" // of a number
	ColumnShare    ColumnFigure = "share"    // of a category that is frequent in the original
	ColumnPair     ColumnFigure = "pair"     // distance of its marginal with another column
)

func (ColumnFigure) Enum() []string {
	return algorithms.Words(ColumnDistance, ColumnMissing, ColumnMean, ColumnQuantile, ColumnShare,
		ColumnPair)
}

// ColumnParams are the parameters of the metric column.
type ColumnParams struct {
	Attribute string       `yaml:"attribute" doc:"the column" values:"the name of an attribute; it has to be given" missing:"must name a column"`
	Of        ColumnFigure `yaml:"of" doc:"the number asked for"`
	At        float64      `yaml:"at" doc:"of quantile: the share of the records that are not above it" min:"0" max:"1"`
	With      string       `yaml:"with" doc:"of pair: the other column" values:"the name of another attribute"`
	Rank      int          `yaml:"rank" doc:"of share: 1 for the category that is most frequent in the original, 2 for the next" min:"1" max:"1000000"`
}

// CheckSchema refuses columns that a table does not have, numbers of categories and the reverse.
func (p *ColumnParams) CheckSchema(s *datasets.Schema) error {
	at := s.Index(p.Attribute)
	if at < 0 {
		return fmt.Errorf("attribute: %q, must be an attribute of the table", p.Attribute)
	}
	if other := s.Index(p.With); p.Of == ColumnPair && (other < 0 || other == at) {
		return fmt.Errorf("with: %q, must be another attribute of the table", p.With)
	}
	numeric := s.Attributes[at].Kind == datasets.Numeric
	if numeric && p.Of == ColumnShare || !numeric && (p.Of == ColumnMean ||
		p.Of == ColumnQuantile) {
		return fmt.Errorf("of: %s of %q, must be a mean or quantile of numbers, or a share of "+
			"categories", p.Of, p.Attribute)
	}
	return nil
}

// column is undefined without published mass, or without a category of the rank.
func column(ctx context.Context, c Case, params *ColumnParams) (float64, error) {
	a := c.Table.Schema().Index(params.Attribute)
	table, weights := c.Release.Table, c.Release.Weights
	if params.Of == ColumnMissing {
		share := 0.0
		if c.Release.Absent != nil {
			share = c.Release.Absent[a]
		}
		missing := c.Table.Schema().Attributes[a].MissingCode()
		of := shares(table, a, table.AllRows(), weights)
		if of != nil && missing != datasets.NoCode {
			share += of[missing]
		}
		return share, nil
	}
	if params.Of == ColumnPair {
		return pairDistance(ctx, c, params.Attribute, params.With)
	}
	if c.Table.Schema().Attributes[a].Kind == datasets.Numeric {
		published := columnSample(table, a, table.AllRows(), weights)
		switch params.Of {
		case ColumnMean:
			return published.mean(), nil
		case ColumnQuantile:
			return published.quantile(params.At), nil
		}
		return KolmogorovSmirnov(columnSample(c.Table, a, c.Train, nil), published), nil
	}
	truth := shares(c.Table, a, c.Train, nil)
	published := shares(table, a, table.AllRows(), weights)
	if truth == nil || published == nil {
		return math.NaN(), nil
	}
	if params.Of == ColumnShare {
		order := datasets.InOrder(len(truth))
		slices.SortStableFunc(order, func(i, j int32) int {
			return cmp.Compare(truth[j], truth[i])
		})
		if params.Rank > len(order) {
			return math.NaN(), nil
		}
		return published[order[params.Rank-1]], nil
	}
	distance := 0.0
	for i := range truth {
		distance += max(0, truth[i]-published[i])
	}
	return min(1, distance), nil
}

// shares are those of a column's codes; nil of no mass.
func shares(table *datasets.Table, attribute int, rows []int32, weights []float64) []float64 {
	column := table.Column(attribute)
	of, mass := make([]float64, table.Schema().Attributes[attribute].Cells()), 0.0
	for _, row := range rows {
		of[column.At(row)] += weightOf(weights, row)
		mass += weightOf(weights, row)
	}
	if !(mass > 0) {
		return nil
	}
	for i := range of {
		of[i] /= mass
	}
	return of
}
