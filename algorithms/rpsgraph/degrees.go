package rpsgraph

import (
	"ppdp/algorithms/kernel/degrees"
	"ppdp/numeric/elementary"
)

// boundBlock is how many distances are skipped together where none of them can matter.
const boundBlock = 64

// smooth is the β-smooth upper bound at one degree c: the largest e^(-βt)·min(Λ+1, 1+t+W(c, t))
// over t ≥ 0, W(c, t) being the number of nodes whose degree is within t of c. The count of nodes
// of degree a to b-1 has the largest of the bounds at a-1, a, b-1 and b (errata G3): isolating a
// node takes it away and may take out neighbours of degree a or bring in neighbours of degree b;
// adding edges to one, those of a-1 and b-1; t changes away every other degree has moved by at most
// t and t nodes are arbitrary.
func smooth(b *degrees.Bounded, c int, beta float64) float64 {
	most := b.Bound + 1
	local := func(t int) int { return min(most, 1+t+b.Within(c-t, c+t)) }
	best := 0.0
	for t := 0; ; t += boundBlock {
		decay := elementary.Exp(float64(-beta * float64(t)))
		if float64(decay*float64(most)) <= best {
			return best
		}
		if float64(decay*float64(local(t+boundBlock-1))) <= best {
			continue
		}
		for k := t; k < t+boundBlock; k++ {
			l := local(k)
			best = max(best, float64(elementary.Exp(float64(-beta*float64(k)))*float64(l)))
			if l == most { // it grows no more
				return best
			}
		}
	}
}
