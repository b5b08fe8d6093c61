package privacy

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ppdp/numeric/elementary"
)

// Transcript is the calls of a release's mechanisms, in order: the true values each was given and
// what it answered. Replaying it on a neighbouring input checks the release's guarantee call by
// call, without statistics.
type Transcript struct{ calls []*call }

// Len is the number of calls.
func (t *Transcript) Len() int { return len(t.calls) }

// call is one call of a mechanism: what it was given and what it answered. Which fields are set
// depends on the mechanism.
type call struct {
	purpose, kind string
	branch        string  // of an Outside
	amount        float64 // of epsilon, or of rho
	charged       float64 // the amount that the path was charged with
	claimed       float64 // sensitivity that noise is scaled to
	grid          float64 // of a Publication's choice: what a step of its scores stands for
	// rate belongs to what is really drawn: nats for a unit of noise or of score, of a Publication
	// for a step of its grid; one over the variance of Gaussian noise.
	rate    float64
	values  []float64 // true values, a smooth bound, scores or steps, counts of occupied cells
	outcome []float64 // noisy values
	weights []float64 // of candidates, nil for 1 each
	element uint64    // chosen
	share   float64   // of its group's weight that the element has
	group   int       // that the element is in
	firsts  []uint64  // an element of each group, nil where candidates are no groups
	cells   []uint64  // occupied
	grouped bool      // values of neighbours may differ in number
	seen    []seenCell
}

// seenCell is a cell of Sparse noise with a count above 0.
type seenCell struct {
	cell   uint64
	counts []float64
}

// Record makes the budget keep a transcript of its mechanisms' calls.
func (b *Budget) Record() *Transcript {
	t := &Transcript{}
	b.watch = &watch{transcript: t}
	return t
}

// Replay makes the budget's mechanisms answer as recorded, whatever they are given, and compare
// what they are given with what was recorded.
func (b *Budget) Replay(t *Transcript) *Replay {
	if b.published {
		panic("privacy: the answers of a publication are drawn, not replayed")
	}
	r := &Replay{}
	b.watch = &watch{transcript: t, replay: r}
	return r
}

// Replay is what forcing a transcript on a neighbouring input showed.
type Replay struct {
	// Loss is the logarithm of how much more likely the recorded input makes the transcript than
	// the replayed one, in nats: the privacy loss of this transcript, exactly.
	Loss float64
	// Proven is what the calls whose values differ cost by proven sensitivities, in the budget's
	// unit, each as far as its values moved. Parallel calls add up here, so that it exceeds the
	// ledger's sum where forks share data.
	Proven float64
	// Rho is the zCDP between the two inputs of the calls made, given the answers before each:
	// from both sides' values and what is drawn, whatever is declared, charged or protected.
	Rho float64
	// Distances has the largest distance between the two inputs' values for each mechanism, in
	// order of first use.
	Distances []Distance
	// Impossible says that the replayed input cannot give one of the answers.
	Impossible bool
	calls      int
}

// Distance is how far a mechanism's values moved between neighbours, at the call where they moved
// most compared with the sensitivity proven: in L1 for noise, in L2 for Gaussian noise, the largest
// change of a score for choices.
type Distance struct {
	Purpose, Mechanism string
	Call               int // number of the call, from 0
	// Distance is to be at most Proven. Claimed is the paper's value, or less where what was drawn
	// is enough for less only.
	Distance, Proven, Claimed float64
}

// Ratio is the distance as a part of the proven sensitivity; more than 1 refutes it.
func (d Distance) Ratio() float64 { return d.Distance / d.Proven }

// ErrDiverged is wrapped by the error of a call that the recorded release does not have at its
// place: something other than the mechanisms' answers decides which calls are made.
var ErrDiverged = errors.New("the neighbour makes other calls")

// Complete returns an error if the replayed release made fewer calls than the recorded one.
func (r *Replay) Complete(t *Transcript) error {
	if r.calls < len(t.calls) {
		c := t.calls[r.calls]
		return fmt.Errorf("%w: call %d, %s for %s, is missing", ErrDiverged, r.calls, c.kind,
			c.purpose)
	}
	return nil
}

// watch records the calls of a budget's mechanisms or, with a replay, answers them from the record.
type watch struct {
	transcript *Transcript
	replay     *Replay
}

// begin notes a call before anything is drawn and returns it; forced says that it is answered by
// the record. A nil watch returns nil; where calls are many and small, callers ask for that first.
func (w *watch) begin(m *mechanism, amount, rate float64, values ...float64) (c *call,
	forced bool, err error) {
	if w == nil {
		return nil, false, nil
	}
	if w.replay == nil {
		c = &call{purpose: m.purpose, kind: m.kind, amount: amount, charged: m.charged,
			branch: m.branch, claimed: m.sensitivity.Claimed, grid: m.grid, rate: rate,
			values: slices.Clone(values)}
		w.transcript.calls = append(w.transcript.calls, c)
		return c, false, nil
	}
	at := w.replay.calls
	w.replay.calls++
	if at >= len(w.transcript.calls) {
		return nil, true, fmt.Errorf("%w: call %d, %s for %s, is one too many", ErrDiverged, at,
			m.kind, m.purpose)
	}
	c = w.transcript.calls[at]
	// Some may be scaled to what follows from the data, but not on a grid: errata D3.
	fixed := m.outside || m.grid > 0 || m.kind != exponential && m.kind != cauchy
	differs := func(format string, is, was any) {
		err = fmt.Errorf("%w: call %d, %s for %s, "+format, ErrDiverged, at, m.kind, m.purpose, is,
			was)
	}
	switch {
	case c.purpose != m.purpose || c.kind != m.kind || c.amount != amount:
		err = fmt.Errorf("%w: call %d is %s for %s at %s %v, was %s for %s at %v",
			ErrDiverged, at, m.kind, m.purpose, m.asks(), amount, c.kind, c.purpose, c.amount)
	case c.branch != m.branch:
		differs("is of branch [%s], was [%s]", m.branch, c.branch)
	case fixed && c.claimed != m.sensitivity.Claimed:
		differs("is scaled to a sensitivity of %v, was %v", m.sensitivity.Claimed, c.claimed)
	case fixed && c.rate != rate:
		differs("draws at a rate of %v, was %v", rate, c.rate)
	case len(c.values) != len(values) && !c.grouped:
		differs("has %d values, were %d", len(values), len(c.values))
	}
	return c, true, err
}

// compared adds to the replay what a call showed: the distance of its values and its loss.
func (w *watch) compared(m *mechanism, amount, distance, loss float64) {
	r := w.replay
	if distance == 0 && loss == 0 {
		return
	}
	group := m.budget.group
	d := Distance{m.purpose, m.kind, r.calls - 1, distance, m.sensitivity.proven() * group,
		m.sensitivity.Claimed * group}
	enough := m.enoughFor(amount, w.transcript.calls[r.calls-1].rate) * group
	if Bound(d.Claimed).Exceeds(enough) {
		d.Claimed = enough
	}
	r.Loss += loss
	r.Rho += m.rho(amount, distance, w.transcript.calls[r.calls-1].rate)
	if math.IsInf(loss, 1) {
		r.Rho = loss
	}
	if !math.IsInf(d.Proven, 1) {
		part := d.Ratio()
		if m.budget.unit == Rho {
			part = float64(part * part)
		}
		r.Proven += float64(m.cost(amount) * m.lossPerCost * part * m.budget.Times())
	}
	for i := range r.Distances {
		if old := &r.Distances[i]; old.Purpose == d.Purpose && old.Mechanism == d.Mechanism {
			if d.Ratio() > old.Ratio() {
				*old = d
			}
			return
		}
	}
	r.Distances = append(r.Distances, d)
}

// rho is the zCDP of a call whose values are a distance apart: (Δ/σ)²/2 of Gaussian noise, ε²/2 of
// what is ε-private at this distance, and ε²/8 of a choice by the exponential mechanism (Bun &
// Steinke 2016, Propositions 1.6 and 1.4; Cesar & Rogers 2021). It is written down anew here,
// beside what is charged.
func (m *mechanism) rho(amount, distance, rate float64) float64 {
	moved := float64(distance * rate) // in nats, but for Gaussian noise
	switch m.kind {
	case gaussian, discreteGaussianKind:
		return float64(distance * moved / 2)
	case exponential: // a candidate gains as much as another loses
		if m.grid > 0 {
			moved /= m.grid
		}
	case cauchy:
		moved = amount * distance / m.sensitivity.Claimed
	}
	return float64(moved * moved / 2)
}

// enoughFor is the sensitivity for which a rate is what an amount pays for.
func (m *mechanism) enoughFor(amount, rate float64) float64 {
	switch {
	case m.kind == gaussian || m.kind == discreteGaussianKind:
		return math.Sqrt(2 * amount / rate)
	case m.grid > 0:
		return amount / (2 * rate) * m.grid
	case m.kind == laplace || m.kind == geometric || m.kind == discreteLaplaceKind:
		return amount / rate
	}
	return m.sensitivity.Claimed
}

// answer replaces values by the recorded outcome of Laplace, two-sided geometric or Gaussian noise.
// err is begin's.
func (w *watch) answer(c *call, m *mechanism, values []float64, err error) error {
	if err != nil {
		return err
	}
	distance, loss := 0.0, 0.0
	for i, v := range values {
		switch was := c.values[i]; {
		case was == v:
		case m.asks() == Rho:
			distance += float64((was - v) * (was - v))
			// (o-v)² - (o-was)²
			loss += float64((was - v) * (float64(2*c.outcome[i]) - was - v) * c.rate / 2)
		default:
			distance += math.Abs(was - v)
			loss += float64((math.Abs(c.outcome[i]-v) - math.Abs(c.outcome[i]-was)) * c.rate)
		}
	}
	if m.asks() == Rho { // in L2
		distance = math.Sqrt(distance)
	}
	w.compared(m, c.amount, distance, loss)
	copy(values, c.outcome)
	return nil
}

// end notes what the mechanism answered.
func (c *call) end(outcome ...float64) {
	if c != nil {
		c.outcome = slices.Clone(outcome)
	}
}

// choiceLaw is the logarithm of the probability of an element of a group, which has a share of the
// group's weight.
func choiceLaw(scores, weights []float64, factor float64, group int, share float64) float64 {
	weight := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	best := math.Inf(-1)
	for i, score := range scores {
		if weight(i) > 0 {
			best = max(best, score)
		}
	}
	sum := 0.0
	for i, score := range scores {
		sum += float64(weight(i) * elementary.Exp(float64((score-best)*factor)))
	}
	return float64((scores[group]-best)*factor) + elementary.Log(weight(group)*share) -
		elementary.Log(sum)
}

// chosen notes the element that was chosen, of a group.
func (c *call) chosen(element uint64, group int, weights []float64, groups Groups) {
	if c == nil {
		return
	}
	c.element, c.group, c.share, c.weights = element, group, 1, slices.Clone(weights)
	if groups == nil {
		return
	}
	_, c.share, _ = groups.Find(element)
	c.grouped, c.firsts = true, make([]uint64, len(c.values))
	for i := range c.firsts {
		c.firsts[i] = groups.First(i)
	}
}

// choose answers a replayed choice with the recorded element. groups is nil where the candidates
// themselves are the elements. Scores are compared in units of the sensitivity that each side's
// choice is scaled to, which may depend on the data as the scores do. rate is that of this side.
func (w *watch) choose(c *call, m *mechanism, rate float64, scores, weights []float64,
	groups Groups) {
	before, unit := c.claimed, m.sensitivity.Claimed
	if m.grid > 0 { // scores are steps
		before, unit = scoreGrid+1, scoreGrid+1
	}
	distance := 0.0
	compare := func(was, now float64) {
		if was != now || before != unit && !math.IsInf(now, -1) {
			distance = max(distance, math.Abs(was/before-now/unit))
		}
	}
	group, share := int(c.element), 1.0
	if groups == nil {
		for i, score := range scores {
			compare(c.values[i], score)
		}
	} else {
		for i, first := range c.firsts {
			if at, _, score := groups.Find(first); at >= 0 {
				if m.grid > 0 {
					score, _ = m.step(score)
				}
				compare(c.values[i], score)
			}
		}
		group, share, _ = groups.Find(c.element)
	}
	loss := choiceLaw(c.values, c.weights, c.rate, c.group, c.share)
	if group < 0 {
		loss = math.Inf(1) // the neighbour cannot choose the element
		w.replay.Impossible = true
	} else {
		loss -= choiceLaw(scores, weights, rate, group, share)
	}
	if math.Abs(loss) < 1e-12 && distance == 0 {
		loss = 0 // other groups of the same candidates
	}
	w.compared(m, c.amount, float64(distance*m.sensitivity.Claimed), loss)
}
