package privacy

import (
	"math"
	"slices"

	"ppdp/numeric/elementary"
)

// mostPlaces bounds the draws of one call that Places looks at.
const mostPlaces = 1024

// Places calls visit for each call in turn with the places of its random draws in the laws that its
// charge pays for: the probability of less noise than was drawn, or of a better score than was
// chosen. Ties are broken by u, uniform numbers that have no part in the release. Mechanisms that
// draw what their charges say have places that are uniform between 0 and 1 and independent, given
// everything before them. Up to 1024 draws of a call are looked at, at even distances. The draws of
// sparse tables are left out.
//
// The laws are written down anew here, beside those that the mechanisms draw from.
func (t *Transcript) Places(u func() float64, visit func(purpose, kind string, places []float64)) {
	for at, c := range t.calls {
		var places []float64
		if c.share > 0 {
			places = []float64{c.choicePlace(u)}
		}
		noise := c.noise()
		stride := 1 + len(noise)/mostPlaces
		for i := at % stride; i < len(noise); i += stride {
			places = append(places, c.noisePlace(noise[i], u))
		}
		if places != nil {
			visit(c.purpose, c.kind, places)
		}
	}
}

// noise is what the call added to its values; nil for choices, sparse tables and calls that failed.
func (c *call) noise() []float64 {
	noise := slices.Clone(c.outcome)
	for i := range noise {
		noise[i] -= c.values[i]
	}
	return noise
}

// noisePlace is the place of a draw x of noise. Noise of either sign has the same law.
func (c *call) noisePlace(x float64, u func() float64) float64 {
	scale := c.claimed / c.charged
	above := 0.0 // P(noise > |x|), or of an integer a random place between that and P(noise ≥ |x|)
	switch z := math.Abs(x); c.kind {
	case laplace:
		above = float64(elementary.Exp(-z/scale) / 2)
	case gaussian:
		scale = c.claimed / math.Sqrt(2*c.charged)
		above = float64(elementary.Erfc(z/scale/math.Sqrt2) / 2)
	case cauchy: // where tan(π(u-½)) is -z
		scale = smoothing * c.values[1] / c.charged
		bisect(0, 0.5, halvings, func(middle float64) bool {
			above = middle
			return elementary.TanPi(middle-0.5) < -z/scale
		})
	case geometric, discreteLaplaceKind:
		ratio := elementary.Exp(-1 / scale)
		tail := elementary.Exp(-z/scale) / (1 + ratio)
		above = float64(tail * (1 - float64((1-ratio)*u())))
	case discreteGaussianKind:
		sigma := max(c.claimed/math.Sqrt(2*c.charged), minGaussianSigma)
		above = discreteGaussianAbove(z, sigma, u())
	}
	if x < 0 {
		return above
	}
	return 1 - above
}

// discreteGaussianAbove is P(noise > z) + u·P(noise = z). From a sigma of 8 on, sums are replaced
// by the integrals of the normal density, which differ from them by less than 2·10⁻⁴.
func discreteGaussianAbove(z, sigma, u float64) float64 {
	if sigma >= 8 {
		upper := func(z float64) float64 {
			return float64(elementary.Erfc(z/sigma/math.Sqrt2) / 2)
		}
		return upper(z+0.5) + float64(u*(upper(z-0.5)-upper(z+0.5)))
	}
	weight := func(y float64) float64 { return elementary.Exp(-y * y / (2 * sigma * sigma)) }
	sum, above := weight(0), float64(u*weight(z))
	for y := 1.0; y < float64(12*sigma)+2; y++ {
		sum += float64(2 * weight(y))
		if y > z {
			above += weight(y)
		}
	}
	return above / sum
}

// choicePlace is the place of the chosen score among the scores, the best first.
func (c *call) choicePlace(u func() float64) float64 {
	factor, best := c.charged/(2*c.claimed), math.Inf(-1)
	if c.grid > 0 {
		factor *= c.grid
	}
	for i, score := range c.values {
		if c.weights == nil || c.weights[i] > 0 {
			best = max(best, score)
		}
	}
	chosen := c.values[c.group]
	better, same, all := 0.0, 0.0, 0.0
	for i, score := range c.values {
		weight := elementary.Exp(float64((score - best) * factor))
		if c.weights != nil {
			weight *= c.weights[i]
		}
		all += weight
		if score > chosen {
			better += weight
		} else if score == chosen {
			same += weight
		}
	}
	return (better + float64(u()*same)) / all
}
