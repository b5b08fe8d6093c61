// Package convex holds what minimising convex functions by Newton's method takes: conjugate
// gradients for its steps (Nocedal & Wright, Numerical Optimization, 2nd ed., algorithms 5.3 and
// 7.1), and the second derivatives of a multinomial logistic loss. It leaves out the search along a
// step, and every function.
package convex

import (
	"context"
	"math"
)

// Conjugate solves curvature·step = -gradient by conjugate gradients, in at most so many rounds, in
// units in which each parameter's own curvature is 1: values of little weight are then no steps
// behind the others. It ends when what is left of the gradient, in these units, is at most enough
// times its length. curve writes the curvature times a direction; diagonal has each parameter's own
// curvature.
func Conjugate(ctx context.Context, gradient, diagonal []float64, enough float64, most int,
	curve func(to, direction []float64)) (step []float64, err error) {
	n := len(gradient)
	step, rest := make([]float64, n), make([]float64, n)
	direction, curved := make([]float64, n), make([]float64, n)
	scaled := make([]float64, n) // what is left, divided by the curvature
	for i, g := range gradient {
		rest[i], scaled[i] = -g, -g/diagonal[i]
		direction[i] = scaled[i]
	}
	square := Dot(rest, scaled)
	enough *= math.Sqrt(square)
	for range most {
		if math.Sqrt(square) <= enough {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		curve(curved, direction)
		bend := Dot(direction, curved)
		if !(bend > 0) {
			break
		}
		along := square / bend
		for i := range step {
			step[i] += float64(along * direction[i])
			rest[i] -= float64(along * curved[i])
			scaled[i] = rest[i] / diagonal[i]
		}
		next := Dot(rest, scaled)
		for i := range direction {
			direction[i] = scaled[i] + float64(next/square*direction[i])
		}
		square = next
	}
	return step, nil
}

// Softmax replaces z by (diag(p) - ppᵀ)·z: by how much the probabilities p move, in first order,
// when scores move by z.
func Softmax(p, z []float64) {
	mean := 0.0
	for k, x := range z {
		mean += float64(p[k] * x)
	}
	for k, x := range z {
		z[k] = float64(p[k] * (x - mean))
	}
}

// Dot is the sum of products.
func Dot(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += float64(x * b[i])
	}
	return sum
}
