package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ppdp/internal/results"
	"ppdp/numeric/elementary"
	"ppdp/report/contest"
)

// ranking says of a user's own run who is best, what is no use, and what each release guarantees.
// Package contest decides who is best.
type ranking struct {
	Contests   []*contestView
	Guarantees []*guaranteeLine
	// Private says that the data are the user's own: choosing by what is shown spends privacy.
	// MadeUp says that they are nobody's.
	Private, MadeUp bool
	Note            string // of the spec: what was left out
	Sampled         bool   // some cells say what sample of the true records is as good
	Commands        bool   // some lines have one
}

// contestView is the releases of one dataset under one budget.
type contestView struct {
	*contest.Table
	Title  string
	Column int // the budget; Columns is empty where nothing competes
	// Advice is what to release, for each purpose.
	Advice  []advice
	Lines   []*rankLine // competitors, the best first; then those that are here for reference
	Ranked  int         // competitors
	Counted bool        // records, of some line
	Timed   bool
}

// advice is what to release for a purpose, with the command and what it costs.
type advice struct {
	*contest.Recommendation
	Command, Refused, Cost string
}

// rankLine is a release.
type rankLine struct {
	*contest.Release
	Leads    int // disciplines that it leads
	NoBetter bool
	Entries  []*contest.Entry // of each task
	Size     string           // records of a release
	// Command makes a release by the setting; Refused says why none can be made. "" for unknown.
	Command, Refused string

	places int // over all tasks
}

// guaranteeLine is what releases promise that promise the same.
type guaranteeLine struct {
	Labels []string
	Text   string
}

// newRanking compares the releases of a run. It is nil where nothing but sizes was measured.
func newRanking(run *results.Summary, in *Input) *ranking {
	r := &ranking{Note: run.Manifest.Note}
	tables := contest.Of(run)
	for _, t := range tables {
		if len(t.Tasks) == 0 {
			continue
		}
		for column := range max(1, len(t.Columns)) {
			c := newContestView(t, column)
			c.Title = t.Heading(column, tables)
			c.Timed = in.Release != nil && run.Timed
			for _, line := range c.Lines[:c.Ranked] {
				if in.Release != nil {
					line.Command, line.Refused = in.Release(line.Setting)
					r.Commands = r.Commands || line.Refused == ""
				}
			}
			if column < len(t.Columns) {
				for _, rec := range t.Recommend(column) {
					a := advice{Recommendation: rec, Cost: t.Budgets[column].Cost()}
					for _, line := range c.Lines {
						if line.Release == rec.Worths[0].Release && !rec.Useless {
							a.Command, a.Refused = line.Command, line.Refused
						}
					}
					c.Advice = append(c.Advice, a)
				}
			}
			r.Contests = append(r.Contests, c)
		}
		for _, release := range t.Releases {
			r.MadeUp = r.MadeUp || release.Dataset.Name == "from-schema"
			own := release.Dataset.Name == "csv" || release.Dataset.Name == "graph"
			r.Private = r.Private || own
		}
		for _, task := range t.Tasks {
			r.Sampled = r.Sampled || slices.ContainsFunc(task.Entries,
				func(e contest.Entry) bool { return e.Equal != nil })
		}
		r.guarantees(t)
	}
	if len(r.Contests) == 0 {
		return nil
	}
	return r
}

// newContestView shows what competes under a budget, and beside it what competes under none.
func newContestView(t *contest.Table, column int) *contestView {
	c := &contestView{Table: t, Column: column}
	leads := make(map[int]int) // by release
	for _, d := range t.Disciplines {
		if column >= len(t.Columns) {
			break
		}
		for _, release := range t.Leaders(d, column) {
			leads[release]++
		}
	}
	for i, r := range t.Releases {
		if r.Column >= 0 && r.Column != column {
			continue
		}
		if r.Column == column {
			c.Ranked++
		}
		line := newRankLine(t, i)
		line.Leads = leads[i]
		c.Lines = append(c.Lines, line)
		c.Counted = c.Counted || r.Records != nil
	}
	slices.SortStableFunc(c.Lines, func(a, b *rankLine) int {
		return cmp.Or(cmp.Compare(b.Column, a.Column), cmp.Compare(b.Leads, a.Leads),
			cmp.Compare(a.places, b.places))
	})
	return c
}

func newRankLine(t *contest.Table, release int) *rankLine {
	l := &rankLine{Release: t.Releases[release]}
	if l.Records != nil {
		l.Size = number(math.Round(l.Records.Mean))
	}
	judged, beats := false, false // the majority class, by some classifier
	for _, task := range t.Tasks {
		e := &task.Entries[release]
		l.Entries = append(l.Entries, e)
		if l.places += e.Place; e.N == 0 {
			l.places += len(t.Releases) // comes last
		} else if !math.IsNaN(task.Majority) {
			judged = true
			beats = beats || !e.NoBetter && task.Better(e.Mean, task.Majority)
		}
	}
	l.NoBetter = judged && !beats
	return l
}

// guarantees says of each release what it promises, once for all that promise the same.
func (r *ranking) guarantees(t *contest.Table) {
	for _, release := range t.Releases {
		var budgets []string
		for _, other := range t.Releases {
			if other.Label() == release.Label() {
				budgets = results.Union(budgets, other.BudgetText())
			}
		}
		text := guaranteeText(release, budgets)
		g := *results.Entry(&r.Guarantees, &guaranteeLine{Text: text},
			func(g *guaranteeLine) bool { return g.Text == text })
		g.Labels = results.Union(g.Labels, release.Label())
	}
}

// guaranteeText says in a sentence what a release promises, under each of its budgets.
func guaranteeText(r *contest.Release, budgets []string) string {
	errata, doubt := "", ""
	if len(r.Use.Errata) > 0 {
		errata = " See errata " + strings.Join(r.Use.Errata, ", ") + "."
	}
	switch r.Status {
	case results.Unprotected:
		return "No privacy. It is here for reference and must not be published."
	case results.Broken:
		return fmt.Sprintf("Not private: the claim of %s is broken, no finite bound is known.%s",
			r.Use.Guarantee, errata)
	case results.Short:
		doubt = " But more is lost than that, by a bounded factor." + errata
	case results.Replayed:
		doubt = " Replays of its program's calls found nothing against that, but the " +
			"sensitivities are its program's word." + errata
	case results.Declared:
		doubt = " But that is the word of its program: nothing here has checked it." + errata
	}
	if r.Use.Guarantee == "k-anonymity" {
		return fmt.Sprintf("k-anonymity, k = %s: someone who knows a person's quasi-identifiers "+
			"finds at least %[1]s people who share their published values. Nothing limits "+
			"what these have in common: if all have one disease, so has that person.%s",
			r.Params["k"], doubt)
	}
	factor := "e^epsilon"
	if r.Epsilon != nil && r.Delta == 0 && len(budgets) == 1 {
		factor += " = " + contest.Number(elementary.Exp(*r.Epsilon), 3)
	}
	return fmt.Sprintf("Differential privacy of one %s at %s; neighbours: %s. By such a change no "+
		"release becomes more than %s times as likely, whatever anybody knows besides.%s",
		cmp.Or(r.Use.Unit, "record"), strings.Join(budgets, " or "),
		cmp.Or(r.Use.Relation, "not said"), factor, doubt)
}
