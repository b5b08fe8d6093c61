// Package pgm fits a distribution to noisy marginals and draws records from it (R. McKenna, D.
// Sheldon and G. Miklau, Graphical-model based estimation and inference for differential privacy,
// ICML 2019: Private-PGM). Of all tables of a given total whose marginals are nearest to those
// measured, in squares weighted by their noise, it takes the one of the largest entropy. That is a
// graphical model whose cliques are the measured sets of attributes.
//
// The package sees no data and no budget: what it is given is already noisy, and all it does is
// post-processing. Which marginals are measured is decided elsewhere.
//
// Tables of counts over attributes are flat, the last attribute fastest. Attributes are numbered
// from 0 and have at least one value each. Sums run in a fixed order, so that equal inputs give
// equal results to the last bit.
//
// Deviations:
//   - The order of elimination is the cheaper one of least size and least fill; the paper's program
//     uses the first, which adds edges even to trees.
//   - The fit is the interior gradient method, which needs far fewer steps than the mirror descent
//     of the paper's program, and stops by a certificate: the Frank-Wolfe gap bounds how far the
//     loss is from its minimum. The paper's program runs a fixed number of steps.
//   - Rounding a group of records draws the values that get one more by systematic sampling, so
//     that every value's expectation is exactly its probability.
package pgm

import "errors"

// ErrTooLarge is wrapped by the error of a model that would exceed what a call allows.
var ErrTooLarge = errors.New("model outgrew its cap")

// maxAttributes is how many attributes a model may have.
const maxAttributes = 64 * len(set{})

// Measurement is a noisy marginal, of finite counts and of variances above 0.
type Measurement struct {
	Attributes []int     // ascending
	Counts     []float64 // of the cells
	Variances  []float64 // of the noise of each count; a single one is that of all
}

func (m *Measurement) variance(cell int) float64 {
	if len(m.Variances) == 1 {
		return m.Variances[0]
	}
	return m.Variances[cell]
}

// Total estimates the number of records from noisy marginals: each adds up to an estimate, weighted
// by the inverse of its variance. It is at least 1.
func Total(measured []Measurement) float64 {
	sum, weights := 0.0, 0.0
	for i := range measured {
		m := &measured[i]
		total, variance := 0.0, 0.0
		for cell, count := range m.Counts {
			total += count
			variance += m.variance(cell)
		}
		sum += total / variance
		weights += 1 / variance
	}
	if weights == 0 {
		return 1
	}
	return max(1, sum/weights)
}
