package incognito

import (
	"cmp"
	"slices"

	"ppdp/algorithms/kernel/disclosure"
)

// classes are the groups of some frequencies, whose keys also hold sensitive values. published says
// which of them are not suppressed.
type classes struct {
	groups    *frequencies // without sensitive values
	published []bool

	own frequencies
	of  []int32 // the group of each key
	disclosure.Classes
}

// judge decides which groups are published: those of k records that keep the limits. It returns how
// many records are in the others.
func (s *search) judge(f *frequencies, limits *disclosure.Checker) (suppressed int) {
	c := &s.classes
	c.groups = f
	if limits != nil {
		s.gather(f)
		c.groups = &c.own
	}
	c.published = c.published[:0]
	for _, count := range c.groups.counts {
		c.published = append(c.published, count >= s.k)
	}
	if limits != nil {
		limits.Keep(&c.Classes, c.published)
	}
	for i, count := range c.groups.counts {
		if !c.published[i] {
			suppressed += int(count)
		}
	}
	return suppressed
}

// gather collects the keys of each group, with their sensitive values.
func (s *search) gather(f *frequencies) {
	c, quasi := &s.classes, ^uint64(0)
	for _, field := range s.sensitive {
		quasi &^= field.mask << (field.shift & 63)
	}
	slots, shift := s.roller.table(len(f.keys))
	c.own.keys, c.own.counts, c.of = c.own.keys[:0], c.own.counts[:0], c.of[:0]
	for i, key := range f.keys {
		group := key & quasi
		c.of = append(c.of, c.own.add(slots, uint64(len(slots)-1), group*multiplier>>(shift&63),
			group, f.counts[i]))
	}
	s.work += len(f.keys)
	c.Arrange(len(c.own.keys), c.of, f.counts, len(s.sensitive),
		func(column int, i int32) uint32 {
			field := s.sensitive[column]
			return uint32(f.keys[i] >> (field.shift & 63) & field.mask)
		})
}

// candidate is an allowed vector with what it costs.
type candidate struct {
	vector         []int
	discernibility int64
	suppressed     int64
}

// compare puts the better one first; of equal ones the first in the order of levels.
func (c *candidate) compare(other *candidate) int {
	return cmp.Or(cmp.Compare(c.discernibility, other.discernibility),
		cmp.Compare(c.suppressed, other.suppressed), slices.Compare(c.vector, other.vector))
}

// price is what the groups that were judged last cost.
func (s *search) price(vector []int) candidate {
	c := candidate{vector: vector}
	for i, count := range s.classes.groups.counts {
		n := int64(count)
		if !s.classes.published[i] {
			c.suppressed += n
			c.discernibility += n * int64(s.rows)
		} else {
			c.discernibility += n * n
		}
	}
	return c
}
