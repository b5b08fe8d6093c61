package classifiers

import (
	"context"

	"ppdp/datasets"
	"ppdp/internal/registry"
)

// Regressor learns the numbers of an attribute from all others, the class among them. What
// Classifier says of implementations, weights, order, refusals and contexts holds here too.
type Regressor interface {
	Info() Info
	// FitNumber learns the numeric attribute at position target. It refuses data that fail
	// Data.CheckTarget. From no rows, or none of a weight above 0, a model learns to predict the
	// middle of the attribute's range; from rows of one number, that number, up to rounding.
	FitNumber(ctx context.Context, data Data, target int) (NumberModel, error)
}

// NumberModel predicts numbers.
type NumberModel interface {
	// Numbers writes the number predicted for each row to dst, which has room for len(rows). The
	// target is not read. What Model.Predict says of tables and allocations holds here too.
	Numbers(dst []float64, table *datasets.Table, rows []int32)
}

// Ranged is a model of the numbers of an attribute, as shares of its range.
type Ranged struct {
	// Each calls use with the position of each row and its share, the only score.
	Each       func(table *datasets.Table, rows []int32, use func(i int, scores []float64))
	Low, Width float64
}

// Numbers writes the number predicted for each row.
func (m *Ranged) Numbers(dst []float64, table *datasets.Table, rows []int32) {
	m.Each(table, rows, func(i int, scores []float64) {
		dst[i] = m.Low + float64(scores[0]*m.Width)
	})
}

var regressors = registry.New[Regressor]("regressor")

// RegisterRegressor adds a regressor under its Info's name.
func RegisterRegressor(r Regressor) { regressors.Register(r.Info().Name, r) }

// LookupRegressor returns the regressor called name.
func LookupRegressor(name string) (Regressor, error) { return regressors.Lookup(name) }

// Regressors lists the names of the registered regressors.
func Regressors() []string { return regressors.Names() }
