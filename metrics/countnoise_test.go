package metrics

import (
	"testing"

	"ppdp/algorithms"
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
