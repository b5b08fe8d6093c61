// Package leaderboard is the page of the utility of private releases of a table: for each purpose
// and budget which release to take, and for each task which release is best, which are not
// distinguishable from it or no better than the majority class, how large a sample of the true
// records is as good, and how long a release takes.
//
// It reads finished runs and leaves out running, measuring and judging, which package contest does.
package leaderboard

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strings"
	"sync"
	"text/template"

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

// rows has a row for each curve, the releases that share a name: the name and a field for each
// budget. field is the text of a release that competes, and the trials that have a value or failed.
func (t *Table) rows(d *contest.Discipline, field func(*contest.Release, int) (string,
	*results.Row)) (rows [][]string) {
	var competing []int
	for i, r := range t.Releases {
		if r.Column >= 0 {
			competing = append(competing, i)
		}
	}
	curves := results.Grouped(competing, func(i int) string { return t.Releases[i].Name() })
	if d != nil {
		slices.SortStableFunc(curves, func(a, b []int) int {
			return cmp.Compare(place(d, a), place(d, b))
		})
	}
	for _, curve := range curves {
		row := make([]string, 1+len(t.Columns))
		row[0] = t.Releases[curve[0]].Name()
		for _, i := range curve {
			text, of := field(t.Releases[i], i)
			if of == nil {
				continue
			}
			if of.N == 0 {
				text = ""
			}
			if of.Failed > 0 {
				text = strings.TrimSpace(fmt.Sprintf("%s %d failed", text, of.Failed))
			}
			row[1+t.Releases[i].Column] = text
		}
		rows = append(rows, row)
	}
	return rows
}

// place is the mean place of a curve in a discipline, over the budgets at which it has a value.
func place(d *contest.Discipline, curve []int) float64 {
	sum, n := 0, 0
	for _, i := range curve {
		if d.Tasks[0].Entries[i].N > 0 {
			sum += d.Places(i)
			n++
		}
	}
	if n == 0 {
		return math.Inf(1)
	}
	return float64(sum) / float64(n)
}

// Purposes has a row for each that was measured: its name and, for each budget, what to take, ""
// for none.
func (t *Table) Purposes() (rows [][]string) {
	for column := range t.Columns {
		for _, r := range t.Recommend(column) {
			row := *results.Entry(&rows, make([]string, 1+len(t.Columns)),
				func(row []string) bool { return row[0] == r.Purpose })
			row[0], row[1+column] = r.Purpose, r.Brief()
		}
	}
	return rows
}

// About says which way a discipline is better, and what the original data and guessing give.
func (t *Table) About(d *contest.Discipline) string {
	text := "Lower is better."
	if d.Tasks[0].HigherIsBetter {
		text = "Higher is better."
	}
	for _, of := range []struct {
		text  string
		value func(*contest.Task) float64
	}{
		{"The original data give", func(t *contest.Task) float64 { return t.Original }},
		{"The majority class gives", func(t *contest.Task) float64 { return t.Majority }},
	} {
		values := results.Mapped(d.Tasks,
			func(t *contest.Task) string { return contest.Number(of.value(t), 3) })
		if !slices.Contains(values, contest.Number(math.NaN(), 3)) {
			text += " " + of.text + " " + strings.Join(values, " and ") + "."
		}
	}
	var by []string
	for _, task := range d.Tasks {
		if task.Unlearned {
			by = append(by, task.Metric)
		}
	}
	if by != nil {
		text += " The original data are not shown to beat it by " + strings.Join(by, " or ") + "."
	}
	return text
}

// Numbers are those of a task, or of a learner's side by side, the best first.
func (t *Table) Numbers(d *contest.Discipline) [][]string {
	return t.rows(d, func(_ *contest.Release, i int) (string, *results.Row) {
		texts := results.Mapped(d.Tasks,
			func(t *contest.Task) string { return text(&t.Entries[i]) })
		return strings.Join(texts, " / "), &d.Tasks[0].Entries[i].Row
	})
}

// Records are what releases have more or less than the original, nil where that was not measured.
func (t *Table) Records() [][]string {
	truth := t.Original()
	if truth == nil || truth.Records == nil && truth.Labels == nil {
		return nil
	}
	return t.rows(nil, func(r *contest.Release, _ int) (text string, n *results.Row) {
		var texts []string
		if truth.Records != nil && r.Records != nil {
			n, texts = r.Records, append(texts, "× "+contest.Number(r.Scale, 2))
		}
		if truth.Labels != nil && r.Labels != nil {
			n, texts = r.Labels, append(texts, contest.Number(r.Labels.Mean, 3))
		}
		text = strings.Join(texts, ", ")
		if remarks := r.Remarks(); len(remarks) > 0 {
			text += " (" + strings.Join(remarks, ", ") + ")"
		}
		return text, n
	})
}

// Seconds are the times of releases, nil where none was taken.
func (t *Table) Seconds() [][]string {
	timed := func(r *contest.Release) bool { return r.Column >= 0 && r.Seconds != nil }
	if !slices.ContainsFunc(t.Releases, timed) {
		return nil
	}
	return t.rows(nil, func(r *contest.Release, _ int) (text string, n *results.Row) {
		if r.Seconds != nil {
			text = contest.Number(r.Seconds.Mean, 2)
		}
		return text, r.Seconds
	})
}

// text is a mean with its standard error, in bold where it is the best, in italics where it is not
// distinguishable from that, with a dagger where nothing shows it to be better than the majority
// class, and the sample that is as good.
func text(e *contest.Entry) string {
	text := contest.Number(e.Mean, 3)
	if e.NoBetter {
		text += "†"
	}
	switch e.Rank {
	case contest.Best:
		text = "**" + text + "**"
	case contest.Tied:
		text = "*" + text + "*"
	}
	if !math.IsNaN(e.SE) {
		text += " ± " + contest.Number(e.SE, 1)
	}
	if e.Equal != nil {
		text += " (" + e.Equal.String() + ")"
	}
	return text
}

//go:embed board.md.tmpl
var pageText string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("board").Funcs(template.FuncMap{
		"base": path.Base, "escape": escape, "classifier": contest.Learner,
		"number": contest.Number, "table": table,
		"legend":   func() string { return contest.Legend },
		"purposes": func() string { return contest.PurposeLegend },
		"list":     func(texts []string) string { return strings.Join(texts, ", ") },
	}).Parse(pageText))
})

// WriteMarkdown writes the board: what to release at a glance, then every number. source is the
// command that makes it, explained the page that says how numbers are made, "" for none.
func WriteMarkdown(w io.Writer, tables []Table, source, explained string) error {
	return pageTemplate().Execute(w, map[string]any{"Tables": results.Mapped(tables,
		func(t Table) *Table { return &t }), "Source": source, "Explained": explained})
}

// table is Markdown of rows, whose first fields are plain text.
func table(first string, columns []string, rows [][]string) string {
	text := fmt.Sprintf("| %s | %s |\n|%s\n", first, strings.Join(columns, " | "),
		strings.Repeat(" --- |", 1+len(columns)))
	for _, row := range rows {
		text += "| " + escape(row[0])
		for _, field := range row[1:] {
			text += " | " + strings.ReplaceAll(field, "|", `\|`)
		}
		text += " |\n"
	}
	return text
}

var escaper = strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", "*", `\*`)

func escape(text string) string { return escaper.Replace(text) }
