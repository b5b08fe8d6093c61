package metrics

import (
	"math"
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
		if got := defined(t, name, c, nil); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	// Ranges {25-26, M, 53711}, {25-27, F, 53712}, {27-28, M, 53710-53711}: 2 of 120 ages, 3, and 2
	// with 2 of 3 codes.
	want := (2*(2./120) + 2*(3./120) + 2*(2./120+2./3)) / 18
	if got := defined(t, "ncp", c, nil); math.Abs(got-want) > 1e-15 {
		t.Errorf("ncp is %v, want %v", got, want)
	}
}

// TestClassesMerge: two regions that publish the same range are one class of 5 (errata M3).
func TestClassesMerge(t *testing.T) {
	table := codedTable([]datasets.Attribute{{Name: "x", High: 4, Step: 1}}, []uint32{1},
		[]uint32{1}, []uint32{1}, []uint32{1}, []uint32{1}, []uint32{3}, []uint32{3})
	regions := &algorithms.Regions{Attributes: []int{0}, Low: []uint32{0, 1, 1},
		High: []uint32{2, 3, 4}, Classes: 1,
		TightLow: []uint32{1, 1, 3}, TightHigh: []uint32{2, 2, 4}, Counts: []float64{2, 3,
			2}, Assignment: []int32{0, 0, 1, 1, 1, 2, 2}}
	c := Case{Table: table, Train: table.AllRows(), Release: &algorithms.Release{Regions: regions},
		K: 2}
	for name, want := range map[string]float64{"discernibility": 5*5 + 2*2, "cavg": 7. / 2 / 2,
		"anonymity": 2, "ncp": 0} {
		if got := defined(t, name, c, nil); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	// Were the boxes published instead of the ranges, no two would be alike.
	regions.TightLow, regions.TightHigh = nil, nil
	if got, want := defined(t, "ncp", c, nil), (2*(2./4)+3*(2./4)+2*(3./4))/7; math.Abs(got-
		want) > 1e-15 {
		t.Errorf("ncp of boxes is %v, want %v", got, want)
	}
	if got := defined(t, "discernibility", c, nil); got != 4+9+4 {
		t.Errorf("discernibility of boxes is %v, want 17", got)
	}
}

// TestSuppressedRows: two of eight rows suppressed cost 8 each; they are no class and no record.
func TestSuppressedRows(t *testing.T) {
	table := codedTable([]datasets.Attribute{{Name: "x", High: 4, Step: 1}},
		[]uint32{0}, []uint32{3}, []uint32{0}, []uint32{0}, []uint32{1}, []uint32{1},
		[]uint32{3}, []uint32{1})
	regions := &algorithms.Regions{Attributes: []int{0}, Low: []uint32{0, 1},
		High: []uint32{1, 3}, Classes: 1,
		Counts: []float64{3, 3}, Assignment: []int32{0, -1, 0, 0, 1, 1, -1,
			1}, Suppressed: []int32{1, 6}}
	c := Case{Table: table, Train: table.AllRows(), Release: &algorithms.Release{Regions: regions},
		K: 3}
	for _, counts := range []Counts{PublishedCounts, TrueCounts} {
		change := func(p Params) {
			if p, ok := p.(*ClassParams); ok {
				p.Counts = counts
			}
		}
		if got := defined(t, "discernibility", c, change); got != 9+9+2*8 {
			t.Errorf("%s: discernibility is %v, want 34", counts, got)
		}
		if got := defined(t, "cavg", c, change); got != 1 {
			t.Errorf("%s: cavg is %v, want 1", counts, got)
		}
		// Three exact values, three of half the domain, two suppressed.
		if got := defined(t, "ncp", c, change); got != (3*0+3*0.5+2*1)/8. {
			t.Errorf("%s: ncp is %v", counts, got)
		}
	}
	if got := defined(t, "anonymity", c, nil); got != 3 {
		t.Errorf("anonymity is %v, want 3", got)
	}
	// Counting, the truth holds the suppressed rows, the estimate does not: value 3 is off by 2, 1
	// and 2 share three records.
	if got := defined(t, "count-error", c, nil); got != (0+1.5+1.5+2)/4 {
		t.Errorf("count-error is %v, want 1.25", got)
	}
}

// TestPurityOfSuppressedRows: a suppressed row is in no region and none of its tuples: 2 of 3 of
// the others agree.
func TestPurityOfSuppressedRows(t *testing.T) {
	table := labelled([2]uint32{1, 0}, [2]uint32{1, 1}, [2]uint32{2, 1}, [2]uint32{9, 2})
	c := Case{Table: table, Train: table.AllRows(),
		Release: &algorithms.Release{Regions: &algorithms.Regions{Attributes: []int{0},
			Low: []uint32{0}, High: []uint32{5},
			Classes: 3, Counts: []float64{1, 2, 0}, Assignment: []int32{0, 0, 0,
				-1}, Suppressed: []int32{3}}}}
	if got := defined(t, "purity", c, nil); got != 2./3 {
		t.Errorf("purity %v, want 2/3", got)
	}
}

// TestNoisyCounts: published counts of a private release and the true ones differ, and metrics say
// which they take.
func TestNoisyCounts(t *testing.T) {
	table := codedTable([]datasets.Attribute{{Name: "x", High: 4, Step: 1}}, []uint32{0},
		[]uint32{1}, []uint32{3})
	c := Case{Table: table, Train: table.AllRows(),
		Release: &algorithms.Release{Regions: &algorithms.Regions{
			Attributes: []int{0}, Low: []uint32{0, 2}, High: []uint32{2, 4}, Classes: 1,
			Counts: []float64{1.5, 4},
			Tree:   []algorithms.Cut{{At: 2, Left: ^0, Right: ^1}}}}}
	if got := defined(t, "discernibility", c, nil); got != 1.5*1.5+16 {
		t.Errorf("published: %v, want 18.25", got)
	}
	if got := defined(t, "discernibility",
		c, func(p Params) { p.(*ClassParams).Counts = TrueCounts }); got != 4+1 {
		t.Errorf("true: %v, want 5", got)
	}
}

// TestNothingReleased: without a record every metric on classes is undefined, not 0 or infinite.
func TestNothingReleased(t *testing.T) {
	table := codedTable([]datasets.Attribute{{Name: "x", High: 4, Step: 1}})
	c := Case{Table: table, Train: []int32{}, K: 2,
		Release: &algorithms.Release{Regions: &algorithms.Regions{
			Attributes: []int{0}, Low: []uint32{}, High: []uint32{}, Classes: 1,
			Counts: []float64{}, Assignment: []int32{}}}}
	for _, name := range []string{"discernibility", "cavg", "ncp", "anonymity"} {
		if value, ok := measure(t, name, c, nil); ok {
			t.Errorf("%s is %v", name, value)
		}
	}
}
