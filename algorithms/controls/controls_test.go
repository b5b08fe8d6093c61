package controls

import (
	"context"
	"math"
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/privacy"
	"ppdp/random"
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
		if (&SampleParams{Share: share}).Validate() == nil {
			t.Errorf("share %v is taken", share)
		}
	}
}
