package verify_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	_ "ppdp/algorithms/all"
	"ppdp/algorithms/mondrian"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/metrics/verify"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// anonymous reports whether the release is what it says and k-anonymous. A release without a record
// is k-anonymous for every k.
func anonymous(r *verify.Report, k int) bool {
	return len(r.Problems) == 0 && (r.Classes == 0 || r.K >= k)
}

// table has two numeric attributes, a categorical one whose taxonomy walks its values in another
// order than that of their codes, and a class.
func table(rows ...[4]uint32) *datasets.Table {
	b := datasets.NewBuilder(&datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "age", Low: 20, High: 30, Step: 1},
		{Name: "job", Kind: datasets.Categorical, Values: []string{"smith", "clerk", "baker"},
			Taxonomy: &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{
				{Name: "any", Parent: -1, Children: []int{1, 4}},
				{Name: "craft", Parent: 0, Children: []int{2, 3}},
				{Name: "baker", Parent: 1}, {Name: "smith", Parent: 1}, {Name: "clerk", Parent: 0},
			}}},
		{Name: "hours", Low: 0, High: 8, Step: 1},
		{Name: "pays", Kind: datasets.Categorical, Values: []string{"no", "yes"},
			Role: datasets.Class},
	}}, len(rows))
	for _, row := range rows {
		b.AddRow(row[:]...)
	}
	return b.Table()
}

// sound is a table of seven rows and a release of it that is what it says and 3-anonymous, over age
// and job, with the last row suppressed.
func sound() (*datasets.Table, *algorithms.Regions) {
	t := table([4]uint32{1, 0, 3, 0}, [4]uint32{2, 2, 1, 1}, [4]uint32{4, 0, 0, 1},
		[4]uint32{6, 1, 7, 0}, [4]uint32{9, 1, 2, 0}, [4]uint32{6, 1, 4, 1}, [4]uint32{0, 1, 1, 0})
	axis := t.Schema().Attributes[1].Axis() // ranks: baker 0, smith 1, clerk 2
	return t, &algorithms.Regions{
		Attributes: []int{0, 1}, Classes: 2,
		Low: []uint32{0, 0, 5, 2}, High: []uint32{5, 2, 10, 3}, Axes: []*datasets.Axis{nil, axis},
		Nodes:    []int32{-1, 1, -1, 4},
		TightLow: []uint32{1, 0, 6, 2}, TightHigh: []uint32{5, 2, 10, 3},
		Means:  []float64{20 + 7./3, math.NaN(), 27, math.NaN()},
		Counts: []float64{1, 2, 2, 1}, Assignment: []int32{0, 0, 0, 1, 1, 1, -1},
		Suppressed: []int32{6},
	}
}

func judged(t *testing.T, table *datasets.Table, released *algorithms.Regions) *verify.Report {
	t.Helper()
	return must.Get(verify.Regions(table, table.AllRows(), released))
}

func TestSound(t *testing.T) {
	table, released := sound()
	whole(t, table, released)
	released.Low, released.High = []uint32{5, 2, 0, 0}, []uint32{10, 3, 5, 2}
	released.Nodes, released.Sides = []int32{-1, 4, -1, 1}, []uint32{2, 3, 0, 1}
	whole(t, table, released)
	released.TightLow, released.TightHigh = nil, nil
	whole(t, table, released)
}

// whole: the sound release is found to be so.
func whole(t *testing.T, table *datasets.Table, released *algorithms.Regions) {
	t.Helper()
	report := judged(t, table, released)
	must.Do(t, report.Err())
	if report.Rows != 7 || report.Suppressed != 1 || report.Classes != 2 || report.K != 3 {
		t.Errorf("%+v", report)
	}
	if !anonymous(report, 3) || anonymous(report, 4) {
		t.Errorf("3-anonymous %t, 4-anonymous %t", anonymous(report, 3), anonymous(report, 4))
	}
}

// TestBroken breaks the sound release by hand, in one place at a time.
func TestBroken(t *testing.T) {
	for _, test := range []struct {
		name    string
		corrupt func(r *algorithms.Regions)
		want    string
	}{
		{"a row in the other region", func(r *algorithms.Regions) { r.Assignment[2] = 1 },
			"row 2: age 24 lies outside its region 1"},
		{"a box too small", func(r *algorithms.Regions) { r.High[0] = 4 },
			"row 2: age 24 lies outside its region 0"},
		{"a node too small", func(r *algorithms.Regions) { r.High[1] = 1 },
			"row 0: job smith lies outside its region 0"},
		{"a range too small", func(r *algorithms.Regions) { r.TightLow[2] = 7 },
			"row 3: age 26 lies outside the range of region 1"},
		{"a count too high", func(r *algorithms.Regions) { r.Counts[3] = 2 },
			"region 1 counts 2 records of class 1, it has 1"},
		{"a suppressed row counted", func(r *algorithms.Regions) { r.Counts[2]++ },
			"region 1 counts 3 records of class 0, it has 2"},
		{"classes swapped", func(r *algorithms.Regions) { r.Counts[0], r.Counts[1] = 2, 1 },
			"region 0 counts 2 records of class 0"},
		{"a wrong mean", func(r *algorithms.Regions) { r.Means[2] = 26.5 },
			"region 1: mean age 26.5, the records' is 27"},
		{"a region that is not there", func(r *algorithms.Regions) { r.Assignment[0] = 2 },
			"row 0 is in region 2 of 2"},
		{"lost without being suppressed", func(r *algorithms.Regions) { r.Suppressed = nil },
			"row 6 is in region -1 of 2"},
		{"suppressed and published", func(r *algorithms.Regions) { r.Assignment[6] = 1 },
			"row 6 is suppressed and in region 1"},
		{"suppressed twice", func(r *algorithms.Regions) { r.Suppressed = []int32{6, 6} },
			"position 6 is suppressed twice"},
		{"suppressed beyond the end", func(r *algorithms.Regions) { r.Suppressed = []int32{6, 7} },
			"position 7 of 7"},
		{"an axis that contradicts its taxonomy", func(r *algorithms.Regions) {
			wrong := *r.Axes[1]
			wrong.Rank = []uint32{0, 1, 2}
			r.Axes[1] = &wrong
		}, "job: ranks [0 1 2]"},
	} {
		table, released := sound()
		test.corrupt(released)
		report := judged(t, table, released)
		must.Fail(t, report.Err(), test.want, test.name)
		if anonymous(report, 1) {
			t.Errorf("%s: the release passes", test.name)
		}
	}
}

// TestWholeDomainsAreAClass: rows published as "any" beside narrower regions are a class of their
// own, and k is that class' size.
func TestWholeDomainsAreAClass(t *testing.T) {
	table, released := sound()
	released.Low, released.High = append(released.Low, 0, 0), append(released.High, 10, 3)
	released.TightLow, released.TightHigh, released.Means = nil, nil, nil
	released.Nodes = append(released.Nodes, -1, 0)
	released.Counts, released.Assignment[6], released.Suppressed = append(released.Counts, 1,
		0), 2, nil
	report := judged(t, table, released)
	if report.Err() != nil || report.Suppressed != 0 || report.K != 1 || report.Classes != 3 ||
		anonymous(report, 2) {
		t.Errorf("%+v", report)
	}
}

// TestEqualRangesAreOneClass: two regions of two records that publish the same range hide four.
func TestEqualRangesAreOneClass(t *testing.T) {
	table := table([4]uint32{3}, [4]uint32{3}, [4]uint32{3}, [4]uint32{3})
	released := &algorithms.Regions{Attributes: []int{0}, Classes: 2, Low: []uint32{0, 3},
		High: []uint32{4, 10}, TightLow: []uint32{3, 3}, TightHigh: []uint32{4, 4},
		Counts: []float64{2, 0, 2, 0}, Assignment: []int32{0, 1, 1, 0}}
	if report := judged(t, table, released); report.K != 4 || report.Classes != 1 ||
		!anonymous(report, 4) {
		t.Errorf("with ranges %+v", report)
	}
	released.TightLow, released.TightHigh = nil, nil
	if report := judged(t, table, released); report.K != 2 || report.Classes != 2 {
		t.Errorf("with boxes %+v", report)
	}
}

func TestNothingReleased(t *testing.T) {
	released := &algorithms.Regions{Attributes: []int{0}, Classes: 2, Low: []uint32{},
		High: []uint32{}, Counts: []float64{}, Assignment: []int32{}}
	if report := judged(t, table(), released); report.K != 0 || report.Classes != 0 ||
		!anonymous(report, 100) {
		t.Errorf("%+v", report)
	}
	// All rows suppressed.
	released.Assignment, released.Suppressed = []int32{-1, -1}, []int32{0, 1}
	if report := judged(t, table([4]uint32{1}, [4]uint32{2}), released); report.Suppressed != 2 ||
		!anonymous(report, 2) {
		t.Errorf("%+v", report)
	}
}

// TestCannotBeJudged: releases whose parts do not fit together are errors, not panics.
func TestCannotBeJudged(t *testing.T) {
	for name, corrupt := range map[string]func(r *algorithms.Regions){
		"no assignment": func(r *algorithms.Regions) { r.Assignment = nil },
		"too short":     func(r *algorithms.Regions) { r.Assignment = r.Assignment[:3] },
		"classes":       func(r *algorithms.Regions) { r.Classes = 3 },
		"ends":          func(r *algorithms.Regions) { r.High = r.High[:3] },
		"sides":         func(r *algorithms.Regions) { r.Sides = []uint32{0, 1, 2, 4} },
		"tight":         func(r *algorithms.Regions) { r.TightHigh = r.TightHigh[:3] },
		"counts":        func(r *algorithms.Regions) { r.Counts = r.Counts[:3] },
		"means":         func(r *algorithms.Regions) { r.Means = r.Means[:3] },
		"axes":          func(r *algorithms.Regions) { r.Axes = r.Axes[:1] },
		"attribute":     func(r *algorithms.Regions) { r.Attributes = []int{0, 4} },
	} {
		table, released := sound()
		corrupt(released)
		if report, err := verify.Regions(table, table.AllRows(), released); err == nil {
			t.Errorf("%s: %+v", name, report)
		}
	}
}

// TestMondrianPasses judges Mondrian's releases of random tables, and finds the k of the smallest
// class by comparing all pairs of records.
func TestMondrianPasses(t *testing.T) {
	algorithm := must.Get(algorithms.Lookup("mondrian"))
	rapid.Check(t, func(t *rapid.T) {
		params := algorithm.Params().(*mondrian.Params)
		params.K = rapid.IntRange(2, 4).Draw(t, "k")
		params.Mode = rapid.SampledFrom([]mondrian.Mode{mondrian.Strict, mondrian.Relaxed}).Draw(t,
			"mode")
		rows := make([][4]uint32, rapid.IntRange(params.K, 40).Draw(t, "n"))
		for i := range rows {
			rows[i] = [4]uint32{rapid.Uint32Range(0, 9).Draw(t, "age"),
				rapid.Uint32Range(0, 2).Draw(t, "job"), rapid.Uint32Range(0, 7).Draw(t, "hours"),
				rapid.Uint32Range(0, 1).Draw(t, "pays")}
		}
		table := table(rows...)
		release := must.Get(algorithm.Release(context.Background(),
			algorithms.Input{Table: table, Rows: table.AllRows(), Params: params,
				Variant: algorithms.Published, Budget: privacy.NewBudget(0),
				Noise: random.NewStreams(random.NewKey(1))}))
		report, err := verify.Regions(table, table.AllRows(), release.Regions)
		if err != nil || report.Err() != nil || !anonymous(report, params.K) {
			t.Fatalf("%v: %+v", err, report)
		}
		q := release.Regions
		published := func(i int) []uint32 {
			at := int(q.Assignment[i]) * 3
			return slices.Concat(q.TightLow[at:at+3], q.TightHigh[at:at+3])
		}
		least := len(rows)
		for i := range rows {
			alike := 0
			for j := range rows {
				if slices.Equal(published(i), published(j)) {
					alike++
				}
			}
			least = min(least, alike)
		}
		if report.K != least {
			t.Fatalf("k is %d, the records' own comparison says %d", report.K, least)
		}
		// A record moved to another class by hand does not go unnoticed.
		if q.Len() > 1 {
			at := rapid.IntRange(0, len(rows)-1).Draw(t, "moved")
			q.Assignment[at] = (q.Assignment[at] + 1) % int32(q.Len())
			if report, err := verify.Regions(table, table.AllRows(), q); err != nil ||
				len(report.Problems) == 0 {
				t.Fatalf("row %d was moved unnoticed: %v %+v", at, err, report)
			}
		}
	})
}
