// Package ridge holds linear regression with an L2 penalty: "ridge" (Hoerl & Kennard, Ridge
// Regression: Biased Estimation for Nonorthogonal Problems, Technometrics 1970). It leaves out
// interactions and every choice of settings by looking at data.
//
// For records xᵢ of number yᵢ and weight cᵢ it minimises |w|² + Σ cᵢ·(w·xᵢ + b - yᵢ)² with a free
// b, over features made as package logistic makes them. These are scikit-learn's defaults for
// Ridge.
//
// The normal equations are solved by conjugate gradients (Nocedal & Wright, Numerical Optimization,
// 2nd ed., algorithm 5.2).
package ridge

import (
	"context"
	"errors"
	"math"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/linear"
	"ppdp/internal/convex"
)

func init() { classifiers.RegisterRegressor(Regressor{}) }

// Regressor is ridge regression.
type Regressor struct{}

func (Regressor) Info() classifiers.Info {
	return classifiers.Info{Name: "ridge", Title: "Ridge regression",
		Source: "Hoerl & Kennard 1970, with a penalty of 1", Revision: 2}
}

// FitNumber solves for the numbers as shares of their range, which change no more than the units.
func (Regressor) FitNumber(ctx context.Context, data classifiers.Data,
	target int) (classifiers.NumberModel, error) {
	if err := data.CheckTarget(ctx, target); err != nil {
		return nil, err
	}
	layout, points, numbers := linear.NewTargetPoints(data, target)
	a := &data.Table.Schema().Attributes[target]
	score := &linear.Model{Features: layout.Features, Machines: 1,
		Weights: make([]float64, layout.Size), Bias: []float64{0.5}}
	m := &classifiers.Ranged{Each: score.Each, Low: a.Low, Width: a.High - a.Low}
	if points.Len() == 0 {
		return m, nil
	}
	q := linear.NewProblem(points, 1)
	product := make([]float64, 1)
	// curve writes penalty and squares of parameters, each point's score less what is given.
	curve := func(to, parameters, less []float64) {
		clear(to)
		q.Penalty(parameters, to)
		for i, mass := range q.Masses {
			q.Products(product, parameters, i)
			if less != nil {
				product[0] -= less[i]
			}
			product[0] = float64(mass * product[0])
			q.Spread(to, product, i)
		}
	}
	gradient := make([]float64, q.Width)
	curve(gradient, make([]float64, q.Width), numbers)
	before := math.Sqrt(convex.Dot(gradient, gradient))
	diagonal := make([]float64, q.Width)
	for i := range q.Size {
		diagonal[i] = 1 // of the penalty
	}
	q.Diagonal(diagonal, func(i, _ int) float64 { return q.Masses[i] })
	const enough, worst = 1e-10, 1e-6
	parameters, err := convex.Conjugate(ctx, gradient, diagonal, enough, 2*q.Width,
		func(to, direction []float64) { curve(to, direction, nil) })
	if err != nil {
		return nil, err
	}
	curve(gradient, parameters, numbers)
	if !(math.Sqrt(convex.Dot(gradient, gradient)) <= float64(worst*before)) {
		return nil, errors.New("ridge: not solved: the weights are too large or too unequal")
	}
	q.Write(score, parameters)
	return m, nil
}
