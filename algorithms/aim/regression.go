package aim

import (
	"context"
	"errors"
	"math"
	"slices"

	"ppdp/internal/convex"
	"ppdp/numeric/elementary"
)

// regression is what a logistic regression minimises: over records that each have one value of each
// feature, Σ log(1 + Σ_k exp z_k) of the scores z_k = Σ_values θ_k(value)/features, plus bᵀθ for a
// given b, plus (strength/2)·|θ|². b has how often each value is wanted with each class, divided by
// the number of features and taken negatively: the loss depends on labels through these counts
// alone. θ has the values of class 1, then those of class 2, and so on. Of values with an order,
// squares have the weight own in |θ|², and squares of what neighbours differ by are added with the
// weight near.
type regression struct {
	ctx      context.Context
	values   []int32 // of all records, by record and feature: positions in a class's part of θ
	records  int     // that it is fitted to, the first ones
	features int
	width    int // of a class's part of θ
	classes  int
	strength float64
	ordered  [][2]int // positions [from, to) in a class's part of θ, of values with an order
	// scratch: what a record's values add up to, and probabilities of all records from the first
	// evaluation on
	scores, probabilities []float64
}

// own and near are weights in the penalty of values with an order. Counts of one value are noisy,
// and its neighbours' say much about it, so that more is asked of what they differ by than of what
// they have in common (docs/tried.md).
const own, near = 0.3, 0.7

// score writes what a record's values add up to, for all classes but the first, to z.
func (r *regression) score(record int, theta, z []float64) {
	values := r.values[record*r.features : (record+1)*r.features]
	for k := range z {
		part, sum := theta[k*r.width:(k+1)*r.width], 0.0
		for _, v := range values {
			sum += part[v]
		}
		z[k] = sum / float64(r.features)
	}
}

// softmax turns scores into probabilities of all classes but the first and returns log Σ exp, the
// first class included.
func softmax(z []float64) float64 {
	best := 0.0
	for _, x := range z {
		best = max(best, x)
	}
	sum := elementary.Exp(-best)
	for k, x := range z {
		z[k] = elementary.Exp(x - best)
		sum += z[k]
	}
	for k := range z {
		z[k] /= sum
	}
	return best + elementary.Log(sum)
}

// add adds to out what weights by class give a record's values.
func (r *regression) add(record int, weights, out []float64) {
	values := r.values[record*r.features : (record+1)*r.features]
	for k, w := range weights {
		part := out[k*r.width : (k+1)*r.width]
		w /= float64(r.features)
		for _, v := range values {
			part[v] += w
		}
	}
}

// penalty writes the gradient of the penalty at θ to out: the strength times θ, but for values with
// an order.
func (r *regression) penalty(theta, out []float64) {
	for i, x := range theta {
		out[i] = float64(r.strength * x)
	}
	for k := range r.classes - 1 {
		for _, run := range r.ordered {
			first, end := k*r.width+run[0], k*r.width+run[1]
			for i := first; i < end; i++ {
				out[i] *= own
			}
			for i := first; i < end-1; i++ {
				pull := float64(near * r.strength * (theta[i+1] - theta[i]))
				out[i] -= pull
				out[i+1] += pull
			}
		}
	}
}

// evaluate returns the loss at θ, plus bᵀθ, and writes its gradient. It keeps the probabilities.
func (r *regression) evaluate(theta, b, gradient []float64) (loss float64) {
	r.penalty(theta, gradient)
	for i, x := range theta {
		loss += float64(gradient[i]*x/2) + float64(b[i]*x)
		gradient[i] += b[i]
	}
	others := r.classes - 1
	if r.probabilities == nil {
		r.probabilities = make([]float64, r.records*others)
	}
	for record := range r.records {
		p := r.probabilities[record*others : (record+1)*others]
		r.score(record, theta, p)
		loss += softmax(p)
		copy(r.scores, p)
		r.add(record, r.scores, gradient)
	}
	return loss
}

// curve writes the product of the second derivatives, at the probabilities kept, and v to out.
func (r *regression) curve(v, out []float64) {
	r.penalty(v, out)
	others := r.classes - 1
	for record := range r.records {
		p := r.probabilities[record*others : (record+1)*others]
		r.score(record, v, r.scores)
		convex.Softmax(p, r.scores)
		r.add(record, r.scores, out)
	}
}

// errStuck says that rounding keeps the minimum from being found as well as it must be.
var errStuck = errors.New("the minimum is not found: too many records for its tolerance")

// minimise goes down by Newton's method with backtracking, its equations solved by conjugate
// gradients.
func (r *regression) minimise(b []float64, tolerance float64) ([]float64, error) {
	d := len(b)
	theta, gradient := make([]float64, d), make([]float64, d)
	next, nextGradient := make([]float64, d), make([]float64, d)
	ones := slices.Repeat([]float64{1}, d)
	loss := r.evaluate(theta, b, gradient)
	for {
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		length := math.Sqrt(convex.Dot(gradient, gradient))
		if length <= tolerance {
			return theta, nil
		}
		// Newton's step, the better the smaller the gradient is
		step, err := convex.Conjugate(r.ctx, gradient, ones, math.Sqrt(min(0.01, length/1000)),
			10*(d+10), func(to, direction []float64) { r.curve(direction, to) })
		if err != nil {
			return nil, err
		}
		slope := convex.Dot(step, gradient)
		for size := 1.0; ; size /= 2 {
			if size < 0x1p-40 {
				return nil, errStuck
			}
			for i, x := range theta {
				next[i] = x + float64(size*step[i])
			}
			reached := r.evaluate(next, b, nextGradient)
			// near the minimum the loss no longer shows what a step gains, and the gradient does
			if reached <= loss+float64(1e-4*size*slope) ||
				math.Sqrt(convex.Dot(nextGradient, nextGradient)) <= length/2 {
				loss = reached
				break
			}
		}
		theta, next = next, theta
		gradient, nextGradient = nextGradient, gradient
	}
}
