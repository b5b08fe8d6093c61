package incognito

import (
	"fmt"
	"math/bits"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// frequencies are the groups of a table under some vector of levels, with how many records each
// has. A group's key holds the group number of every attribute in a field of bits, 0 for attributes
// that are left out. Where there are limits, it also holds the sensitive values: a group then has
// several keys.
type frequencies struct {
	keys   []uint64
	counts []int32
}

// field is where an attribute's group number is in a key.
type field struct {
	shift int
	mask  uint64
}

// ladder is one attribute's hierarchy over the values that occur, which are numbered in the order
// of codes.
type ladder struct {
	field field
	// up[l] is the group at level l of each value. Groups that hold no record keep their numbers.
	up [][]uint64
	// step[l] is the group at level l+1 of each group of level l, where it holds a record.
	step [][]uint64
	// single says for each level whether all values are in one group.
	single []bool
}

// base counts the distinct records of the rows and prepares the attributes' hierarchies.
func (s *search) base(table *datasets.Table, rows []int32, attributes []int) error {
	ladders := make([]ladder, len(attributes))
	keys := make([]uint64, len(rows))
	width := 0
	for d, attribute := range attributes {
		hierarchy := s.hierarchies[d]
		values, places := partition.Occurring(table.Column(attribute), rows)
		l := &ladders[d]
		top := max(0, len(values)-1)
		l.up = append(l.up, make([]uint64, len(values)))
		l.single = append(l.single, len(values) == 1)
		for i := range values {
			l.up[0][i] = uint64(i)
		}
		for level := 1; level < len(hierarchy.Levels); level++ {
			groups := make([]uint64, len(values))
			// The groups below are values on level 0 and the hierarchy's groups above it.
			below := len(values)
			if level > 1 {
				below = hierarchy.Levels[level-1].Len()
			}
			step := make([]uint64, below)
			for i, code := range values {
				groups[i] = uint64(hierarchy.Levels[level].Group[code])
				step[l.up[level-1][i]] = groups[i]
				top = max(top, int(groups[i]))
			}
			l.up, l.step = append(l.up, groups), append(l.step, step)
			l.single = append(l.single, slices.Min(groups) == slices.Max(groups))
		}
		need := bits.Len(uint(top))
		l.field = field{shift: width, mask: 1<<need - 1}
		if width += need; width > 64 {
			return fmt.Errorf("incognito: %w: values up to %s need %d bits, may need 64",
				algorithms.ErrTooLarge, table.Schema().Attributes[attribute].Name, width)
		}
		for i, place := range places {
			keys[i] |= uint64(place) << (l.field.shift & 63)
		}
	}
	for i := range s.limits.Columns() {
		need := bits.Len(uint(s.limits.Domain(i) - 1))
		s.sensitive = append(s.sensitive, field{shift: width, mask: 1<<need - 1})
		if width += need; width > 64 {
			return fmt.Errorf("incognito: %w: values with sensitive ones and persons need %d "+
				"bits, may need 64", algorithms.ErrTooLarge, width)
		}
		for at, row := range rows {
			keys[at] |= uint64(s.limits.Values(i)[row]) << (s.sensitive[i].shift & 63)
		}
	}
	slices.Sort(keys)
	records := &frequencies{}
	for i, key := range keys {
		if i == 0 || key != keys[i-1] {
			records.keys, records.counts = append(records.keys, key), append(records.counts, 0)
		}
		records.counts[len(records.counts)-1]++
	}
	s.ladders, s.records = ladders, records
	return nil
}

// change maps one field of a key; the field becomes 0 where to is nil.
type change struct {
	field field
	to    []uint64
}

// roll regroups frequencies: the fields of keys in changes get new values, others stay.
func (s *search) roll(from *frequencies, changes []change) *frequencies {
	if len(changes) == 0 {
		return from
	}
	s.work += len(from.keys)
	into := &frequencies{}
	s.groups.Reset(1, len(from.keys))
	keep := ^uint64(0)
	for _, c := range changes {
		keep &^= c.field.mask << (c.field.shift & 63)
	}
	for i, old := range from.keys {
		key := old & keep
		for c := range changes {
			if to := changes[c].to; to != nil {
				field := changes[c].field
				key |= to[old>>(field.shift&63)&field.mask] << (field.shift & 63)
			}
		}
		into.add(&s.groups, key, from.counts[i])
	}
	into.keys = slices.Clone(s.groups.Sets)
	return into
}

// add counts records of a group, known by its key, and returns its number.
func (f *frequencies) add(known *partition.Numbering, key uint64, count int32) int32 {
	at := known.Number([]uint64{key})
	if at == len(f.counts) {
		f.counts = append(f.counts, 0)
	}
	f.counts[at] += count
	return int32(at)
}
