package spec

import (
	"slices"
	"testing"
)

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

// TestMeasureWhere: a measurement is made of the settings that its filter selects, and others need
// not serve it: only Mondrian has a k.
func TestMeasureWhere(t *testing.T) {
	plan := mustPlan(t, `name: test/where
dataset: {name: discrete, n: 50}
algorithms: [{name: mondrian, params: {k: [2, 5]}}, {name: identity}]
measure:
  - {metric: records}
  - {metric: cavg, where: {algorithm: mondrian}}
  - {metric: broken-constraints, where: {k: ">2"}}
`, Overrides{})
	var got []string
	for _, c := range plan.Configs {
		names := c.Algorithm
		for _, m := range c.Measures {
			names += " " + m.Name
		}
		got = append(got, names)
	}
	want := []string{"mondrian records cavg",
		"mondrian records cavg broken-constraints", "identity records"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
