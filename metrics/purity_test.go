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
		wants(t, "purity", c, nil, 3.0/4, name)
		wants(t, "purity-unweighted", c, nil, (2.0/3+1)/2, name)
		wants(t, "regions", c, nil, 3, name)
	}
	// A suppressed row is in no region and none of its tuples: 2 of 3 of the others agree.
	table := labelled("1a 1b 2b 9c")
	wants(t, "purity", inRegions(table, &algorithms.Regions{Attributes: []int{0},
		Low: []uint32{0}, High: []uint32{5}, Classes: 3, Counts: []float64{1, 2, 0},
		Assignment: []int32{0, 0, 0, -1}, Suppressed: []int32{3}}), nil, 2./3)
	none := cases["boxes"]
	none.Train = nil
	undefined(t, "purity", none)
}

// TestAccuracy: the majority of the published weight is predicted, of nothing class 0.
func TestAccuracy(t *testing.T) {
	original := labelled("1c 1c 1b 5a")
	published := labelled("1b 1b 1c")
	c := Case{Table: original, Train: []int32{0}, Test: []int32{1, 2, 3},
		Classifier: majority.Classifier, Release: &algorithms.Release{Table: published}}
	wants(t, "accuracy", c, nil, 1.0/3) // class 1: right on row 2
	c.Test = []int32{0, 1, 2, 3}
	c.Release.Weights = []float64{1, 1, 5} // now class 2: right on rows 0 and 1
	wants(t, "accuracy", c, nil, 2.0/4, "weighted accuracy")
	c.Release = &algorithms.Release{Table: labelled("")}
	wants(t, "accuracy", c, nil, 1.0/4)
	c.Test = nil
	undefined(t, "accuracy", c)
	c.Classifier = nil
	refuses(t, "accuracy", c, "classifier")
}

// Published: a b c | 2 of each | a half, over a a b | c | nothing. Classes apart the counts are off
// by 1, 0, 1 | 2, 2, 1 | 0.5, 0, 0; together by 0 | 5 | 0.5.
func TestCountNoise(t *testing.T) {
	counts := []float64{1, 1, 1, 2, 2, 2, 0.5, 0, 0}
	for name, c := range inBoxes(counts...) {
		for per, want := range map[Per]float64{PerClass: 7.5 / 9, PerRegion: 5.5 / 3} {
			wants(t, "count-noise", c, func(p Params) { p.(*CountNoiseParams).Per = per }, want,
				name, per)
		}
	}
	// A suppressed row is in no count: without the one at 2, a is off by 0.
	suppressed := threeBoxes(counts...)
	suppressed.Assignment, suppressed.Suppressed = []int32{0, -1, 0, 1}, []int32{1}
	c := inBoxes(counts...)["boxes"]
	c.Release = &algorithms.Release{Regions: suppressed}
	wants(t, "count-noise", c, nil, 6.5/9, "a row suppressed")
	// One count a region, although the table has classes.
	plain := threeBoxes(counts...)
	plain.Classes, plain.Counts = 1, []float64{3, 4, 0}
	c.Release.Regions = plain
	wants(t, "count-noise", c, nil, 1, "releases without classes")
	c.Release.Regions = &algorithms.Regions{Attributes: []int{0}, Classes: 3}
	c.Train = nil
	undefined(t, "count-noise", c)
}
