package controls

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/declared"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

func TestControls(t *testing.T) {
	star, err := datasets.NewGraph(4, []int32{2, 2, 2}, []int32{0, 1, 3})
	if err != nil {
		t.Fatal(err)
	}
	releases := map[string][]int32{"zeros": {0, 0, 0, 0}, "perfect": {1, 1, 1, 3}}
	for name, want := range releases { // order-free: two checks
		a, err := algorithms.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		release, err := a.Release(context.Background(), algorithms.Input{
			Graph: star, Params: a.Params(), Variant: algorithms.Published,
		})
		if err != nil {
			t.Fatal(err)
		}
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

// Of four rows each pair is drawn equally often: chi-square over the six pairs of 6,000 samples, 5
// degrees of freedom, above 25.7 once in 10,000 seeds.
func TestSample(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{{Name: "x", High: 10, Step: 1}}}
	builder := datasets.NewBuilder(schema, 6)
	for code := range uint32(6) {
		builder.Set(builder.AddRow(), 0, code)
	}
	table := builder.Table()
	sample := func(share float64, trial int, rows ...int32) (codes []uint32) {
		release, err := Sample{}.Release(context.Background(), algorithms.Input{
			Table: table, Rows: rows, Params: &SampleParams{Share: share},
			Variant: algorithms.Published, Budget: privacy.NewBudget(0),
			Noise: random.NewStreams(random.NewKey(uint64(trial))),
		})
		if err != nil {
			t.Fatal(err)
		}
		for row := range release.Table.Len() {
			codes = append(codes, release.Table.Column(0).At(int32(row)))
		}
		return codes
	}
	const trials = 6000
	seen := make(map[[2]uint32]int)
	for trial := range trials {
		codes := sample(0.5, trial, 1, 2, 4, 5)
		if len(codes) != 2 || codes[0] >= codes[1] {
			t.Fatalf("sample %v, want two rows of the input in their order", codes)
		}
		seen[[2]uint32{codes[0], codes[1]}]++
	}
	chi := 0.0
	for _, n := range seen { // order-free: the cells differ by far more than rounding does
		off := float64(n) - trials/6
		chi += off * off / (trials / 6)
	}
	if len(seen) != 6 || chi > 25.7 {
		t.Errorf("%v: chi-square %v over %d pairs", seen, chi, len(seen))
	}
	if all := sample(1, 0, 1, 2, 4, 5); !slices.Equal(all, []uint32{1, 2, 4, 5}) {
		t.Errorf("all rows: %v", all)
	}
	if one := sample(1e-6, 0, 1, 2, 4, 5); len(one) != 1 {
		t.Errorf("the least sample: %v", one)
	}
	for _, share := range []float64{0, -1, 1.01, math.NaN()} {
		if declared.Check(&SampleParams{Share: share}) == nil {
			t.Errorf("share %v is taken", share)
		}
	}
}

// TestPermuted: every column keeps its values, and rows keep theirs in the columns that are not
// permuted. Of three rows each order of a column comes equally often: chi-square over the six of
// 6,000 releases, 5 degrees of freedom, above 25.7 once in 10,000 seeds.
func TestPermuted(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "x", Kind: datasets.Numeric, High: 1000, Step: 1, Continuous: true},
		{Name: "y", Kind: datasets.Categorical, Values: []string{"a", "b", "c", "d"},
			Role: datasets.Class}}}
	builder := datasets.NewBuilder(schema, 4)
	for code := range uint32(4) {
		row := builder.AddRow()
		if err := builder.SetNumber(row, 0, 300*float64(code)+0.25); err != nil {
			t.Fatal(err)
		}
		builder.Set(row, 1, code)
	}
	table := builder.Table()
	release := func(columns PermutedColumns, trial int, target ...string) *datasets.Table {
		r, err := Permuted{}.Release(context.Background(), algorithms.Input{Table: table,
			Rows:    []int32{0, 1, 3},
			Params:  &PermutedParams{Columns: columns, Target: strings.Join(target, "")},
			Variant: algorithms.Published, Budget: privacy.NewBudget(0),
			Noise: random.NewStreams(random.NewKey(uint64(trial))),
		})
		if err != nil {
			t.Fatal(err)
		}
		return r.Table
	}
	const trials = 6000
	var seen [2]map[[3]uint32]int
	for i := range seen {
		seen[i] = make(map[[3]uint32]int)
	}
	for trial := range trials {
		r := release(AllColumns, trial)
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		for i := range seen {
			c := r.Column(i)
			seen[i][[3]uint32{c.At(0), c.At(1), c.At(2)}]++
		}
	}
	for i, counts := range seen {
		chi := 0.0
		for _, n := range counts { // order-free: the cells differ by far more than rounding does
			off := float64(n) - trials/6
			chi += off * off / (trials / 6)
		}
		if len(counts) != 6 || chi > 25.7 {
			t.Errorf("column %d: %v: chi-square %v", i, counts, chi)
		}
	}
	for trial := range 10 {
		r := release(ClassColumn, trial)
		if x := r.Column(0).Exact; !slices.Equal(x, []float64{0.25, 300.25, 900.25}) {
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
			err = Permuted{}.CheckSchema(schema, params)
		}
		if err == nil || !strings.Contains(err.Error(), "target: \""+target) {
			t.Errorf("%+v: %v", params, err)
		}
	}
}
