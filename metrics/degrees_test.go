package metrics

import (
	"math"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/must"
)

// TestDegreeDistances works a star of four nodes out by hand: its degrees are 1, 1, 1, 3.
func TestDegreeDistances(t *testing.T) {
	star := must.Get(datasets.NewGraph(4, []int32{0, 0, 0}, []int32{1, 2, 3}))
	for _, test := range []struct {
		degrees    []int32
		w1, w2, ks float64
	}{
		{[]int32{1, 1, 1, 3}, 0, 0, 0},
		{[]int32{0, 0, 0, 0}, 6.0 / 4, math.Sqrt(12.0 / 4), 1},
		{[]int32{1, 1, 3, 3}, 2.0 / 4, math.Sqrt(4.0 / 4), 1.0 / 4},
		{[]int32{-7, 1, 1, 3}, 8.0 / 4, math.Sqrt(64.0 / 4), 1.0 / 4}, // unclamped noise
	} {
		// order-free: three checks
		for name, want := range map[string]float64{"w1": test.w1, "w2": test.w2, "ks": test.ks} {
			wants(t, name, Case{Graph: star, Release: &algorithms.Release{Degrees: test.degrees}},
				nil, want, test.degrees)
		}
	}
	empty := must.Get(datasets.NewGraph(0, nil, nil))
	undefined(t, "w2", Case{Graph: empty, Release: &algorithms.Release{Degrees: []int32{}}})
	for _, name := range []string{"w1", "edges"} {
		refuses(t, name, Case{Graph: star, Release: &algorithms.Release{}}, "no degrees")
	}
}

// TestRandomGraphs: a triangle is all that three nodes of degree 2 can be, and with a node of
// degree 9 that is nearest too; pairs have no paths to close; and no edges have neither.
func TestRandomGraphs(t *testing.T) {
	for _, test := range []struct {
		degrees            []int32
		clustering, length float64 // negative where undefined
	}{
		{[]int32{2, 2, 2}, 1, 1}, {[]int32{2, 2, 9}, 1, 1}, {[]int32{1, 1, 1, 1}, -1, 1},
		{[]int32{0, 0}, -1, -1}, {[]int32{}, -1, -1},
	} {
		c := Case{Release: &algorithms.Release{Degrees: test.degrees}, Published: &Memo{}}
		// order-free: two checks
		for name, want := range map[string]float64{"clustering": test.clustering,
			"path-length": test.length} {
			if got, ok := measure(t, name, c); ok != (want >= 0) || ok && !near(got, want) {
				t.Errorf("%s of %v: %v %t, want %v", name, test.degrees, got, ok, want)
			}
		}
	}
}

func TestDegreeStatistics(t *testing.T) {
	degrees := []int32{0, 1, 1, 2, 5}
	// order-free: three checks
	for name, want := range map[string]float64{"nodes": 5, "edges": 4.5, "max-degree": 5} {
		wants(t, name, Case{Release: &algorithms.Release{Degrees: degrees}}, nil, want)
	}
	full := defined(t, "alpha-zeta", Case{Release: &algorithms.Release{Degrees: degrees}}, nil)
	if cut := defined(t, "alpha", Case{Release: &algorithms.Release{Degrees: degrees}},
		nil); cut >= full {
		t.Errorf("exponents %v (cut off) and %v: a normaliser with fewer terms needs a smaller one",
			cut, full)
	}
	for _, name := range []string{"alpha", "alpha-zeta"} {
		undefined(t, name, Case{Release: &algorithms.Release{Degrees: []int32{0, 0}}})
	}
}
