// Package svm holds the linear support vector machine with soft margin: "svm". It is fitted in the
// dual by coordinate descent (Hsieh, Chang, Lin, Keerthi & Sundararajan, A Dual Coordinate Descent
// Method for Large-scale Linear SVM, ICML 2008, algorithm 1) until the duality gap is small. It
// leaves out kernels, probabilities and every choice of settings by looking at data.
//
// For points xᵢ with labels yᵢ = ±1 and weights cᵢ it minimises
//
//	½·(|w|² + b²) + C·Σ cᵢ·max(0, 1 - yᵢ·(w·xᵢ + b)).
//
// A categorical attribute of three or more values is one indicator for each, one of two values a
// single indicator of the second, one of a single value nothing at all. A numeric attribute is
// scaled to [0,1] by its public bounds. With more than two classes there is one machine for each
// against the rest, and the largest w·x + b wins, the lowest code of equals.
//
// Records of equal features are one point with a weight for each label, and a step finds the
// minimum for both its labels at once. Coordinate by coordinate, two labels of one point push each
// other up by a constant step a pass, without end where weights are large, as the counts of a
// generalised table are.
//
// Deviations from SVM-light (Joachims 1999), which the papers use:
//   - the bias is the weight of a constant feature 1 and is penalised like the others, so that the
//     dual has no equality constraint and one coordinate can move alone; SVM-light leaves it free;
//   - C is SVM-light's default 1/mean(|x|²), the constant feature left out of |x|², but the mean is
//     weighted, as everything is; where all x are 0 it is 1;
//   - the stopping rule is the relative duality gap, not the largest violation of optimality.
package svm

import (
	"context"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/linear"
	"ppdp/numeric/random"
)

func init() { classifiers.Register(Classifier{}) }

// Classifier is the linear support vector machine.
type Classifier struct{}

func (Classifier) Info() classifiers.Info {
	return classifiers.Info{
		Name:     "svm",
		Title:    "Linear SVM",
		Source:   "Hsieh et al. 2008, algorithm 1 (hinge loss); C as in Joachims 1999, SVM-light",
		Revision: 3,
	}
}

// Fit solves one problem for two classes, one for each class when there are more.
func (Classifier) Fit(ctx context.Context, data classifiers.Data) (classifiers.Model, error) {
	if err := data.Check(ctx); err != nil {
		return nil, err
	}
	layout := linear.NewLayout(data.Table.Schema())
	p := linear.NewPoints(data, layout)
	m := linear.NewModel(layout, p)
	if m.Machines == 0 { // nothing to separate
		return m, nil
	}
	price, machines := defaultC(p), m.Classes
	if m.Machines == 1 {
		machines = m.Classes[1:] // with two classes, the second against the first
	}
	for k, positive := range machines {
		// The order of visits is part of the method, not of the experiment: it depends on nothing.
		s, err := solve(ctx, p, positive, price, random.NewKey(0).Derive("svm").Stream())
		if err != nil {
			return nil, err
		}
		for f, w := range s.weights {
			m.Weights[f*m.Machines+k] = w
		}
		m.Bias[k] = s.bias
	}
	return m, nil
}

// defaultC is 1/mean(|x|²), 1 where all points are 0.
func defaultC(p *linear.Points) float64 {
	mass, sum := 0.0, 0.0
	for i, w := range p.Mass {
		mass += w
		sum += float64(w * p.Squares[i/p.Classes])
	}
	if !(sum > 0) {
		return 1
	}
	return mass / sum
}
