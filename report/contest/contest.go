// Package contest says who is best among the releases of a run, by how much, and how sure that is.
// It is the one definition of best: the leaderboard, the report of a user's runs and the terminal
// all show what it finds.
//
// Releases of one dataset compete under one budget. For each measurement, a task, the release with
// the best mean is tested against every other one, paired by trial: the trials of a run share their
// random split of the data, and a difference within a trial does not depend on how hard the split
// was. The p-values are Student's, with Holm's correction over all budgets of the discipline. A
// release is worse than the best if its p-value is at most Alpha, and otherwise not distinguishable
// from it.
//
// A discipline is a task or, of a learner whose accuracy and AUC were both measured, these two. A
// release leads it if it is best or not distinguishable from the best in each of its tasks, and no
// other that does not lead has better means in all of them; it is best of it if no other leads.
// Where the tasks of a learner have different leaders nobody is best: hard labels may win the one
// and lose the other.
//
// It leaves out running, measuring and pages.
package contest

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppdp/internal/results"
)

// Alpha is the chance that any statement of a family, all comparisons of one discipline on one
// table, is wrong.
const Alpha = 0.05

// Budget is what releases must have in common to compete.
type Budget struct {
	Epsilon, Delta float64 // 0 without differential privacy
	Relation       string  // which data sets are neighbours
	K              int     // of k-anonymity, 0 without it
}

// Table is the utility of the releases of one dataset.
type Table struct {
	Dataset  string     // its label
	Trials   int        // of a competitor, at most
	Budgets  []Budget   // ascending; tables of results have a column for each
	Columns  []string   // the budgets in words: "ε = 1, δ = 1e-09"
	Releases []*Release // in the order of the plan, without samples of the true records
	// Disciplines are what releases may be best of; Tasks are those of the one after the other.
	Disciplines []*Discipline
	Tasks       []*Task
	// Within is the measurement that Release.Labels are of.
	Within results.Measurement
}

// Release is a setting of the run.
type Release struct {
	*results.Setting
	Use    results.AlgorithmUse // what the manifest says of it, empty where it says nothing
	Status results.Status
	// Column is the budget it competes under, -1 where it is here for reference only: because it is
	// not private, or because its guarantee is known not to hold.
	Column int
	// Records and Seconds are of a release, Weight is the mean of its records', and Labels is how
	// far these follow from the rest of the records; nil where they were not measured.
	Records, Seconds, Weight, Labels *results.Row
	// Scale is how many times as many records it counts, by their weights, as the original; NaN
	// where that is unknown.
	Scale float64
	// Hard says that its labels follow from the rest of its records, as the original's do not.
	Hard bool
}

// hardness is up to which part of the original's errors a learner may make within a release for its
// labels to count as hard. Published labels that are drawn leave a learner about the original's
// errors, those that are chosen, as the likeliest, almost none.
const hardness = 1.0 / 3

// Remarks say of what a release has more or less than the original, which may flatter it in one
// measurement and harm it in another.
func (r *Release) Remarks() (all []string) {
	weight := 1.0
	if r.Weight != nil && r.Weight.N > 0 {
		weight = r.Weight.Mean
	}
	far := func(times float64) bool {
		return times >= results.Swamped || times <= 1/results.Swamped
	}
	if times := r.Scale / weight; far(times) {
		all = append(all, Number(times, 2)+" times as many records")
	}
	if weight != 1 {
		all = append(all, "weights of "+Number(weight, 2))
		if far(r.Scale) {
			all = append(all, "counts "+Number(r.Scale, 2)+" times as large")
		}
	}
	if r.Hard {
		all = append(all, "hard labels")
	}
	return all
}

// Name is the curve's name, with the doubt in its guarantee.
func (r *Release) Name() string {
	if doubt := r.Status.Doubt(); doubt != "" {
		return r.Label() + " (" + doubt + ")"
	}
	return r.Label()
}

// Task is one measurement.
type Task struct {
	results.MeasureUse
	Name string // the classifier, the metric, and what differs from its defaults
	// Original and Majority are what the original data and, in classification, the majority class
	// give; NaN where the run has not measured them.
	Original, Majority float64
	// Unlearned says that nothing shows the original data to be better than guessing.
	Unlearned bool
	Entries   []Entry // of each release
	Best      []int   // the release with the best mean under each budget, -1 for none
}

// Discipline is what a release may be best of: a task, or accuracy and AUC of one learner.
type Discipline struct {
	Name  string
	Tasks []*Task
}

// Rank is what the tests say of an entry.
type Rank string

// Ranks.
const (
	Absent Rank = ""      // has no value, or does not compete
	Worse  Rank = "worse" // than the best
	Tied   Rank = "tied"  // not distinguishable from the best
	Best   Rank = "best"  // has the best mean
	// Guesses is tied or best where the original data are not shown to be better than guessing.
	Guesses Rank = "guesses"
)

// Entry is what a release reaches in a task.
type Entry struct {
	results.Row
	Rank  Rank
	Place int // how many competitors under its budget have a better mean
	// Behind is how much better the best is, above 0 in either direction of the measurement. P is
	// Holm's.
	Behind results.Difference
	// NoBetter says that nothing shows it to be better than the majority class.
	NoBetter bool
	// Equal is the sample of true records that is as good; nil where the run has no learning curve
	// or nothing is learned.
	Equal *results.Equivalent
}

// Reference is the control that publishes the data as they are.
const Reference = "identity"

// sizes are metrics of how much was published, not of its utility.
var sizes = []string{recordsMetric, weightMetric, withinMetric, "regions", "nodes", "edges",
	"max-degree", "anonymity"}

const (
	recordsMetric      = "records"
	weightMetric       = "record-weight"
	withinMetric       = "accuracy-within"
	accuracyMetric     = "accuracy"
	aucMetric          = "auc"
	majorityClassifier = "majority"
)

// numbers are what a run measured.
type numbers map[place]*results.Row

type place struct {
	*results.Setting
	results.Measurement
}

// row is what was measured of a setting by a metric without a classifier, nil for nothing.
func (all numbers) row(of *results.Setting, metric string) *results.Row {
	return all[place{of, results.Measurement{Metric: metric}}]
}

// Of returns the contests of a run, a table for each dataset in the order of the plan.
func Of(run *results.Summary) []*Table {
	m, rows := &run.Manifest, run.Rows()
	all := make(numbers)
	releases := make(map[*results.Setting]*Release)
	var tables []*Table
	for row := range results.Each(rows) {
		all[place{row.Setting, row.Measurement}] = row
		if row.Algorithm == results.SampleAlgorithm || releases[row.Setting] != nil {
			continue
		}
		label := row.Dataset.Label()
		t := *results.Entry(&tables, &Table{Dataset: label},
			func(t *Table) bool { return t.Dataset == label })
		releases[row.Setting] = newRelease(m, row)
		t.Releases = append(t.Releases, releases[row.Setting])
	}
	sticks := m.Yardsticks(rows)
	for _, t := range tables {
		for i := range m.Measures {
			if m.Measures[i].Metric == withinMetric && t.Within.Metric == "" {
				t.Within = m.Measures[i].Measurement
			}
		}
		t.arrange(all)
		for use := range results.Each(m.Measures) {
			if slices.Contains(sizes, use.Metric) || use.Classifier == majorityClassifier {
				continue
			}
			task := t.task(use, all, sticks)
			if slices.ContainsFunc(task.Entries, func(e Entry) bool { return e.N > 0 }) {
				t.enter(task)
			}
		}
		for _, d := range t.Disciplines {
			t.rank(d)
			t.compare(d, all)
			t.Tasks = append(t.Tasks, d.Tasks...)
		}
		t.learn(run)
		t.nameApart()
	}
	return tables
}

// enter adds a task to its learner's discipline, or makes it one of its own.
func (t *Table) enter(task *Task) {
	twin := map[string]string{accuracyMetric: aucMetric, aucMetric: accuracyMetric}[task.Metric]
	for _, d := range t.Disciplines {
		other := d.Tasks[0]
		if task.Classifier == "" || other.Classifier != task.Classifier || other.Metric != twin {
			continue
		}
		d.Name = Learner(task.Classifier) + ": accuracy and AUC"
		d.Tasks = append(d.Tasks, task)
		if task.Metric == accuracyMetric {
			slices.Reverse(d.Tasks)
		}
		return
	}
	t.Disciplines = append(t.Disciplines, &Discipline{task.Name, []*Task{task}})
}

// newRelease finds out whether a release competes. A guarantee that depends on parameters is listed
// with several statuses: it counts as holding where one of them says so and no ledger shows a
// broken release.
func newRelease(m *results.Manifest, row *results.Row) *Release {
	r := &Release{Setting: row.Setting}
	for _, use := range m.Algorithms {
		if use.Name == row.Algorithm && use.Variant == row.Variant &&
			(r.Use.Name == "" || use.Status == "holds") {
			r.Use = use
		}
	}
	switch {
	case r.Use.Guarantee == "" || r.Use.Guarantee == "none":
		r.Status = results.Unprotected
	case row.Broken:
		r.Status = results.Broken
	default:
		r.Status = results.Status(cmp.Or(r.Use.Status, "unknown"))
	}
	if !r.Status.Stands() {
		r.Column = -1
	}
	return r
}

// budget is what a competitor shares with those it competes with.
func (r *Release) budget() Budget {
	if r.Epsilon != nil {
		return Budget{Epsilon: *r.Epsilon, Delta: r.Delta, Relation: r.Use.Relation}
	}
	k, _ := strconv.Atoi(r.Params["k"])
	return Budget{Relation: r.Use.Relation, K: k}
}

// arrange finds the budgets, puts them in order, and gives each competitor its column.
func (t *Table) arrange(all numbers) {
	var relations []string // of differential privacy
	for _, r := range t.Releases {
		r.Records = all.row(r.Setting, recordsMetric)
		r.Seconds = all.row(r.Setting, results.RuntimeMetric)
		r.Weight = all.row(r.Setting, weightMetric)
		r.Labels = all[place{r.Setting, t.Within}]
		if b := r.budget(); r.Column >= 0 {
			t.Budgets = results.Union(t.Budgets, b)
			if b.Epsilon > 0 {
				relations = results.Union(relations, b.Relation)
			}
		}
	}
	slices.SortStableFunc(t.Budgets, func(a, b Budget) int {
		return cmp.Or(cmp.Compare(a.K, b.K), cmp.Compare(a.Relation, b.Relation),
			cmp.Compare(a.Delta, b.Delta), cmp.Compare(a.Epsilon, b.Epsilon))
	})
	truth := t.Original()
	for _, r := range t.Releases {
		if r.Column >= 0 {
			r.Column = slices.Index(t.Budgets, r.budget())
		}
		r.Scale = math.NaN()
		if truth == nil {
			continue
		}
		if r.Records != nil && truth.Records != nil {
			r.Scale = r.Records.Mean / truth.Records.Mean
		}
		r.Hard = r.Labels != nil && truth.Labels != nil &&
			1-r.Labels.Mean < float64(hardness*(1-truth.Labels.Mean))
	}
	t.Columns = results.Mapped(t.Budgets,
		func(b Budget) string { return b.text(len(relations) > 1) })
}

// Original is the original data, nil where the run has not released them.
func (t *Table) Original() *Release {
	for _, r := range t.Releases {
		if r.Algorithm == Reference {
			return r
		}
	}
	return nil
}

// task collects the numbers of a measurement.
func (t *Table) task(use *results.MeasureUse, all numbers, sticks results.Yardsticks) *Task {
	task := &Task{MeasureUse: *use, Name: NameOf(use), Original: math.NaN(), Majority: math.NaN(),
		Entries: make([]Entry, len(t.Releases))}
	for i, r := range t.Releases {
		row, e := all[place{r.Setting, use.Measurement}], &task.Entries[i]
		if row == nil {
			continue
		}
		e.Row = *row
		if r.Algorithm == Reference {
			task.Original = e.Mean
		}
		if r.Column < 0 {
			continue
		}
		t.Trials = max(t.Trials, len(e.Trials))
		if equal, ok := sticks.Of(row); ok && e.N > 0 {
			e.Equal = &equal
		}
	}
	return task
}

// Better reports whether a is a better value than b.
func (t *Task) Better(a, b float64) bool {
	return a != b && a > b == t.HigherIsBetter
}

// rank finds the best of each task under each budget, and those that are not distinguishable from
// it. All tests of a discipline are one family.
func (t *Table) rank(d *Discipline) {
	var ps []float64
	var tested []*Entry
	for _, task := range d.Tasks {
		for column := range t.Budgets {
			for _, e := range t.rankUnder(task, column) {
				ps, tested = append(ps, e.Behind.P), append(tested, e)
			}
		}
	}
	for i, p := range results.Holm(ps) {
		e := tested[i]
		e.Behind.P = p
		// The best of all trials may be behind in those that both have, where some failed.
		if p <= Alpha && e.Behind.Mean > 0 {
			e.Rank = Worse
		}
	}
}

// rankUnder finds the best of a task under a budget, and tests it against the others, which count
// as not distinguishable from it for now. It returns those that have a p-value.
func (t *Table) rankUnder(task *Task, column int) (tested []*Entry) {
	var field []int // the competitors
	best := -1
	for i := range t.Releases {
		if t.Releases[i].Column != column || task.Entries[i].N == 0 {
			continue
		}
		field = append(field, i)
		if best < 0 || task.Better(task.Entries[i].Mean, task.Entries[best].Mean) {
			best = i
		}
	}
	task.Best = append(task.Best, best)
	for _, i := range field {
		e := &task.Entries[i]
		for _, other := range field {
			if task.Better(task.Entries[other].Mean, e.Mean) {
				e.Place++
			}
		}
		if i == best {
			e.Rank = Best
			continue
		}
		lower, higher := e.Trials, task.Entries[best].Trials
		if !task.HigherIsBetter {
			lower, higher = higher, lower
		}
		e.Rank, e.Behind = Tied, results.Paired(lower, higher)
		if !math.IsNaN(e.Behind.P) { // a single trial shows nothing
			tested = append(tested, e)
		}
	}
	return tested
}

// Leaders are the releases that are best or not distinguishable from the best in each task of a
// discipline under a budget, by the sum of their places. Where there are several tasks, a release
// does not lead whose means are all lower than those of one that does not: it may be the only one
// that no test tells from the best of either task, because its own results vary so much.
func (t *Table) Leaders(d *Discipline, column int) (leaders []int) {
	var others []int
	for i, r := range t.Releases {
		behind := func(task *Task) bool { return task.Entries[i].Rank == Worse }
		absent := func(task *Task) bool { return task.Entries[i].Rank == Absent }
		switch {
		case r.Column != column || slices.ContainsFunc(d.Tasks, absent):
		case slices.ContainsFunc(d.Tasks, behind):
			others = append(others, i)
		default:
			leaders = append(leaders, i)
		}
	}
	if len(d.Tasks) > 1 {
		leaders = slices.DeleteFunc(leaders, func(i int) bool {
			return slices.ContainsFunc(others, func(other int) bool { return d.beats(other, i) })
		})
	}
	slices.SortStableFunc(leaders, func(a, b int) int { return d.Places(a) - d.Places(b) })
	return leaders
}

// beats reports whether a release has a better mean than another in every task.
func (d *Discipline) beats(a, b int) bool {
	return !slices.ContainsFunc(d.Tasks, func(t *Task) bool {
		return !t.Better(t.Entries[a].Mean, t.Entries[b].Mean)
	})
}

// Places is the sum of a release's places.
func (d *Discipline) Places(release int) (sum int) {
	for _, task := range d.Tasks {
		sum += task.Entries[release].Place
	}
	return sum
}

// compare marks the entries that are not shown to be better than the majority class: one-sided
// tests, with Holm's correction over all budgets of the discipline. None is marked in a task that
// was not measured of the majority class.
func (t *Table) compare(d *Discipline, all numbers) {
	var ps []float64
	var tested []*Entry
	for _, task := range d.Tasks {
		majority := t.majority(task, all)
		if task.Classifier == "" || majority == nil {
			continue
		}
		task.Majority = majority.Mean
		for i := range task.Entries {
			e, against := &task.Entries[i], majority.Trials
			if e.Rank == Absent {
				continue
			}
			if len(against) < len(e.Trials) { // measured once: all trials test the same rows
				against = slices.Repeat([]float64{majority.Mean}, len(e.Trials))
			}
			lead := results.Paired(against, e.Trials)
			above := task.Better(lead.Mean, 0)
			switch {
			case math.IsNaN(lead.P): // a single trial: by its value alone
				e.NoBetter = !above
				continue
			case above:
				lead.P /= 2
			default:
				lead.P = 1 - float64(lead.P/2)
			}
			ps, tested = append(ps, lead.P), append(tested, e)
		}
	}
	for i, p := range results.Holm(ps) {
		tested[i].NoBetter = p > Alpha
	}
}

// majority is what always guessing the majority class reaches: on the original data or, where that
// was not measured, the best of any release. It is nil where nothing was measured.
func (t *Table) majority(task *Task, all numbers) (best *results.Row) {
	guess := results.Measurement{Metric: task.Metric, Classifier: majorityClassifier}
	for _, r := range t.Releases {
		n := all[place{r.Setting, guess}]
		switch {
		case n == nil || n.N == 0:
		case r.Algorithm == Reference:
			return n
		case best == nil || task.Better(n.Mean, best.Mean):
			best = n
		}
	}
	return best
}

// classifiers are the titles of those that are called by a short name.
var classifiers = map[string]string{"c45": "C4.5", "naive-bayes": "Naive Bayes",
	"svm": "Linear SVM", "id3": "ID3", "boosting": "Boosting", "forest": "Random forest",
	"logistic": "Logistic regression"}

// Learner is what a classifier is called.
func Learner(classifier string) string { return cmp.Or(classifiers[classifier], classifier) }

// NameOf is the name of a measurement for people: the classifier, the metric, and what differs from
// its defaults.
func NameOf(use *results.MeasureUse) string {
	name := cmp.Or(use.Title, use.Metric)
	if settings := use.Settings(); settings != "" {
		// A switch that is on is called by its name alone.
		name += ", " + strings.NewReplacer("=true", "", "=", " ").Replace(settings)
	}
	if use.Classifier != "" {
		name = Learner(use.Classifier) + ": " + name
	}
	return name
}

// nameApart adds the metric to the names of tasks that would share one: metrics may have one title.
func (t *Table) nameApart() {
	tasks := make(map[string]int)
	for _, task := range t.Tasks {
		tasks[task.Name]++
	}
	for _, d := range t.Disciplines {
		for _, task := range d.Tasks {
			if tasks[task.Name] > 1 {
				task.Name += " (" + task.Metric + ")"
			}
			if len(d.Tasks) == 1 {
				d.Name = task.Name
			}
		}
	}
}
