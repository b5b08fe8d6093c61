package metrics

import (
	"context"
	"errors"
	"slices"

	"ppdp/algorithms"
	"ppdp/datasets"
)

func init() {
	Register(parameterised[BrokenConstraintsParams]{Info{
		Name: "broken-constraints", Title: "Records that break a constraint", Unit: "fraction",
		Source: "folklore: the share of records that break a constraint of the schema",
		Needs:  []algorithms.Product{algorithms.RecordsProduct}, Revision: 1,
	}, BrokenConstraintsParams{}, brokenConstraints})
}

// BrokenConstraintsParams are the parameters of broken-constraints.
type BrokenConstraintsParams struct {
	Original bool `yaml:"original" doc:"judge the original records in place of the published ones"`
}

// CheckSchema refuses schemas without constraints.
func (p *BrokenConstraintsParams) CheckSchema(s *datasets.Schema) error {
	if len(s.Constraints) == 0 {
		return errors.New("the schema has no constraints")
	}
	return nil
}

// brokenConstraints is undefined without records.
func brokenConstraints(ctx context.Context, c Case,
	params *BrokenConstraintsParams) (float64, bool, error) {
	schema := c.Table.Schema()
	table, rows := c.Table, c.Train
	var weights []float64
	if !params.Original {
		var err error
		if table, weights, err = publishedRecords(ctx, c); err != nil {
			return 0, false, err
		}
		rows = table.AllRows()
	}
	var rules []func(row int32) bool
	for i := range schema.Constraints {
		rule, err := schema.Constraints[i].Breaks(table)
		if err != nil {
			return 0, false, err
		}
		rules = append(rules, rule)
	}
	broken, mass := 0.0, 0.0
	for i, row := range rows {
		if i%pollEvery == 0 && ctx.Err() != nil {
			return 0, false, ctx.Err()
		}
		mass += weightOf(weights, row)
		if slices.ContainsFunc(rules, func(breaks func(int32) bool) bool { return breaks(row) }) {
			broken += weightOf(weights, row)
		}
	}
	if !(mass > 0) {
		return 0, false, nil
	}
	return broken / mass, true, nil
}
