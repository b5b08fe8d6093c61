package metrics

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/mondrian"
	"ppdp/datasets"
	"ppdp/datasets/discrete"
	"ppdp/internal/declared"
	"ppdp/numeric/random"
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
	got := defined(t, "ncp", c, func(p Params) { p.(*PenaltyParams).Ranges = Box })
	if want := (2*(2./4) + 3*(2./4) + 2*(3./4)) / 7; math.Abs(got-want) > 1e-15 {
		t.Errorf("ncp of boxes is %v, want %v", got, want)
	}
	// Were the boxes published instead of the ranges, no two would be alike.
	regions.TightLow, regions.TightHigh = nil, nil
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
			switch p := p.(type) {
			case *ClassParams:
				p.Counts = counts
			case *PenaltyParams:
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

// TestMatchPointOfSuppressedRows: the rows left in two regions apart are found again, whatever the
// suppressed ones are; with all suppressed there is nothing to compare.
func TestMatchPointOfSuppressedRows(t *testing.T) {
	table := grid()
	regions := &algorithms.Regions{Attributes: []int{0, 1}, Low: []uint32{0, 0, 2, 7},
		High: []uint32{1, 3, 3, 10}, Classes: 1, Counts: []float64{19, 19}}
	for row := range int32(40) {
		regions.Assignment = append(regions.Assignment, row%2)
	}
	for _, row := range []int32{4, 7} {
		regions.Assignment[row] = -1
		regions.Suppressed = append(regions.Suppressed, row)
	}
	c := inRegions(table, regions)
	if got := defined(t, "match-point", c, nil); got != 1 {
		t.Errorf("agreement %v, want 1", got)
	}
	for row := range int32(40) {
		regions.Assignment[row] = -1
	}
	if got, ok := measure(t, "match-point", c, nil); ok {
		t.Errorf("agreement %v of nothing", got)
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

// TestTheorems holds Mondrian's releases to the paper's bounds by way of the metrics: Theorem 4 of
// its section 4 for strict regions (2d(k-1)+m records at most, m copies of the commonest point),
// Theorem 5 for relaxed ones (2k-1, errata M2), and section 4.1 for what follows. Merging may make
// classes of relaxed regions larger, so only tables in which no point comes twice are taken there.
func TestTheorems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.IntRange(1, 3).Draw(t, "dims")
		k := rapid.IntRange(2, 5).Draw(t, "k")
		relaxed := rapid.Bool().Draw(t, "relaxed")
		cells := 6
		if relaxed {
			cells = 400
		}
		attributes := make([]datasets.Attribute, dims)
		for i := range attributes {
			attributes[i] = datasets.Attribute{Name: string(rune('a' + i)),
				High: float64(cells), Step: 1}
		}
		copies := make(map[[3]uint32]int)
		most := 0
		var rows [][]uint32
		for range rapid.IntRange(k, 60).Draw(t, "n") {
			row := make([]uint32, dims)
			var point [3]uint32
			for d := range row {
				row[d] = uint32(rapid.IntRange(0, cells-1).Draw(t, "code"))
				point[d] = row[d]
			}
			if relaxed && copies[point] > 0 {
				continue
			}
			copies[point]++
			most = max(most, copies[point])
			rows = append(rows, row)
		}
		n := float64(len(rows))
		if len(rows) < k {
			return
		}
		table := codedTable(attributes, rows...)
		mode := mondrian.Strict
		if relaxed {
			mode = mondrian.Relaxed
		}
		release := mondrianRelease(t, table, k, mode)
		c := Case{Table: table, Train: table.AllRows(), Release: release, K: k}
		bound := float64(2*dims*(k-1) + most)
		if relaxed {
			bound = float64(2*k - 1)
		}
		if dm := defined(t, "discernibility", c, nil); dm < float64(k)*n || dm > bound*n {
			t.Fatalf("C_DM %v of %v records, must be from %v to %v", dm, n, float64(k)*n, bound*n)
		}
		if average := defined(t, "cavg", c, nil); average < 1 || average > bound/float64(k) {
			t.Fatalf("C_AVG %v, must be from 1 to %v", average, bound/float64(k))
		}
		if largest := defined(t, "anonymity", c, nil); largest < float64(k) {
			t.Fatalf("anonymity %v, must be at least %d", largest, k)
		}
	})
}

// TestQueryErrorFigures compares with LeFevre et al. 2006, Fig. 17, multidimensional columns: mean
// absolute errors of 50 queries on either attribute of 1,000 records, k = 10, 25 and 50. The paper
// shows one data set; the mean of ten has to come within a quarter of it.
func TestQueryErrorFigures(t *testing.T) {
	for _, figure := range []struct {
		k    int
		x, y float64
	}{{10, 4.66, 4.03}, {25, 5.69, 5.67}, {50, 7.94, 8.06}} {
		const seeds = 10
		var x, y float64
		for seed := range uint64(seeds) {
			params := discrete.Source{}.Params().(*discrete.Params)
			params.N, params.Attributes, params.Cardinality = 1000, 2, 50
			params.Shape, params.Mu = discrete.Skewed, 25
			data := must(discrete.Source{}.Load(context.Background(),
				datasets.Request{Params: params, Key: random.NewKey(seed)}))
			release := mondrianRelease(t, data.Table, figure.k, mondrian.Strict)
			c := Case{Table: data.Table, Train: data.Table.AllRows(), Release: release, K: figure.k}
			x += defined(t, "count-error",
				c, func(p Params) { p.(*CountErrorParams).Attribute = "x1" }) / seeds
			y += defined(t, "count-error",
				c, func(p Params) { p.(*CountErrorParams).Attribute = "x2" }) / seeds
		}
		t.Logf("k %d: %.2f on x (paper %v), %.2f on y (paper %v)",
			figure.k, x, figure.x, y, figure.y)
		if math.Abs(x/figure.x-1) > 0.25 || math.Abs(y/figure.y-1) > 0.25 {
			t.Errorf("k %d: errors %v and %v, the paper has %v and %v",
				figure.k, x, y, figure.x, figure.y)
		}
	}
}

func TestClassMetricsRefuse(t *testing.T) {
	table := patients()
	empty := Case{Table: table, Release: &algorithms.Release{}}
	for name, want := range map[string]string{
		"discernibility": "no regions", "ncp": "no regions", "anonymity": "no regions",
		"count-error": "no regions",
	} {
		refuses(t, name, empty, want)
	}
	refuses(t, "cavg", Case{Table: table,
		Release: &algorithms.Release{Regions: &algorithms.Regions{Classes: 1}}}, "k is 0")
	for _, bad := range []Params{&ClassParams{Counts: "all"},
		&PenaltyParams{Counts: TrueCounts, Ranges: "wide"}} {
		if declared.Check(bad) == nil {
			t.Errorf("%+v is said to be valid", bad)
		}
	}
}
