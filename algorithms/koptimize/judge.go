package koptimize

import (
	"math"

	"ppdp/algorithms/kernel/partition"
)

// verdict is what a partitioning comes to.
type verdict struct {
	cost    int64
	kept    bool // the limits are
	hopeful bool // they are, or may be with more cuts
}

// judge makes the classes of a set of cuts and looks at them as a whole: which are published, what
// they cost, and how many rows are left out.
func (s *search) judge(cuts []int32) verdict {
	p := s.problem
	s.judged++
	s.work += int64(p.n * (8 + p.words))
	s.of = resize(s.of, p.n)
	s.number(&s.numbering, p.cells.key, p.set(cuts), s.of)
	sizes := make([]int64, s.numbering.Len())
	for _, class := range s.of {
		sizes[class]++
	}
	v, left := verdict{}, int64(0)
	for class, kept := range p.limits.Published(p.k, p.rows, s.of, len(sizes)) {
		if size := sizes[class]; kept {
			v.cost += size * size
		} else {
			v.cost += size * int64(p.n)
			left += size
		}
	}
	if v.kept = left <= int64(p.most); v.kept || p.monotone == p.limits {
		v.hopeful = v.kept
		return v
	}
	left = 0
	for class, kept := range p.monotone.Published(p.k, p.rows, s.of, len(sizes)) {
		if !kept {
			left += sizes[class]
		}
	}
	v.hopeful = left <= int64(p.most)
	return v
}

// listed are the numbers of the cuts in a set.
func (p *problem) listed(set []uint64) (cuts []int32) {
	for id := range p.cuts {
		if set[id>>6]>>(id&63)&1 == 1 {
			cuts = append(cuts, int32(id))
		}
	}
	return cuts
}

// number numbers keys by their bits in only, as into ids.
func (s *search) number(n *partition.Numbering, keys, only []uint64, ids []int32) {
	words := len(only)
	n.Reset(words, len(ids))
	s.set = resize(s.set, words)
	for i := range ids {
		for w, set := range only {
			s.set[w] = keys[i*words+w] & set
		}
		ids[i] = int32(n.Number(s.set))
	}
}

// hopeful reports whether the limits may be kept by the current head or with more cuts.
func (s *search) hopeful() bool { return !s.problem.judges() || s.judge(s.path).hopeful }

// descend takes or drops one cut after the other, from the best partitioning known, for as long as
// that helps or until most work is done. It stands in the place of the climb, whose own steps know
// nothing of limits.
func (s *search) descend(most int64) {
	p := s.problem
	for last := int64(math.MaxInt64); s.best < last; {
		last = s.best
		for id := range int32(len(p.cuts)) {
			if !p.allowed(int(id)) {
				continue
			}
			if s.work >= most || s.poll() {
				return
			}
			taken := p.set(s.bestCuts)
			taken[id>>6] ^= 1 << (id & 63)
			s.offer(p.cheapest(), p.listed(taken)...)
		}
	}
}
