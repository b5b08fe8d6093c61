package privbayes

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"ppdp/algorithms"
)

// maxSubsets caps the counts kept: 256 MB.
const maxSubsets = 1 << 26

// subsets holds, for every set of at most most of d bits, how many records have all of them set.
// Any contingency table over at most most bits follows from them by inclusion and exclusion.
type subsets struct {
	d, most int
	choose  [][]int   // choose[e][i] = e over i, for i ≤ most
	counts  [][]int32 // counts[m][rank] for sets of m bits; see rank
}

// rank numbers the sets of one size: Σ (e_i over i) for elements e₁ < e₂ < ...
func (s *subsets) rank(elements []int) int {
	rank := 0
	for i, e := range elements {
		rank += s.choose[e][i+1]
	}
	return rank
}

// count returns how many records have all of the bits, given in ascending order.
func (s *subsets) count(elements []int) int32 {
	return s.counts[len(elements)][s.rank(elements)]
}

// countSubsets counts all sets of at most most columns of bits over n records. columns[j] has bit r
// of word w for record 64w+r. Time is O((d over most)·n/64).
func countSubsets(ctx context.Context, columns [][]uint64, n, most int) (*subsets, error) {
	d := len(columns)
	s := &subsets{d: d, most: most, choose: make([][]int, d+1), counts: make([][]int32, most+1)}
	for e := range s.choose {
		s.choose[e] = make([]int, most+1)
		s.choose[e][0] = 1
		for i := 1; i <= most && i <= e; i++ {
			// Capped at what is refused anyway, so that nothing overflows.
			s.choose[e][i] = min(math.MaxInt32, s.choose[e-1][i-1]+s.choose[e-1][i])
		}
	}
	total := 0
	for m := range s.counts {
		if total += s.choose[d][m]; total > maxSubsets {
			return nil, fmt.Errorf("%w: %d bits with %d parents have more than %d subsets, lower "+
				"degree or use encoding hierarchical", algorithms.ErrTooLarge, d, most-1,
				maxSubsets)
		}
	}
	for m := range s.counts {
		s.counts[m] = make([]int32, s.choose[d][m])
	}
	s.counts[0][0] = int32(n)
	if most == 0 {
		return s, nil
	}
	words := (n + 63) / 64
	w := &subsetWalk{subsets: s, ctx: ctx, columns: columns, chosen: make([]int, 0, most),
		both: make([][]uint64, most)}
	for i := range w.both {
		w.both[i] = make([]uint64, words)
	}
	every := make([]uint64, words)
	for i := range every {
		every[i] = math.MaxUint64 // bits beyond the last record are 0 in all columns
	}
	return s, w.extend(every, d)
}

// subsetWalk visits sets from their largest element down, so that the counts of sets which differ
// in their smallest element lie next to each other.
type subsetWalk struct {
	*subsets
	ctx     context.Context
	columns [][]uint64
	chosen  []int      // descending
	both    [][]uint64 // both[i] is the conjunction of the first i+1 chosen columns
}

// extend counts the chosen set with each element below a bound added, and all sets that follow from
// those. all is the conjunction of the chosen columns.
func (w *subsetWalk) extend(all []uint64, below int) error {
	size := len(w.chosen) + 1
	base := 0 // rank of the extended set without its smallest element
	for i, e := range w.chosen {
		base += w.choose[e][size-i]
	}
	counts := w.counts[size][base:]
	if size == w.most {
		for e := range below {
			counts[e] = onesOfBoth(all, w.columns[e])
		}
		return nil
	}
	if size <= 2 {
		if err := w.ctx.Err(); err != nil {
			return err
		}
	}
	for e := range below {
		with := w.both[size-1]
		counts[e] = intersect(with, all, w.columns[e])
		w.chosen = append(w.chosen, e)
		if err := w.extend(with, e); err != nil {
			return err
		}
		w.chosen = w.chosen[:size-1]
	}
	return nil
}

// onesOfBoth counts the bits set in a and in b. It is where the time goes: four words a round hide
// the latency of the additions.
func onesOfBoth(a, b []uint64) int32 {
	b = b[:len(a)]
	var n0, n1, n2, n3 int
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		n0 += bits.OnesCount64(x[0] & y[0])
		n1 += bits.OnesCount64(x[1] & y[1])
		n2 += bits.OnesCount64(x[2] & y[2])
		n3 += bits.OnesCount64(x[3] & y[3])
	}
	for ; i < len(a); i++ {
		n0 += bits.OnesCount64(a[i] & b[i])
	}
	return int32(n0 + n1 + n2 + n3)
}

// intersect stores a AND b and counts its bits.
func intersect(to, a, b []uint64) int32 {
	a, b = a[:len(to)], b[:len(to)]
	n := 0
	for i := range to {
		word := a[i] & b[i]
		to[i] = word
		n += bits.OnesCount64(word)
	}
	return int32(n)
}

// exclude turns counts of records that have at least the bits of a mask set into counts of records
// that have exactly those set, by inclusion and exclusion, in place.
func exclude(cells []int32) {
	for bit := 1; bit < len(cells); bit <<= 1 {
		for mask := range cells {
			if mask&bit == 0 {
				cells[mask] -= cells[mask|bit]
			}
		}
	}
}
