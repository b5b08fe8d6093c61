package report

import (
	"cmp"
	"fmt"
	"html/template"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"ppdp/internal/problem"
	"ppdp/internal/results"
	"ppdp/plots"
	"ppdp/report/claims"
	"ppdp/report/leaderboard"

	"golang.org/x/sync/errgroup"
)

// page is all that the template shows.
type page struct {
	Style      template.CSS
	Own        bool // about the user's runs alone: no paper's experiment is among them
	Evaluates  bool // it is about releases in files
	Heading    string
	Papers     []*paperView
	Others     []*experimentView // runs of no paper with a claims file
	Board      []leaderboard.Table
	Verdicts   []verdictWords // the key
	Agreement  string         // of the papers' verdicts with the published ones
	Decisive   []*claimView   // those on which the papers' conclusions rest
	StandIns   []string
	Reduced    []string // experiments run with overrides that make them smaller
	Jobs       int
	FailedJobs int
	Groups     []claims.Errata
	Runs       []*experimentView // all
	Warned     bool              // some job of theirs has a warning
	Warnings   []string
}

// paperView is a paper's part of the page.
type paperView struct {
	*claims.File
	Claims      []*claimView           // all, in the order of the claims file
	Numbers     map[claims.Verdict]int // of claims by the verdict under which they stand
	Experiments []*experimentView
	Elsewhere   []*claimView // with a verdict, but about no run shown
	Unjudged    []*claimView
}

// experimentView is a run's part of the page.
type experimentView struct {
	*results.Summary
	Title     string
	Overrides []string
	Figures   []figureView
	Claims    []*claimView  // about it, and about no run before it
	Ranking   *ranking      // of runs that belong to no paper
	Section   template.HTML // in its place, where Input.Section has one
	Problems  []string      // figures that could not be drawn
	Caveats   []string      // what the others leave out
}

// Name is the experiment's.
func (e *experimentView) Name() string { return e.Manifest.Experiment }

// ID is the run's on the page.
func (e *experimentView) ID() string { return "run-" + strings.ReplaceAll(e.Name(), "/", "-") }

// figureView is a figure and the numbers in it.
type figureView struct {
	Name    string
	Measure string // "Classification accuracy, higher is better"
	Picture template.HTML
	Numbers []numbers
}

func newPage(in Input) (*page, error) {
	ranked := in.Runs
	if !in.Board {
		ranked = leaderboard.Own(in.Runs)
	}
	p := &page{Style: template.CSS(styleText), Verdicts: verdictKey, Board: leaderboard.Of(ranked),
		Agreement: claims.Agreement(claims.Judgements(in.Papers))}
	claimsOf := p.addPapers(in.Papers)
	if err := p.addRuns(&in, claimsOf); err != nil {
		return nil, err
	}
	for _, v := range p.Papers {
		for _, c := range v.Claims {
			switch {
			case c.Verdict == claims.NotCovered || c.Verdict == claims.NoData:
				v.Unjudged = append(v.Unjudged, c)
			case !c.placed:
				v.Elsewhere = append(v.Elsewhere, c)
			}
		}
	}
	p.entitle()
	// Papers with runs come before those with tests only.
	slices.SortStableFunc(p.Papers, func(a, b *paperView) int {
		return min(1, len(b.Experiments)) - min(1, len(a.Experiments))
	})
	p.addErrata(in.Errata)
	return p, nil
}

// addPapers makes the papers' parts, and returns their claims by experiment.
func (p *page) addPapers(papers []*claims.File) (claimsOf map[string][]*claimView) {
	claimsOf = make(map[string][]*claimView)
	for _, paper := range papers {
		v := &paperView{File: paper, Numbers: claims.Numbers(paper.Judgements)}
		p.Papers = append(p.Papers, v)
		for i := range paper.Judgements {
			c := &claimView{Judgement: &paper.Judgements[i]}
			if paper.Strict != nil {
				c.Strict = &paper.Strict[i]
			}
			v.Claims = append(v.Claims, c)
			if slices.Contains(paper.Decisive, c.ID) && c.Verdict != claims.NoData {
				p.Decisive = append(p.Decisive, c)
			}
			for _, name := range c.Experiments {
				claimsOf[name] = append(claimsOf[name], c)
			}
		}
	}
	return claimsOf
}

// addRuns makes the runs' parts, each below its paper, and places every claim at the first run that
// it is about.
func (p *page) addRuns(in *Input, claimsOf map[string][]*claimView) (err error) {
	if p.Runs, err = experimentViews(in.Runs); err != nil {
		return err
	}
	for _, e := range p.Runs {
		for _, c := range claimsOf[e.Name()] {
			if !c.placed && c.Verdict != claims.NoData {
				c.placed = true
				e.Claims = append(e.Claims, c)
			}
		}
		paper, _, _ := strings.Cut(e.Name(), "/")
		at := slices.IndexFunc(p.Papers, func(v *paperView) bool { return v.Paper == paper })
		if at >= 0 {
			p.Papers[at].Experiments = append(p.Papers[at].Experiments, e)
		} else {
			if in.Section != nil {
				if e.Section, err = in.Section(e.Summary); err != nil {
					return fmt.Errorf("%s: %w", e.Name(), err)
				}
			}
			if e.Section == "" {
				e.Ranking = newRanking(e.Summary, in)
			}
			p.Others = append(p.Others, e)
		}
		for _, problem := range e.Problems {
			p.Warnings = append(p.Warnings, e.Name()+": "+problem)
		}
		p.StandIns = results.Union(p.StandIns, e.Manifest.StandIns()...)
		if len(e.Overrides) > 0 {
			p.Reduced = append(p.Reduced, e.Name())
		}
		p.Jobs += e.Jobs
		p.FailedJobs += e.Failed
		p.Warned = p.Warned || len(e.Summary.Warnings) > 0
	}
	return nil
}

// entitle says what the page is about: the papers, or the user's own runs.
func (p *page) entitle() {
	p.Heading = "The papers' claims and what the runs show"
	if p.Own = len(p.Others) > 0 && len(p.Others) == len(p.Runs); !p.Own {
		return
	}
	// Claims without any data say nothing to the reader.
	p.Papers, p.Heading = nil, "What was compared, who is best, what is guaranteed"
	if only := p.Others[0]; len(p.Runs) == 1 && only.Title != "" {
		p.Heading, only.Title = only.Title, "" // once is enough
		p.Evaluates = only.Section != ""
	}
}

// experimentViews are the runs' parts of the page, by the numbers of their figures. Figures take
// most of the time, and only read what they show.
func experimentViews(runs []*results.Summary) ([]*experimentView, error) {
	runs = slices.SortedStableFunc(slices.Values(runs), func(a, b *results.Summary) int {
		return CompareNames(a.Manifest.Experiment, b.Manifest.Experiment)
	})
	views := make([]*experimentView, len(runs))
	var drawing errgroup.Group
	drawing.SetLimit(runtime.GOMAXPROCS(0))
	for i, run := range runs {
		drawing.Go(func() (err error) {
			views[i], err = newExperimentView(run)
			return problem.Named(run.Manifest.Experiment, err)
		})
	}
	return views, drawing.Wait()
}

// newExperimentView is a run's part of the page, without what depends on the page's other parts.
func newExperimentView(run *results.Summary) (*experimentView, error) {
	e := &experimentView{Summary: run, Title: run.Manifest.Title}
	reduced := run.Manifest.Overrides
	reduced.Seed = nil // another seed leaves the experiment as large as it is
	e.Overrides = reduced.Texts()
	pictures, caveats, err := plots.Experiment(run)
	e.Caveats = caveats
	if err != nil {
		e.Problems = strings.Split(err.Error(), "\n")
	}
	for p := range results.Each(pictures) {
		svg, err := p.Inline(p.Alt())
		if err != nil {
			return nil, err
		}
		e.Figures = append(e.Figures, figureView{p.Figure.Name, p.Measure, template.HTML(svg),
			numbersOf(p)})
	}
	return e, nil
}

// verdictWords are how the page shows a verdict, never by colour alone.
type verdictWords struct {
	Verdict claims.Verdict
	Sign    string
	Class   string // of the style sheet
	Meaning string
}

// verdictKey lists the verdicts, best first.
var verdictKey = []verdictWords{
	{claims.Holds, "✓", "v-holds", "every point supports the statement"},
	{claims.HoldsInPart, "≈", "v-mostly", "at least half of the points support it, and at most " +
		"a fifth may oppose it"},
	{claims.DependsOnReading, "~", "v-open", "at least half of the other readings " +
		"that are decided take another stance than the judged one"},
	{claims.NoDifference, "=", "v-equal", "at most points there is no difference, or less than " +
		"the stated margin"},
	{claims.Undecided, "?", "v-open", "these trials show neither it nor the contrary"},
	{claims.Contradicted, "✗", "v-against", "more than a fifth of the points oppose it"},
	{claims.Calibration, "c", "v-none", "a parameter was chosen so that these numbers come out: " +
		"they are no evidence"},
	{claims.ProgramOnly, "○", "v-none", "stand-in data or a reduced run: the program works, and " +
		"nothing is said of the paper"},
	{claims.ByTests, "T", "v-none", "not a matter of runs: tests of the source decide it"},
	{claims.NotCovered, "–", "v-none", "not judged, for the reason given"},
	{claims.NoData, "·", "v-nodata", "records are missing: its experiments were not run, or " +
		"too few of their trials succeeded; the claim says which"},
}

func wordsOf(v claims.Verdict) verdictWords {
	for _, words := range verdictKey {
		if words.Verdict == v {
			return words
		}
	}
	return verdictWords{Verdict: v, Sign: "·", Class: "v-nodata"}
}

// claimView is a claim on the page: its judgement, of which the template shows most as it is.
type claimView struct {
	*claims.Judgement
	Strict *claims.Judgement // of the strict variant; nil where it was not judged
	placed bool              // is under an experiment
}

// number writes numbers of tables as those of figures are.
var number = plots.Number

// numbers is a table of a figure's lines: a row a line, a column a place on the axis.
type numbers struct {
	Axis    string // label of what the columns are values of; "" for horizontal lines
	Columns []string
	Lines   []numberLine
}

// numberLine is one curve or benchmark.
type numberLine struct {
	Label  string
	Points []*plots.Point // by column; nil where it has none
}

// numbersOf tabulates the lines of a figure: those along its axis, those along its second one, and
// horizontal ones.
func numbersOf(p *plots.Picture) []numbers {
	labels := map[string]string{p.Figure.X2: p.X2Label, p.Figure.X: p.XLabel}
	var tables []numbers
	for _, axis := range slices.Compact([]string{p.Figure.X, p.Figure.X2, ""}) {
		t := numbers{Axis: labels[axis]}
		lines := slices.DeleteFunc(slices.Clone(p.Lines),
			func(l plots.Line) bool { return l.Axis != axis })
		var places []float64
		for _, l := range lines {
			for _, point := range l.Points {
				places = append(places, point.X)
			}
		}
		slices.Sort(places)
		places = slices.Compact(places)
		for _, x := range places {
			column := strconv.FormatFloat(x, 'f', -1, 64)
			if axis == "" {
				column = "mean"
			}
			t.Columns = append(t.Columns, column)
		}
		for _, l := range lines {
			points := make([]*plots.Point, len(places))
			for point := range results.Each(l.Points) {
				points[slices.Index(places, point.X)] = point
			}
			t.Lines = append(t.Lines, numberLine{l.Label, points})
		}
		if len(lines) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}

// erratumClass gives an entry a colour by its verdict.
func erratumClass(verdict string) string {
	return cmp.Or(map[string]string{"broken": "v-against", "short": "v-open",
		"holds": "v-holds"}[verdict], "v-none")
}

// code marks the `words` of a text as code.
func code(text string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(strings.TrimSpace(text), "`") {
		part = template.HTMLEscapeString(part)
		if i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		b.WriteString(part)
	}
	return template.HTML(b.String())
}

// addErrata lists the entries; of the user's own runs those that say why a guarantee fails.
func (p *page) addErrata(all []claims.Errata) {
	failing := make(map[string]bool)
	for _, run := range p.Runs {
		for a := range results.Each(run.Manifest.Algorithms) {
			for _, id := range a.Errata {
				failing[id] = failing[id] || a.Status != string(results.Holds)
			}
		}
	}
	for _, g := range all {
		g.Entries = slices.DeleteFunc(slices.Clone(g.Entries),
			func(e claims.Erratum) bool { return p.Own && !failing[e.ID] })
		if len(g.Entries) > 0 {
			p.Groups = append(p.Groups, g)
		}
	}
}

// Concerned are the claims that an erratum is about.
func (p *page) Concerned(id string) (all []*claimView) {
	for _, paper := range p.Papers {
		for _, c := range paper.Claims {
			if slices.Contains(c.Errata, id) {
				all = append(all, c)
			}
		}
	}
	return all
}
