package metrics

import (
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/internal/declared"
)

// Published: a b c | 2 of each | a half, over a a b | c | nothing. Classes apart the counts are off
// by 1, 0, 1 | 2, 2, 1 | 0.5, 0, 0; together by 0 | 5 | 0.5.
func TestCountNoise(t *testing.T) {
	counts := []float64{1, 1, 1, 2, 2, 2, 0.5, 0, 0}
	for name, c := range inBoxes(counts...) {
		for per, want := range map[Per]float64{PerClass: 7.5 / 9, PerRegion: 5.5 / 3} {
			if got := defined(t, "count-noise",
				c, func(p Params) { p.(*CountNoiseParams).Per = per }); !near(got, want) {
				t.Errorf("%s, per %s: %v, want %v", name, per, got, want)
			}
		}
	}
	// A suppressed row is in no count: without the one at 2, a is off by 0.
	suppressed := threeBoxes(counts...)
	suppressed.Assignment, suppressed.Suppressed = []int32{0, -1, 0, 1}, []int32{1}
	c := inBoxes(counts...)["boxes"]
	c.Release = &algorithms.Release{Regions: suppressed}
	if got := defined(t, "count-noise", c, nil); !near(got, 6.5/9) {
		t.Errorf("a row suppressed: %v, want %v", got, 6.5/9)
	}
	// One count a region, although the table has classes.
	plain := threeBoxes(counts...)
	plain.Classes, plain.Counts = 1, []float64{3, 4, 0}
	c.Release.Regions = plain
	if got := defined(t, "count-noise", c, nil); !near(got, 1) {
		t.Errorf("releases without classes: %v, want 3/3", got)
	}
	c.Release.Regions = &algorithms.Regions{Attributes: []int{0}, Classes: 3}
	c.Train = nil
	if got, ok := measure(t, "count-noise", c, nil); ok {
		t.Errorf("no region: %v, want undefined", got)
	}
}

func TestCountNoiseRefuses(t *testing.T) {
	table := labelled([2]uint32{9, 0})
	for _, c := range []struct {
		regions *algorithms.Regions
		want    string
	}{
		{nil, "no regions"},
		{&algorithms.Regions{Attributes: []int{0}, Low: []uint32{0, 2}, High: []uint32{1, 9},
			Classes: 3, Counts: make([]float64, 6)}, "no region"},
		{&algorithms.Regions{Attributes: []int{0}, Low: []uint32{0}, High: []uint32{10}, Classes: 2,
			Counts: make([]float64, 2)}, "2 classes, the table has 3"},
	} {
		refuses(t, "count-noise",
			Case{Table: table, Train: []int32{0},
				Release: &algorithms.Release{Regions: c.regions}}, c.want)
	}
	if err := declared.Check(&CountNoiseParams{Per: "row"}); err == nil ||
		!strings.Contains(err.Error(), "class, region") {
		t.Errorf("per: row: error %v", err)
	}
}
