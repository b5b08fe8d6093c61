package spec

import "testing"

// TestMeasureParametersAreCached: a job measured with other parameters is another job.
func TestMeasureParametersAreCached(t *testing.T) {
	keys := make(map[string]bool)
	for _, params := range []string{"", ", params: {ranges: tight}", ", params: {ranges: box}",
		", params: {operator: at-most}"} {
		text := "name: test/keys\ndataset: {name: discrete, n: 50}\n" +
			"algorithms: [{name: mondrian}]\nmeasure: [{metric: count-error" + params + "}]\n"
		plan := mustPlan(t, text, Overrides{})
		keys[plan.CacheKeys()(&plan.Jobs[0], "checksum")] = true
	}
	if len(keys) != 3 { // ranges: box is the default
		t.Errorf("%d keys, want 3", len(keys))
	}
}
