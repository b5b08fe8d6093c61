package privacy

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
)

// ErrNoCandidates is returned by an exponential mechanism that was given nothing to choose from.
var ErrNoCandidates = errors.New("exponential mechanism without a candidate")

// Exponential chooses a candidate r with probability proportional to exp(epsilon·q(r)/(2Δq)) and
// charges epsilon (McSherry & Talwar 2007). The same law in RPS's writing is exp(ε′q) charged as
// 2ε′Δq (Qardaji & Li 2012, Definition 2).
type Exponential struct {
	*mechanism
	cumulative []float64   // scratch
	exact      exactChoice // of a Publication
}

// Exponential declares an exponential mechanism for a quality function of the given sensitivity.
func (b *Budget) Exponential(purpose string, stream *random.Stream, s Sensitivity) *Exponential {
	return &Exponential{mechanism: b.declare(exponential, purpose, stream, s)}
}

// Sensitivity is what the mechanism was declared with.
func (m *mechanism) Sensitivity() Sensitivity { return m.sensitivity }

// Choose charges epsilon to the path and returns the index of the chosen candidate. weights, the
// base measure (for example how many equally good cuts a candidate stands for), may be nil for
// all ones; candidates of weight 0 or score -Inf are never chosen. Scores that are NaN or +Inf are
// refused; so is a choice from no candidates, with ErrNoCandidates.
func (e *Exponential) Choose(path *Path, epsilon float64, scores, weights []float64) (int, error) {
	element, err := e.ChooseElement(path, epsilon, scores, weights, nil)
	return int(element), err
}

// Groups are candidates that were put together because they are equally good, or because a formula
// gives their weight. They are known by their elements: the numbers of the candidates in them.
type Groups interface {
	// Draw draws an element of group i by its share of the group's weight.
	Draw(i int) (element uint64)
	// First is an element of group i that has the score given for the group.
	First(i int) (element uint64)
	// Find returns the group of an element, -1 for none, with its share of the group's weight and
	// its score.
	Find(element uint64) (group int, share, score float64)
}

// ChooseElement is Choose among the elements of groups: it chooses a group and draws an element of
// it, which is what it returns. Two inputs that group the same elements in different ways share the
// elements.
func (e *Exponential) ChooseElement(path *Path, epsilon float64, scores, weights []float64,
	groups Groups) (element uint64, err error) {
	return e.choose(path, epsilon, scores, weights, groups,
		func(p pace, scores []float64) (int, error) {
			if e.grid > 0 {
				return e.drawExactly(p, scores, weights)
			}
			return e.draw(p.rate, scores, weights)
		})
}

// choose charges the path, then draws a candidate or, in a replay, answers from the record. groups
// is nil where candidates are elements themselves.
func (m *mechanism) choose(path *Path, epsilon float64, scores, weights []float64, groups Groups,
	draw func(p pace, scores []float64) (int, error)) (element uint64, err error) {
	if err := path.charge(m, epsilon, 0); err != nil {
		return 0, err
	}
	scores, pace, err := m.given(epsilon, scores)
	if err != nil {
		return 0, err
	}
	watch := path.budget.watch
	c, forced, err := watch.begin(m, epsilon, pace.rate, scores...)
	if err != nil {
		return 0, err
	}
	if forced {
		watch.choose(c, m, pace.rate, scores, weights, groups)
		return c.element, nil
	}
	i, err := draw(pace, scores)
	if err != nil {
		return 0, err
	}
	element = uint64(i)
	if groups != nil {
		element = groups.Draw(i)
	}
	c.chosen(element, i, weights, groups)
	return element, nil
}

// draw draws a candidate; factor is what each unit of score is worth, in nats.
func (e *Exponential) draw(factor float64, scores, weights []float64) (int, error) {
	best := math.Inf(-1)
	for i, score := range scores {
		if score > best && (weights == nil || weights[i] > 0) {
			best = score
		}
	}
	if math.IsInf(best, -1) {
		if slices.ContainsFunc(scores, math.IsNaN) {
			return 0, e.notANumber()
		}
		return 0, ErrNoCandidates
	}
	// Subtracting the best score leaves exponents of at most 0, so nothing overflows and the sum is
	// at least the best candidate's weight.
	if cap(e.cumulative) < len(scores) {
		e.cumulative = make([]float64, 2*len(scores))
	}
	cumulative := e.cumulative[:len(scores)]
	sum, last := 0.0, math.NaN()
	weight := 0.0
	for i, score := range scores {
		if score != last { // runs of equal scores are common: empty cells, symmetric cuts
			last, weight = score, elementary.Exp(float64((score-best)*factor))
		}
		w := weight
		if weights != nil {
			w = float64(w * weights[i])
		}
		sum += w
		cumulative[i] = sum
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		// The error does not say what the scores are: they are private.
		return 0, fmt.Errorf("privacy: %s: weights of candidates do not add up, a score or weight"+
			" is not a number", e.purpose)
	}
	// A candidate of weight 0 repeats the sum before it, and is therefore never the first above x.
	x := float64(e.stream.Open01() * sum)
	return sort.Search(len(cumulative)-1, func(i int) bool { return cumulative[i] > x }), nil
}

// notANumber is the error of a score that is NaN or +Inf.
func (m *mechanism) notANumber() error {
	return fmt.Errorf("privacy: %s: a score is not a number", m.purpose)
}

// ChooseBounded is Choose among the candidates 0 to n-1 of weight 1, whose scores are computed as
// they are needed and lie within [low, high]. It follows the same law. Where the range is narrow it
// draws candidates uniformly and keeps one with probability exp(epsilon·(q-high)/(2Δq)), so that
// few scores are ever asked for; otherwise it tabulates all of them. A score met outside its bounds
// is an error.
func (e *Exponential) ChooseBounded(path *Path, epsilon float64, n int, low, high float64,
	score func(candidate int) float64) (int, error) {
	factor := epsilon / (2 * e.sensitivity.Claimed)
	spread := float64((high - low) * factor)
	tabulated := n == 0 || e.grid > 0 || !(spread >= 0 && spread <= maxSpread)
	var scores []float64
	// a transcript compares all of them, also those that the draw does not ask for
	if tabulated || path.budget.watch != nil {
		scores = make([]float64, n)
		for i := range scores {
			if scores[i] = score(i); !(scores[i] >= low && scores[i] <= high) {
				return 0, e.outside()
			}
		}
	}
	if tabulated {
		return e.Choose(path, epsilon, scores, nil)
	}
	element, err := e.choose(path, epsilon, scores, nil, nil, func(pace, []float64) (int, error) {
		return e.reject(n, low, high, factor, spread, score)
	})
	return int(element), err
}

// reject draws candidates uniformly until one is kept.
func (e *Exponential) reject(n int, low, high, factor, spread float64,
	score func(candidate int) float64) (int, error) {
	keepBelow := 1 - spread // at most exp(-spread), the least probability of being kept
	for {
		candidate := e.stream.IntN(n)
		u := e.stream.Open01()
		if u < keepBelow {
			return candidate, nil
		}
		q := score(candidate)
		if !(q >= low && q <= high) {
			return 0, e.outside()
		}
		if u < elementary.Exp(float64((q-high)*factor)) {
			return candidate, nil
		}
	}
}

// outside is the error of a score beyond its bounds, with which the choice would follow another
// law. It does not say which score: scores are private.
func (e *Exponential) outside() error {
	return fmt.Errorf("privacy: %s: a score lies outside the bounds given for it", e.purpose)
}

// maxSpread bounds the exponents' range for rejection: at least one candidate in e² is kept.
const maxSpread = 2
