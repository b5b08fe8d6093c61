package metrics

import (
	"context"
	"testing"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/classifiers/c45"
	"ppdp/classifiers/majority"
	"ppdp/metrics/internal/encoding"
)

// TestAccuracyPublished: of a release with regions and records that disagree about the majority,
// the regions count; without regions the records do.
func TestAccuracyPublished(t *testing.T) {
	table := labelled([2]uint32{2, 0}, [2]uint32{0, 1}, [2]uint32{5, 2}, [2]uint32{3, 1},
		[2]uint32{9, 0}, [2]uint32{6, 0})
	// Majority c, one test row of six.
	records := labelled([2]uint32{0, 2}, [2]uint32{1, 2}, [2]uint32{2, 1})
	c := Case{Table: table, Train: table.AllRows(), Test: table.AllRows(),
		Classifier: majority.Classifier{},
		Params:     &GeneralisedParams{Encoding: encoding.Nominal},
		// Majority a, three of six.
		Release: &algorithms.Release{Regions: threeBoxes(majorities...), Table: records}}
	if got, ok := measure(t, "accuracy-published", c); !ok || got != 3.0/6 {
		t.Errorf("regions: accuracy %v (defined %v), want 3 of 6", got, ok)
	}
	c.Release.Regions = nil
	if got, ok := measure(t, "accuracy-published", c); !ok || got != 1.0/6 {
		t.Errorf("records: accuracy %v (defined %v), want 1 of 6", got, ok)
	}
}

// counted is a classifier that counts how often it learns.
type counted struct {
	classifiers.Classifier
	fits *int
}

func (c counted) Fit(ctx context.Context, data classifiers.Data) (classifiers.Model, error) {
	*c.fits++
	return c.Classifier.Fit(ctx, data)
}

// TestMeasurementsOfAReleaseShare: with a memo every classifier and encoding gets the value it gets
// alone, and learns once: from records without regions, which look the same in all encodings, once
// for all of them.
func TestMeasurementsOfAReleaseShare(t *testing.T) {
	table := labelled([2]uint32{2, 0}, [2]uint32{0, 1}, [2]uint32{5, 2}, [2]uint32{3, 1},
		[2]uint32{9, 0}, [2]uint32{6, 0})
	records := labelled([2]uint32{0, 2}, [2]uint32{1, 2}, [2]uint32{2, 1})
	encodings := []encoding.Encoding{encoding.Nominal, encoding.NodeWidth, encoding.Nominal,
		encoding.Midpoint}
	for _, release := range []*algorithms.Release{{Table: records},
		{Regions: threeBoxes(majorities...), Table: records}} {
		published := new(Memo)
		for _, of := range []classifiers.Classifier{majority.Classifier{}, c45.Classifier{}} {
			fits := 0
			for _, e := range encodings {
				c := Case{Table: table, Train: table.AllRows(), Test: table.AllRows(),
					Release: release, Classifier: of,
					Params: &GeneralisedParams{Encoding: e}}
				alone, _ := measure(t, "accuracy-published", c)
				c.Classifier, c.Published = counted{of, &fits}, published
				if got, ok := measure(t, "accuracy-published", c); !ok || got != alone {
					t.Errorf("%s, %s: %v (defined %v), alone %v", of.Info().Name, e, got, ok, alone)
				}
			}
			// What has no regions is learnt from as its records are, whichever metric asks.
			if release.Regions == nil {
				c := Case{Table: table, Train: table.AllRows(), Test: table.AllRows(),
					Release: release, Classifier: of}
				alone, _ := measure(t, "accuracy", c)
				c.Classifier, c.Published = counted{of, &fits}, published
				if got, ok := measure(t, "accuracy", c); !ok || got != alone {
					t.Errorf("%s: accuracy %v (defined %v), alone %v",
						of.Info().Name, got, ok, alone)
				}
			}
			if want := map[bool]int{true: 1, false: 3}[release.Regions == nil]; fits != want {
				t.Errorf("%s learnt %d times, want %d", of.Info().Name, fits, want)
			}
		}
	}
}
