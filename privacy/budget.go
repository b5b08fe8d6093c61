package privacy

import (
	"fmt"
	"math"

	"ppdp/numeric/random"
)

// maxMechanisms bounds the mechanisms one release may declare, so that a Path is a small value
// that forks by being copied.
const maxMechanisms = 8

// slack is the relative rounding error a path's sum may carry: a release adds at most some
// thousand charges, each rounded to half a unit in the last place.
const slack = 1e-9

// maxScale bounds the scale of noise, so that no draw is infinite: Laplace and geometric noise
// reach 745 scales, Cauchy noise 2⁵³/π.
const maxScale = 1e290

// Budget is the privacy budget of one release, in one unit, with the ledger of what was charged to
// it. Mechanisms are declared on it and charge its paths. It is not safe for concurrent use.
type Budget struct {
	unit           Unit
	total          float64 // in the unit
	epsilon, delta float64 // what it stands for
	group          float64 // records that are protected together (Group)
	mechanisms     []*mechanism
	// the largest path sums so far, by claimed and by proven sensitivities, and the paths they are
	// of: among equally expensive ones, up to rounding, the one of most calls
	claimed, proven  float64
	worst, worstLoss Path
	refused          error  // the first charge that the budget could not pay
	rooted           bool   // Root has been called
	exact            bool   // a Publication's, or a seeded one's: all draws are exact
	published        bool   // a Publication's: all draws are of the system's randomness
	inexact          error  // the first mechanism that it cannot draw exactly
	watch            *watch // nil unless a transcript is recorded or replayed
}

// NewBudget returns a budget of epsilon nats. Zero is the budget of a release that gives no
// differential privacy: it can pay for nothing.
func NewBudget(epsilon float64) *Budget { return NewApproximate(epsilon, 0) }

// NewApproximate returns a budget for (epsilon, delta). It is kept in rho, the largest zCDP that
// implies it (RhoOf), or in epsilon where delta is 0. delta is below 1.
func NewApproximate(epsilon, delta float64) *Budget {
	if !(epsilon >= 0) || math.IsInf(epsilon, 1) {
		panic(fmt.Sprintf("privacy: budget of %v, must be a finite number of at least 0", epsilon))
	}
	if !(delta >= 0 && delta < 1) {
		panic(fmt.Sprintf("privacy: delta of %v, must be at least 0 and below 1", delta))
	}
	b := &Budget{unit: Epsilon, total: epsilon, epsilon: epsilon, delta: delta, group: 1}
	if delta > 0 {
		b.unit, b.total = Rho, 0
		if epsilon > 0 {
			b.total = RhoOf(epsilon, delta)
		}
	}
	return b
}

// Group makes the budget one that protects any records of a group together, of which there are at
// most the given number, as records of one person are. Mechanisms and paths get what is left for a
// single record: ε/records, or ρ/records² (Dwork & Roth 2014, Theorem 2.2; Bun & Steinke 2016,
// Proposition 1.9). Spent, the ledger and replays are about the group. It is called before
// anything else, and returns b.
func (b *Budget) Group(records int) *Budget {
	if b.group = float64(max(1, records)); b.group == 1 {
		return b
	}
	b.total /= b.Times()
	if b.epsilon /= b.group; b.unit == Rho {
		b.epsilon = EpsilonOf(b.total, b.delta)
	}
	return b
}

// Times is how many times what a record costs a group of them costs.
func (b *Budget) Times() float64 {
	if b.unit == Rho {
		return b.group * b.group
	}
	return b.group
}

// Epsilon is the epsilon that the budget stands for: the whole budget where Unit is Epsilon.
func (b *Budget) Epsilon() float64 { return b.epsilon }

// Delta is the delta beside Epsilon, 0 for pure differential privacy.
func (b *Budget) Delta() float64 { return b.delta }

// Unit is what the budget is counted in.
func (b *Budget) Unit() Unit { return b.unit }

// Total is the whole budget in its unit.
func (b *Budget) Total() float64 { return b.total }

// ChoiceEpsilon is the epsilon of an exponential mechanism that costs as much in the budget's unit.
func (b *Budget) ChoiceEpsilon(cost float64) float64 {
	if b.unit == Rho {
		return math.Sqrt(8 * cost)
	}
	return cost
}

// Refused is the first error of a charge that the budget could not pay, or nil. A release that went
// on after one has taken values without noise for noisy ones.
func (b *Budget) Refused() error { return b.refused }

func (b *Budget) refuse(err error) error {
	if b.refused == nil {
		b.refused = err
	}
	return err
}

// Root returns the path that has spent nothing. It can be taken once: two roots would count as
// parallel, though every record pays on both. Disjoint parts of the data take forks of the path.
func (b *Budget) Root() Path {
	if b.rooted {
		panic("privacy: the root of a budget was taken twice: fork the path instead")
	}
	b.rooted = true
	return Path{budget: b}
}

// Path is what one record's data have paid on the way from the root of a recursion to here:
// sequential composition along the path, parallel composition over its forks. It is a value;
// charges go to the copy they are made on.
type Path struct {
	budget *Budget
	spent  float64                // by claimed sensitivities
	loss   float64                // by proven sensitivities
	by     [maxMechanisms]float64 // spent, for each mechanism
	calls  [maxMechanisms]int32   // and how often,
	all    int32                  // for all of them together
}

// Fork returns a child that has spent what p has. The caller asserts that the children of one
// path see disjoint data, so that the children's costs do not add up.
func (p *Path) Fork() Path { return *p }

// Spent is what this path has paid by claimed sensitivities.
func (p *Path) Spent() float64 { return p.spent }

// Remaining is what this path can still pay, never negative.
func (p *Path) Remaining() float64 { return max(0, p.budget.total-p.spent) }

// charge adds the cost of a call of mechanism m to this path and refuses what the budget cannot
// pay. amount is in rho for Gaussian noise and in epsilon for all others. scale is that of the
// noise the call draws, 0 for a choice. Nothing may be drawn after an error.
func (p *Path) charge(m *mechanism, amount, scale float64) error {
	if p.budget.inexact != nil {
		return p.budget.refuse(p.budget.inexact)
	}
	if !(amount > 0) {
		return fmt.Errorf("privacy: %s asked for %s %v, must be above 0", m.purpose, m.asks(),
			amount)
	}
	b := p.budget
	cost := m.cost(amount)
	if Bound(p.spent + cost).Exceeds(b.total) {
		err := fmt.Errorf("%w: %s needs %g, but its path has spent %g of %g", ErrOverspent,
			m.purpose, cost, p.spent, b.total)
		if b.unit == Rho {
			err = fmt.Errorf("%w, all in rho", err)
		}
		return b.refuse(err)
	}
	if scale > maxScale {
		return tooSmall(m, scale, maxScale)
	}
	p.spent += cost
	p.loss += float64(cost * m.lossPerCost)
	p.by[m.slot] += cost
	p.calls[m.slot]++
	p.all++
	m.calls++
	m.charged = amount
	b.claimed = max(b.claimed, p.spent)
	b.proven = max(b.proven, p.loss)
	// Where every leaf takes what is left, all paths cost the same up to rounding. The longest then
	// shows best what the budget went to, and does not depend on the last bits.
	if p.spent >= b.claimed*(1-slack) &&
		(p.all > b.worst.all || p.spent > b.worst.spent*(1+slack)) {
		b.worst = *p
	}
	if p.loss >= b.proven*(1-slack) && (p.all > b.worstLoss.all ||
		p.loss > b.worstLoss.loss*(1+slack)) {
		b.worstLoss = *p
	}
	return nil
}

// tooSmall is the error of a call that asks for more noise than can be drawn.
func tooSmall(m *mechanism, scale, most float64) error {
	return fmt.Errorf("%w: %s asked for noise of scale %g, must be at most %g", ErrTooSmall,
		m.purpose, scale, most)
}

// mechanism is the bookkeeping all mechanisms share.
type mechanism struct {
	purpose, kind string
	budget        *Budget
	sensitivity   Sensitivity
	lossPerCost   float64
	slot          int
	calls         int64
	charged       float64 // amount of the last call
	stream        *random.Stream
	grid          float64   // of a Publication's scores: the step they are rounded to
	steps         []float64 // scratch: of a Publication's scores
	outside       bool      // an Outside, whose calls are of a branch
	branch        string
}

// Purpose is what the mechanism was declared for.
func (m *mechanism) Purpose() string { return m.purpose }

// The kinds of mechanisms.
const (
	laplace              = "laplace"
	geometric            = "geometric"
	cauchy               = "cauchy"
	exponential          = "exponential"
	gaussian             = "gaussian"
	discreteLaplaceKind  = "discrete laplace"
	discreteGaussianKind = "discrete gaussian"
)

// asks is the unit of the amounts a mechanism is called with.
func (m *mechanism) asks() Unit {
	if m.kind == gaussian || m.kind == discreteGaussianKind {
		return Rho
	}
	return Epsilon
}

// cost is what a call at an amount costs in the budget's unit. In zCDP a mechanism of pure epsilon
// costs ε²/2 (Bun & Steinke 2016, Proposition 1.4), and an exponential mechanism ε²/8, since its
// loss keeps to an interval of length ε (Cesar & Rogers 2021).
func (m *mechanism) cost(amount float64) float64 {
	switch {
	case m.budget.unit == m.asks(), m.kind == declared:
		return amount
	case m.kind == exponential:
		return amount * amount / 8
	}
	return amount * amount / 2
}

// amount is what a call is asked for with that is to cost so much in the budget's unit.
func (m *mechanism) amount(cost float64) float64 {
	switch {
	case m.budget.unit == m.asks():
		return cost
	case m.kind == exponential:
		return m.budget.ChoiceEpsilon(cost)
	}
	return math.Sqrt(2 * cost)
}

// declare enters a mechanism into the ledger. Wrong declarations are programmers' mistakes.
func (b *Budget) declare(kind, purpose string, stream *random.Stream, s Sensitivity) *mechanism {
	switch {
	case len(b.mechanisms) == maxMechanisms:
		panic(fmt.Sprintf("privacy: more than %d mechanisms in one release", maxMechanisms))
	case stream == nil:
		panic(fmt.Sprintf("privacy: mechanism %q without a stream", purpose))
	case !(s.Claimed > 0) || math.IsInf(s.Claimed, 1) || s.Proven < 0 || math.IsNaN(s.Proven):
		panic(fmt.Sprintf("privacy: mechanism %q with sensitivity %+v", purpose, s))
	}
	m := &mechanism{purpose: purpose, kind: kind, budget: b, sensitivity: s,
		lossPerCost: s.lossPerEpsilon(), slot: len(b.mechanisms), stream: stream}
	if b.exact {
		b.declareExact(m)
	}
	if b.unit == Rho { // which is quadratic in the distance
		m.lossPerCost = float64(m.lossPerCost * m.lossPerCost)
	}
	b.mechanisms = append(b.mechanisms, m)
	return m
}

// Spent returns the largest path sums, in the budget's unit: by claimed sensitivities (at most
// Total of a record, but for rounding) and by proven ones (more where a published algorithm
// overspends), both of all records that are protected together.
func (b *Budget) Spent() (claimed, proven float64) {
	return b.claimed * b.Times(), b.proven * b.Times()
}
