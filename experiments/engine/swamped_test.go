package engine

import (
	"strings"
	"testing"

	"ppdp/experiments/language"
)

// TestSwampedReleaseWarns: ten specialisations make some hundred jobs of a hundred records, whose
// noise at an epsilon of 0.1 is mostly above 10; one makes two.
func TestSwampedReleaseWarns(t *testing.T) {
	const text = `
name: test/swamped
dataset: {name: discrete, n: 100}
epsilon: 0.1
algorithms: [{name: diffgen, variant: strict, series: "h {h}", params: {h: [1, 10]}}]
measure: [{metric: records}]
`
	result := mustRun(t, mustPlan(t, text, language.Overrides{}), options(t, t.TempDir()))
	run := mustOpen(t, result.Dir)
	for i, want := range []int{0, 1} {
		c := &run.Records[i]
		if len(c.Warnings) != want {
			t.Errorf("%s: warnings %q, want %d", c.Label(), c.Warnings, want)
		}
		if want == 1 && !strings.Contains(c.Warnings[0], " records for 100: most are noise") {
			t.Errorf("%s: warnings %q", c.Label(), c.Warnings)
		}
	}
}
