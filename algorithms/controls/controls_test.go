package controls

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/datasets"
	"ppdp/internal/must"
)

func TestControls(t *testing.T) {
	star := testinput.Graph(t, 4, []int32{2, 2, 2}, []int32{0, 1, 3})
	releases := map[string][]int32{"zeros": {0, 0, 0, 0}, "perfect": {1, 1, 1, 3}}
	for name, want := range releases { // order-free: two checks
		a := must.Get(algorithms.Lookup(name))
		release := must.Get(a.Release(context.Background(), algorithms.Input{
			Graph: star, Params: a.Params(), Variant: algorithms.Published,
		}))
		if !slices.Equal(release.Degrees, want) {
			t.Errorf("%s: %v, want %v", name, release.Degrees, want)
		}
		release.Degrees[0] = 99 // the release is the caller's own
		if star.DegreeSequence()[0] != 1 {
			t.Fatalf("%s hands out the graph's own sequence", name)
		}
		if _, err := a.Release(context.Background(),
			algorithms.Input{Params: a.Params()}); err == nil {
			t.Errorf("%s: no error without a graph", name)
		}
	}
}

// tableRelease is what a control publishes of some rows of a table.
func tableRelease(t *testing.T, a algorithms.Algorithm, p algorithms.Params, table *datasets.Table,
	rows []int32, seed int) *datasets.Table {
	t.Helper()
	in := testinput.Input(table, p, algorithms.Published, 0, uint64(seed))
	in.Rows = slices.Clone(rows)
	return testinput.LazyRelease(t, a, in).Table
}

// even reports counts of six outcomes that are not equally likely: chi-square of 5 degrees of
// freedom is above 25.7 once in 10,000 seeds.
func even[K comparable](t *testing.T, seen map[K]float64) {
	t.Helper()
	chi := testinput.ChiSquare(slices.Collect(maps.Values(seen)), nil)
	if len(seen) != 6 || chi > 25.7 {
		t.Errorf("%v: chi-square %v over %d outcomes", seen, chi, len(seen))
	}
}

// TestSample: of four rows each pair is drawn equally often.
func TestSample(t *testing.T) {
	table := testinput.Line(10, 0, 1, 2, 3, 4, 5)
	sample := func(share float64, trial int) (codes []uint32) {
		release := tableRelease(t, Sample, &SampleParams{Share: share}, table,
			[]int32{1, 2, 4, 5}, trial)
		for row := range int32(release.Len()) {
			codes = append(codes, release.Column(0).At(row))
		}
		return codes
	}
	const trials = 6000
	seen := make(map[[2]uint32]float64)
	for trial := range trials {
		codes := sample(0.5, trial)
		if len(codes) != 2 || codes[0] >= codes[1] {
			t.Fatalf("sample %v, want two rows of the input in their order", codes)
		}
		seen[[2]uint32(codes)]++
	}
	even(t, seen)
	if all := sample(1, 0); !slices.Equal(all, []uint32{1, 2, 4, 5}) {
		t.Errorf("all rows: %v", all)
	}
	if one := sample(1e-6, 0); len(one) != 1 {
		t.Errorf("the least sample: %v", one)
	}
}

// TestPermuted: every column keeps its values, and rows keep theirs in the columns that are not
// permuted. Of three rows each order of a column comes equally often.
func TestPermuted(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "x", Kind: datasets.Numeric, High: 1000, Step: 1, Continuous: true},
		testinput.Class(4)}}
	builder := datasets.NewBuilder(schema, 4)
	for code := range uint32(4) {
		row := builder.AddRow()
		must.Do(t, builder.SetNumber(row, 0, 300*float64(code)+0.25))
		builder.Set(row, 1, code)
	}
	table := builder.Table()
	release := func(columns PermutedColumns, trial int, target string) *datasets.Table {
		return tableRelease(t, Permuted, &PermutedParams{Columns: columns, Target: target}, table,
			[]int32{0, 1, 3}, trial)
	}
	const trials = 6000
	seen := [2]map[[3]uint32]float64{{}, {}}
	for trial := range trials {
		r := release(AllColumns, trial, "")
		must.Do(t, r.Validate())
		for i := range seen {
			c := r.Column(i)
			seen[i][[3]uint32{c.At(0), c.At(1), c.At(2)}]++
		}
	}
	even(t, seen[0])
	even(t, seen[1])
	for trial := range 10 {
		if x := release(ClassColumn, trial, "").Column(0).Exact; !slices.Equal(x,
			[]float64{0.25, 300.25, 900.25}) {
			t.Errorf("with the class alone permuted x is %v", x)
		}
		y := release(ClassColumn, trial, "x").Column(1)
		if y.At(0) != 0 || y.At(1) != 1 || y.At(2) != 3 {
			t.Errorf("with x alone permuted y is %v", y)
		}
	}
	for target, params := range map[string]*PermutedParams{ // order-free: separate checks
		"x": {AllColumns, "x"}, "w": {ClassColumn, "w"}} {
		err := params.Validate()
		if err == nil {
			err = params.CheckSchema(schema)
		}
		if err == nil || !strings.Contains(err.Error(), "target: \""+target) {
			t.Errorf("%+v: %v", params, err)
		}
	}
}
