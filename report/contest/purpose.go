package contest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ppdp/internal/results"
)

// Recommendation says which release to take for a purpose under a budget.
type Recommendation struct {
	Purpose string
	unit    string // what a worth of 1 is
	// Worths are of the releases that compete, the best first; there is one at least.
	Worths []Worth
	// Useless says that none is shown to be better than always guessing the majority class, and
	// Unlearned that not even the original data are.
	Useless, Unlearned bool
}

// Worth is what a release is worth for a purpose.
type Worth struct {
	*Release
	Value float64 // 1 is the most that can be expected, or the best of all
	// Alike says that it is as good as the best: no test tells it from the best in any measurement
	// of the purpose, and it is worth about as much.
	Alike bool

	index int
}

// purposes are what a holder may want a release for, with the measurements that speak for each.
var purposes = []struct {
	name, unit string
	has        func(*Task) bool
}{
	{"a classifier", "of what classifiers gain over guessing from the true records",
		func(t *Task) bool { return t.Classifier != "" && !probabilities[t.Metric] }},
	{"counts and tables", bestUnit, func(t *Task) bool {
		return t.Classifier == "" && !amounts(t)
	}},
	{"amounts", bestUnit, amounts},
}

// probabilities are metrics of a classifier's probabilities, which have no value from guessing that
// gains could be parts of.
var probabilities = map[string]bool{"log-loss": true, "calibration": true}

const bestUnit = "of the best there is in each measurement, on average"

// amounts reports whether a measurement is about sizes of numbers: their relative errors.
func amounts(t *Task) bool { return strings.Fields(t.Metric)[0] == "amounts" }

// Recommend says for each purpose that was measured which release to take under a budget, and at
// the end which one for all of them that some release serves.
func (t *Table) Recommend(column int) (all []*Recommendation) {
	for _, p := range purposes {
		tasks := slices.DeleteFunc(slices.Clone(t.Tasks), func(t *Task) bool { return !p.has(t) })
		learned := slices.DeleteFunc(slices.Clone(tasks), func(t *Task) bool { return t.Unlearned })
		unlearned := len(learned) == 0
		if !unlearned {
			tasks = learned
		}
		if r := t.recommend(tasks, column); len(r.Worths) > 0 {
			r.Purpose, r.unit, r.Unlearned = p.name, p.unit, unlearned
			r.Useless = r.Useless || unlearned
			all = append(all, r)
		}
	}
	served := slices.DeleteFunc(slices.Clone(all),
		func(r *Recommendation) bool { return r.Useless })
	if len(served) < 2 {
		return all
	}
	whole := &Recommendation{Purpose: "all of it", unit: bestUnit}
	for _, w := range served[0].Worths {
		sum, alike := 0.0, true
		for _, r := range served {
			at := slices.IndexFunc(r.Worths, func(o Worth) bool { return o.index == w.index })
			if at < 0 {
				sum = math.NaN()
				break
			}
			if best := r.Worths[0].Value; best > 0 {
				sum += r.Worths[at].Value / best / float64(len(served))
			}
			alike = alike && r.Worths[at].Alike
		}
		if !math.IsNaN(sum) {
			whole.Worths = append(whole.Worths, Worth{w.Release, sum, alike, w.index})
		}
	}
	if whole.sort(); len(whole.Worths) > 0 {
		all = append(all, whole)
	}
	return all
}

// near is which part of the best's worth a release has that counts as good as it where no test
// says otherwise: few trials tell little apart.
const near = 0.9

// sort puts the best first, and sees which are as good as it.
func (r *Recommendation) sort() {
	slices.SortStableFunc(r.Worths, func(a, b Worth) int { return cmp.Compare(b.Value, a.Value) })
	for i := range r.Worths {
		best, w := &r.Worths[0], &r.Worths[i]
		w.Alike = w.Alike && best.Alike && w.Value >= near*best.Value
	}
}

// recommend averages over tasks what each release is worth in them. Those without a value in one of
// them are left out.
func (t *Table) recommend(tasks []*Task, column int) *Recommendation {
	r := &Recommendation{Useless: true}
	for i, release := range t.Releases {
		if release.Column != column {
			continue
		}
		w, n := Worth{Release: release, Alike: true, index: i}, 0
		for _, task := range tasks {
			value := t.worth(task, i, column)
			if math.IsNaN(value) {
				n = 0
				break
			}
			n++
			w.Value += (value - w.Value) / float64(n)
			w.Alike = w.Alike && task.Entries[i].Rank != Worse
			r.Useless = r.Useless && task.Classifier != "" && task.Entries[i].NoBetter
		}
		if n > 0 {
			r.Worths = append(r.Worths, w)
		}
	}
	r.sort()
	return r
}

// worth is, of a classifier, its gain over guessing as a part of that from the original data, and
// else how good a value is beside the best under the budget: 1 for the best, 1/2 for an error twice
// as large. It is NaN without a value.
func (t *Table) worth(task *Task, i, column int) float64 {
	e, best := &task.Entries[i], task.Best[column]
	if e.N == 0 || best < 0 {
		return math.NaN()
	}
	floor, top := task.guess(), task.Entries[best].Mean
	switch {
	case task.Classifier != "" && task.HigherIsBetter && task.Original > floor:
		return max(0, (e.Mean-floor)/(task.Original-floor))
	case e.Mean == top:
		return 1
	case task.HigherIsBetter:
		return max(0, e.Mean/top)
	}
	return max(0, top/e.Mean)
}

// Text says what to take, how good it is, and how far behind the others are.
func (r *Recommendation) Text() string {
	if r.Unlearned {
		return "none: nothing is shown to be learned from the true records themselves"
	}
	if r.Useless {
		return "none: no release is shown to be better than always guessing the majority class"
	}
	percent := func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }
	best := &r.Worths[0]
	text := fmt.Sprintf("take %s, with %s %s", best.Name(), percent(best.Value), r.unit)
	var alike []string
	var behind []Worth
	for _, w := range r.Worths[1:] {
		if w.Alike {
			alike = append(alike, w.Name()+" "+percent(w.Value))
		} else {
			behind = append(behind, w)
		}
	}
	const named = 3
	if n := len(alike); n > 0 {
		text += "; as good by every test: " + strings.Join(alike[:min(n, named)], ", ") +
			more(" and %d more", max(0, n-named))
	}
	for i, w := range behind {
		switch {
		case i == 0:
			text += "; next is " + w.Name() + " with " + percent(w.Value)
		case i == 1 && len(behind) == 2:
			text += ", then " + w.Name() + " with " + percent(w.Value)
		case i == len(behind)-1:
			text += fmt.Sprintf(", and the last of %d more has %s", i, percent(w.Value))
		}
	}
	return text
}

// PurposeLegend explains Brief.
const PurposeLegend = "For each purpose the release to take, its utility for it, and how many " +
	"others no test tells from it, with nearly the same utility. For a classifier 100 % is what " +
	"classifiers gain over guessing from the true records, in measurements that show a gain, for " +
	"the rest the best release of each measurement."

// Brief is the release to take, its utility, and how many others are as good.
func (r *Recommendation) Brief() string {
	if r.Unlearned {
		return "nothing to learn"
	}
	if r.Useless {
		return "none beats guessing"
	}
	text := fmt.Sprintf("%s: %.0f %%", r.Worths[0].Name(), 100*r.Worths[0].Value)
	alike := results.Count(r.Worths[1:], func(w Worth) bool { return w.Alike })
	return text + more(" (+%d)", alike)
}

// Cost says what a release under the budget costs.
func (b Budget) Cost() string {
	if b.Epsilon > 0 {
		return b.text(false) + " of the table's budget"
	}
	return "no budget, and bounds nobody's risk whatever others know"
}
