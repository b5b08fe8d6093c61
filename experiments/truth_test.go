package experiments

import (
	"context"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
)

// TestTruthIsShared: cells share a memo of the truth exactly where they agree in the data, the rows
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
		"inside":      {"folds: 3\nprotocol: inside\n" + table, true, true},
	} {
		plan := mustPlan(t, head+c.middle+tail, Overrides{})
		stock, err := plan.load(context.Background(), datasets.Files{})
		if err != nil {
			t.Fatal(err)
		}
		run := plan.newRun(Options{}, stock, nil, "")
		var taken []*cellData
		for i := range plan.Cells {
			m, err := run.take(context.Background(), i)
			if err != nil {
				t.Fatal(err)
			}
			taken = append(taken, m)
			for j := range i {
				a, b := &plan.Cells[i], &plan.Cells[j]
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

// TestFoldsForget: cells of a fold run together, and what they share is forgotten when the cells of
// another fold run.
func TestFoldsForget(t *testing.T) {
	plan := mustPlan(t, "name: test/forget\nseed: 4\ntrials: 3\nfolds: 4\n"+
		"dataset: {name: discrete, n: 60, attributes: 2, cardinality: 9}\n"+
		"algorithms: [{name: mondrian, params: {k: [2, 3, 5]}}]\nmeasure: [{metric: regions}]\n",
		Overrides{})
	stock, err := plan.load(context.Background(), datasets.Files{})
	if err != nil {
		t.Fatal(err)
	}
	run := plan.newRun(Options{Jobs: 1}, stock, nil, "")
	open := make([]int, len(plan.Cells))
	for i := range open {
		open[i] = i
	}
	type fold struct{ trial, fold int }
	computed := make(map[fold]int)
	var memos []*algorithms.Memo
	for _, i := range run.executionOrder(open) {
		m, err := run.take(context.Background(), i)
		if err != nil {
			t.Fatal(err)
		}
		c := &plan.Cells[i]
		memo := m.truth[c.Fold]
		at, err := algorithms.Memoize(context.Background(), memo, "key", func() (fold, error) {
			computed[fold{c.Trial, c.Fold}]++
			memos = append(memos, memo)
			return fold{c.Trial, c.Fold}, nil
		})
		if want := (fold{c.Trial, c.Fold}); err != nil || at != want {
			t.Errorf("what %v shares is of %v, error %v", want, at, err)
		}
		run.giveBack(m)
	}
	for at, times := range computed {
		if times != 1 {
			t.Errorf("%v: computed %d times", at, times)
		}
	}
	again := 0
	for _, memo := range memos {
		_, _ = algorithms.Memoize(context.Background(), memo, "key", func() (fold, error) {
			again++
			return fold{}, nil
		})
	}
	if len(memos) != 12 || again != len(memos)-1 {
		t.Errorf("%d of %d folds have forgotten, must be all but the last", again, len(memos))
	}
}
