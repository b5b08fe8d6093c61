package partition

import "slices"

// Numbering numbers sets of bits, of some words each, in the order in which they are first met: a
// hash table with open addressing. The zero value has to be reset before it is used.
type Numbering struct {
	Sets  []uint64 // words for each number
	words int
	slots []int32 // 0 for none, else a number and 1
	count int
}

// Reset forgets all sets. From now on a set has the given number of words, and about as many sets
// as expected are to come.
func (n *Numbering) Reset(words, expected int) {
	size := 16
	for size < 2*expected {
		size *= 2
	}
	n.words, n.count, n.Sets = words, 0, n.Sets[:0]
	n.slots = slices.Grow(n.slots[:0], size)[:size]
	clear(n.slots)
}

// Len is how many sets have a number.
func (n *Numbering) Len() int { return n.count }

// Number is the number of a set, a new one where it was not met yet.
func (n *Numbering) Number(set []uint64) int {
	slot := n.slot(set)
	if number := int(n.slots[slot]) - 1; number >= 0 {
		return number
	}
	n.Sets = append(n.Sets, set...)
	n.count++
	n.slots[slot] = int32(n.count)
	if 2*n.count > len(n.slots) {
		n.slots = make([]int32, 2*len(n.slots))
		for number := range n.count {
			n.slots[n.slot(n.Sets[number*n.words:(number+1)*n.words])] = int32(number) + 1
		}
	}
	return n.count - 1
}

// slot is where a set is, or where it belongs.
func (n *Numbering) slot(set []uint64) int {
	const spread = 0x9e3779b97f4a7c15 // 2⁶⁴ over the golden ratio (Fibonacci hashing)
	hash := uint64(0)
	for _, word := range set {
		hash = (hash ^ word) * spread
		hash ^= hash >> 32
	}
	for slot := int(hash) & (len(n.slots) - 1); ; slot = (slot + 1) & (len(n.slots) - 1) {
		at := int(n.slots[slot]) - 1
		if at < 0 || slices.Equal(n.Sets[at*n.words:(at+1)*n.words], set) {
			return slot
		}
	}
}
