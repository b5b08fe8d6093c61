package engine

import (
	"slices"
	"testing"

	"ppdp/experiments/language"
)

// TestTrainPartsTheRows: the first rows are released, the others are the test set.
func TestTrainPartsTheRows(t *testing.T) {
	m := &trialData{rows: []int32{0, 1, 2, 3, 4}, train: 3}
	train, test := m.split(-1)
	if !slices.Equal(train, []int32{0, 1, 2}) || !slices.Equal(test, []int32{3, 4}) {
		t.Errorf("split into %v and %v", train, test)
	}
}

// TestTrainAndTrials runs a spec to its records: six of ten rows are published, and an entry's own
// number of trials is a cap while the rest of the experiment keeps its own.
func TestTrainAndTrials(t *testing.T) {
	t.Parallel()
	const text = `
name: trials
trials: 4
train: 2/3
dataset: {name: discrete, n: 10}
algorithms:
  - {name: identity, series: few, trials: 2}
  - {name: identity, series: all}
measure: [{metric: records}]
`
	for override, want := range map[int][2]int{0: {2, 4}, 1: {1, 1}, 6: {2, 6}} {
		out := t.TempDir()
		mustRun(t, mustPlan(t, text, language.Overrides{Trials: override}), options(t, out))
		outcome := mustOpen(t, out, "trials")
		var counts [2]int
		for _, record := range outcome.Records {
			if record.Series == "few" {
				counts[0]++
			} else {
				counts[1]++
			}
			if record.Fold != nil {
				t.Errorf("fold %d without folds", *record.Fold)
			}
			if got := *record.Values[0].Value; got != 6 {
				t.Errorf("%v records published, want 6", got)
			}
		}
		if counts != want {
			t.Errorf("--trials %d: %v jobs, want %v", override, counts, want)
		}
	}
}
