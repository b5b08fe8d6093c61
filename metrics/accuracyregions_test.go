package metrics

import (
	"context"
	"testing"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/classifiers/c45"
	"ppdp/classifiers/leafmajority"
	"ppdp/classifiers/majority"
	"ppdp/internal/must"
	"ppdp/metrics/internal/encoding"
)

// majorities are counts of threeBoxes in which a, c and, overall, a lead.
var majorities = []float64{4.5, 1, 0 /**/, 0, 1, 2 /**/, 0, 0, 0}

// TestAccuracyOfRegions: rows in the three boxes are predicted a, c and a by leaf-majority, and a
// by the majority of the regions; that of the records is c. The release's assignment of the
// training rows is not that of the test rows and must not be used.
func TestAccuracyOfRegions(t *testing.T) {
	c := sixRows()
	c.Release.Regions.Assignment = []int32{2, 2, 2, 2, 2, 2}
	records := &algorithms.Release{Table: c.Release.Table}
	for _, of := range []struct {
		metric     string
		classifier classifiers.Classifier
		release    *algorithms.Release
		right      float64
	}{{"accuracy", leafmajority.Classifier{}, c.Release, 4},
		{"accuracy-generalised", leafmajority.Classifier{}, c.Release, 4},
		{"accuracy-generalised", majority.Classifier, c.Release, 3},
		{"accuracy-published", majority.Classifier, c.Release, 3},
		{"accuracy-published", majority.Classifier, records, 1}} {
		c := c
		c.Classifier, c.Release = of.classifier, of.release
		wants(t, of.metric, c, func(p Params) {
			if p, ok := p.(*GeneralisedParams); ok {
				p.Encoding = encoding.Nominal
			}
		}, of.right/6, of.classifier.Info().Name, of.right)
	}
	c.Classifier, c.Test = majority.Classifier, nil
	for _, name := range []string{"accuracy-generalised", "accuracy-published"} {
		undefined(t, name, c)
	}
}

// sixRows is the case of a release of regions and of records that disagree about the majority.
func sixRows() Case {
	table := labelled("2a 0b 5c 3b 9a 6a")
	c := inRegions(table, threeBoxes(majorities...))
	c.Release.Table = labelled("0c 1c 2b")
	return c
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
// alone, and learns once: from records without regions, which look the same in all encodings and to
// every metric, once for all of them.
func TestMeasurementsOfAReleaseShare(t *testing.T) {
	for _, regions := range []bool{false, true} {
		c := sixRows()
		if !regions {
			c.Release.Regions = nil
		}
		published := new(Memo)
		for _, of := range []classifiers.Classifier{majority.Classifier, c45.Classifier} {
			fits := 0
			share := func(metric string, params Params) {
				c.Classifier, c.Published, c.Params = of, nil, params
				alone := defined(t, metric, c, nil)
				c.Classifier, c.Published = counted{of, &fits}, published
				wants(t, metric, c, nil, alone, of.Info().Name, params)
			}
			for _, e := range []encoding.Encoding{encoding.Nominal, encoding.NodeWidth,
				encoding.Nominal, encoding.Midpoint} {
				share("accuracy-published", &GeneralisedParams{Encoding: e})
			}
			if !regions {
				share("accuracy", nil)
			}
			if want := map[bool]int{false: 1, true: 3}[regions]; fits != want {
				t.Errorf("%s learnt %d times, want %d", of.Info().Name, fits, want)
			}
		}
	}
}

// TestNeeds: a classifier of regions asks for the partition where others ask for records.
func TestNeeds(t *testing.T) {
	m := must.Get(Lookup("accuracy"))
	must.Equal(t, Needs(m, algorithms.TableInput, majority.Classifier),
		[]algorithms.Product{algorithms.RecordsProduct})
	must.Equal(t, Needs(m, algorithms.TableInput, leafmajority.Classifier{}),
		[]algorithms.Product{algorithms.RegionsProduct})
}
