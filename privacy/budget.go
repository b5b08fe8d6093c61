package privacy

import (
	"fmt"
	"math"

	"ppdp/random"
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

// Budget is the privacy budget of one release. It is not safe for concurrent use.
type Budget struct {
	epsilon    float64
	mechanisms []*mechanism
	// the largest path sums so far, by claimed and by proven sensitivities, and the paths they are
	// of: among equally expensive ones, up to rounding, the one of most calls
	claimed, proven  float64
	worst, worstLoss Path
	refused          error // the first charge that would have overspent
	rooted           bool  // Root has been called
	watch            *watch
}

// NewBudget returns a budget of epsilon nats. Zero is the budget of a release that gives no
// differential privacy: it can pay for nothing.
func NewBudget(epsilon float64) *Budget {
	if !(epsilon >= 0) || math.IsInf(epsilon, 1) {
		panic(fmt.Sprintf("privacy: budget of %v, must be a finite number of at least 0", epsilon))
	}
	return &Budget{epsilon: epsilon}
}

// Epsilon is the whole budget.
func (b *Budget) Epsilon() float64 { return b.epsilon }

// Refused is the first error of a charge that would have overspent, or nil. A release that went on
// after one has taken values without noise for noisy ones.
func (b *Budget) Refused() error { return b.refused }

// Root returns the path that has spent nothing. It can be taken once: two roots would count as
// parallel, though every record pays on both. Whoever divides disjoint data forks the path.
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
func (p *Path) Remaining() float64 { return max(0, p.budget.epsilon-p.spent) }

// charge books epsilon for mechanism m on this path. scale is that of the noise it buys, 0 for a
// choice.
func (p *Path) charge(m *mechanism, epsilon, scale float64) error {
	if !(epsilon > 0) {
		return fmt.Errorf("privacy: %s asked for epsilon %v, must be above 0", m.purpose, epsilon)
	}
	b := p.budget
	if p.spent+epsilon > b.epsilon*(1+slack) {
		err := fmt.Errorf("%w: %s needs %g, but its path has spent %g of %g", ErrOverspent,
			m.purpose, epsilon, p.spent, b.epsilon)
		if b.refused == nil {
			b.refused = err
		}
		return err
	}
	if scale > maxScale {
		return fmt.Errorf("%w: %s asked for noise of scale %g, must be at most %g", ErrTooSmall,
			m.purpose, scale, maxScale)
	}
	p.spent += epsilon
	p.loss += float64(epsilon * m.lossPerEpsilon)
	p.by[m.slot] += epsilon
	p.calls[m.slot]++
	p.all++
	m.calls++
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

// mechanism is the bookkeeping all mechanisms share.
type mechanism struct {
	purpose, kind  string
	sensitivity    Sensitivity
	lossPerEpsilon float64
	slot           int
	calls          int64
	stream         *random.Stream
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
	m := &mechanism{purpose: purpose, kind: kind, sensitivity: s,
		lossPerEpsilon: s.lossPerEpsilon(),
		slot:           len(b.mechanisms), stream: stream}
	b.mechanisms = append(b.mechanisms, m)
	return m
}

// Entry is one row of the ledger: all calls of one mechanism in one release.
type Entry struct {
	Purpose   string // what the queries were for: "cuts", "stop tests", "leaf counts"
	Mechanism string // "laplace", "geometric", "cauchy", "exponential"
	Claimed   float64
	Proven    float64
	Calls     int64
	// Epsilon is this mechanism's part of the most expensive path by claimed sensitivities; of
	// equally expensive ones, of the path of most calls.
	Epsilon float64
	// Loss is its part of the most expensive path by proven sensitivities.
	Loss float64
	// Composition is "parallel" where calls beside the worst path rode on disjoint data, else
	// "sequential".
	Composition string
}

// Ledger lists the declared mechanisms in the order of their declaration.
func (b *Budget) Ledger() []Entry {
	entries := make([]Entry, len(b.mechanisms))
	for i, m := range b.mechanisms {
		composition := "sequential"
		if m.calls > int64(b.worst.calls[i]) {
			composition = "parallel"
		}
		entries[i] = Entry{
			Purpose: m.purpose, Mechanism: m.kind,
			Claimed: m.sensitivity.Claimed, Proven: m.sensitivity.proven(), Calls: m.calls,
			Epsilon: b.worst.by[i], Composition: composition,
		}
		if by := b.worstLoss.by[i]; by > 0 { // 0 times an infinite loss is no loss
			entries[i].Loss = float64(by * m.lossPerEpsilon)
		}
	}
	return entries
}

// Spent returns the largest path sums: by claimed sensitivities (at most Epsilon, but for
// rounding) and by proven ones (more than Epsilon where a published algorithm overspends).
func (b *Budget) Spent() (claimed, proven float64) { return b.claimed, b.proven }
