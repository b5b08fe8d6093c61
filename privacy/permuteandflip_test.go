package privacy

import (
	"math"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/random"

	"pgregory.net/rapid"
)

// flips is the law of permute-and-flip by its definition: over all orders of the candidates.
func flips(scores []float64, factor float64) []float64 {
	best := math.Inf(-1)
	for _, score := range scores {
		best = max(best, score)
	}
	law, orders := make([]float64, len(scores)), 1.
	for i := range scores {
		orders *= float64(i + 1)
	}
	order := make([]int, 0, len(scores))
	used := make([]bool, len(scores))
	var permute func()
	permute = func() {
		if len(order) == len(scores) {
			tails := 1 / orders
			for _, r := range order {
				p := math.Exp((scores[r] - best) * factor)
				law[r] += tails * p
				tails *= 1 - p
			}
			return
		}
		for r := range scores {
			if !used[r] {
				used[r], order = true, append(order, r)
				permute()
				used[r], order = false, order[:len(order)-1]
			}
		}
	}
	permute()
	return law
}

// drawScores draws scores with ties and gaps, in units of the sensitivity.
func drawScores(t *rapid.T) []float64 {
	return rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0, 0.5, 1, 1.5, 3, 10, 60, -1e4}), 1, 6).
		Draw(t, "scores")
}

func TestFlipLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores, factor := drawScores(t), rapid.Float64Range(1e-3, 5).Draw(t, "factor")
		for r, want := range flips(scores, factor) {
			got := math.Exp(flipLaw(scores, nil, factor, r, 1))
			if !near(got, want, 1e-12) && want > 0x1p-1000 { // below, floats have fewer digits
				t.Errorf("candidate %d of %v has %v, want %v", r, scores, got, want)
			}
		}
	})
	// n candidates, all but one with coins of probability p: the one has (1-(1-p)ⁿ)/(np).
	for _, n := range []int{1, 2, 17, 300, 20000} {
		for _, p := range []float64{1, 0.9, 1e-3, 1e-9} {
			scores := make([]float64, n)
			for i := range scores[1:] {
				scores[i+1] = math.Log(p)
			}
			want := -math.Expm1(float64(n)*math.Log1p(-p)) / (float64(n) * p)
			got := math.Exp(flipLaw(scores, nil, 1, 0, 1))
			if !near(got, want, 1e-14*float64(n)+1e-12) {
				t.Errorf("one of %d, the others with %v: %v, want %v", n, p, got, want)
			}
		}
	}
}

// TestFlipsCost: in zCDP the mechanism costs ε²/2, which the divergence of two choices reaches as ε
// falls; the exponential mechanism's cost, ε²/8, would be less than the divergence.
func TestFlipsCost(t *testing.T) {
	const epsilon = 0.01
	law, other := flips([]float64{0, 0}, epsilon/2), flips([]float64{1, -1}, epsilon/2)
	divergence := 0.0
	for i := range law {
		divergence += law[i] * math.Log(law[i]/other[i])
	}
	b := NewApproximate(1, 1e-9)
	path := b.Root()
	choice := b.PermuteAndFlip("x", random.NewKey(1).Stream(), Exact(1))
	must.Get(choice.Choose(&path, epsilon, []float64{1, 2}))
	if cost := b.Ledger()[0].Cost; !near(cost, epsilon*epsilon/2, 1e-12) || divergence > cost ||
		divergence < 0.98*cost {
		t.Errorf("cost %v, divergence %v", cost, divergence)
	}
}
