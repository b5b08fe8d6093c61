package controls

import (
	"context"
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
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
