package privacy

import (
	"fmt"
	"math"

	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
)

// smoothing is γ+1 times 2 for γ = 2: Cauchy noise for a β-smooth bound needs β = ε/6 and scale
// 6S/ε.
const smoothing = 6

// Cauchy adds Cauchy noise, scaled to a smooth upper bound on the local sensitivity of one number
// (Nissim, Raskhodnikova & Smith 2007): value + (6S/ε)·η, η of density 1/(π(1+x²)). The bound S is
// data-dependent; it may change by a factor of at most e^(ε/6) between neighbours, see Smoothness.
type Cauchy struct{ *mechanism }

// Cauchy declares a Cauchy mechanism. proven says whether the bounds given to Add are smooth bounds
// on what a neighbour can do, answers of other paths included; where they are not, the ledger shows
// no finite loss. The sensitivity in the ledger is the largest bound of any call.
func (b *Budget) Cauchy(purpose string, stream *random.Stream, proven bool) *Cauchy {
	s := Exact(1)
	if !proven {
		s.Proven = math.Inf(1)
	}
	return &Cauchy{b.declare(cauchy, purpose, stream, s)}
}

// Smoothness is the β for which bounds handed to Cauchy.Add at epsilon must be β-smooth.
func Smoothness(epsilon float64) float64 { return epsilon / smoothing }

// Add charges epsilon to the path and returns value plus Cauchy noise for the smooth bound, which
// must be a finite number above 0.
func (c *Cauchy) Add(path *Path, epsilon, bound, value float64) (float64, error) {
	if !(bound > 0) || math.IsInf(bound, 1) {
		return 0, fmt.Errorf("privacy: %s: smooth bound %v, must be a finite number above 0",
			c.purpose, bound)
	}
	scale := smoothing * bound / epsilon
	if err := path.charge(c.mechanism, epsilon, scale); err != nil {
		return 0, err
	}
	if c.calls == 1 || bound > c.sensitivity.Claimed {
		c.sensitivity.Claimed = bound
		if !math.IsInf(c.sensitivity.Proven, 1) {
			c.sensitivity.Proven = bound
		}
	}
	watch := path.budget.watch
	noted, forced, err := watch.begin(c.mechanism, epsilon, 1/scale, value, bound)
	if forced {
		return watch.answerCauchy(noted, c, value, bound, err)
	}
	noisy := value + float64(drawCauchy(c.stream)*scale)
	noted.end(noisy)
	return noisy, nil
}

// drawCauchy draws from the standard Cauchy distribution by inverting its distribution function.
func drawCauchy(s *random.Stream) float64 { return elementary.TanPi(s.Open01() - 0.5) }

// answerCauchy answers a replayed call with the recorded outcome.
func (w *watch) answerCauchy(c *call, m *Cauchy, value, bound float64, err error) (float64, error) {
	if err != nil {
		return 0, err
	}
	// law is the logarithm of the density of the outcome, up to a constant.
	law := func(value, bound float64) float64 {
		scale := smoothing * bound / c.amount
		z := (c.outcome[0] - value) / scale
		return -elementary.Log(scale) - elementary.Log1p(float64(z*z))
	}
	was, wasBound := c.values[0], c.values[1]
	if value != was || bound != wasBound {
		// Within the smaller bound, and the bounds within a factor of e^β: 1 is the most there may
		// be. Of a group the records come one by one, and each may have e^β times the bound before.
		beta, group := Smoothness(c.amount), m.budget.group
		chain := elementary.Expm1(group*beta) / elementary.Expm1(beta) / group
		distance := max(math.Abs(value-was)/min(bound, wasBound)/chain,
			math.Abs(elementary.Log(bound/wasBound))/beta)
		w.compared(m.mechanism, c.amount, distance*m.sensitivity.Claimed,
			law(was, wasBound)-law(value, bound))
	}
	return c.outcome[0], nil
}
