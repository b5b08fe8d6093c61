package partition

import (
	"math/bits"
	"slices"

	"ppdp/datasets"
)

// DomainBits is how many cuts in half, at most, lead to a single cell.
func DomainBits(s *datasets.Schema) (cuts int) {
	for _, at := range s.QuasiIdentifiers() {
		cuts += bits.Len(uint(s.Attributes[at].Cells() - 1))
	}
	return cuts
}

// mostSpecialisations bounds the settings of algorithms that specialise attributes as a whole.
const mostSpecialisations = 1000

// Fanouts lists, for each quasi-identifier of more than one value, into how many parts its
// specialisations cut, most first: numbers in two each time, at each node of a taxonomy its
// children.
func Fanouts(s *datasets.Schema) (all [][]int) {
	for _, at := range s.QuasiIdentifiers() {
		a := &s.Attributes[at]
		var fanouts []int
		if axis := a.Axis(); axis == nil {
			fanouts = slices.Repeat([]int{2}, min(a.Cells()-1, mostSpecialisations))
		} else {
			for i := range axis.Taxonomy.Nodes {
				if children := len(axis.Taxonomy.Nodes[i].Children); children > 1 {
					fanouts = append(fanouts, children)
				}
			}
			slices.SortFunc(fanouts, func(a, b int) int { return b - a })
		}
		if len(fanouts) > 0 {
			all = append(all, fanouts)
		}
	}
	return all
}

// WholeSpecialisations is the largest number of specialisations of whole attributes, at least 1,
// after which the product of the attributes' parts is at most cells, whichever are made. An
// attribute's next specialisation multiplies it by less than the one before, so that those of the
// largest factors, one after the other, make most cells.
func WholeSpecialisations(s *datasets.Schema, cells int) int {
	all := Fanouts(s)
	made, parts, product := make([]int, len(all)), slices.Repeat([]int{1}, len(all)), 1.0
	for h := range mostSpecialisations {
		best, factor := -1, 1.0
		for i, fanouts := range all {
			if made[i] == len(fanouts) {
				continue
			}
			after := float64(parts[i]-1+fanouts[made[i]]) / float64(parts[i])
			if after > factor {
				best, factor = i, after
			}
		}
		if product *= factor; best < 0 || product > float64(cells) {
			return max(1, h)
		}
		parts[best] += all[best][made[best]] - 1
		made[best]++
	}
	return mostSpecialisations
}
