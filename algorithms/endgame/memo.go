package endgame

import "slices"

// entry is what is known of a part of a region: its least cost and the cut that leads to it, or
// leaf, or a lower bound of the cost and tooDear.
type entry struct {
	cost int64
	cut  int32
}

const (
	leaf    = -1
	tooDear = -2
)

// memo holds entries by the sets of rows they are about: a hash table with open addressing.
type memo struct {
	words   int
	slots   []int32 // 0 for none, else the place of an entry + 1
	keys    []uint64
	entries []entry
}

// reset forgets everything; sets have so many words from now on.
func (m *memo) reset(words int) {
	const few = 1 << 10
	m.words, m.keys, m.entries = words, m.keys[:0], m.entries[:0]
	m.slots = slices.Grow(m.slots[:0], few)[:few]
	clear(m.slots)
}

// find returns the place of a set's entry and true, or the slot where it belongs and false.
func (m *memo) find(set []uint64) (place int, known bool) {
	hash := uint64(0)
	for _, word := range set {
		hash = (hash ^ word) * 0x9e3779b97f4a7c15
		hash ^= hash >> 29
	}
	for slot := int(hash) & (len(m.slots) - 1); ; slot = (slot + 1) & (len(m.slots) - 1) {
		at := int(m.slots[slot]) - 1
		if at < 0 {
			return slot, false
		}
		if slices.Equal(m.keys[at*m.words:(at+1)*m.words], set) {
			return at, true
		}
	}
}

// put stores the entry of a set for which find has returned place and known; other sets may have
// been stored since.
func (m *memo) put(place int, known bool, set []uint64, e entry) {
	if known {
		m.entries[place] = e
		return
	}
	m.keys, m.entries = append(m.keys, set...), append(m.entries, e)
	if 2*len(m.entries) > len(m.slots) {
		m.slots = make([]int32, 2*len(m.slots))
		for at := range m.entries {
			slot, _ := m.find(m.keys[at*m.words : (at+1)*m.words])
			m.slots[slot] = int32(at) + 1
		}
		return
	}
	slot, _ := m.find(set)
	m.slots[slot] = int32(len(m.entries))
}
