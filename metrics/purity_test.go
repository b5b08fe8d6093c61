package metrics

import (
	"testing"

	"ppdp/algorithms"
	"ppdp/classifiers/majority"
)

// TestPurity: labels a a b | c | nothing. The published counts are wrong on purpose: purity is
// about the true labels.
func TestPurity(t *testing.T) {
	cases := inBoxes(0, 0, 50, 0, 0, 0, 7, 7, 7)
	for name, c := range cases {
		if got, ok := measure(t, "purity", c); !ok || got != 3.0/4 {
			t.Errorf("%s: purity %v (defined %v), want 3 of 4 tuples", name, got, ok)
		}
		if got, ok := measure(t, "purity-unweighted", c); !ok || !near(got, (2.0/3+1)/2) {
			t.Errorf("%s: unweighted purity %v (defined %v), want the mean of 2/3 and 1",
				name, got, ok)
		}
		if got, ok := measure(t, "regions", c); !ok || got != 3 {
			t.Errorf("%s: %v regions (defined %v), want 3", name, got, ok)
		}
	}
	none := cases["boxes"]
	none.Train = nil
	if v, ok := measure(t, "purity", none); ok {
		t.Errorf("purity without training rows is %v, want undefined", v)
	}
}

// TestAccuracy: the majority of the published weight is predicted, of nothing class 0.
func TestAccuracy(t *testing.T) {
	original := labelled([2]uint32{1, 2}, [2]uint32{1, 2}, [2]uint32{1, 1}, [2]uint32{5, 0})
	published := labelled([2]uint32{1, 1}, [2]uint32{1, 1}, [2]uint32{1, 2})
	c := Case{Table: original, Train: []int32{0}, Test: []int32{1, 2, 3},
		Classifier: majority.Classifier{}, Release: &algorithms.Release{Table: published}}
	if got, ok := measure(t, "accuracy", c); !ok || got != 1.0/3 { // class 1: right on row 2
		t.Errorf("accuracy %v (defined %v), want 1/3", got, ok)
	}
	c.Test = []int32{0, 1, 2, 3}
	c.Release.Weights = []float64{1, 1, 5} // now class 2: right on rows 0 and 1
	if got, ok := measure(t, "accuracy", c); !ok || got != 2.0/4 {
		t.Errorf("weighted accuracy %v (defined %v), want 2/4", got, ok)
	}
	c.Release = &algorithms.Release{Table: labelled()}
	if got, ok := measure(t, "accuracy", c); !ok || got != 1.0/4 {
		t.Errorf("accuracy of an empty release %v (defined %v), want that of class 0", got, ok)
	}
	c.Test = nil
	if got, ok := measure(t, "accuracy", c); ok {
		t.Errorf("accuracy without test rows is %v, want undefined", got)
	}
	c.Classifier = nil
	refuses(t, "accuracy", c, "classifier")
}

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
