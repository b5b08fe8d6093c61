// Package leaderboard is the page of the utility of private releases of a table: for each purpose
// and budget which release to take, and for each task which release is best, which are not
// distinguishable from it or no better than the majority class, how large a sample of the true
// records is as good, and how long a release takes.
//
// It reads finished runs and leaves out running, measuring and judging, which package contest does.
package leaderboard

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"ppdp/internal/results"
	"ppdp/report/contest"
)

// Prefix begins the names of the experiments that are on the board of those that come with ppdp.
const Prefix = "leaderboard/"

// Own are the runs of the experiments that come with ppdp for the board.
func Own(runs []*results.Summary) []*results.Summary {
	return slices.DeleteFunc(slices.Clone(runs), func(run *results.Summary) bool {
		return !strings.HasPrefix(run.Manifest.Experiment, Prefix)
	})
}

// Table is the part of the board about one dataset.
type Table struct {
	*contest.Table
	Experiment, Title string
	StandIns          []string // of the datasets; what is said is then of those
	Reduced           bool     // the run had fewer trials or settings than its spec
	CPU               string   // that took the times
	LeftOut           []string // curves whose guarantee does not hold
}

// Of makes the board of runs, in the order of their names.
func Of(runs []*results.Summary) []Table {
	var tables []Table
	for _, run := range runs {
		m := &run.Manifest
		contests := contest.Of(run)
		for _, c := range contests {
			t := Table{Table: c, Experiment: m.Experiment, CPU: m.CPU, StandIns: m.StandIns(),
				Title: cmp.Or(m.Title, m.Experiment), Reduced: m.Overrides.Reduced()}
			if len(contests) > 1 {
				t.Title += ", " + c.Dataset
			}
			for _, r := range c.Releases {
				if r.Column < 0 && r.Epsilon != nil && !slices.Contains(t.LeftOut, r.Label()) {
					t.LeftOut = append(t.LeftOut, r.Label())
				}
			}
			tables = append(tables, t)
		}
	}
	slices.SortStableFunc(tables, func(a, b Table) int {
		return cmp.Compare(a.Experiment, b.Experiment)
	})
	return tables
}

// line is a curve: the releases that share a name, by budget.
type line struct {
	name     string
	releases []int // by budget, -1 for none
}

// lines are the curves that compete, in the order of the plan.
func (t *Table) lines() []line {
	var lines []line
	for i, r := range t.Releases {
		if r.Column < 0 {
			continue
		}
		at := slices.IndexFunc(lines, func(l line) bool { return l.name == r.Name() })
		if at < 0 {
			at = len(lines)
			lines = append(lines, line{r.Name(), slices.Repeat([]int{-1}, len(t.Budgets))})
		}
		lines[at].releases[r.Column] = i
	}
	return lines
}

// ordered are the curves by their mean place in a discipline, over the budgets at which they have a
// value.
func (t *Table) ordered(d *contest.Discipline) []line {
	lines := t.lines()
	place := func(l line) float64 {
		sum, n := 0, 0
		for _, i := range l.releases {
			if i >= 0 && d.Tasks[0].Entries[i].N > 0 {
				sum += d.Places(i)
				n++
			}
		}
		if n == 0 {
			return math.Inf(1)
		}
		return float64(sum) / float64(n)
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(place(a), place(b)) })
	return lines
}

// Purpose is what a release may be wanted for, with the one to take under each budget.
type Purpose struct {
	Name  string
	Takes []string // contest.Recommendation's Brief, "" for none
}

// Purposes are those that were measured, in the order of the contest.
func (t *Table) Purposes() (all []Purpose) {
	for column := range t.Columns {
		for _, r := range t.Recommend(column) {
			at := slices.IndexFunc(all, func(p Purpose) bool { return p.Name == r.Purpose })
			if at < 0 {
				at = len(all)
				all = append(all, Purpose{r.Purpose, make([]string, len(t.Columns))})
			}
			all[at].Takes[column] = r.Brief()
		}
	}
	return all
}
