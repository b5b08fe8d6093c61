package privacy

import (
	"math"

	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
)

// Noise perturbs numbers at the cost of epsilon on a path. Laplace and Geometric implement it,
// so that an algorithm can be calibrated once and run with either.
type Noise interface {
	Add(path *Path, epsilon, value float64) (float64, error)
	AddAll(path *Path, epsilon float64, values []float64) error
}

// Laplace adds noise of density exp(-|x|/b)/(2b), b = sensitivity/epsilon (Dwork et al. 2006).
type Laplace struct{ *mechanism }

// Laplace declares a Laplace mechanism.
func (b *Budget) Laplace(purpose string, stream *random.Stream, s Sensitivity) *Laplace {
	return &Laplace{b.declare(laplace, purpose, stream, s)}
}

// Add charges epsilon to the path and returns value plus Laplace noise.
func (l *Laplace) Add(path *Path, epsilon, value float64) (float64, error) {
	values := [1]float64{value}
	if err := l.AddAll(path, epsilon, values[:]); err != nil {
		return 0, err // and not the value
	}
	return values[0], nil
}

// AddAll perturbs every element of values, in place, for a single charge. The elements must be
// answers over disjoint data, or one vector whose L1 sensitivity is the declared one.
func (l *Laplace) AddAll(path *Path, epsilon float64, values []float64) error {
	rate, scale := epsilon/l.sensitivity.Claimed, l.sensitivity.Claimed/epsilon
	return path.perturb(l.mechanism, epsilon, scale, rate, values, func() float64 {
		return float64(drawLaplace(l.stream) * scale)
	})
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
	values := [1]float64{value}
	if err := g.AddAll(path, epsilon, values[:]); err != nil {
		return 0, err // and not the value
	}
	return values[0], nil
}

// AddAll perturbs every element of values, in place, for a single charge; see Laplace.AddAll.
func (g *Geometric) AddAll(path *Path, epsilon float64, values []float64) error {
	if path.budget.exact {
		return path.addExactly(g.mechanism, epsilon, values)
	}
	rate, scale := epsilon/g.sensitivity.Claimed, g.sensitivity.Claimed/epsilon
	return path.perturb(g.mechanism, epsilon, scale, rate, values, func() float64 {
		return drawGeometric(g.stream, rate)
	})
}

// perturb charges an amount for noise of a scale, and adds a draw of it to every element of values.
// rate is that of what is really drawn, as in call.
func (p *Path) perturb(m *mechanism, amount, scale, rate float64, values []float64,
	draw func() float64) error {
	if err := p.charge(m, amount, scale); err != nil {
		return err
	}
	var c *call
	if w := p.budget.watch; w != nil { // asked here, since calls are many and small
		noted, forced, err := w.begin(m, amount, rate, values...)
		if forced {
			return w.answer(noted, m, values, err)
		}
		c = noted
	}
	for i := range values {
		values[i] += draw()
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
