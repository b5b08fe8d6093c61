package privacy

import (
	"fmt"
	"math"

	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
)

// Convex is a convex function of a vector θ that depends on the data: a loss added up over records
// and a regulariser that depends on earlier answers at most. Its second derivatives are continuous
// and it is strongly convex.
type Convex interface {
	// Minimise returns a point at which the gradient of the function plus bᵀθ has a length, in L2,
	// of at most tolerance.
	Minimise(b []float64, tolerance float64) ([]float64, error)
	// Gradient is the function's gradient at θ, LogDet the logarithm of the determinant of its
	// second derivatives there.
	Gradient(theta []float64) []float64
	LogDet(theta []float64) float64
}

// Objective publishes where a convex function is least after a random linear term has been added to
// it: objective perturbation (Chaudhuri, Monteleoni & Sarwate 2011) with Laplace noise, of a
// minimum that need not be exact (Iyengar et al. 2019).
//
// One record more or less moves the gradient at any θ by at most Δ in L1 and the logarithm of the
// second derivatives' determinant by at most J; the function is λ-strongly convex. The noise b has
// density proportional to exp(-ε'|b|₁/Δ). The exact minimum θ belongs to b = -∇F(θ), one to one, so
// that its density at θ is that of b times the determinant of ∇²F(θ). Between neighbours the first
// factor differs by at most exp(ε') and the second by at most exp(J): the exact minimum is
// (ε'+J)-private.
//
// A program finds a point where the gradient is at most τ long, within τ/λ of the minimum in L2 and
// within √d·τ/λ in L1, by strong convexity. Given the minimum, the points of two neighbours are
// thus 2√d·τ/λ apart at most, and Laplace noise of that sensitivity at γε hides which. As the
// density of a sum, integrated over the minimum, the result is (ε'+J+γε)-private, and ε' is chosen
// so that this is ε. τ is far above what rounding does to a gradient, and the noise far below what
// matters.
type Objective struct{ *mechanism }

// Shape is what is public about a convex function: its variables d, its strong convexity λ, and by
// how much, in nats, one record moves the logarithm of the second derivatives' determinant: J.
type Shape struct {
	Variables          int
	Strength, Jacobian float64
}

// gapShare is γ, minimumTolerance τ.
const gapShare, minimumTolerance = 0.01, 1e-6

// Objective declares a mechanism for functions whose gradient has sensitivity s in L1.
func (b *Budget) Objective(purpose string, stream *random.Stream, s Sensitivity) *Objective {
	return &Objective{b.declare(objective, purpose, stream, s)}
}

// Minimise charges epsilon, which must be above J/(1-γ), and returns the noisy minimum of a
// function of the given shape.
func (o *Objective) Minimise(path *Path, epsilon float64, shape Shape, f Convex) ([]float64,
	error) {
	rest := float64((1-gapShare)*epsilon) - shape.Jacobian
	if !(rest > 0) {
		return nil, path.budget.refuse(fmt.Errorf("%w: %s at epsilon %g, of which its second "+
			"derivatives take %g", ErrOverspent, o.purpose, epsilon, shape.Jacobian))
	}
	scale := o.sensitivity.Claimed / rest
	if err := path.charge(o.mechanism, epsilon, scale); err != nil {
		return nil, err
	}
	w := path.budget.watch
	c, forced, err := w.begin(o.mechanism, epsilon, 1/scale)
	if forced {
		return w.answerObjective(c, o, shape, scale, f, err)
	}
	b := make([]float64, shape.Variables)
	for i := range b {
		b[i] = float64(drawLaplace(o.stream) * scale)
	}
	theta, err := f.Minimise(b, minimumTolerance)
	if err != nil {
		return nil, fmt.Errorf("privacy: %s: %w", o.purpose, err)
	}
	if c != nil {
		c.values, c.logDet, c.minimum = f.Gradient(theta), f.LogDet(theta), theta
		c.shape = shape
	}
	blur := 2 * math.Sqrt(float64(shape.Variables)) * minimumTolerance /
		(shape.Strength * gapShare * epsilon)
	noisy := make([]float64, shape.Variables)
	for i := range noisy {
		noisy[i] = theta[i] + float64(drawLaplace(o.stream)*blur)
	}
	c.end(noisy...)
	return noisy, nil
}

// answerObjective returns the recorded outcome. err is begin's. The noise that makes the recorded
// minimum one of the function given is minus its gradient; a change of the determinant beyond what
// was declared shows as an infinite loss.
func (w *watch) answerObjective(c *call, o *Objective, shape Shape, scale float64, f Convex,
	err error) ([]float64, error) {
	if err != nil {
		return nil, err
	}
	distance, loss := 0.0, 0.0
	for i, now := range f.Gradient(c.minimum) {
		was := c.values[i]
		distance += math.Abs(now - was)
		loss += float64((math.Abs(now) - math.Abs(was)) / scale)
	}
	jacobian := c.logDet - f.LogDet(c.minimum)
	if most := shape.Jacobian * o.budget.group; math.Abs(jacobian) > float64(most*(1+slack))+slack {
		loss = math.Inf(1)
	}
	w.compared(o.mechanism, c.amount, distance, loss+jacobian)
	return c.outcome, nil
}

// LogDet is the logarithm of the determinant of a symmetric positive definite matrix, which it
// overwrites (by the decomposition of Cholesky). It is NaN for another matrix.
func LogDet(m [][]float64) float64 {
	sum := 0.0
	for i := range m {
		for j := range i + 1 {
			x := m[i][j]
			for k := range j {
				x -= float64(m[i][k] * m[j][k])
			}
			if i == j {
				sum += elementary.Log(x)
				m[i][i] = math.Sqrt(x)
			} else {
				m[i][j] = x / m[j][j]
			}
		}
	}
	return sum
}
