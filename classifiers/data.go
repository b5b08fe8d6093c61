package classifiers

import (
	"context"
	"errors"
	"math"

	"ppdp/datasets"
)

// ErrNoClass is wrapped by the error of fitting on a schema without a class attribute.
var ErrNoClass = errors.New("the schema has no class attribute")

// ErrNumeric is wrapped by the error of a classifier that takes categorical attributes only.
var ErrNumeric = errors.New("numeric attribute, must be categorical")

// Check returns everything wrong with the data: no class, a row outside the table, weights of
// another length than the table, weights that are negative or not finite, one by one or added up;
// or ctx.Err() when the context has ended. Every Fit begins with it.
func (d Data) Check(ctx context.Context) error {
	return d.check(ctx, func(s *datasets.Schema, bad *datasets.Problems) {
		if s.Class() < 0 {
			bad.Add("%w, one attribute must have the role class", ErrNoClass)
		}
	})
}

// CheckTarget is Check for learning an attribute's numbers: what is at target must be a numeric
// attribute, and there may be no class.
func (d Data) CheckTarget(ctx context.Context, target int) error {
	return d.check(ctx, func(s *datasets.Schema, bad *datasets.Problems) {
		if target < 0 || target >= len(s.Attributes) ||
			s.Attributes[target].Kind != datasets.Numeric {
			bad.Add("target %d, must be the position of a numeric attribute", target)
		} else if d.Table != nil && len(d.Table.Present(d.Rows, target)) < len(d.Rows) {
			bad.Add("target %s: missing in some rows, must be a number", s.Attributes[target].Name)
		}
	})
}

func (d Data) check(ctx context.Context,
	learnable func(s *datasets.Schema, bad *datasets.Problems)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if d.Table == nil {
		return errors.New("no table to learn from")
	}
	var bad datasets.Problems
	learnable(d.Table.Schema(), &bad)
	for _, row := range d.Rows {
		if row < 0 || int(row) >= d.Table.Len() {
			bad.Add("row %d of a table of %d rows", row, d.Table.Len())
			break
		}
	}
	if d.Weights != nil && len(d.Weights) != d.Table.Len() {
		bad.Add("%d weights for a table of %d rows", len(d.Weights), d.Table.Len())
	}
	for row, w := range d.Weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			bad.Add("weight %v of row %d, must be a finite number of at least 0", w, row)
			break
		}
	}
	if !bad.Any() && d.Weights != nil {
		sum := 0.0
		for _, row := range d.Rows {
			sum += d.Weights[row]
		}
		if math.IsInf(sum, 1) { // every share of it would be 0 or no number
			bad.Add("the weights of %d rows add up to more than %g, the largest finite number",
				len(d.Rows), math.MaxFloat64)
		}
	}
	return bad.Err()
}

// Weights are those of records by position; nil stands for 1 each.
type Weights []float64

// At is the weight of record i.
func (w Weights) At(i int32) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}

// Labels returns the class codes of the data's rows and their weights, both by position in Rows.
// Rows of weight 0 count for nothing and are left out of all three slices; weights is nil when
// every weight is 1. The data must have passed Check.
func (d Data) Labels() (rows []int32, labels []uint32, weights Weights) {
	rows, weights = d.Counted()
	labels = make([]uint32, len(rows))
	d.Table.Column(d.Table.Schema().Class()).Gather(rows, labels)
	return rows, labels, weights
}

// Counted returns the data's rows and their weights as Labels does.
func (d Data) Counted() (rows []int32, weights Weights) {
	rows = d.Rows
	if d.Weights != nil {
		rows = make([]int32, 0, len(d.Rows))
		weights = make([]float64, 0, len(d.Rows))
		for _, row := range d.Rows {
			if w := d.Weights[row]; w > 0 {
				rows = append(rows, row)
				weights = append(weights, w)
			}
		}
	}
	return rows, weights
}

// Features lists the positions of all attributes but the class.
func Features(schema *datasets.Schema) []int { return Others(schema, schema.Class()) }

// Others lists the positions of all attributes but the one at target.
func Others(schema *datasets.Schema, target int) []int {
	others := make([]int, 0, len(schema.Attributes))
	for i := range schema.Attributes {
		if i != target {
			others = append(others, i)
		}
	}
	return others
}

// Majority is the index of the largest weight, the first of equals; 0 for an empty slice.
func Majority(weights []float64) int {
	best := 0
	for i, w := range weights {
		if w > weights[best] {
			best = i
		}
	}
	return best
}
