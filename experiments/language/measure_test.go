package language

import (
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/internal/source"
)

// TestMeasureParametersAreCached: a job measured with other parameters is another job.
func TestMeasureParametersAreCached(t *testing.T) {
	keys := make(map[string]bool)
	for _, params := range []string{"", ", params: {ranges: tight}", ", params: {ranges: box}",
		", params: {attribute: x1}"} {
		text := "name: test/keys\ndataset: {name: discrete, n: 50}\n" +
			"algorithms: [{name: mondrian}]\nmeasure: [{metric: count-error" + params + "}]\n"
		plan := mustPlan(t, text, Overrides{})
		keys[plan.CacheKeys()(&plan.Jobs[0], "checksum")] = true
	}
	if len(keys) != 3 { // ranges: box is the default
		t.Errorf("%d keys, want 3", len(keys))
	}
}

// TestCode: a job's code is its plug-ins' packages, those registered through another's type and
// those that only a parameter names, with all imports; not what other jobs alone need.
func TestCode(t *testing.T) {
	plan := mustPlan(t, `name: test/code
folds: 2
dataset: {name: adult-clusters-standin}
algorithms: [{name: mst, epsilon: [1]}, {name: identity}]
measure:
  - {metric: accuracy, classifier: id3}
  - {metric: r2, params: {target: age, regressor: ridge}}
`, Overrides{})
	code := plan.Configs[0].Code()
	for _, name := range []string{"ppdp/algorithms/mst", "ppdp/algorithms/kernel/pgm",
		"ppdp/privacy", "ppdp/datasets/adultclusters", "ppdp/datasets/adult",
		"ppdp/datasets/clustering", "ppdp/metrics", "ppdp/classifiers/id3",
		"ppdp/classifiers/ridge", "ppdp/experiments/language", "ppdp/experiments/engine"} {
		if code[name] == "" {
			t.Errorf("%s is not in %v", name, code)
		}
	}
	for _, name := range []string{"ppdp/algorithms/identity", "ppdp/algorithms/rps",
		"ppdp/classifiers/c45", "ppdp/internal/results", source.Program} {
		if code[name] != "" {
			t.Errorf("%s is in %v", name, code)
		}
	}
	key := plan.CacheKeys()(&plan.Jobs[0], "")
	plan.Configs[0].Implementation = struct{ algorithms.Algorithm }{plan.Configs[0].Implementation}
	if plan.Configs[0].Code()[source.Program] == "" {
		t.Error("an algorithm of a type that is not known does not stand for the whole program")
	}
	if plan.CacheKeys()(&plan.Jobs[0], "") == key {
		t.Error("other code, the same key")
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
