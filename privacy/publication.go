package privacy

import (
	"errors"
	"fmt"
	"math"

	"ppdp/numeric/random"
)

// ErrInexact is wrapped by the errors of a Publication's budget for what it cannot draw exactly, or
// at a sensitivity that is not proven.
var ErrInexact = errors.New("has no secure sampling")

// Publication is the budget and the randomness of one release that is to be handed out. All its
// draws are of the operating system's randomness, which no seed gives again, and its mechanisms
// draw exactly: from integers alone, every outcome with exactly the probability that its law gives
// it. Mechanisms that have no exact form here are refused at their first call: continuous Laplace
// and Gaussian noise, Cauchy noise, what is only declared, choices by weights that are no whole
// numbers.
type Publication struct {
	Budget *Budget         // refuses streams that follow from a seed
	Noise  *random.Streams // the only randomness that the publication may use
}

// NewPublication returns a budget of (epsilon, delta), as NewApproximate does, with its streams.
func NewPublication(epsilon, delta float64) *Publication {
	b := NewSeededPublication(epsilon, delta)
	b.published = true
	return &Publication{b, random.SystemStreams()}
}

// NewSeededPublication returns the budget of a Publication, with the same draws and refusals, but
// for one thing: its streams may follow from a seed, so that audits can make a release again. It
// cannot be certified.
func NewSeededPublication(epsilon, delta float64) *Budget {
	b := NewApproximate(epsilon, delta)
	b.exact = true
	return b
}

// spared is the part of every amount that exact noise is drawn for. What it leaves covers the
// rounding of a path's sum (slack), so that epsilon is met and not only nearly so.
const spared = 1 - 0x1p-28

// scoreGrid is how many steps of the grid that a Publication rounds scores to make up their
// sensitivity. Scores within half a step of what they should be, after all errors of arithmetic,
// move by at most scoreGrid+1 steps between neighbours: rounding costs a part in scoreGrid of the
// sensitivity, which the ledger shows. (Mutual information over 10⁸ records, whose sensitivity is
// about 5e-7, is off by 1e-13 or less; half a step is 4e-12.)
const scoreGrid = 1 << 16

// declareExact refuses a mechanism that a Publication cannot draw, and makes its sensitivity that
// of the grid.
func (b *Budget) declareExact(m *mechanism) {
	if b.published && !m.stream.System() {
		panic(fmt.Sprintf("privacy: mechanism %q of a publication draws from a seed", m.purpose))
	}
	refuse := func(why string) {
		if b.inexact == nil {
			b.inexact = fmt.Errorf("%w: %s: %s", ErrInexact, m.purpose, why)
		}
	}
	switch m.kind {
	case geometric, discreteLaplaceKind, discreteGaussianKind:
	case exponential:
		m.grid = m.sensitivity.Claimed / scoreGrid
		rounded := float64(m.grid * (scoreGrid + 1))
		m.sensitivity.Claimed = rounded
		m.sensitivity.Proven = max(m.sensitivity.Proven, rounded)
		m.lossPerCost = m.sensitivity.lossPerEpsilon()
	default:
		refuse(m.kind + " noise is drawn in floating point, whose low bits depend on the value")
	}
	if m.sensitivity.proven() > m.sensitivity.Claimed {
		refuse("its noise is scaled to a sensitivity below the one that holds")
	}
}

// Inexact refuses, for a reason, a release whose draws are not exact; outside of a publication it
// does nothing. For code beside the mechanisms that has a part in what they draw.
func (b *Budget) Inexact(reason string) {
	if b.exact && b.inexact == nil {
		b.inexact = fmt.Errorf("%w: %s", ErrInexact, reason)
	}
}

// whole returns an error unless all values are integers that numbers of their kind hold exactly.
func (m *mechanism) whole(values []float64) error {
	for _, v := range values {
		if v != math.Trunc(v) || math.Abs(v) > 1<<52 {
			return fmt.Errorf("%w: %s: a value is no whole number", ErrInexact, m.purpose)
		}
	}
	return nil
}

// exactRate is the fraction s/t that noise of integers at an epsilon is drawn at.
func (p *Path) exactRate(m *mechanism, epsilon float64) (s, t uint64, err error) {
	rate := epsilon / m.sensitivity.Claimed
	if p.budget.exact {
		rate *= spared
	}
	if !(rate >= minLaplaceRate) {
		return 0, 0, tooSmall(m, 1/rate, 1/minLaplaceRate)
	}
	s, t = laplaceRate(rate)
	return s, t, nil
}
