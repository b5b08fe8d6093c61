package contest

import (
	"math"
	"slices"
	"strings"

	"ppdp/internal/results"
)

// guess is what guessing reaches, NaN where that is unknown.
func (t *Task) guess() float64 {
	if name, _, _ := strings.Cut(t.Metric, " "); name == aucMetric {
		return 0.5
	}
	return t.Majority
}

// Learned reports whether a classifier's score is better than guessing by at least a fiftieth of
// what a perfect one is: less shows nothing in the number of records that tables have.
func Learned(score, guess float64, higherIsBetter bool) bool {
	room := math.Abs(guess)
	if higherIsBetter {
		room = math.Abs(1 - guess)
	}
	const least = 0.02
	return score != guess && score > guess == higherIsBetter &&
		math.Abs(score-guess) >= float64(least*room)
}

// learn finds the tasks in which the original data are not shown to be better than guessing. Ranks
// and equivalent samples mean nothing there. With folds a one-sided test, Holm-corrected over all
// tasks, must show it too.
func (t *Table) learn(run *results.Summary) {
	truth := t.Original()
	var ps []float64
	var tested []*Task
	for _, task := range t.Tasks {
		guess := task.guess()
		if task.Classifier == "" || math.IsNaN(task.Original) || math.IsNaN(guess) {
			continue
		}
		task.Unlearned = !Learned(task.Original, guess, task.HigherIsBetter)
		folds := run.Folds(truth.Setting, task.Measurement)
		guesses := run.Folds(truth.Setting,
			results.Measurement{Metric: task.Metric, Classifier: majorityClassifier})
		if len(guesses) != len(folds) {
			guesses = slices.Repeat([]float64{guess}, len(folds))
		}
		if k := run.Manifest.Folds; k > 1 && len(folds) > 1 && !task.Unlearned {
			ps = append(ps, results.PairedFolds(guesses, folds, k).P/2)
			tested = append(tested, task)
		}
	}
	for i, p := range results.Holm(ps) {
		tested[i].Unlearned = p > Alpha
	}
	for _, task := range t.Tasks {
		for e := range results.Each(task.Entries) {
			if task.Unlearned {
				e.Equal = nil
			}
			// Probabilities that are too sure may give a log loss above guessing's.
			guesses := task.Unlearned && task.HigherIsBetter
			if guesses && (e.Rank == Best || e.Rank == Tied) {
				e.Rank = Guesses
			}
		}
	}
}
