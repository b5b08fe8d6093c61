package metrics

import (
	"testing"

	"ppdp/algorithms"
	"ppdp/classifiers/majority"
	"ppdp/metrics/encoding"
)

// TestAccuracyPublished: of a release with regions and records that disagree about the majority, the regions count;
// without regions the records do.
func TestAccuracyPublished(t *testing.T) {
	table := labelled([2]uint32{2, 0}, [2]uint32{0, 1}, [2]uint32{5, 2}, [2]uint32{3, 1}, [2]uint32{9, 0}, [2]uint32{6, 0})
	records := labelled([2]uint32{0, 2}, [2]uint32{1, 2}, [2]uint32{2, 1}) // majority c, one test row of six
	c := Case{Table: table, Train: table.AllRows(), Test: table.AllRows(), Classifier: majority.Classifier{},
		Params:  &GeneralisedParams{Encoding: encoding.Nominal},
		Release: &algorithms.Release{Regions: threeBoxes(), Table: records}} // majority a, three of six
	if got, ok := measure(t, "accuracy-published", c); !ok || got != 3.0/6 {
		t.Errorf("regions: accuracy %v (defined %v), want 3 of 6", got, ok)
	}
	c.Release.Regions = nil
	if got, ok := measure(t, "accuracy-published", c); !ok || got != 1.0/6 {
		t.Errorf("records: accuracy %v (defined %v), want 1 of 6", got, ok)
	}
}
