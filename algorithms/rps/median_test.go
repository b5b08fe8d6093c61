package rps

import (
	"math"
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
)

// TestSmoothMedian compares with the definition, on all multisets of up to four codes from 0 to 3:
// the largest exp(-βd) times the local sensitivity of a multiset at distance d, the number of codes
// that are in one of the two and not in the other. At distance n a multiset has its largest local
// sensitivity already, the whole domain, so that multisets of up to 2n codes are all that count.
func TestSmoothMedian(t *testing.T) {
	const top = 3
	type multiset [top + 1]int
	codes := func(m multiset) (all []uint32) {
		for code, n := range m {
			all = append(all, slices.Repeat([]uint32{uint32(code)}, n)...)
		}
		return all
	}
	median := func(m multiset) int {
		all := codes(m)
		if len(all) == 0 {
			return 0
		}
		return int(all[(len(all)-1)/2])
	}
	local := make(map[multiset]int)
	var m multiset
	for m[0] = range 9 {
		for m[1] = range 9 - m[0] {
			for m[2] = range 9 - m[0] - m[1] {
				for m[3] = range 9 - m[0] - m[1] - m[2] {
					for code := range m {
						for _, change := range []int{-1, 1} {
							other := m
							if other[code] += change; other[code] >= 0 {
								moved := median(m) - median(other)
								local[m] = max(local[m], moved, -moved)
							}
						}
					}
				}
			}
		}
	}
	for _, beta := range []float64{0.01, 0.3, 1, 5} {
		for m := range local {
			all := codes(m)
			if len(all) > 4 {
				continue
			}
			want := 0.0
			for other, sensitivity := range local {
				distance := 0
				for code := range m {
					distance += max(m[code]-other[code], other[code]-m[code])
				}
				want = max(want, math.Exp(-beta*float64(distance))*float64(sensitivity))
			}
			got, bound := smoothMedian(all, 0, top, beta)
			if int(got) != median(m) || math.Abs(bound-want) > 1e-12 {
				t.Fatalf("%v, β %v: median %d with bound %v, want %d with %v", all, beta, got,
					bound, median(m), want)
			}
		}
	}
}

// TestMedianCuts: without noise a region is cut just above its median, or below it where that is
// the last cell, in both variants; and all of the budget is spent, as the ledger proves.
func TestMedianCuts(t *testing.T) {
	table := testinput.Numbers(0, []int{100}, [][]uint32{{3}, {10}, {10}, {60}, {61}, {99}}...)
	params := DefaultParams()
	params.Partition, params.Depth, params.StopCheck = Median, 2, false
	for _, variant := range []algorithms.Variant{algorithms.Published, algorithms.Strict} {
		in := testinput.Input(table, params, variant, recoveryEpsilon, 1)
		r := testinput.Release(t, Algorithm{}, in)
		const want = "[0,10):[1] [10,11):[2] [11,62):[2] [62,100):[1] "
		if got := boxes(r.Regions); got != want {
			t.Errorf("%s: %s, want %s", variant, got, want)
		}
		claimed, proven := in.Budget.Spent()
		if claimed != recoveryEpsilon || math.Abs(proven/claimed-1) > 1e-12 {
			t.Errorf("%s: spent %v, proven %v of %v", variant, claimed, proven, recoveryEpsilon)
		}
	}
}
