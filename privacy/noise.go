package privacy

import (
	"fmt"
	"math"

	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
)

// Noise adds independent draws of one law to numbers, at a cost in the unit that suits it: rho of
// Gaussian noise, epsilon of all other.
type Noise struct{ *mechanism }

// Laplace declares noise of density exp(-|x|/b)/(2b), b = sensitivity/epsilon (Dwork et al. 2006).
func (b *Budget) Laplace(purpose string, stream *random.Stream, s Sensitivity) *Noise {
	return &Noise{b.declare(laplace, purpose, stream, s)}
}

// Geometric declares integer noise with P(x) proportional to exp(-|x|·epsilon/sensitivity), the
// two-sided geometric distribution (Ghosh, Roughgarden & Sundararajan 2009). Values must be
// integers.
func (b *Budget) Geometric(purpose string, stream *random.Stream, s Sensitivity) *Noise {
	return &Noise{b.declare(geometric, purpose, stream, s)}
}

// DiscreteLaplace declares noise of the law of Geometric that is always drawn exactly, in integers.
func (b *Budget) DiscreteLaplace(purpose string, stream *random.Stream, s Sensitivity) *Noise {
	return &Noise{b.declare(discreteLaplaceKind, purpose, stream, s)}
}

// Gaussian declares normal noise of a standard deviation of sensitivity/√(2ρ), which is ρ-zCDP (Bun
// & Steinke 2016, Proposition 1.6); s is in L2. A budget of pure epsilon cannot pay for it.
func (b *Budget) Gaussian(purpose string, stream *random.Stream, s Sensitivity) *Noise {
	return &Noise{b.declare(gaussian, purpose, stream, s)}
}

// DiscreteGaussian declares noise that is an integer y with probability proportional to
// exp(-y²/(2σ²)), drawn exactly; s is in L2. Values must be integers. It is ρ-zCDP at the σ of
// normal noise (Canonne, Kamath & Steinke 2020, Theorem 4).
func (b *Budget) DiscreteGaussian(purpose string, stream *random.Stream, s Sensitivity) *Noise {
	return &Noise{b.declare(discreteGaussianKind, purpose, stream, s)}
}

// Variance is the variance of the noise of one element. For discrete Gaussian noise it gives the
// variance of normal noise, which is a little more.
func (n *Noise) Variance(cost float64) float64 {
	switch scale := n.sensitivity.Claimed / cost; {
	case n.asks() == Rho:
		return n.sensitivity.Claimed * n.sensitivity.Claimed / (2 * cost)
	case n.kind == laplace:
		return 2 * scale * scale
	}
	// 2a/(1-a)² with a = exp(-epsilon/sensitivity)
	rate := cost / n.sensitivity.Claimed
	rest := -elementary.Expm1(-rate)
	return 2 * elementary.Exp(-rate) / rest / rest
}

// MeanSize is the expected size of the noise of one element. For discrete Gaussian noise it gives
// the size of normal noise.
func (n *Noise) MeanSize(cost float64) float64 {
	switch {
	case n.asks() == Rho:
		return math.Sqrt(2 / math.Pi * n.Variance(cost))
	case n.kind == laplace:
		return n.sensitivity.Claimed / cost
	}
	// 2a/(1-a²) with a = exp(-epsilon/sensitivity)
	rate := cost / n.sensitivity.Claimed
	return -2 * elementary.Exp(-rate) / elementary.Expm1(-2*rate)
}

// Add charges a cost to the path and returns value with noise.
func (n *Noise) Add(path *Path, cost, value float64) (float64, error) {
	values := [1]float64{value}
	if err := n.AddAll(path, cost, values[:]); err != nil {
		return 0, err // and not the value
	}
	return values[0], nil
}

// AddAll perturbs every element of values, in place, for a single charge. The elements must be
// answers over disjoint data, or one vector whose sensitivity, in L1 or L2, is the declared one.
func (n *Noise) AddAll(path *Path, cost float64, values []float64) error {
	rate, scale := cost/n.sensitivity.Claimed, n.sensitivity.Claimed/cost
	exact := path.budget.exact
	switch {
	case n.kind == laplace:
		return path.perturb(n.mechanism, cost, scale, rate, values, func() float64 {
			return float64(drawLaplace(n.stream) * scale)
		})
	case n.kind == geometric && !exact:
		return path.perturb(n.mechanism, cost, scale, rate, values, func() float64 {
			return drawGeometric(n.stream, rate)
		})
	case n.asks() == Rho:
		return n.addGaussian(path, cost, values)
	}
	s, t, err := path.exactRate(n.mechanism, cost)
	if err == nil && exact {
		err = n.whole(values)
	}
	if err != nil {
		return err
	}
	return path.perturb(n.mechanism, cost, scale, float64(s)/float64(t), values,
		func() float64 { return float64(discreteLaplace(n.stream, s, t)) })
}

// addGaussian is AddAll of Gaussian noise.
func (n *Noise) addGaussian(path *Path, rho float64, values []float64) error {
	if path.budget.unit != Rho {
		return path.budget.refuse(fmt.Errorf("%w: %s is Gaussian noise, which has no pure "+
			"epsilon: the budget needs a delta", ErrUnit, n.purpose))
	}
	sigma := math.Sqrt(n.Variance(rho))
	if n.kind == gaussian {
		return path.perturb(n.mechanism, rho, sigma, 1/float64(sigma*sigma), values,
			func() float64 { return float64(drawNormal(n.stream) * sigma) })
	}
	if sigma > maxGaussianSigma {
		return tooSmall(n.mechanism, sigma, maxGaussianSigma)
	}
	if path.budget.exact {
		if err := n.whole(values); err != nil {
			return err
		}
		sigma /= math.Sqrt(spared)
	}
	v := variance(sigma)
	squared := float64(v.t) * float64(v.m) / float64(v.q)
	return path.perturb(n.mechanism, rho, sigma, 1/squared, values,
		func() float64 { return float64(discreteGaussian(n.stream, v)) })
}

// perturb charges an amount for noise of a scale, and adds a draw of it to every element of values.
// rate belongs to what is really drawn, as in call.
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

// drawNormal draws from the standard normal distribution by the polar method (Marsaglia & Bray
// 1964).
func drawNormal(s *random.Stream) float64 {
	for {
		u, v := 2*s.Open01()-1, 2*s.Open01()-1
		if r := float64(u*u) + float64(v*v); r > 0 && r < 1 {
			return u * math.Sqrt(-2*elementary.Log(r)/r)
		}
	}
}
