// Package leaderboard ranks what private releases of a table are worth: for each task and budget
// who is best, who cannot be told from the best, who is no better than the majority class, how
// large a sample of the true records is as good, and how long a release takes. Only guarantees that
// hold compete, and only with those of the same budget and neighbours.
//
// It reads finished runs and leaves out running and measuring.
package leaderboard

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"ppdp/internal/results"
)

// Prefix begins the names of the experiments that are on the board.
const Prefix = "leaderboard/"

// Alpha is the chance that any statement of a family, all comparisons of one task on one table, is
// wrong.
const Alpha = 0.05

// Table is the part of the board about one dataset.
type Table struct {
	Experiment, Title string
	StandIns          []string // of the datasets; what is said is then of those
	Reduced           bool     // the run had fewer trials or settings than its spec
	Trials            int      // of a competitor, at most
	CPU               string   // that took the times
	Budgets           []string // "ε = 1", ascending: the columns
	Tasks             []Task
	Times             []Line   // seconds of a release; nil where the run has none
	LeftOut           []string // curves without a guarantee that holds
}

// Task is one measurement.
type Task struct {
	Title          string // "C4.5: classification accuracy"
	HigherIsBetter bool
	// Original and Majority are what the original data and, in classification, the majority class
	// give; NaN where the run has not measured them.
	Original, Majority float64
	Lines              []Line // the best over all budgets first
}

// Line is a competitor.
type Line struct {
	Series  string
	Entries []Entry // by budget
}

// Rank is what the tests say of an entry. The zero value is for one that competes at no such
// budget.
type Rank int

// Ranks.
const (
	Absent Rank = iota
	Worse
	Tied // cannot be told from the best
	Best
)

// Entry is what a competitor reaches at a budget.
type Entry struct {
	Rank      Rank
	Mean, SE  float64
	N, Failed int // trials with a value and without
	// NoBetter says that nothing shows it to be better than the majority class.
	NoBetter bool
	// Equal is the sample that is as good; nil where the run has no learning curve.
	Equal *results.Equivalent
}

// place is a sample on the board.
type place struct {
	sample *results.Sample
	row    *results.Row
	column int
	line   int
}

// Of makes the board of the runs that belong to it, in the order of their names.
func Of(runs []*results.Summary) []Table {
	var tables []Table
	for _, run := range runs {
		if strings.HasPrefix(run.Manifest.Experiment, Prefix) {
			tables = append(tables, tableOf(run))
		}
	}
	slices.SortStableFunc(tables, func(a, b Table) int {
		return cmp.Compare(a.Experiment, b.Experiment)
	})
	return tables
}

// columns are the budgets and neighbours under which releases compete.
type columns struct {
	labels []string
	of     map[*results.Setting]int
}

func tableOf(run *results.Summary) Table {
	m := &run.Manifest
	t := Table{Experiment: m.Experiment, Title: cmp.Or(m.Title, m.Experiment), CPU: m.CPU,
		StandIns: m.StandIns(), Reduced: m.Overrides.Reduced()}
	samples := append(run.Samples(), run.Derived()...)
	rows := results.Rows(samples)
	sticks := m.Yardsticks(rows)
	columns := t.columns(run, samples)
	t.Budgets = columns.labels
	var series []string
	byMeasure := make(map[results.Measurement][]place)
	original := make(map[results.Measurement]*results.Sample)
	var measures []results.Measurement
	for i := range samples {
		s := &samples[i]
		if s.Algorithm == "identity" {
			original[s.Measurement] = s
		}
		column, competes := columns.of[s.Setting]
		if !competes {
			continue
		}
		line := slices.Index(series, s.Label())
		if line < 0 {
			line = len(series)
			series = append(series, s.Label())
		}
		if !slices.Contains(measures, s.Measurement) {
			measures = append(measures, s.Measurement)
		}
		byMeasure[s.Measurement] = append(byMeasure[s.Measurement],
			place{s, &rows[i], column, line})
		t.Trials = max(t.Trials, len(s.Trials))
	}
	for _, measure := range measures {
		use := m.Measure(measure.Metric)
		derived := slices.ContainsFunc(results.DerivedMeasures,
			func(u results.MeasureUse) bool { return u.Metric == measure.Metric })
		lines := make([]Line, len(series))
		for i := range lines {
			lines[i] = Line{series[i], make([]Entry, len(t.Budgets))}
		}
		for _, p := range byMeasure[measure] {
			lines[p.line].Entries[p.column] = entryOf(p.row, sticks)
		}
		switch {
		case measure.Metric == results.RuntimeMetric:
			t.Times = lines
		case derived || measure.Classifier == "majority":
		default:
			task := Task{Title: titleOf(use, measure), HigherIsBetter: use.HigherIsBetter,
				Original: meanOf(original[measure]), Majority: math.NaN(), Lines: lines}
			task.rank(byMeasure[measure])
			if majority := original[majorityOf(measure)]; measure.Classifier != "" {
				task.Majority = meanOf(majority)
				task.compare(byMeasure[measure], majority)
			}
			task.sort()
			t.Tasks = append(t.Tasks, task)
		}
	}
	return t
}

// columns finds the budgets at which releases with a guarantee that holds compete.
func (t *Table) columns(run *results.Summary, samples []results.Sample) columns {
	use := make(map[[2]string]*results.AlgorithmUse)
	for i := range run.Manifest.Algorithms {
		a := &run.Manifest.Algorithms[i]
		use[[2]string{a.Name, a.Variant}] = a
	}
	type budget struct {
		epsilon, delta float64
		relation       string
	}
	var budgets []budget
	var relations []string
	of := make(map[*results.Setting]budget)
	for i := range samples {
		s := samples[i].Setting
		if _, known := of[s]; known || s.Epsilon == nil {
			continue
		}
		a := use[[2]string{s.Algorithm, s.Variant}]
		if a == nil || a.Status != "holds" {
			if !slices.Contains(t.LeftOut, s.Label()) {
				t.LeftOut = append(t.LeftOut, s.Label())
			}
			continue
		}
		of[s] = budget{*s.Epsilon, s.Delta, a.Relation}
		if !slices.Contains(budgets, of[s]) {
			budgets = append(budgets, of[s])
		}
		if !slices.Contains(relations, a.Relation) {
			relations = append(relations, a.Relation)
		}
	}
	slices.SortStableFunc(budgets, func(a, b budget) int {
		return cmp.Or(cmp.Compare(a.relation, b.relation), cmp.Compare(a.delta, b.delta),
			cmp.Compare(a.epsilon, b.epsilon))
	})
	c := columns{of: make(map[*results.Setting]int)}
	for _, b := range budgets {
		label := "ε = " + results.FormatNumber(b.epsilon)
		if b.delta > 0 {
			label += ", δ = " + results.FormatNumber(b.delta)
		}
		if len(relations) > 1 {
			label += ", " + b.relation
		}
		c.labels = append(c.labels, label)
	}
	for s, b := range of { // order-free: fills a map
		c.of[s] = slices.Index(budgets, b)
	}
	return c
}

func entryOf(r *results.Row, sticks results.Yardsticks) Entry {
	e := Entry{Rank: Worse, Mean: r.Mean, SE: r.SE, N: r.N, Failed: r.Failed}
	if equal, ok := sticks.Of(r); ok && r.N > 0 {
		e.Equal = &equal
	}
	return e
}

func meanOf(s *results.Sample) float64 {
	if s == nil {
		return math.NaN()
	}
	return results.Mean(s.Finite())
}

// majorityOf is the measurement of the classifier that answers like the majority.
func majorityOf(m results.Measurement) results.Measurement {
	m.Classifier = "majority"
	return m
}

// classifiers are the titles of those that are called by a short name.
var classifiers = map[string]string{"c45": "C4.5", "naive-bayes": "Naive Bayes",
	"svm": "Linear SVM", "id3": "ID3"}

// titleOf names a task: the metric with what differs from its defaults, and the classifier.
func titleOf(use results.MeasureUse, m results.Measurement) string {
	title := use.Title
	if _, changed, found := strings.Cut(m.Metric, " "); found {
		title += ", " + strings.ReplaceAll(changed, "=", " ")
	}
	if m.Classifier != "" {
		title = cmp.Or(classifiers[m.Classifier], m.Classifier) + ": " + title
	}
	return title
}

// rank finds the best of each column, and those that cannot be told from it: Holm's correction over
// all columns of the task, of tests of the best against each other one.
func (t *Task) rank(places []place) {
	var ps []float64
	var tested []*Entry
	for column := range t.Lines[0].Entries {
		var best *place
		for i, p := range places {
			if p.column == column && p.row.N > 0 && (best == nil || t.better(p.row, best.row)) {
				best = &places[i]
			}
		}
		for _, p := range places {
			e := &t.Lines[p.line].Entries[column]
			switch {
			case p.column != column || p.row.N == 0:
			case p.row == best.row:
				e.Rank = Best
			default:
				_, value := results.Paired(best.sample.Trials, p.sample.Trials)
				if math.IsNaN(value) { // nothing can be told from a single trial
					e.Rank = Tied
					continue
				}
				ps, tested = append(ps, value), append(tested, e)
			}
		}
	}
	for i, p := range results.Holm(ps) {
		if p > Alpha {
			tested[i].Rank = Tied
		}
	}
}

func (t *Task) better(a, b *results.Row) bool {
	return a.Mean != b.Mean && a.Mean > b.Mean == t.HigherIsBetter
}

// compare marks the entries that are not shown to be better than the majority class: one-sided
// tests, with Holm's correction over all columns of the task.
func (t *Task) compare(places []place, majority *results.Sample) {
	if majority == nil || math.IsNaN(t.Majority) {
		return
	}
	var ps []float64
	var tested []*Entry
	for _, p := range places {
		if p.row.N == 0 {
			continue
		}
		against := majority.Trials
		if len(against) < len(p.sample.Trials) { // measured once: all trials test the same rows
			against = slices.Repeat([]float64{t.Majority}, len(p.sample.Trials))
		}
		e := &t.Lines[p.line].Entries[p.column]
		difference, value := results.Paired(against, p.sample.Trials)
		above := difference != 0 && difference > 0 == t.HigherIsBetter
		switch {
		case math.IsNaN(value): // a single trial: by its value alone
			e.NoBetter = !above
			continue
		case above:
			value /= 2
		default:
			value = 1 - float64(value/2)
		}
		ps, tested = append(ps, value), append(tested, e)
	}
	for i, p := range results.Holm(ps) {
		tested[i].NoBetter = p > Alpha
	}
}

// sort puts the lines in the order of their mean place over the columns they have.
func (t *Task) sort() {
	place := make(map[string]float64)
	for i := range t.Lines {
		above, columns := 0, 0
		for column, e := range t.Lines[i].Entries {
			if e.N == 0 {
				continue
			}
			columns++
			for _, other := range t.Lines {
				if o := other.Entries[column]; o.N > 0 && o.Mean != e.Mean &&
					o.Mean > e.Mean == t.HigherIsBetter {
					above++
				}
			}
		}
		place[t.Lines[i].Series] = float64(above) / float64(max(1, columns))
		if columns == 0 {
			place[t.Lines[i].Series] = math.Inf(1)
		}
	}
	slices.SortStableFunc(t.Lines, func(a, b Line) int {
		return cmp.Compare(place[a.Series], place[b.Series])
	})
}

// Leader returns the best line of a column and how many others cannot be told from it; nil where
// nothing has a value.
func (t *Task) Leader(column int) (best *Line, tied int) {
	for i := range t.Lines {
		switch t.Lines[i].Entries[column].Rank {
		case Best:
			best = &t.Lines[i]
		case Tied:
			tied++
		}
	}
	return best, tied
}
