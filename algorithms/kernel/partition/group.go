package partition

import (
	"slices"

	"ppdp/algorithms"
	"ppdp/datasets"
)

// Occurring lists the codes of a column that occur in rows, ascending, and the place of each row's
// code among them.
func Occurring(column *datasets.Column, rows []int32) (values, places []uint32) {
	places = make([]uint32, len(rows))
	column.Gather(rows, places)
	return datasets.Ranks(places), places
}

// ClassRegions groups rows by equal parts and makes regions of the groups that are published, in
// ascending order of their parts; rows of other groups are suppressed. parts holds a part of each
// dimension for each row, extent is the interval of codes of a part, and published says which of n
// groups are, where of has the group of each row. It also returns the parts of each region.
func ClassRegions(table *datasets.Table, rows []int32, parts []uint32,
	extent func(dim int, part uint32) (low, high uint32),
	published func(of []int32, n int) []bool) (*algorithms.Regions, [][]uint32) {
	schema := table.Schema()
	regions := &algorithms.Regions{
		Attributes: schema.QuasiIdentifiers(), Classes: schema.Classes(),
		Low: []uint32{}, High: []uint32{}, Assignment: make([]int32, len(rows)),
	}
	groups, of := group(parts, len(regions.Attributes), len(rows))
	numbers := make([]int32, len(groups)) // of the groups' regions, -1 for none
	var made [][]uint32
	for g, keeps := range published(of, len(groups)) {
		if numbers[g] = -1; !keeps {
			continue
		}
		numbers[g], made = int32(len(made)), append(made, groups[g])
		for d, part := range groups[g] {
			low, high := extent(d, part)
			regions.Low, regions.High = append(regions.Low, low), append(regions.High, high)
		}
	}
	regions.Counts = make([]float64, len(made)*regions.Classes)
	labels := make([]uint32, len(rows))
	if class := schema.Class(); class >= 0 {
		table.Column(class).Gather(rows, labels)
	}
	for i, label := range labels {
		region := numbers[of[i]]
		if regions.Assignment[i] = region; region < 0 {
			regions.Suppressed = append(regions.Suppressed, int32(i))
		} else {
			regions.Count(int(region))[label]++
		}
	}
	return regions, made
}

// group finds rows with equal codes. codes holds those of n rows, dims for each. It returns the
// distinct combinations, in ascending order, and the place of each row's among them.
func group(codes []uint32, dims, n int) (groups [][]uint32, of []int32) {
	order := datasets.InOrder(n)
	row := func(i int32) []uint32 { return codes[int(i)*dims : int(i+1)*dims] }
	slices.SortFunc(order, func(i, j int32) int { return slices.Compare(row(i), row(j)) })
	of = make([]int32, n)
	for at, i := range order {
		if at == 0 || !slices.Equal(row(i), row(order[at-1])) {
			groups = append(groups, row(i))
		}
		of[i] = int32(len(groups) - 1)
	}
	return groups, of
}

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
