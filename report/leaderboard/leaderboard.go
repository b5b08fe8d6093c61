// Package leaderboard is the page of what private releases of a table are worth: for each task and
// budget who is best, who is not distinguishable from it, who is no better than the majority class,
// how large a sample of the true records is as good, and how long a release takes.
//
// It reads finished runs and leaves out running, measuring and judging: package contest says who is
// best.
package leaderboard

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"ppdp/internal/results"
	"ppdp/report/contest"
)

// Prefix begins the names of the experiments that are on the board.
const Prefix = "leaderboard/"

// Table is the part of the board about one dataset.
type Table struct {
	*contest.Table
	Experiment, Title string
	StandIns          []string // of the datasets; what is said is then of those
	Reduced           bool     // the run had fewer trials or settings than its spec
	CPU               string   // that took the times
	LeftOut           []string // curves whose guarantee does not hold
}

// Of makes the board of the runs that belong to it, in the order of their names.
func Of(runs []*results.Summary) []Table {
	var tables []Table
	for _, run := range runs {
		m := &run.Manifest
		if !strings.HasPrefix(m.Experiment, Prefix) {
			continue
		}
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

// ordered are the curves by their mean place in a task, over the budgets at which they have a
// value.
func (t *Table) ordered(task *contest.Task) []line {
	lines := t.lines()
	place := func(l line) float64 {
		sum, n := 0, 0
		for _, i := range l.releases {
			if i >= 0 && task.Entries[i].N > 0 {
				sum += task.Entries[i].Place
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

// Glance is what the first screen says of a task at a budget.
type Glance struct {
	Series  string // the best; "" where nothing has a value
	Tied    int    // how many others are not distinguishable from it
	Mean    string
	Equal   string // the sample that is as good, "" where that is unknown
	Seconds string // of a release, "" without times
	// NoBetter says that nothing shows the best to be better than the majority class.
	NoBetter bool
}

// Glance sums up a task at a budget.
func (t *Table) Glance(task *contest.Task, column int) Glance {
	best := task.Best[column]
	if best < 0 {
		return Glance{}
	}
	e, r := &task.Entries[best], t.Releases[best]
	g := Glance{Series: r.Name(), Mean: contest.Number(e.Mean, 3), NoBetter: e.NoBetter}
	for i := range task.Entries {
		if t.Releases[i].Column == column && task.Entries[i].Rank == contest.Tied {
			g.Tied++
		}
	}
	if e.Equal != nil {
		g.Equal = e.Equal.String()
	}
	if r.Seconds != nil && r.Seconds.N > 0 {
		g.Seconds = contest.Number(r.Seconds.Mean, 2)
	}
	return g
}
