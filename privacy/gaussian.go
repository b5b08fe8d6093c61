package privacy

import (
	"fmt"
	"math"

	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
)

// VectorNoise perturbs vectors at a cost in the unit that suits it: epsilon for Laplace and integer
// Laplace noise, rho for Gaussian noise.
type VectorNoise interface {
	// Purpose is what the noise was declared for.
	Purpose() string
	// AddAll perturbs the elements of values, in place, for a single charge of the cost.
	AddAll(path *Path, cost float64, values []float64) error
	// Variance is the variance of the noise of one element, MeanSize its expected size.
	Variance(cost float64) float64
	MeanSize(cost float64) float64
}

// Gaussian adds normal noise to vectors. Its sensitivity is in L2, and a call at rho has a standard
// deviation of sensitivity/√(2ρ), which is ρ-zCDP (Bun & Steinke 2016, Proposition 1.6). A budget
// of pure epsilon cannot pay for it.
type Gaussian struct {
	*mechanism
	discrete bool
}

// Gaussian declares a mechanism of normal noise, s in L2.
func (b *Budget) Gaussian(purpose string, stream *random.Stream, s Sensitivity) *Gaussian {
	return &Gaussian{b.declare(gaussian, purpose, stream, s), false}
}

// DiscreteGaussian declares a mechanism whose noise is an integer y with probability proportional
// to exp(-y²/(2σ²)), drawn exactly; s is in L2. Values must be integers. It is ρ-zCDP at the σ of
// normal noise (Canonne, Kamath & Steinke 2020, Theorem 4).
func (b *Budget) DiscreteGaussian(purpose string, stream *random.Stream,
	s Sensitivity) *Gaussian {
	return &Gaussian{b.declare(discreteGaussianKind, purpose, stream, s), true}
}

// Variance is that of normal noise; discrete noise has a little less.
func (g *Gaussian) Variance(rho float64) float64 {
	return g.sensitivity.Claimed * g.sensitivity.Claimed / (2 * rho)
}

// MeanSize is √(2/π)σ, that of normal noise.
func (g *Gaussian) MeanSize(rho float64) float64 { return math.Sqrt(2 / math.Pi * g.Variance(rho)) }

// AddAll charges rho to the path and perturbs every element of values, in place. values is one
// vector whose L2 sensitivity is the declared one.
func (g *Gaussian) AddAll(path *Path, rho float64, values []float64) error {
	if path.budget.unit != Rho {
		return path.budget.refuse(fmt.Errorf("%w: %s is Gaussian noise, which has no pure "+
			"epsilon: the budget needs a delta", ErrUnit, g.purpose))
	}
	sigma := math.Sqrt(g.Variance(rho))
	if g.discrete && sigma > maxGaussianSigma {
		return tooSmall(g.mechanism, sigma, maxGaussianSigma)
	}
	if path.budget.exact {
		if err := g.whole(values); err != nil {
			return err
		}
		sigma /= math.Sqrt(spared)
	}
	if !g.discrete {
		return path.perturb(g.mechanism, rho, sigma, 1/float64(sigma*sigma), values,
			func() float64 { return float64(drawNormal(g.stream) * sigma) })
	}
	v := variance(sigma)
	squared := float64(v.t) * float64(v.m) / float64(v.q)
	return path.perturb(g.mechanism, rho, sigma, 1/squared, values,
		func() float64 { return float64(discreteGaussian(g.stream, v)) })
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

// DiscreteLaplace is Geometric with noise that is drawn exactly, in integers.
type DiscreteLaplace struct{ *mechanism }

// DiscreteLaplace declares a mechanism whose noise is an integer y with probability proportional to
// exp(-|y|·epsilon/sensitivity). Values must be integers.
func (b *Budget) DiscreteLaplace(purpose string, stream *random.Stream,
	s Sensitivity) *DiscreteLaplace {
	return &DiscreteLaplace{b.declare(discreteLaplaceKind, purpose, stream, s)}
}

// Variance is 2a/(1-a)² with a = exp(-epsilon/sensitivity).
func (l *DiscreteLaplace) Variance(epsilon float64) float64 {
	rate := epsilon / l.sensitivity.Claimed
	rest := -elementary.Expm1(-rate)
	return 2 * elementary.Exp(-rate) / rest / rest
}

// MeanSize is 2a/(1-a²) with a = exp(-epsilon/sensitivity).
func (l *DiscreteLaplace) MeanSize(epsilon float64) float64 {
	rate := epsilon / l.sensitivity.Claimed
	return -2 * elementary.Exp(-rate) / elementary.Expm1(-2*rate)
}

// AddAll charges epsilon to the path and perturbs every element of values, in place, for a single
// charge; see Laplace.AddAll.
func (l *DiscreteLaplace) AddAll(path *Path, epsilon float64, values []float64) error {
	return path.addExactly(l.mechanism, epsilon, values)
}

// Variance is 2·(sensitivity/epsilon)².
func (l *Laplace) Variance(epsilon float64) float64 {
	scale := l.MeanSize(epsilon)
	return 2 * scale * scale
}

// MeanSize is sensitivity/epsilon.
func (l *Laplace) MeanSize(epsilon float64) float64 { return l.sensitivity.Claimed / epsilon }
