package privacy

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"sort"
)

// exactChoice draws candidates with exactly the probabilities of an exponential mechanism over
// scores on a grid: candidate i, d steps worse than the best, of whole weight w, with probability
// proportional to w·exp(-d·s/t). It draws i by an integer from w·exp(-d·s/t)·2⁶³ upwards and keeps
// it with the probability that this is too much by; what integers of 64 bits cannot decide, about
// one draw in 2⁵⁵, is decided to as many bits as it takes (below).
type exactChoice struct {
	s, t   uint64
	powers [maxSteps + 1]uint64 // exp(-2^j·s/t)·2⁶³, rounded up
	sizes  []uint64             // scratch: exp(-d·s/t)·2⁶³, rounded up
	sums   []sum
}

// maxSteps bounds scores to ±2^(maxSteps-1) steps. A score beyond is replaced by the nearest one
// within: that never moves neighbours' scores further apart.
const maxSteps = 51

// roundedUp bounds how far sizes lie above what they stand for: each of up to maxSteps+1 powers by
// 2, and each product by 1.
const roundedUp = 3 * (maxSteps + 1)

// sum is high·2⁶⁴ + low.
type sum struct{ high, low uint64 }

func (a sum) less(b sum) bool { return a.high < b.high || a.high == b.high && a.low < b.low }

func (a sum) add(b sum) (c sum, overflow bool) {
	var carry uint64
	c.low, carry = bits.Add64(a.low, b.low, 0)
	c.high, carry = bits.Add64(a.high, b.high, carry)
	return c, carry > 0
}

func (a sum) minus(b sum) (c sum) {
	var borrow uint64
	c.low, borrow = bits.Sub64(a.low, b.low, 0)
	c.high, _ = bits.Sub64(a.high, b.high, borrow)
	return c
}

// uniformSum draws from [0, n), n > 0, by rejection.
func uniformSum(w Words, n sum) sum {
	if n.high == 0 {
		return sum{0, uniform(w, n.low)}
	}
	mask := uint64(1)<<bits.Len64(n.high) - 1
	for {
		if u := (sum{w.Uint64() & mask, w.Uint64()}); u.less(n) {
			return u
		}
	}
}

// prepare tabulates exp(-2^j·s/t) for every binary digit j of a number of steps.
func (c *exactChoice) prepare(s, t uint64) {
	if c.s == s && c.t == t && c.powers[0] > 0 {
		return
	}
	c.s, c.t = s, t
	const precision = 192
	b := expOf(new(big.Int).SetUint64(s), new(big.Int).SetUint64(t))(precision)
	for j := range c.powers {
		c.powers[j] = ceilShift(b.high, precision-63).Uint64()
		b = b.square(precision)
	}
}

// size is exp(-d·s/t)·2⁶³, rounded up by less than roundedUp.
func (c *exactChoice) size(d uint64) uint64 {
	size := uint64(1) << 63
	for j := 0; d > 0; j, d = j+1, d>>1 {
		if d&1 == 0 {
			continue
		}
		high, low := bits.Mul64(size, c.powers[j])
		size = high<<1 | low>>63
		if low<<1 != 0 {
			size++
		}
	}
	return size
}

// step is a score on a Publication's grid: a whole number, or -Inf.
func (m *mechanism) step(score float64) (float64, error) {
	switch {
	case math.IsNaN(score) || math.IsInf(score, 1):
		return 0, m.notANumber()
	case math.IsInf(score, -1):
		return score, nil
	}
	const most = 1 << (maxSteps - 1)
	return math.Floor(max(-most, min(most, score/m.grid)) + 0.5), nil
}

// pace is how much less likely each unit of score makes a candidate, in nats. On a Publication's
// grid the unit is a step, and the rate is s/t.
type pace struct {
	rate float64
	s, t uint64
}

// given returns what a choice is made by: scores, or their steps, which the next call overwrites.
func (m *mechanism) given(epsilon float64, scores []float64) ([]float64, pace, error) {
	if m.grid == 0 {
		return scores, pace{rate: epsilon / (2 * m.sensitivity.Claimed)}, nil
	}
	m.steps = m.steps[:0]
	for _, score := range scores {
		step, err := m.step(score)
		if err != nil {
			return nil, pace{}, err
		}
		m.steps = append(m.steps, step)
	}
	// The fraction s/t by which a step makes a candidate of a Publication less likely.
	s, t := laplaceRate(epsilon * spared / (2 * (scoreGrid + 1)))
	return m.steps, pace{float64(s) / float64(t), s, t}, nil
}

// drawExactly draws a candidate by the steps of its score, which it overwrites.
func (e *Exponential) drawExactly(p pace, steps, weights []float64) (int, error) {
	e.exact.prepare(p.s, p.t)
	best := math.Inf(-1)
	for i := range steps {
		switch {
		case weights != nil && !(weights[i] >= 0 && weights[i] <= 1<<53 &&
			weights[i] == math.Trunc(weights[i])):
			return 0, fmt.Errorf("%w: %s: a weight is no whole number", ErrInexact, e.purpose)
		case weights != nil && weights[i] == 0:
			steps[i] = math.Inf(-1)
		}
		best = max(best, steps[i])
	}
	if math.IsInf(best, -1) {
		return 0, ErrNoCandidates
	}
	return e.exact.draw(e.stream, best, steps, weights)
}

// draw draws from candidates by their steps, whole numbers or -Inf.
func (c *exactChoice) draw(w Words, best float64, steps, weights []float64) (int, error) {
	c.sizes, c.sums = c.sizes[:0], c.sums[:0]
	total := sum{}
	last, size := math.Inf(-1), uint64(0)
	for i, step := range steps {
		if step != last { // runs of equal scores are common
			last, size = step, 0
			if !math.IsInf(step, -1) {
				size = c.size(uint64(best - step))
			}
		}
		part := sum{0, size}
		if weights != nil {
			part.high, part.low = bits.Mul64(size, uint64(weights[i]))
		}
		var overflow bool
		if total, overflow = total.add(part); overflow {
			return 0, fmt.Errorf("privacy: weights of candidates add up to 2⁶⁵ or more")
		}
		c.sizes, c.sums = append(c.sizes, size), append(c.sums, total)
	}
	for {
		u := uniformSum(w, total)
		low := sort.Search(len(c.sums)-1, func(i int) bool { return u.less(c.sums[i]) })
		if low > 0 {
			u = u.minus(c.sums[low-1])
		}
		place := u.low // uniform below the candidate's size
		if weights != nil {
			place, _ = bits.Div64(u.high, u.low, uint64(weights[low]))
		}
		if place+roundedUp < c.sizes[low] {
			return low, nil
		}
		n := new(big.Int).SetUint64(uint64(best - steps[low]))
		n.Mul(n, new(big.Int).SetUint64(c.s))
		if below(w, place, 63, expOf(n, new(big.Int).SetUint64(c.t))) {
			return low, nil
		}
	}
}
