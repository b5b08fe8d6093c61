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
	s.classOf = resize(s.classOf, p.n)
	s.number(&s.classes, p.cells.key, p.setOf(cuts), s.classOf)
	sizes := make([]int64, s.classes.Len())
	for _, class := range s.classOf {
		sizes[class]++
	}
	v, left := verdict{}, int64(0)
	for class, kept := range p.limits.Published(p.k, p.rows, s.classOf, len(sizes)) {
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
	for class, kept := range p.monotone.Published(p.k, p.rows, s.classOf, len(sizes)) {
		if !kept {
			left += sizes[class]
		}
	}
	v.hopeful = left <= int64(p.most)
	return v
}

// number numbers keys by their bits in only, as into ids.
func (s *search) number(n *partition.Numbering, keys []uint64, only set, ids []int32) {
	words := len(only)
	n.Reset(words, len(ids))
	s.masked = resize(s.masked, words)
	for i := range ids {
		for w, mask := range only {
			s.masked[w] = keys[i*words+w] & mask
		}
		ids[i] = int32(n.Number(s.masked))
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
			taken := p.setOf(s.bestCuts)
			taken.flip(id)
			s.improve(p.cheapest(), p.listed(taken)...)
		}
	}
}
