// Package logistic holds multinomial logistic regression with an L2 penalty: "logistic". It leaves
// out other penalties, interactions and every choice of settings by looking at data.
//
// For records xᵢ of class yᵢ and weight cᵢ it minimises
//
//	½·Σ|w_k|² - Σ cᵢ·log P(yᵢ | xᵢ),   P(k | x) ∝ exp(w_k·x + b_k),
//
// with free b_k, over all classes k; with two classes over the second alone, the first
// having w and b of 0. A numeric attribute is standardised by the mean and standard deviation of
// the records learnt from, a categorical one is an indicator for each value (for two values, of the
// second alone). These are scikit-learn's defaults for LogisticRegression, but for the indicator
// that an attribute of two values has there.
//
// The minimum is found by Newton's method; conjugate gradients solve each step (Nocedal & Wright,
// Numerical Optimization, 2nd ed., algorithm 7.1).
package logistic

import (
	"context"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/linear"
	"ppdp/datasets"
)

func init() { classifiers.Register(Classifier{}) }

// Classifier is logistic regression.
type Classifier struct{}

func (Classifier) Info() classifiers.Info {
	return classifiers.Info{
		Name:  "logistic",
		Title: "Logistic regression",
		Source: "Hastie, Tibshirani & Friedman 2009, section 4.4, with an L2 penalty of 1; " +
			"numbers standardised, categories one-hot",
		Revision: 2,
	}
}

// Fit solves one problem for all classes.
func (Classifier) Fit(ctx context.Context, data classifiers.Data) (classifiers.Model, error) {
	if err := data.Check(ctx); err != nil {
		return nil, err
	}
	layout := linear.NewLayout(data.Table.Schema())
	points := linear.NewPoints(data, layout)
	m := &model{Model: linear.NewModel(layout, points), classes: points.Classes}
	if m.Machines == 0 {
		return m, nil
	}
	if err := newProblem(points, m.Model).solve(ctx); err != nil {
		return nil, err
	}
	return m, nil
}

// model gives the softmax of its machines' scores.
type model struct {
	*linear.Model
	classes int // of the schema
}

// Probabilities writes the probability of each class of the schema, row by row.
func (m *model) Probabilities(dst []float64, table *datasets.Table, rows []int32) {
	clear(dst[:len(rows)*m.classes])
	m.Each(table, rows, func(i int, scores []float64) {
		classifiers.FromScores(dst[i*m.classes:(i+1)*m.classes], m.Classes, scores)
	})
}
