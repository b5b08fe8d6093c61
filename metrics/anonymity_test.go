package metrics

import (
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/mondrian"
	"ppdp/datasets"
)

// patients is the table of LeFevre et al. 2006, Fig. 8, without the disease.
func patients() *datasets.Table {
	return codedTable([]datasets.Attribute{
		{Name: "age", High: 120, Step: 1},
		{Name: "sex", Kind: datasets.Categorical, Values: []string{"M", "F"}},
		{Name: "zip", Low: 53710, High: 53713, Step: 1},
	}, []uint32{25, 0, 1}, []uint32{25, 1, 2}, []uint32{26, 0, 1},
		[]uint32{27, 0, 0}, []uint32{27, 1, 2}, []uint32{28, 0, 1})
}

// TestPatients: the worked example of LeFevre et al. 2006. With k = 2 its three classes have two
// records each.
func TestPatients(t *testing.T) {
	table := patients()
	release := mondrianRelease(t, table, 2, mondrian.Strict)
	c := Case{Table: table, Train: table.AllRows(), Test: table.AllRows(), Release: release, K: 2}
	for name, want := range map[string]float64{"discernibility": 12, "cavg": 1, "anonymity": 2} {
		wants(t, name, c, nil, want)
	}
	// Ranges {25-26, M, 53711}, {25-27, F, 53712}, {27-28, M, 53710-53711}: 2 of 120 ages, 3, and 2
	// with 2 of 3 codes.
	want := (2*(2./120) + 2*(3./120) + 2*(2./120+2./3)) / 18
	wants(t, "ncp", c, nil, want)
}

// TestClassesMerge: two regions that publish the same range are one class of 5 (errata M3).
func TestClassesMerge(t *testing.T) {
	table := line(4, 1, 1, 1, 1, 1, 3, 3)
	regions := &algorithms.Regions{Attributes: []int{0}, Low: []uint32{0, 1, 1},
		High: []uint32{2, 3, 4}, Classes: 1,
		TightLow: []uint32{1, 1, 3}, TightHigh: []uint32{2, 2, 4}, Counts: []float64{2, 3, 2},
		Assignment: []int32{0, 0, 1, 1, 1, 2, 2}}
	c := inRegions(table, regions)
	c.K = 2
	for name, want := range map[string]float64{"discernibility": 5*5 + 2*2, "cavg": 7. / 2 / 2,
		"anonymity": 2, "ncp": 0} {
		wants(t, name, c, nil, want)
	}
	// Were the boxes published instead of the ranges, no two would be alike.
	regions.TightLow, regions.TightHigh = nil, nil
	wants(t, "ncp", c, nil, (2*(2./4)+3*(2./4)+2*(3./4))/7)
	wants(t, "discernibility", c, nil, 4+9+4)
}

// TestSuppressedRows: two of eight rows suppressed cost 8 each; they are no class and no record.
func TestSuppressedRows(t *testing.T) {
	c := inRegions(line(4, 0, 3, 0, 0, 1, 1, 3, 1), &algorithms.Regions{Attributes: []int{0},
		Low: []uint32{0, 1}, High: []uint32{1, 3}, Classes: 1, Counts: []float64{3, 3},
		Assignment: []int32{0, -1, 0, 0, 1, 1, -1, 1}, Suppressed: []int32{1, 6}})
	c.K = 3
	for _, counts := range []Counts{PublishedCounts, TrueCounts} {
		change := func(p Params) {
			if p, ok := p.(*ClassParams); ok {
				p.Counts = counts
			}
		}
		wants(t, "discernibility", c, change, 9+9+2*8, counts)
		wants(t, "cavg", c, change, 1, counts)
		// Three exact values, three of half the domain, two suppressed.
		wants(t, "ncp", c, change, (3*0+3*0.5+2*1)/8., counts)
	}
	wants(t, "anonymity", c, nil, 3)
	// Counting, the truth holds the suppressed rows, the estimate does not: value 3 is off by 2, 1
	// and 2 share three records.
	wants(t, "count-error", c, nil, (0+1.5+1.5+2)/4)
}

// TestNoisyCounts: published counts of a private release and the true ones differ, and metrics say
// which they take.
func TestNoisyCounts(t *testing.T) {
	c := inRegions(line(4, 0, 1, 3), &algorithms.Regions{Attributes: []int{0},
		Low: []uint32{0, 2}, High: []uint32{2, 4}, Classes: 1, Counts: []float64{1.5, 4},
		Tree: []algorithms.Cut{{At: 2, Left: ^0, Right: ^1}}})
	wants(t, "discernibility", c, nil, 1.5*1.5+16)
	wants(t, "discernibility", c, func(p Params) { p.(*ClassParams).Counts = TrueCounts }, 4+1)
}

// TestNothingReleased: without a record every metric on classes is undefined, not 0 or infinite.
func TestNothingReleased(t *testing.T) {
	c := inRegions(line(4), &algorithms.Regions{Attributes: []int{0}, Low: []uint32{},
		High: []uint32{}, Classes: 1, Counts: []float64{}, Assignment: []int32{}})
	c.K = 2
	for _, name := range []string{"discernibility", "cavg", "ncp", "anonymity"} {
		undefined(t, name, c)
	}
}
