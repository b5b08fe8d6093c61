package claims

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"ppdp/internal/results"
)

// SummaryBegin and SummaryEnd stand around the number of claims by verdict, on the page of verdicts
// and in README.md, which has a copy.
const (
	SummaryBegin = "<!-- verdicts: begin, from docs/generated/verdicts.md -->\n"
	SummaryEnd   = "<!-- verdicts: end -->\n"
)

//go:embed verdicts.md.tmpl
var pageText string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("verdicts").Funcs(template.FuncMap{"row": row,
		"count": count, "list": func(texts []string) string { return strings.Join(texts, ", ") },
	}).Parse(pageText))
})

// page is what its template shows.
type page struct {
	Says, Begin, End      string
	Papers                []*File
	Decisive              []Judgement // in the order of the claims files
	Reversals, Thresholds []string
	Same, Repeated        int      // of settled verdicts with the same checks as before
	Others                []string // rows of the verdicts that are others than before
	Changes               []string
}

// WriteMarkdown writes the page of the verdicts, for docs/generated: a summary, how many claims of
// each figure have which verdict, then every claim. Where all are the published ones, the page is
// theirs, and has the verdicts by tests too; otherwise it begins with how far the run agrees.
func WriteMarkdown(w io.Writer, files []*File) error {
	p := &page{Begin: SummaryBegin, End: SummaryEnd}
	p.Says, p.Papers = published(files)
	for _, f := range p.Papers {
		for _, id := range f.Decisive {
			named := func(j Judgement) bool { return j.ID == id }
			if at := slices.IndexFunc(f.Judgements, named); at >= 0 {
				p.Decisive = append(p.Decisive, f.Judgements[at])
			}
		}
	}
	for j := range results.Each(p.Decisive) {
		for _, text := range j.Reversals() {
			p.Reversals = append(p.Reversals, j.ID+": "+text)
		}
	}
	all := Judgements(p.Papers)
	p.Thresholds, p.Changes = byThresholds(all), changes(all)
	return errors.Join(p.compare(all), pageTemplate().Execute(w, p))
}

// before has the verdicts of the sequential tests of 2026-11-24, under the specs' seeds, and
// whether the claims' checks have been changed since.
//
//go:embed before.csv
var before string

// compare compares settled verdicts with those of the tests before.
func (p *page) compare(judgements []Judgement) error {
	rows, err := csv.NewReader(strings.NewReader(before)).ReadAll()
	if err != nil {
		return err
	}
	verdicts := make(map[string]Verdict)
	for j := range results.Each(judgements) {
		if j.Settled {
			verdicts[j.ID] = j.Verdict
		}
	}
	for _, was := range rows[1:] {
		verdict, settled := verdicts[was[0]]
		if !settled {
			continue
		}
		same := was[1] == string(verdict)
		if was[2] == "same" {
			p.Repeated++
			if same {
				p.Same++
			}
		}
		if !same {
			p.Others = append(p.Others, row(was[0], Verdict(was[1]).Text(), verdict.Text(), was[2]))
		}
	}
	return nil
}

// published says whose verdicts a page has. Where the run's are all as published, the page has
// those by tests too.
func published(run []*File) (says string, shown []*File) {
	for _, f := range run {
		f := *f
		f.Judgements = slices.Clone(f.Judgements)
		for j := range results.Each(f.Judgements) {
			switch {
			case j.Verdict == ByTests:
				j.Verdict = j.Expect
			case j.Verdict != j.Expect && j.Verdict != NotCovered:
				return "These are verdicts of one run. " + Agreement(Judgements(run)), run
			}
		}
		shown = append(shown, &f)
	}
	return "These are the verdicts published with ppdp, of full runs and sequential tests on the " +
			"real data.",
		shown
}

// byThresholds lists the verdicts that other thresholds would change.
func byThresholds(judgements []Judgement) (texts []string) {
	for _, t := range otherThresholds {
		var changed []string
		for j := range results.Each(judgements) {
			if len(j.Checks) == 0 || !j.Verdict.Judges() {
				continue
			}
			if other := j.verdictBy(t); other != j.Verdict {
				changed = append(changed, j.ID+" from "+j.Verdict.Text()+" to "+other.Text())
			}
		}
		texts = append(texts, t.name+": "+cmp.Or(strings.Join(changed, ", "), "none"))
	}
	return texts
}

// row is a line of a table.
func row(fields ...string) string {
	line := "|"
	for _, field := range fields {
		line += strings.TrimRight(" "+field, " ") + " |"
	}
	return line
}

// columns are those of the tables of verdicts.
var columns = append(slices.Clone(headlines), noVerdict)

const noVerdict Verdict = "no-verdict" // the run does not judge the claim

// Head is the head of a table of verdicts.
func (*page) Head(first string, last ...string) string {
	fields := slices.Concat([]string{first}, results.Mapped(columns, Verdict.Text), last)
	return row(fields...) + "\n" + strings.Repeat("|---", len(fields)) + "|"
}

// count is a line that says how many judgements stand under which verdict, "" for none.
func count(name string, judgements []Judgement, last ...string) string {
	if len(judgements) == 0 {
		return ""
	}
	numbers := Numbers(judgements)
	for _, v := range unjudged {
		numbers[noVerdict] += numbers[v]
	}
	fields := []string{name}
	for _, v := range columns {
		fields = append(fields, strings.TrimPrefix(strconv.Itoa(numbers[v]), "0"))
	}
	return row(append(fields, last...)...) + "\n"
}

// place is the claims about a paper's figure, parts of a figure together, and how these are read.
type place struct {
	Name       string
	Judgements []Judgement
	Readings   string
}

// Places are the whole paper, each of its figures and tables, and its text. A claim about several
// figures counts at the first.
func (f *File) Places() []place {
	name := func(source string) string {
		if slices.Contains(f.Figures, source) {
			return strings.TrimRight(source, "abc")
		}
		return "text"
	}
	all := []place{{Name: "**" + f.Citation + "**", Judgements: f.Judgements}}
	names := results.Mapped(append(slices.Clone(f.Figures), "text"), name)
	for _, at := range slices.Compact(names) {
		here := place{Name: at, Judgements: slices.DeleteFunc(slices.Clone(f.Judgements),
			func(j Judgement) bool { return name(j.Source[0]) != at })}
		var readings []string
		for _, program := range f.Programs {
			if slices.ContainsFunc(program.Figures,
				func(figure string) bool { return name(figure) == at }) {
				readings = results.Union(readings, program.Reading)
			}
		}
		here.Readings = strings.Join(readings, "; ")
		all = append(all, here)
	}
	return all
}

// fewChecks are spelled out one by one; of more, those that do not hold.
const fewChecks = 6

// Details are the lines below a verdict.
func (j *Judgement) Details() (lines []string) {
	if j.Reason != "" {
		lines = append(lines, "*Reason:* "+j.Reason)
	}
	if j.Published != nil && j.Published.Verdict != j.Verdict {
		lines = append(lines, "*Published with ppdp:* "+j.Published.Says()+".")
	}
	if j.Basis == "tests" {
		lines = append(lines, "*By tests:* "+strings.Join(j.Tests, ", ")+".")
	} else if len(j.Tests) > 0 {
		lines = append(lines, "*Tests as well:* "+strings.Join(j.Tests, ", ")+".")
	}
	lines = append(lines, j.Reasons()...)
	shown := j.Checks
	if n := len(shown); n > fewChecks && j.Verdict != ProgramOnly {
		shown = slices.DeleteFunc(slices.Clone(shown),
			func(e Evidence) bool { return e.Verdict == Holds })
		lines = append(lines, fmt.Sprintf("*Numbers:* %d of %d checks hold.", n-len(shown), n))
	}
	for e := range results.Each(shown) { // selections such as 5|10 are plain text outside tables
		lines = append(lines, "*Numbers:* "+e.Predicate+": "+e.Summary()+".")
	}
	return lines
}

// Coverage says of how many claims points or tests give a verdict, and of how many of the paper's
// figures and tables such a claim is.
func (f *File) Coverage() string {
	judged := 0
	var sources []string
	for j := range results.Each(f.Judgements) {
		if j.Stands().Judges() {
			judged++
			sources = append(sources, j.Source...)
		}
	}
	missing := slices.DeleteFunc(slices.Clone(f.Figures),
		func(figure string) bool { return slices.Contains(sources, figure) })
	covered := len(f.Figures) - len(missing)
	text := fmt.Sprintf("%d of %d claims, %d of %d figures and tables", judged, len(f.Judgements),
		covered, len(f.Figures))
	if covered > 0 && len(missing) > 0 {
		text += " (without " + strings.Join(missing, ", ") + ")"
	}
	return text
}

// Counts says how many judgements stand under each verdict, best first, without those that none
// has.
func (f *File) Counts() (counts []string) {
	numbers := Numbers(f.Judgements)
	for _, v := range slices.Concat(headlines, unjudged) {
		if n := numbers[v]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return counts
}

// Numbers counts judgements by the verdict that stands.
func Numbers(judgements []Judgement) map[Verdict]int {
	numbers := make(map[Verdict]int)
	for i := range judgements {
		numbers[judgements[i].Stands()]++
	}
	return numbers
}

// headlines are the verdicts under which claims stand, as tables order them.
var headlines = []Verdict{Holds, HoldsInPart, DependsOnReading, NoDifference, Contradicted,
	Undecided}

// unjudged are the verdicts that judge nothing.
var unjudged = []Verdict{Calibration, ProgramOnly, ByTests, NoData, NotCovered}

// neither is why a claim neither agrees with what is published nor differs.
var neither = map[Verdict]string{
	Undecided:   "undecided, here or as published",
	Calibration: "calibrated: a parameter was chosen so that their numbers come out",
	ProgramOnly: "on stand-in data or a reduced run, which tests the program only",
	ByTests:     "decided by tests of the source (make test)",
	NoData:      "not run, or without the data they need",
	NotCovered:  "not covered",
}

// Agreement says in how many claims a run agrees with what is published, in which it differs, and
// why it says nothing of the others.
func Agreement(judgements []Judgement) string {
	agree, numbers := 0, make(map[Verdict]int)
	var differ, others []string
	for _, j := range judgements {
		switch {
		case j.Surprise:
			differ = append(differ, fmt.Sprintf("%s (here %s, published %s)", j.ID, j.Words(),
				j.Published.Words()))
		case j.Stands() == Calibration:
			numbers[Calibration]++
		case j.Published != nil && j.comparable():
			agree++
		case j.Verdict.Judges():
			numbers[Undecided]++
		default:
			numbers[j.Verdict]++
		}
	}
	text := "This run could judge no claim of the papers"
	if judged := agree + len(differ); judged > 0 {
		text = fmt.Sprintf("%d of %d claims that this run could judge agree with the verdicts "+
			"published with ppdp", agree, judged)
	}
	if len(differ) > 0 {
		text += fmt.Sprintf("; %d differ: %s", len(differ), strings.Join(differ, ", "))
	}
	for _, v := range append([]Verdict{Undecided}, unjudged...) {
		if n := numbers[v]; n > 0 {
			others = append(others, fmt.Sprintf("%d %s", n, neither[v]))
		}
	}
	if len(others) > 0 {
		text += ". The others: " + strings.Join(others, "; ")
	}
	return text + "."
}
