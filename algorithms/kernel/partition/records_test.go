package partition

import (
	"context"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// halves is a partition of ten cells into two regions, with two classes.
func halves() (*datasets.Schema, *algorithms.Regions) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "x", High: 10, Step: 1},
		{Name: "class", Kind: datasets.Categorical, Values: []string{"no", "yes"},
			Role: datasets.Class},
	}}
	return schema, &algorithms.Regions{Attributes: []int{0}, Low: []uint32{0, 4},
		High: []uint32{4, 10}, Classes: 2, Counts: make([]float64, 4)}
}

// drawn counts a table's rows by region and class.
func drawn(table *datasets.Table) [4]int {
	var n [4]int
	for row := range int32(table.Len()) {
		region := 0
		if table.Column(0).At(row) >= 4 {
			region = 1
		}
		n[2*region+int(table.Column(1).At(row))]++
	}
	return n
}

func TestRecords(t *testing.T) {
	schema, regions := halves()
	for _, c := range []struct {
		sizes   []float64
		maxRows int
		want    [4]int
		weight  float64
		warned  bool
	}{
		{[]float64{3, 0, 2, 5}, 10, [4]int{3, 0, 2, 5}, 1, false},
		// Remainders are carried along: 1.4, 1.8, 2.2 and 2.6 are rounded to 1, 2, 2 and 3.
		{[]float64{1.4, 0.4, 0.4, 0.4}, 10, [4]int{1, 1, 0, 1}, 1, false},
		{[]float64{40, 0, 20, 60}, 12, [4]int{4, 0, 2, 6}, 10, true},
		{[]float64{0, 0, 0, 0}, 12, [4]int{}, 1, false},
	} {
		release := &algorithms.Release{Regions: regions}
		must.Do(t, AddRecords(release, schema, c.sizes, Drawing{Uniform, c.maxRows},
			random.NewKey(0).Stream()))
		count, _ := release.RecordCount()
		table, weights, err := release.Records(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if want := c.weight * float64(table.Len()); count != want {
			t.Errorf("sizes %v: %v records before they are drawn, must be %v", c.sizes, count, want)
		}
		if got := drawn(table); got != c.want {
			t.Errorf("sizes %v: %v records, must be %v", c.sizes, got, c.want)
		}
		if (len(release.Warnings) == 1) != c.warned || (weights != nil) != c.warned {
			t.Errorf("sizes %v under %d rows: warnings %q, %d weights", c.sizes, c.maxRows,
				release.Warnings, len(weights))
		}
		for _, w := range weights {
			if w != c.weight {
				t.Errorf("sizes %v under %d rows: weight %v, must be %v", c.sizes, c.maxRows, w,
					c.weight)
			}
		}
	}
	large := []float64{math.MaxFloat64, math.MaxFloat64, 0, 0}
	if err := AddRecords(&algorithms.Release{Regions: regions}, schema, large, Drawing{Uniform, 10},
		random.NewKey(0).Stream()); !errors.Is(err, algorithms.ErrTooLarge) {
		t.Errorf("sizes beyond all numbers: %v, must be ErrTooLarge", err)
	}
}

// TestRecordsAreAsManyAsAnnounced: sizes of any kind, thinned or not.
func TestRecordsAreAsManyAsAnnounced(t *testing.T) {
	schema, regions := halves()
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.Float64Range(0, 100), 4, 4).Draw(t, "sizes")
		release := &algorithms.Release{Regions: regions}
		drawing := Drawing{Uniform, rapid.IntRange(1, 300).Draw(t, "max_rows")}
		stream := random.NewKey(0).Stream()
		must.Do(t, AddRecords(release, schema, sizes, drawing, stream))
		before, _ := release.RecordCount()
		if _, _, err := release.Records(context.Background()); err != nil { // counts the rows
			t.Fatal(err)
		}
		if after, _ := release.RecordCount(); before != after {
			t.Fatalf("%v records are announced, %v drawn", before, after)
		}
	})
}

// TestCrowd compares with sums over all intervals.
func TestCrowd(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		intervals := [][2]uint32{{0, 1000}, {0, 10}, {10, 1000}, {500, 1000}}
		classes := rapid.IntRange(1, 2).Draw(t, "classes")
		r := &algorithms.Regions{Attributes: []int{0}, Classes: classes}
		var sizes []float64
		total, of := 0.0, make(map[[2]uint32]float64)
		for range rapid.IntRange(0, 12).Draw(t, "regions") {
			cells := rapid.SampledFrom(intervals).Draw(t, "interval")
			r.Low, r.High = append(r.Low, cells[0]), append(r.High, cells[1])
			for range classes {
				n := float64(rapid.IntRange(0, 9).Draw(t, "size"))
				sizes = append(sizes, n)
				total += n
				of[cells] += n
			}
			r.Counts = sizes
		}
		low, high, share := crowd(r, 0, sizes, total)
		want := 0.0
		for _, n := range of { // order-free: at most one is above half
			if 2*n > total {
				want = n / total
			}
		}
		if share != want || want > 0 && of[[2]uint32{low, high}]/total != want {
			t.Fatalf("[%d, %d) has %v of %v, want %v", low, high, share, of, want)
		}
		if want > 0 {
			found++
		}
	})
	if found == 0 {
		t.Error("no interval of more than half was drawn")
	}
}
