// Package privacy is the only one that draws noise. It holds the mechanisms of differential privacy
// (Laplace, two-sided geometric, Gaussian, Cauchy, exponential) and the budget
// with its ledger. A budget is counted in pure epsilon, or in zCDP's rho for an (epsilon, delta).
//
// Every mechanism is declared once per release with the sensitivity its paper claims and the one
// that can be proven, and every call charges a Path of the budget. Overspending the claimed budget
// is an error at the call that would do it; what the calls really cost by the proven sensitivities
// is kept beside it and shown, never hidden.
//
// A Publication is the budget of a release that is handed out: it draws from the operating system's
// randomness, and exactly, or not at all. A seeded one draws the same from a seed, for audits.
//
// The package does not know tables, graphs or algorithms. Laplace noise is drawn in floating point
// and so carries the usual caveat (Mironov 2012): its low bits depend on the value. The strict
// variants of counts use the two-sided geometric mechanism, whose outputs are integers. Uniform
// numbers have 52 bits. The tails of Laplace and geometric noise are drawn with more (see fine);
// Cauchy noise beyond 2⁵³/π scales and choices of a probability below 2⁻⁵³ never occur, which no
// epsilon accounts for.
package privacy

import "errors"

var (
	// ErrOverspent is wrapped by every error of a call that would exceed the budget.
	ErrOverspent = errors.New("privacy budget overspent")
	// ErrTooSmall is wrapped by the error of a call whose noise would exceed all numbers.
	ErrTooSmall = errors.New("epsilon is too small")
	// ErrUnit is wrapped by the error of a call that a budget cannot pay for in its unit.
	ErrUnit = errors.New("privacy unit")
)

// Sensitivity is how far a query can move between neighbouring inputs (L1 for vectors,
// L2 for Gaussian noise).
type Sensitivity struct {
	// Claimed is the paper's value: noise is calibrated to it and the budget is charged by it.
	Claimed float64
	// Proven is the value that holds; 0 means the same as Claimed. +Inf means no finite bound.
	Proven float64
	// Monotone reports that one more record never lowers (or never raises) any candidate's score.
	// Under add/remove neighbours a choice by scores then costs half (errata R0b): that half is
	// credited to the proven loss only, never to the charge.
	Monotone bool
}

// Exact is a sensitivity whose claimed value is proven.
func Exact(value float64) Sensitivity { return Sensitivity{Claimed: value, Proven: value} }

// lossPerEpsilon is the privacy loss by the proven sensitivity for each unit of epsilon charged.
func (s Sensitivity) lossPerEpsilon() float64 {
	loss := s.proven() / s.Claimed
	if s.Monotone {
		loss /= 2
	}
	return loss
}

func (s Sensitivity) proven() float64 {
	if s.Proven > 0 {
		return s.Proven
	}
	return s.Claimed
}
