package metrics

import (
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/classifiers/leafmajority"
	"ppdp/classifiers/majority"
	"ppdp/internal/must"
	"ppdp/metrics/internal/encoding"
)

// majorities are counts of threeBoxes in which a, c and, overall, a lead.
var majorities = []float64{4.5, 1, 0 /**/, 0, 1, 2 /**/, 0, 0, 0}

// TestAccuracyOfRegions: rows in the three boxes are predicted a, c and a. The release's assignment
// of the training rows is not that of the test rows and must not be used.
func TestAccuracyOfRegions(t *testing.T) {
	table := labelled([2]uint32{2, 0}, [2]uint32{0, 1}, [2]uint32{5, 2}, [2]uint32{3, 1},
		[2]uint32{9, 0}, [2]uint32{6, 0})
	regions := threeBoxes(majorities...)
	regions.Assignment = []int32{2, 2, 2, 2, 2, 2}
	c := Case{Table: table, Train: table.AllRows(), Test: table.AllRows(),
		Release: &algorithms.Release{Regions: regions}, Classifier: leafmajority.Classifier{}}
	if got, ok := measure(t, "accuracy", c); !ok || got != 4.0/6 {
		t.Errorf("leaf-majority: accuracy %v (defined %v), want 4 of 6", got, ok)
	}
	c.Params = &GeneralisedParams{Encoding: encoding.Nominal}
	if got, ok := measure(t, "accuracy-generalised", c); !ok || got != 4.0/6 {
		t.Errorf("leaf-majority on generalised records: accuracy %v (defined %v), want 4 of 6",
			got, ok)
	}
	c.Classifier = majority.Classifier{} // a, by 4.5 of 8.5
	if got, ok := measure(t, "accuracy-generalised", c); !ok || got != 3.0/6 {
		t.Errorf("majority: accuracy %v (defined %v), want 3 of 6", got, ok)
	}
	c.Test = nil
	if got, ok := measure(t, "accuracy-generalised", c); ok {
		t.Errorf("accuracy without test rows is %v, want undefined", got)
	}
}

// TestGeneralisedLeafMajority: on a line every encoding that distinguishes the regions leaves a
// region's majority where it is.
func TestGeneralisedLeafMajority(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		regions := &algorithms.Regions{Attributes: []int{0}, Classes: 3}
		for low := uint32(0); low < 10; {
			high := rapid.Uint32Range(low+1, 10).Draw(t, "high")
			regions.Low, regions.High = append(regions.Low, low), append(regions.High, high)
			for range 3 {
				regions.Counts = append(regions.Counts,
					float64(rapid.IntRange(0, 4).Draw(t, "count")))
			}
			low = high
		}
		var rows [][2]uint32
		for range rapid.IntRange(1, 20).Draw(t, "rows") {
			rows = append(rows, [2]uint32{rapid.Uint32Range(0, 9).Draw(t, "x"),
				rapid.Uint32Range(0, 2).Draw(t, "y")})
		}
		table := labelled(rows...)
		c := Case{Table: table, Test: table.AllRows(),
			Release: &algorithms.Release{Regions: regions}, Classifier: leafmajority.Classifier{}}
		want, _ := measure(t, "accuracy", c)
		for _, e := range []encoding.Encoding{encoding.NodeMidpoint, encoding.Nominal,
			encoding.Midpoint} {
			c.Params = &GeneralisedParams{Encoding: e}
			if got, _, err := tryMeasure(t, "accuracy-generalised", c); err != nil || got != want {
				t.Fatalf("%s: accuracy %v (error %v), of the regions %v", e, got, err, want)
			}
		}
	})
}

// TestNeeds: a classifier of regions asks for the partition where others ask for records.
func TestNeeds(t *testing.T) {
	m := must.Get(Lookup("accuracy"))
	if got := Needs(m, algorithms.TableInput, majority.Classifier{}); len(got) != 1 ||
		got[0] != algorithms.RecordsProduct {
		t.Errorf("accuracy with majority needs %v", got)
	}
	if got := Needs(m, algorithms.TableInput, leafmajority.Classifier{}); len(got) != 1 ||
		got[0] != algorithms.RegionsProduct {
		t.Errorf("accuracy with leaf-majority needs %v", got)
	}
}
