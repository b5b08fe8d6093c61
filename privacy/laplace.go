package privacy

import (
	"math"

	"ppdp/elementary"
	"ppdp/random"
)

// Noise perturbs numbers at the cost of epsilon on a path. Laplace and Geometric implement it,
// so that an algorithm can be calibrated once and run with either.
type Noise interface {
	Add(path *Path, epsilon, value float64) (float64, error)
	AddAll(path *Path, epsilon float64, values []float64) error
}

var (
	_ Noise = (*Laplace)(nil)
	_ Noise = (*Geometric)(nil)
)

// Laplace adds noise of density exp(-|x|/b)/(2b), b = sensitivity/epsilon (Dwork et al. 2006).
type Laplace struct{ *mechanism }

// Laplace declares a Laplace mechanism.
func (b *Budget) Laplace(purpose string, stream *random.Stream, s Sensitivity) *Laplace {
	return &Laplace{b.declare(laplace, purpose, stream, s)}
}

// Add charges epsilon to the path and returns value plus Laplace noise.
func (l *Laplace) Add(path *Path, epsilon, value float64) (float64, error) {
	scale := l.sensitivity.Claimed / epsilon
	if err := path.charge(l.mechanism, epsilon, scale); err != nil {
		return 0, err
	}
	var c *call
	if w := path.budget.watch; w != nil {
		record, forced, err := w.begin(l.mechanism, epsilon, value)
		if forced {
			return w.answerOne(record, l.mechanism, value, err)
		}
		c = record
	}
	noisy := value + float64(drawLaplace(l.stream)*scale)
	c.end(noisy)
	return noisy, nil
}

// AddAll perturbs every element of values, in place, for a single charge. The elements must be
// answers over disjoint data, or one vector whose L1 sensitivity is the declared one.
func (l *Laplace) AddAll(path *Path, epsilon float64, values []float64) error {
	scale := l.sensitivity.Claimed / epsilon
	if err := path.charge(l.mechanism, epsilon, scale); err != nil {
		return err
	}
	c, forced, err := path.budget.watch.begin(l.mechanism, epsilon, values...)
	if forced {
		return path.budget.watch.answer(c, l.mechanism, values, err)
	}
	for i := range values {
		values[i] += float64(drawLaplace(l.stream) * scale)
	}
	c.end(values...)
	return nil
}

// Geometric adds integer noise with P(x) proportional to exp(-|x|·epsilon/sensitivity), the
// two-sided geometric distribution (Ghosh, Roughgarden & Sundararajan 2009). Values must be
// integers.
type Geometric struct{ *mechanism }

// Geometric declares a two-sided geometric mechanism.
func (b *Budget) Geometric(purpose string, stream *random.Stream, s Sensitivity) *Geometric {
	return &Geometric{b.declare(geometric, purpose, stream, s)}
}

// Add charges epsilon to the path and returns value plus two-sided geometric noise.
func (g *Geometric) Add(path *Path, epsilon, value float64) (float64, error) {
	if path.budget.exact {
		values := [1]float64{value}
		err := path.addExactly(g.mechanism, epsilon, values[:])
		return values[0], err
	}
	if err := path.charge(g.mechanism, epsilon, g.sensitivity.Claimed/epsilon); err != nil {
		return 0, err
	}
	var c *call
	if w := path.budget.watch; w != nil {
		record, forced, err := w.begin(g.mechanism, epsilon, value)
		if forced {
			return w.answerOne(record, g.mechanism, value, err)
		}
		c = record
	}
	noisy := value + drawGeometric(g.stream, epsilon/g.sensitivity.Claimed)
	c.end(noisy)
	return noisy, nil
}

// AddAll perturbs every element of values, in place, for a single charge; see Laplace.AddAll.
func (g *Geometric) AddAll(path *Path, epsilon float64, values []float64) error {
	if path.budget.exact {
		return path.addExactly(g.mechanism, epsilon, values)
	}
	if err := path.charge(g.mechanism, epsilon, g.sensitivity.Claimed/epsilon); err != nil {
		return err
	}
	c, forced, err := path.budget.watch.begin(g.mechanism, epsilon, values...)
	if forced {
		return path.budget.watch.answer(c, g.mechanism, values, err)
	}
	rate := epsilon / g.sensitivity.Claimed
	for i := range values {
		values[i] += drawGeometric(g.stream, rate)
	}
	c.end(values...)
	return nil
}

// drawGeometric draws the difference of two independent geometric variates with ratio exp(-rate):
// its law is P(x) = tanh(rate/2)·exp(-rate·|x|).
func drawGeometric(s *random.Stream, rate float64) float64 {
	a := math.Floor(-elementary.Log(fine(s.Open01(), s)) / rate)
	return a - math.Floor(-elementary.Log(fine(s.Open01(), s))/rate)
}

// rare is where a uniform draw of 52 bits is too coarse to be noise: 12 of them are left. Only
// tests change it.
var rare = 0x1p-40

// fine refines a uniform draw u below rare by fresh draws. Without it no noise would be larger than
// 36.7 scales, where u ends, and integer noise would always be 0 from a rate of 36.7 on.
func fine(u float64, s *random.Stream) float64 {
	if u >= rare { // nearly always; small enough to be inlined
		return u
	}
	return refine(s)
}

func refine(s *random.Stream) float64 {
	unit, u := rare, s.Open01()
	for u < rare {
		unit *= rare
		u = s.Open01()
	}
	return unit * u
}

// drawLaplace draws from the density exp(-|x|/b)/(2b) with b = 1: a random sign on an exponential
// variate.
func drawLaplace(s *random.Stream) float64 {
	u, negative := s.SignedOpen01()
	u = fine(u, s)
	if negative {
		return elementary.Log(u)
	}
	return -elementary.Log(u)
}
