package privacy

import (
	"math"

	"ppdp/random"
)

// Zeros is the noise of any number of counts of 0, rounded to the nearest integer (halves upwards),
// one after the other and without a draw for those that come out at 0 or below: what is drawn is
// how many of these come before the next that does not. So the empty cells of a large table cost
// as much as those of them that are seen, and have the law they would have if each got noise of its
// own.
type Zeros struct {
	stream *random.Stream
	rate   float64 // epsilon over sensitivity
	miss   float64 // the logarithm of the probability of 0 or less
}

// Zeros charges epsilon to the path for the noise of counts of 0, which must be answers over
// disjoint data.
func (l *Laplace) Zeros(path *Path, epsilon float64) (*Zeros, error) {
	if err := path.charge(l.mechanism, epsilon, l.sensitivity.Claimed/epsilon); err != nil {
		return nil, err
	}
	rate := epsilon / l.sensitivity.Claimed
	// P(x ≥ ½) = e^(-rate/2)/2
	return &Zeros{l.stream, rate, math.Log1p(-math.Exp(-rate/2) / 2)}, nil
}

// Zeros charges epsilon to the path for the noise of counts of 0, which must be answers over
// disjoint data.
func (g *Geometric) Zeros(path *Path, epsilon float64) (*Zeros, error) {
	if err := path.charge(g.mechanism, epsilon, g.sensitivity.Claimed/epsilon); err != nil {
		return nil, err
	}
	rate := epsilon / g.sensitivity.Claimed
	return &Zeros{g.stream, rate, -math.Log1p(math.Exp(-rate))}, nil // P(x ≤ 0) = 1/(1+e^(-rate))
}

// maxBefore bounds Next's gap: no table has as many counts.
const maxBefore = 1 << 62

// Next returns how many counts come out at 0 or below before one that does not, at most 2⁶², and
// that one's value, an integer of at least 1.
func (z *Zeros) Next() (before uint64, value float64) {
	// The number before is geometric; beyond ½, or beyond 0 of the integers, both tails are
	// memoryless with the same rate.
	before = maxBefore
	u := z.stream.Open01()
	seen := math.Log(fine(u, z.stream))
	if u > 1-rare { // likewise: the next count is seen at once
		seen = math.Log1p(-rare * fine(z.stream.Open01(), z.stream))
	}
	if n := seen / z.miss; n < maxBefore {
		before = uint64(n)
	}
	return before, 1 + math.Floor(-math.Log(fine(z.stream.Open01(), z.stream))/z.rate)
}
