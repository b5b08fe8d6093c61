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
	"fmt"
	"math"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/linear"
	"ppdp/internal/convex"
	"ppdp/numeric/elementary"
)

// Classifier is logistic regression.
var Classifier = classifiers.Add(classifiers.Info{
	Name:  "logistic",
	Title: "Logistic regression",
	Source: "Hastie, Tibshirani & Friedman 2009, section 4.4, with an L2 penalty of 1; " +
		"numbers standardised, categories one-hot",
	Revision: 2,
}, fit)

// fit solves one problem for all classes.
func fit(ctx context.Context, data classifiers.Data) (classifiers.Model, error) {
	layout := linear.NewLayout(data.Table.Schema())
	points := linear.NewPoints(data, layout)
	m := linear.NewModel(layout, points)
	if m.Machines > 0 {
		if err := newProblem(points, m).solve(ctx); err != nil {
			return nil, err
		}
	}
	return &classifiers.Scored{Each: m.Each, Occurring: m.Classes, Classes: m.Schema}, nil
}

// Limits of the search. The gradient is judged in units of the total weight, so that tables of all
// sizes are solved equally well; what is then left of the loss is far below 10⁻⁸ a record.
const (
	tolerance  = 1e-7
	mostSteps  = 100
	mostHalves = 40 // of a step's length
)

// problem is the loss over standardised points.
type problem struct {
	*linear.Problem
	model *linear.Model
	of    []uint32 // class of the schema of each machine; with one machine, the first has none
}

func newProblem(p *linear.Points, m *linear.Model) *problem {
	q := &problem{Problem: linear.NewProblem(p, m.Machines), model: m, of: m.Classes}
	if m.Machines == 1 {
		q.of = q.of[1:]
	}
	return q
}

// loss is the objective. With a gradient it writes that too, and the classes' probabilities.
func (q *problem) loss(parameters, gradient, probabilities []float64) float64 {
	clear(gradient)
	value := q.Penalty(parameters, gradient)
	scores, raw := make([]float64, q.Machines), make([]float64, q.Machines)
	for i, mass := range q.Masses {
		q.Products(scores, parameters, i)
		copy(raw, scores)
		logSum := 0.0
		if q.Machines == 1 {
			s := scores[0]
			scores[0] = classifiers.Logistic(s)
			logSum = max(s, 0) + elementary.Log1p(elementary.Exp(-math.Abs(s)))
		} else {
			logSum = classifiers.Softmax(scores)
		}
		value += float64(mass * logSum)
		for k, class := range q.of {
			own := q.Mass[i*q.Classes+int(class)]
			value -= float64(own * raw[k])
			raw[k] = float64(mass*scores[k]) - own
		}
		if gradient != nil {
			copy(probabilities[i*q.Machines:], scores)
			q.Spread(gradient, raw, i)
		}
	}
	return value
}

// curve writes the second derivative times a direction.
func (q *problem) curve(to, direction, probabilities []float64) {
	clear(to)
	q.Penalty(direction, to)
	z := make([]float64, q.Machines)
	for i, mass := range q.Masses {
		p := probabilities[i*q.Machines : (i+1)*q.Machines]
		q.Products(z, direction, i)
		convex.Softmax(p, z)
		for k := range z {
			z[k] *= mass
		}
		q.Spread(to, z, i)
	}
}

// solve finds the minimum and writes it to the model.
func (q *problem) solve(ctx context.Context) error {
	n := q.Machines * q.Width
	parameters, gradient := make([]float64, n), make([]float64, n)
	trial, diagonal := make([]float64, n), make([]float64, n)
	probabilities := make([]float64, q.Len()*q.Machines)
	value := q.loss(parameters, gradient, probabilities)
	small := tolerance * q.Total
	for range mostSteps {
		if norm(gradient) <= small {
			break
		}
		// Newton's step, solved only as well as is worth it.
		size := math.Sqrt(convex.Dot(gradient, gradient))
		for i := range diagonal {
			diagonal[i] = 1 // of the penalty; the biases have little more than their own for it
		}
		q.Diagonal(diagonal, func(i, k int) float64 {
			p := probabilities[i*q.Machines+k]
			return float64(q.Masses[i] * p * (1 - p))
		})
		step, err := convex.Conjugate(ctx, gradient, diagonal,
			min(0.1, math.Sqrt(size/q.Total)), 2*n, func(to, direction []float64) {
				q.curve(to, direction, probabilities)
			})
		if err != nil {
			return err
		}
		slope, length, halves := convex.Dot(step, gradient), 1.0, 0
		for ; halves < mostHalves; halves++ {
			for i, s := range step {
				trial[i] = parameters[i] + float64(length*s)
			}
			if q.loss(trial, nil, nil) <= value+float64(1e-4*length*slope) {
				break
			}
			length /= 2
		}
		if halves == mostHalves {
			break // as near as numbers of this size come
		}
		copy(parameters, trial)
		value = q.loss(parameters, gradient, probabilities)
	}
	if !(norm(gradient) <= 1e3*small) {
		return fmt.Errorf("logistic: not solved in %d steps: the gradient is %v a record",
			mostSteps, norm(gradient)/q.Total)
	}
	q.Write(q.model, parameters)
	return nil
}

// norm is the largest number of a vector, whatever its sign.
func norm(v []float64) (most float64) {
	for _, x := range v {
		most = max(most, math.Abs(x))
	}
	return most
}
