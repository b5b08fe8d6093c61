package partition

import (
	"strings"
	"testing"

	"ppdp/datasets"
)

// TestSpecialisationsFit: by trying all ways to specialise, that many specialisations never make
// more cells than allowed, and one more can.
func TestSpecialisationsFit(t *testing.T) {
	flat := func(n int) datasets.Attribute {
		return datasets.Attribute{Name: "c", Kind: datasets.Categorical,
			Values: strings.Split("abcdefghij"[:n], "")}
	}
	number := datasets.Attribute{Name: "n", Kind: datasets.Numeric, High: 5, Step: 1}
	for _, attributes := range [][]datasets.Attribute{
		{number}, {flat(2)}, {flat(7), number}, {flat(2), flat(3), number},
		{number, number, flat(5)},
	} {
		s := &datasets.Schema{Attributes: attributes}
		all := Fanouts(s)
		var most func(h int, left [][]int, parts []int) int
		most = func(h int, left [][]int, parts []int) int {
			best := 1
			for _, p := range parts {
				best *= p
			}
			for i := range left {
				if h == 0 || len(left[i]) == 0 {
					continue
				}
				after, grown := append([][]int{}, left...), append([]int{}, parts...)
				after[i], grown[i] = left[i][1:], parts[i]+left[i][0]-1
				best = max(best, most(h-1, after, grown))
			}
			return best
		}
		ones := make([]int, len(all))
		for i := range ones {
			ones[i] = 1
		}
		everything := 1
		for i := range attributes {
			everything *= attributes[i].Cells()
		}
		for cells := range 30 {
			h := WholeSpecialisations(s, cells)
			if made := most(h, all, ones); made > cells && h > 1 {
				t.Errorf("%d attributes, %d cells: %d specialisations make %d", len(attributes),
					cells, h, made)
			}
			if cells < everything && most(h+1, all, ones) <= cells {
				t.Errorf("%d attributes, %d cells: %d specialisations are too few",
					len(attributes), cells, h)
			}
		}
	}
}
