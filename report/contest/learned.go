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

// learn finds the tasks in which the original data are not shown to be better than guessing, where
// who is best and what is as good say nothing. With k folds a one-sided test, Holm-corrected over
// all tasks, must show it too. The n values of folds share records to learn from, so that the
// variance of their mean is s²·(1/n + 1/(k-1)) for theirs of s² (Nadeau and Bengio 2003).
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
		d := results.Paired(guesses, folds)
		if k := run.Manifest.Folds; k > 1 && d.N > 1 && !task.Unlearned {
			wider := math.Sqrt(1 + float64(d.N)/float64(k-1))
			for i := range folds { // s²·(1/n + 1/(k-1)) is this variance over n
				off := folds[i] - guesses[i] - d.Mean
				folds[i] = guesses[i] + d.Mean + float64(wider*off)
			}
			ps = append(ps, results.Paired(guesses, folds).P/2)
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
			// A log loss above that of guessing may come of probabilities that are too sure.
			guesses := task.Unlearned && task.HigherIsBetter
			if guesses && (e.Rank == Best || e.Rank == Tied) {
				e.Rank = Guesses
			}
		}
	}
}
