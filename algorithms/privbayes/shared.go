package privbayes

import (
	"math"
	"sync"
	"sync/atomic"

	"ppdp/algorithms"
)

// maxShared caps the bytes of bitFacts in one memo. Those of Adult's 52 bits and degree 3 take 10
// MB.
const maxShared = 64 << 20

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

// shelf is the room for bitFacts in a memo.
type shelf struct {
	mu   sync.Mutex
	kept map[bitFactsKey]bool
	left int // bytes
}

type shelfKey struct{}

// holds reports whether there is room for a key's facts of a size, and takes it.
func (s *shelf) holds(key bitFactsKey, size int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.kept[key] && size <= s.left {
		s.kept[key], s.left = true, s.left-size
	}
	return s.kept[key]
}

// bitFacts are those of d bits and k parents.
func (f *fit) bitFacts(d, k int) (*bitFacts, error) {
	sets, counts := 1, 1 // of k bits, of up to k+1; more than fit leave early
	for i := 0; i <= k && counts <= maxShared; i++ {
		next := sets * (d - i) / (i + 1)
		if counts += next; i < k {
			sets = next
		}
	}
	key := bitFactsKey{f.params.Encoding, f.params.Bins, f.params.score(), k}
	memo := f.in.Shared
	room, err := algorithms.Memoize(f.ctx, memo, shelfKey{}, func() (*shelf, error) {
		return &shelf{kept: make(map[bitFactsKey]bool), left: maxShared}, nil
	})
	if err != nil {
		return nil, err
	}
	if !room.holds(key, 4*counts+8*sets*d) {
		memo = nil
	}
	return algorithms.Memoize(f.ctx, memo, key, func() (*bitFacts, error) {
		columns := bitColumns(f.in.Table, f.in.Rows, f.domains, f.params.Encoding)
		counts, err := countSubsets(f.ctx, columns, len(f.in.Rows), k+1)
		facts := &bitFacts{counts: counts}
		if memo != nil && k > 0 {
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
