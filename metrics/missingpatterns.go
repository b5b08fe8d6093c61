package metrics

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"ppdp/datasets"
)

func init() {
	Register(parameterised[MissingPatternsParams]{Info{
		Name: "missing-patterns", Title: "Distance of patterns of missing values", Unit: "fraction",
		Source: "folklore: total variation between the patterns of the published records and " +
			"those of the rows released; a pattern is which attributes a record lacks",
		Revision: 1, Records: true,
	}, MissingPatternsParams{}, missingPatterns})
}

// MissingPatternsParams are the parameters of missing-patterns: none.
type MissingPatternsParams struct{}

// CheckSchema refuses schemas under which no value may be missing.
func (*MissingPatternsParams) CheckSchema(s *datasets.Schema) error {
	if !slices.ContainsFunc(s.Attributes,
		func(a datasets.Attribute) bool { return a.Missing != nil }) {
		return errors.New("the schema keeps no missing values")
	}
	return nil
}

// missingPatterns is undefined without records on either side.
func missingPatterns(_ context.Context, c Case, _ *MissingPatternsParams) (float64, error) {
	truth := patterns(c.Table, c.Train, nil)
	published := patterns(c.Release.Table, c.Release.Table.AllRows(), c.Release.Weights)
	if truth == nil || published == nil {
		return math.NaN(), nil
	}
	distance := 0.0
	for _, pattern := range slices.Sorted(maps.Keys(truth)) {
		distance += math.Abs(truth[pattern] - published[pattern])
	}
	for _, pattern := range slices.Sorted(maps.Keys(published)) {
		if _, both := truth[pattern]; !both {
			distance += published[pattern]
		}
	}
	return distance / 2, nil
}

// patterns are the shares of rows by what they lack, nil where they have no weight.
func patterns(table *datasets.Table, rows []int32, weights []float64) map[string]float64 {
	pattern := make([][]byte, len(rows))
	for i := range table.Schema().Attributes {
		missing := table.Schema().Attributes[i].MissingCode()
		if missing == datasets.NoCode {
			continue
		}
		column := table.Column(i)
		for at, row := range rows {
			lacks := byte('.')
			if column.At(row) == missing {
				lacks = '?'
			}
			pattern[at] = append(pattern[at], lacks)
		}
	}
	shares, mass := make(map[string]float64), 0.0
	for at, row := range rows {
		shares[string(pattern[at])] += weightOf(weights, row)
		mass += weightOf(weights, row)
	}
	if !(mass > 0) {
		return nil
	}
	for key := range shares { // order-free: each is divided alone
		shares[key] /= mass
	}
	return shares
}
