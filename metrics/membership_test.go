package metrics

import "testing"

// TestFoundByChance: where n members and n others come from one population, all their orders are
// equally likely. Then k members are above the score that a others are above with a chance of
// C(a+k, k)·C(2n-a-1-k, n-k) / C(2n, n). The interval of the members found misses the share asked
// for in 5 of 100 tables at most. Half as wide again, as evaluate takes it for 15 attacks, it lies
// above that share in .025/15 of them at most.
func TestFoundByChance(t *testing.T) {
	for _, n := range []int{500, 3000} {
		others := make([]float64, n)
		for i := range others {
			others[i] = float64(i)
		}
		for _, rate := range []float64{0.001, 0.01, 0.1} {
			a := int(rate * float64(n))
			chance, left := 1.0, 1.0
			for i := range a + 1 {
				chance *= float64(n-i) / float64(2*n-i)
			}
			missed, above := 0.0, 0.0
			for k := 0; k <= n && left > 1e-9; k++ {
				members := make([]float64, n)
				for i := range k {
					members[i] = float64(n)
				}
				s := scores{members, others}
				p, low := s.found(rate, Estimate), s.found(rate, Low)
				if low > rate || s.found(rate, High) < rate {
					missed += chance
				}
				if p-1.5*(p-low) > rate {
					above += chance
				}
				left -= chance
				chance *= float64((a+k+1)*(n-k)) / float64((k+1)*(2*n-a-1-k))
			}
			if missed > 0.05 || above > 0.025/15 {
				t.Errorf("%d records, a share of %v of others: %.4f of the intervals miss it, "+
					"%.5f from above if they are wider", n, rate, missed, above)
			}
		}
	}
}
