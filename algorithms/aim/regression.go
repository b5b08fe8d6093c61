package aim

import (
	"context"
	"errors"
	"math"
	"slices"

	"ppdp/internal/convex"
	"ppdp/numeric/elementary"
	"ppdp/privacy"
)

// regression is the loss of a logistic regression with a margin, over records that each have the
// same number of values, one for each attribute: for a record of class y
//
//	log(1 + Σ_{k≠y} exp(lead + z_k - z_y)),  z_k = Σ_values θ_k(value)/attributes,  z_0 = 0,
//
// added up, plus (strength/2)·|θ|². A record's features thus have the L1 norm 1 and the
// square of their L2 norm is 1/attributes. θ has the values of class 1, then those of class 2, and
// so on. Of values with an order, squares have the weight own in |θ|², and squares of what
// neighbours differ by are added with the weight near.
type regression struct {
	ctx        context.Context
	values     []int32 // of all records, by record and attribute: positions in a class's part of θ
	labels     []uint32
	attributes int
	width      int // of a class's part of θ
	classes    int
	lead       float64
	strength   float64
	ordered    [][2]int // positions [from, to) in a class's part of θ, of values with an order
	// scratch: what a record's values add up to, and probabilities of all records from the first
	// evaluation on
	scores, probabilities []float64
}

// lead is by how much the score of a record's class should lead. At even odds, which decide about
// labels, a record's gradient is 1/2 without a lead and 0.88 with one of 2, while it is at most 1
// for any record: as much more of what is said, in the same noise. Scores are no log-odds then.
const lead = 2

// own and near are weights in the penalty of values with an order. Counts of one value are noisy,
// and its neighbours' say much about it, so that more is asked of what they differ by than of what
// they have in common (docs/tried.md).
const own, near = 0.3, 0.7

// newRegression is a regression of labels, without a lead and without its strength. Its features
// have as many values altogether as width says.
func newRegression(ctx context.Context, labels []uint32, classes, width int) *regression {
	return &regression{ctx: ctx, labels: labels, classes: classes, width: width,
		scores: make([]float64, classes-1)}
}

// feature sets the i-th feature, of a number that is the same in all calls: the values of all
// records, those of the feature beginning at an offset.
func (r *regression) feature(i, of, offset int, values []uint32) {
	if r.values == nil {
		r.attributes, r.values = of, make([]int32, len(values)*of)
	}
	for row, v := range values {
		r.values[row*of+i] = int32(offset) + int32(v)
	}
}

// lower takes the lead from the score of a record's class, or gives it to all others.
func (r *regression) lower(z []float64, y uint32) {
	if y > 0 {
		z[y-1] -= r.lead
		return
	}
	for k := range z {
		z[k] += r.lead
	}
}

// gradientSensitivity is how far one record moves the gradient in L1: |p-y| is at most 1 for two
// classes, and Σ|p_k-y_k| over all but one class at most 2 for more, whatever the lead, which moves
// scores by constants.
func gradientSensitivity(classes int) float64 { return float64(min(classes-1, 2)) }

// curvature bounds the trace of one record's second derivatives by class, Σ p_k(1-p_k) over all but
// one class: 1/4 for two, else what equal probabilities of the others give.
func curvature(classes int) float64 {
	if classes == 2 {
		return 0.25
	}
	return 1 - 1/float64(classes-1)
}

// shapeOf chooses the strength for which the change of the determinant takes the given loss, but at
// least 1/attributes², one record's worth. A record adds a matrix A⊗xxᵀ of rank r = classes-1 to
// the second derivatives, which are at least λ: the r eigenvalues of what the determinant is
// multiplied by exceed 1 by curvature·|x|²/λ altogether, and their product is largest where they
// are equal.
func shapeOf(attributes, width, classes int, loss float64) privacy.Shape {
	rank, m := float64(classes-1), float64(attributes)
	trace := curvature(classes) / m
	strength := max(trace/(rank*elementary.Expm1(loss/rank)), 1/(m*m))
	return privacy.Shape{Variables: (classes - 1) * width, Strength: strength,
		Jacobian: rank * elementary.Log1p(trace/(rank*strength))}
}

// score writes what a record's values add up to, for all classes but the first, to z.
func (r *regression) score(record int, theta, z []float64) {
	values := r.values[record*r.attributes : (record+1)*r.attributes]
	for k := range z {
		part, sum := theta[k*r.width:(k+1)*r.width], 0.0
		for _, v := range values {
			sum += part[v]
		}
		z[k] = sum / float64(r.attributes)
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
	values := r.values[record*r.attributes : (record+1)*r.attributes]
	for k, w := range weights {
		part := out[k*r.width : (k+1)*r.width]
		w /= float64(r.attributes)
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
		r.probabilities = make([]float64, len(r.labels)*others)
	}
	for record, y := range r.labels {
		p := r.probabilities[record*others : (record+1)*others]
		r.score(record, theta, p)
		r.lower(p, y)
		own := 0.0
		if y > 0 {
			own = p[y-1]
		}
		loss += softmax(p) - own
		copy(r.scores, p)
		if y > 0 {
			r.scores[y-1]--
		}
		r.add(record, r.scores, gradient)
	}
	return loss
}

// curve writes the product of the second derivatives, at the probabilities kept, and v to out.
func (r *regression) curve(v, out []float64) {
	r.penalty(v, out)
	others := r.classes - 1
	for record := range r.labels {
		p := r.probabilities[record*others : (record+1)*others]
		r.score(record, v, r.scores)
		convex.Softmax(p, r.scores)
		r.add(record, r.scores, out)
	}
}

// errStuck says that rounding keeps the minimum from being found as well as it must be.
var errStuck = errors.New("the minimum is not found: too many records for its tolerance")

// Minimise goes down by Newton's method with backtracking, its equations solved by conjugate
// gradients.
func (r *regression) Minimise(b []float64, tolerance float64) ([]float64, error) {
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

// Gradient is the loss' gradient.
func (r *regression) Gradient(theta []float64) []float64 {
	gradient := make([]float64, len(theta))
	r.evaluate(theta, make([]float64, len(theta)), gradient)
	return gradient
}

// LogDet needs the square of the number of variables in memory: it is for replays of small inputs.
func (r *regression) LogDet(theta []float64) float64 {
	r.Gradient(theta)
	m := make([][]float64, len(theta))
	unit := make([]float64, len(theta))
	for i := range m {
		m[i] = make([]float64, len(theta))
		unit[i] = 1
		r.curve(unit, m[i])
		unit[i] = 0
	}
	return privacy.LogDet(m)
}
