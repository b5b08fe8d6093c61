package privacy

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// parabola is strength/2·(θ-centre)² in each of its variables; its minimum is found off by off.
type parabola struct {
	strength, off float64
	centre        []float64
}

func (p parabola) Minimise(b []float64, _ float64) ([]float64, error) {
	theta := make([]float64, len(b))
	for i := range theta {
		theta[i] = p.centre[i] - b[i]/p.strength + p.off
	}
	return theta, nil
}

func (p parabola) Gradient(theta []float64) []float64 {
	gradient := make([]float64, len(theta))
	for i, x := range theta {
		gradient[i] = p.strength * (x - p.centre[i])
	}
	return gradient
}

func (p parabola) LogDet(theta []float64) float64 {
	return float64(len(theta)) * math.Log(p.strength)
}

// TestObjectiveHidesInexactMinima: two functions that differ in nothing but how exactly their
// minimum is found, each by as much as is allowed in every variable together, have laws within the
// share of epsilon kept for it. What an answer is off by from the exact minimum, over the scale of
// the noise against it, is Laplace noise about less than half a unit of that share.
func TestObjectiveHidesInexactMinima(t *testing.T) {
	const d, epsilon, strength = 20000, 0.5, 4.0
	off := minimumTolerance / strength / math.Sqrt(d) // a gradient of length τ in L2
	answers := func(off float64) []float64 {
		budget := NewBudget(1)
		o := budget.Objective("x", random.NewKey(6).Stream(), Exact(1))
		path := budget.Root()
		return must.Get(o.Minimise(&path, epsilon, Shape{d, strength, 0},
			parabola{strength, off, make([]float64, d)}))
	}
	scale := 2 * math.Sqrt(d) * minimumTolerance / strength / (gapShare * epsilon)
	if loss := 2 * d * off / scale; loss > gapShare*epsilon*(1+1e-12) {
		t.Errorf("two minima off by the most there may be cost %v of %v", loss, gapShare*epsilon)
	}
	// the minimum itself is the same draw on both sides: 1/(0.99·0.5)/4 is its scale
	exact, sample := random.NewKey(6).Stream(), answers(off)
	for i := range sample {
		sample[i] -= off - drawLaplace(exact)/(0.99*epsilon)/strength
	}
	if wrong := farFrom(sample, distuv.Laplace{Scale: scale}.CDF); wrong != "" {
		t.Errorf("blur: %s", wrong)
	}
}

// TestObjectiveReplay: the loss is the logarithm of the ratio of the two laws' densities, which a
// parabola gives in closed form, determinant included.
func TestObjectiveReplay(t *testing.T) {
	here, there := parabola{4, 0, []float64{1, -2}}, parabola{5, 0, []float64{1.25, -1.5}}
	shape := Shape{2, 4, 2 * math.Log(1.25)}
	release := func(b *Budget, f parabola) []float64 {
		path := b.Root()
		return must.Get(b.Objective("x", random.NewKey(9).Stream(), Exact(7)).Minimise(&path, 3,
			shape, f))
	}
	recorded := NewBudget(3)
	transcript := recorded.Record()
	theta := release(recorded, here)
	replayed := NewBudget(3)
	replay := replayed.Replay(transcript)
	if again := release(replayed, there); again[0] != theta[0] || again[1] != theta[1] {
		t.Errorf("answered %v, was %v", again, theta)
	}
	rest := 3*0.99 - shape.Jacobian
	want, distance := 0.0, 0.0
	for i := range theta {
		log := func(p parabola) float64 {
			return distuv.Laplace{Mu: p.centre[i], Scale: 7 / rest / p.strength}.LogProb(theta[i])
		}
		want += log(here) - log(there)
		distance += math.Abs(4*(theta[i]-here.centre[i]) - 5*(theta[i]-there.centre[i]))
	}
	// the answer is blurred by about 1e-4 of its scale
	if math.Abs(replay.Loss-want) > 1e-3 || math.Abs(replay.Distances[0].Distance-distance) > 1e-3 {
		t.Errorf("loss %v, distance %v, want %v and %v", replay.Loss,
			replay.Distances[0].Distance, want, distance)
	}
	shape.Jacobian /= 2
	budget := NewBudget(3)
	transcript = budget.Record()
	release(budget, here)
	budget = NewBudget(3)
	replay = budget.Replay(transcript)
	if release(budget, there); !math.IsInf(replay.Loss, 1) {
		t.Errorf("a determinant that changes by more than declared has loss %v", replay.Loss)
	}
}

func TestObjectiveRefuses(t *testing.T) {
	b := NewBudget(1)
	o := b.Objective("x", random.NewKey(1).Stream(), Exact(1))
	path := b.Root()
	f := parabola{1, 0, []float64{0}}
	for _, c := range []struct {
		epsilon, jacobian float64
		want              error
	}{{0.5, 0.499, ErrOverspent}, {1.1, 0, ErrOverspent}, {1e-295, 0, ErrTooSmall}} {
		if _, err := o.Minimise(&path, c.epsilon, Shape{1, 1, c.jacobian}, f); !errors.Is(err,
			c.want) {
			t.Errorf("epsilon %v, jacobian %v: %v, want %v", c.epsilon, c.jacobian, err, c.want)
		}
	}
}

// TestLogDet: the determinant of {{4, 2, 0}, {2, 5, 1}, {0, 1, 3}} is 44.
func TestLogDet(t *testing.T) {
	got := LogDet([][]float64{{4, 2, 0}, {2, 5, 1}, {0, 1, 3}})
	if math.Abs(got-math.Log(44)) > 1e-14 {
		t.Errorf("%v, want %v", got, math.Log(44))
	}
	if got := LogDet([][]float64{{1, 2}, {2, 1}}); !math.IsNaN(got) {
		t.Errorf("%v of a matrix that is not positive definite", got)
	}
}
