package contest

import (
	"math"
	"testing"

	"ppdp/internal/results"
)

// advised is a table of three releases under one budget, and what they reach in each task.
func advised(tasks ...*Task) *Table {
	t := &Table{Budgets: []Budget{{Epsilon: 1}}, Tasks: tasks}
	for _, name := range []string{"A", "B", "C"} {
		t.Releases = append(t.Releases, &Release{Setting: &results.Setting{Series: name},
			Status: results.Holds})
	}
	return t
}

// measured is a task; the first rank is that of A.
func measured(metric, classifier string, original, majority float64, higher bool, best int,
	means [3]float64, ranks [3]Rank) *Task {
	t := &Task{Original: original, Majority: majority, Best: []int{best}}
	t.Metric, t.Classifier, t.HigherIsBetter = metric, classifier, higher
	for i, mean := range means {
		e := Entry{Rank: ranks[i], NoBetter: classifier != "" && mean <= majority}
		e.Mean, e.N = mean, 3
		t.Entries = append(t.Entries, e)
	}
	return t
}

// TestRecommend by hand. True records give an accuracy of .9 where guessing gives .7, and an AUC of
// 1 where it gives .5: A's .8 and .9 are 1/2 and 4/5, .65 on average. B's errors are the smallest
// in pairs, and about A's in amounts.
func TestRecommend(t *testing.T) {
	no := math.NaN()
	table := advised(
		measured("accuracy rows=4000", "c45", .9, .7, true, 0, [3]float64{.8, .75, .6},
			[3]Rank{Best, Worse, Worse}),
		measured("auc rows=4000", "c45", 1, .5, true, 0, [3]float64{.9, .85, .6},
			[3]Rank{Best, Tied, Worse}),
		measured("marginal-distance", "", 0, no, false, 1, [3]float64{.2, .1, .4},
			[3]Rank{Worse, Best, Worse}),
		measured("range-error", "", 0, no, false, 1, [3]float64{.5, .5, 1},
			[3]Rank{Tied, Best, Worse}),
		measured("amounts of=mean", "", 0, no, false, 0,
			[3]float64{.1, .105, .4}, [3]Rank{Best, Tied, Worse}))
	var got []string
	for _, r := range table.Recommend(0) {
		got = append(got, r.Purpose+": "+r.Text())
	}
	const of = " of the best there is in each measurement, on average"
	for i, want := range []string{
		"a classifier: take A, with 65 % of what classifiers gain over guessing from the " +
			"true records; next is B with 48 %, then C with 10 %",
		"counts and tables: take B, with 100 %" + of + "; next is A with 75 %, then C with " +
			"38 %",
		"amounts: take A, with 100 %" + of + "; as good by every test: B 95 %; next is C with 25 %",
		// A: (1 + 3/4 + 1)/3; B: (.475/.65 + 1 + .952)/3; C: (.1/.65 + .375 + .25)/3
		"all of it: take A, with 92 %" + of + "; next is B with 89 %, then C with 26 %"} {
		if i >= len(got) || got[i] != want {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
}

// TestRecommendNone: what does not beat guessing is no classifier, and may be good for counts.
func TestRecommendNone(t *testing.T) {
	guesses := [3]float64{.7, .7, .6}
	all := advised(measured("accuracy", "c45", .9, .7, true, 0, guesses,
		[3]Rank{Best, Tied, Worse})).Recommend(0)
	if len(all) != 1 || !all[0].Useless || all[0].Text() != "none: no release is shown to be "+
		"better than always guessing the majority class" {
		t.Errorf("%+v", all)
	}
	for metric, want := range map[string]string{"amounts": "amounts", "ks": "counts and tables"} {
		all = advised(measured(metric, "", 0, 0, false, 0, [3]float64{0, .1, .2},
			[3]Rank{Best, Worse, Worse})).Recommend(0)
		if len(all) != 1 || all[0].Purpose != want || all[0].Worths[1].Value != 0 {
			t.Errorf("%s: %+v", metric, all)
		}
	}
}

// TestUselessWeighsNothing: a purpose that no release serves has no part in "all of it".
func TestUselessWeighsNothing(t *testing.T) {
	no := math.NaN()
	all := advised(
		measured("accuracy", "c45", .9, .7, true, 0, [3]float64{.7, .65, .6},
			[3]Rank{Best, Tied, Worse}),
		measured("marginal-distance", "", 0, no, false, 1, [3]float64{.2, .1, .4},
			[3]Rank{Worse, Best, Worse}),
		measured("amounts of=mean", "", 0, no, false, 1, [3]float64{.2, .1, .4},
			[3]Rank{Worse, Best, Worse})).Recommend(0)
	whole := all[len(all)-1]
	if len(all) != 4 || whole.Purpose != "all of it" || whole.Worths[0].Value != 1 ||
		whole.Worths[1].Value != 0.5 { // B is the best of both, A half as good in both
		t.Errorf("%+v", whole)
	}
}
