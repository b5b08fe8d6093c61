package privacy

import (
	"math"
	"math/bits"

	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
)

// PermuteAndFlip chooses a candidate r as the first to show heads, when candidates in random order
// flip coins of probability exp(epsilon·(q(r)-q*)/(2Δq)), q* the best score. It charges epsilon,
// and its expected score is never below the exponential mechanism's, which is the same with
// candidates drawn again after they have shown tails (McKenna & Sheldon 2020, Theorem 2). The
// candidate that is best after noise of density exp(-x) on x ≥ 0, scaled by 2Δq/epsilon, is added
// to every score has the same law (Ding et al. 2021).
//
// In zCDP it costs epsilon²/2, as any mechanism of pure epsilon: two candidates that are equally
// good, and 2Δq apart for the neighbour, have the probabilities 1/2, 1/2 and 1-e^-ε/2, e^-ε/2,
// whose divergence is ε²/2 but for higher powers of ε. The exponential mechanism's ε²/8 buys it
// twice the epsilon: prefer that in rho.
type PermuteAndFlip struct {
	*mechanism
	order []int32 // scratch
}

// PermuteAndFlip declares the mechanism for a quality function of the given sensitivity.
func (b *Budget) PermuteAndFlip(purpose string, stream *random.Stream, s Sensitivity,
) *PermuteAndFlip {
	return &PermuteAndFlip{mechanism: b.declare(permuteAndFlip, purpose, stream, s)}
}

// Choose charges epsilon to the path and returns the index of the chosen candidate. Candidates of
// score -Inf are never chosen. Scores that are NaN or +Inf are refused; so is a choice from no
// candidates, with ErrNoCandidates.
func (f *PermuteAndFlip) Choose(path *Path, epsilon float64, scores []float64) (int, error) {
	chosen, err := f.choose(path, epsilon, scores, nil, nil, f.draw)
	return int(chosen), err
}

// draw draws a candidate. A Publication's coins are exact.
func (f *PermuteAndFlip) draw(p pace, scores []float64) (int, error) {
	best := math.Inf(-1)
	f.order = f.order[:0]
	for i, score := range scores {
		if math.IsNaN(score) || math.IsInf(score, 1) {
			return 0, f.notANumber()
		}
		if !math.IsInf(score, -1) {
			f.order = append(f.order, int32(i))
		}
		best = max(best, score)
	}
	if len(f.order) == 0 {
		return 0, ErrNoCandidates
	}
	for left := len(f.order); ; left-- { // the best one's coin has no tails
		at := f.stream.IntN(left)
		r := int(f.order[at])
		f.order[at] = f.order[left-1]
		if f.grid > 0 {
			high, low := bits.Mul64(uint64(best-scores[r]), p.s)
			if bernoulliExp(f.stream, high, low, p.t) {
				return r, nil
			}
		} else if scores[r] == best ||
			f.stream.Open01() < elementary.Exp(float64((scores[r]-best)*p.rate)) {
			return r, nil
		}
	}
}

// flipLaw is the logarithm of the probability of a candidate r. If a candidate's place in the order
// is a uniform number, r at place x wins if it shows heads and no other does so below x: with coins
// of probability p, that is the integral over x from 0 to 1 of p(r)·∏(1-x·p(s)) over s ≠ r. (The
// sum over sets of candidates, which it is short for, has 2ⁿ terms.)
//
// The integrand falls at least as fast as exp(-Sx) does, S = Σp(s), and its 32nd derivative is at
// most S³². Sixteen places of Gauss and Legendre for every 16/S of [0, 1] or less are wrong by less
// than 2·10⁻¹⁴ of the integral, and what lies beyond 64/S, which is left out, is less than 10⁻²⁷.
func flipLaw(scores, _ []float64, factor float64, r int, _ float64) float64 {
	best := math.Inf(-1)
	for _, score := range scores {
		best = max(best, score)
	}
	var coins []float64
	sum := 0.0
	for i, score := range scores {
		if p := elementary.Exp(float64((score - best) * factor)); i != r && p > 0 {
			coins, sum = append(coins, p), sum+p
		}
	}
	integral := 0.0
	for from, to := 0.0, 1/sum; from < 1 && float64(from*sum) < 64; {
		to = min(to, 1)
		for i, node := range legendre.nodes {
			x := from + float64((to-from)*node)
			product := legendre.weights[i] * (to - from)
			for _, p := range coins {
				product *= 1 - float64(x*p)
			}
			integral += product
		}
		from, to = to, to+min(to, 16/sum)
	}
	return float64((scores[r]-best)*factor) + elementary.Log(integral)
}

// legendre are the places and weights on [0, 1] of a rule that is exact for polynomials of degree
// 31: the zeros of the Legendre polynomial P of degree 16, and 1/((1-z²)P'(z)²) for a zero z on
// [-1, 1].
var legendre = func() (rule struct{ nodes, weights [16]float64 }) {
	n := float64(len(rule.nodes))
	for i := range rule.nodes {
		tan := elementary.TanPi((float64(i) + 0.75) / (n + 0.5) / 2)
		z := (1 - float64(tan*tan)) / (1 + float64(tan*tan)) // the cosine
		// Newton's steps, each of which doubles the digits
		for range 8 {
			before, p := 1.0, z
			for k := 2.0; k <= n; k++ {
				before, p = p, (float64((2*k-1)*z*p)-float64((k-1)*before))/k
			}
			slope := n * (float64(z*p) - before) / (float64(z*z) - 1)
			z -= p / slope
			rule.nodes[i] = (1 + z) / 2
			rule.weights[i] = 1 / ((1 - float64(z*z)) * slope * slope)
		}
	}
	return rule
}()
