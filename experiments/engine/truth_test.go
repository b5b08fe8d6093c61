package engine

import (
	"context"
	"strings"
	"testing"

	"ppdp/datasets"
	"ppdp/experiments/language"
)

// TestTruthIsShared: jobs share a memo of the truth exactly where they agree in the data, the rows
// released and the rows tested: all trials of a dataset loaded once do, but neither two folds nor
// trials with separate folds or data.
func TestTruthIsShared(t *testing.T) {
	const head = "name: test/truth\nseed: 4\ntrials: 2\n"
	const tail = "algorithms: [{name: mondrian, params: {k: 5}}]\nmeasure: [{metric: regions}]\n"
	const table = "dataset: {name: discrete, n: 60, attributes: 2, cardinality: 9}\n"
	for name, c := range map[string]struct { // order-free: separate checks
		middle                string
		perTrial, acrossTrial bool // shared by the folds of a trial, by the trials
	}{
		"whole table": {table, true, true},
		"one split":   {"train: 40\n" + table, true, true},
		"resampled":   {strings.Replace(table, "}", ", resample: true}", 1), true, false},
		"folds":       {"folds: 3\n" + table, false, false},
	} {
		plan := mustPlan(t, head+c.middle+tail, language.Overrides{})
		stock := must(load(context.Background(), plan, datasets.Files{}))
		run := newRun(plan, Options{}, stock, nil, "")
		var taken []*trialData
		for i := range plan.Jobs {
			m := must(run.useData(context.Background(), i))
			taken = append(taken, m)
			for j := range i {
				a, b := &plan.Jobs[i], &plan.Jobs[j]
				want := c.acrossTrial
				if a.Trial == b.Trial {
					want = c.perTrial || a.Fold == b.Fold
				}
				got := taken[i].truth[max(0, a.Fold)] == taken[j].truth[max(0, b.Fold)]
				if got != want {
					t.Errorf("%s: trial %d fold %d and trial %d fold %d share %t, must be %t", name,
						a.Trial, a.Fold, b.Trial, b.Fold, got, want)
				}
			}
		}
	}
}
