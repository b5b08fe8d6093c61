package engine

import (
	"context"
	"errors"
	"slices"
	"testing"

	"ppdp/experiments/language"
	"ppdp/internal/results"
	"ppdp/metrics"
)

const measureSpec = `
name: test/measures
seed: 3
dataset: {name: discrete, n: 200, attributes: 2}
algorithms:
  - {name: mondrian, params: {k: [2, 20]}}
measure:
  - {metric: [count-error, count-error-std], params: {attribute: [x1, x2], ranges: tight}}
  - {metric: [count-error, discernibility, cavg, ncp, anonymity]}
plots:
  - {name: a, x: k, y: count-error attribute=x2 ranges=tight}
`

// TestMeasureParameters: every setting of a metric is a separate measurement, recorded under the
// metric's name with what differs from the defaults, and a figure can draw it.
func TestMeasureParameters(t *testing.T) {
	result := mustRun(t, mustPlan(t, measureSpec, language.Overrides{}), options(t, t.TempDir()))
	want := []string{
		"count-error attribute=x1 ranges=tight", "count-error attribute=x2 ranges=tight",
		"count-error-std attribute=x1 ranges=tight", "count-error-std attribute=x2 ranges=tight",
		"count-error", "discernibility", "cavg", "ncp", "anonymity",
	}
	run := mustOpen(t, result.Dir)
	records := run.Records
	if len(records) != 2 {
		t.Fatalf("%d records, want one for each k", len(records))
	}
	for i, k := range []float64{2, 20} {
		var names []string
		values := make(map[string]float64)
		for _, v := range records[i].Values {
			names = append(names, v.Metric)
			values[v.Metric] = *v.Value
		}
		if !slices.Equal(names, want) {
			t.Errorf("measured %q, want %q", names, want)
		}
		// C_AVG is relative to k, so it has to be between 1 and 2d(k-1)+m over k, and the largest k
		// at least k.
		if values["cavg"] < 1 || values["cavg"] > 4+200/k || values["anonymity"] < k {
			t.Errorf("k %v: C_AVG %v, anonymity %v", k, values["cavg"], values["anonymity"])
		}
		if records[i].Status != results.OK {
			t.Errorf("k %v: %s", k, records[i].Error)
		}
	}
}

// unusable is a metric that no release can be measured by.
type unusable struct{}

func (unusable) Info() metrics.Info { return metrics.Info{Name: "test-unusable", Title: "None"} }
func (unusable) Measure(context.Context, metrics.Case) (float64, bool, error) {
	return 0, false, errors.New("nothing fits")
}

func init() { metrics.Register(unusable{}) }

// TestUnusableMeasureCostsItself: a metric that fails, or has no value, leaves the others of the
// job as they are; the record says why.
func TestUnusableMeasureCostsItself(t *testing.T) {
	const text = `
name: test/unusable
dataset: {name: gaussian, shape: clusters-5d, n: 20}
epsilon: 1
algorithms: [{name: test-coin, params: {share: 0.000001}}]
measure: [{metric: [test-unusable, ks, records]}]
`
	result := mustRun(t, mustPlan(t, text, language.Overrides{}), options(t, t.TempDir()))
	run := mustOpen(t, result.Dir)
	c := &run.Records[0]
	if c.Status != results.OK || len(c.Values) != 3 {
		t.Fatalf("%s (%s), %d values", c.Status, c.Error, len(c.Values))
	}
	// no record was published: its distance is undefined, their number is not
	if c.Values[0].Value != nil || c.Values[1].Value != nil || *c.Values[2].Value != 0 {
		t.Errorf("values %+v", c.Values)
	}
	if len(c.Warnings) != 1 || c.Warnings[0] != "not measured: test-unusable: nothing fits" {
		t.Errorf("warnings %q", c.Warnings)
	}
}
