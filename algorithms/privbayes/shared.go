package privbayes

import (
	"math"
	"sync/atomic"

	"ppdp/algorithms"
)

// maxShared caps the counts and the scores that a memo keeps for a degree: 8 and 16 MB.
const maxShared = 1 << 21

// bitFacts are what releases of the same rows over bits have in common, whatever their budget,
// variant and noise.
type bitFacts struct {
	counts *subsets
	known  *knownScores // nil for none
}

// bitFactsKey names bitFacts in a memo.
type bitFactsKey struct {
	encoding Encoding
	bins     int
	score    Score
	degree   int
}

// bitFacts are those of d bits and k parents.
func (f *fit) bitFacts(d, k int) (*bitFacts, error) {
	memo, sets, counts := f.in.Shared, 1, 1 // of k bits, of up to k+1
	for i := range k + 1 {
		if next := sets * (d - i) / (i + 1); i < k {
			sets, counts = next, counts+next
		} else {
			counts += next
		}
		if counts > maxShared {
			memo = nil
			break
		}
	}
	key := bitFactsKey{f.params.Encoding, f.params.Bins, f.params.score(), k}
	return algorithms.Memoize(f.ctx, memo, key, func() (*bitFacts, error) {
		columns := bitColumns(f.in.Table, f.in.Rows, f.domains, f.params.Encoding)
		counts, err := countSubsets(f.ctx, columns, len(f.in.Rows), k+1)
		facts := &bitFacts{counts: counts}
		if memo != nil && k > 0 && sets*d <= maxShared {
			facts.known = &knownScores{counts, make([]atomic.Uint64, sets*d)}
		}
		return facts, err
	})
}

// knownScores are the scores of pairs of bits, by set of parents and child, as far as a release has
// asked for them: a network asks for a few, most of which other networks ask for again.
type knownScores struct {
	counts *subsets
	slots  []atomic.Uint64 // the complement of a score's bits, 0 for one that nobody knows
}

// of returns the slots of a set of parents by their child, nil where scores are not kept.
func (k *knownScores) of(set []int) []atomic.Uint64 {
	if k == nil || len(set) != k.counts.most-1 {
		return nil
	}
	first := k.counts.rank(set) * k.counts.d
	return k.slots[first : first+k.counts.d]
}

// recall returns a score, and computes it where nobody has.
func recall(slots []atomic.Uint64, child int, compute func() float64) float64 {
	if slots == nil {
		return compute()
	}
	if bits := slots[child].Load(); bits != 0 {
		return math.Float64frombits(^bits)
	}
	score := compute()
	slots[child].Store(^math.Float64bits(score))
	return score
}
