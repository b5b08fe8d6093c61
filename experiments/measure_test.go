package experiments

import (
	"slices"
	"testing"

	"ppdp/results"
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
	result := mustRun(t, mustPlan(t, measureSpec, Overrides{}), options(t, t.TempDir()))
	want := []string{
		"count-error attribute=x1 ranges=tight", "count-error attribute=x2 ranges=tight",
		"count-error-std attribute=x1 ranges=tight", "count-error-std attribute=x2 ranges=tight",
		"count-error", "discernibility", "cavg", "ncp", "anonymity",
	}
	run, err := results.Read(result.Dir)
	if err != nil {
		t.Fatal(err)
	}
	records := run.Cells
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

// TestMeasureParametersAreCached: a cell measured with other parameters is another cell.
func TestMeasureParametersAreCached(t *testing.T) {
	keys := make(map[string]bool)
	for _, params := range []string{"", ", params: {ranges: tight}", ", params: {ranges: box}",
		", params: {operator: at-most}"} {
		text := "name: test/keys\ndataset: {name: discrete, n: 50}\n" +
			"algorithms: [{name: mondrian}]\nmeasure: [{metric: count-error" + params + "}]\n"
		plan := mustPlan(t, text, Overrides{})
		keys[plan.cacheKey(&plan.Cells[0], "checksum")] = true
	}
	if len(keys) != 3 { // ranges: box is the default
		t.Errorf("%d keys, want 3", len(keys))
	}
}
