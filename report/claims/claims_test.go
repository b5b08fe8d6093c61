package claims

import (
	"cmp"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"ppdp/docs"
	"ppdp/experiments"
	"ppdp/internal/must"
	"ppdp/internal/results"
)

// TestBadFile: everything wrong is reported with its line.
func TestBadFile(t *testing.T) {
	data := must.Get(os.ReadFile("testdata/claims.bad.yaml"))
	_, got := Parse("claims.bad.yaml", data)
	for line := range strings.Lines(string(data)) {
		want, expected := strings.CutPrefix(strings.TrimSpace(line), "# want: ")
		if expected && (got == nil || !strings.Contains(got.Error(), want)) {
			t.Errorf("%v\nwant %s", got, want)
		}
	}
}

// every claims file that comes with the program.
func every(t *testing.T) []*File {
	t.Helper()
	var all []*File
	var errs []error
	for _, paper := range Papers() {
		l, err := Load(paper)
		errs = append(errs, err)
		all = append(all, l)
	}
	must.Do(t, errors.Join(errs...))
	return all
}

// means is the other value of Check.By, and what "" says.
const means = "means"

var moduleRoot = filepath.Join("..", "..")

// resultForm is what a note must not have: numbers of records are made from the records.
var resultForm = regexp.MustCompile(`[0-9]\.[0-9]|[0-9] ?%|±`)

// broken are the rules that a claim breaks, under the program of its first figure.
func (c *Claim) broken(program *Program) (rules []string) {
	judged := len(c.Checks) > 0 || len(c.Tests) > 0
	named := func(r Reading) bool { return r.Name != "" && slices.Contains(fromBest, r.Expect) }
	for rule, kept := range map[string]bool{
		"id, statement and source must be given": c.ID != "" && c.Statement != "" &&
			len(c.Source) > 0,
		"must have checks or tests, or else a reason under not-covered": judged !=
			(c.NotCovered != ""),
		"is not covered, must not have expect, note, reading or readings": judged ||
			c.Expect == "" && c.Note == "" && c.Reading == "" && len(c.Readings) == 0,
		"must expect a verdict": !judged || slices.Contains(fromBest, c.Expect),
		"strict is a verdict of a claim without checks": c.Strict == "" || len(c.Checks) == 0 &&
			slices.Contains(fromBest, c.Strict),
		"reading and words: must have both or neither": (c.Reading == "") == (c.Words == ""),
		"a note is a cause, without results":           !resultForm.MatchString(c.Note),
		"must say why nothing decides the claim, if undecided is expected": (c.Undecided != "") ==
			(c.Expect == Undecided),
		"by tests, must have a note of the cause": len(c.Checks) > 0 || !judged ||
			c.Expect == Holds || c.Note != "",
		"calibration: must have checks, whose numbers were chosen": c.Calibration == "" ||
			len(c.Checks) > 0,
		"a reading must have a name and a verdict, and the claim checks": len(c.Readings) == 0 ||
			len(c.Checks) > 0 && !slices.ContainsFunc(c.Readings,
				func(r Reading) bool { return !named(r) }),
		"must be read as all claims of its figure": program == nil || len(c.Checks) == 0 ||
			c.Reading == "" || c.Reading == program.Reading,
	} {
		if !kept {
			rules = append(rules, rule)
		}
	}
	return rules
}

// valid reports whether a check has one predicate with what it needs, and what its statistic does
// not exclude. A median needs a value in each trial, in every reading.
func (c *Check) valid(readings []Reading) bool {
	limited := func(l *limits) bool {
		return l.Min != nil && (l.Max == nil || *l.Min <= *l.Max) || l.Min == nil && l.Max != nil
	}
	_, order := growthOrders[cmp.Or(c.predicates.Growth, &Growth{}).Order]
	for r := range results.Each(readings) {
		for _, side := range within(c.predicate().sides(r)...) {
			inEachTrial := side.Stat == "" || side.Stat == "mean"
			if !inEachTrial && side.Stat != "se" && side.Stat != "min" {
				return false
			}
			for _, take := range side.Take {
				inEachTrial = inEachTrial && take.inEachTrial
			}
			if c.By == medians && (c.Exact || !inEachTrial) {
				return false
			}
		}
	}
	given := 0
	for _, is := range []bool{c.Order != nil, c.Range != nil, c.Near != nil, c.Monotone != nil,
		c.Growth != nil} {
		if is {
			given++
		}
	}
	return given == 1 && slices.Contains([]string{"", means, medians}, c.By) &&
		c.Experiment != "" && c.Equal >= 0 &&
		(c.Order == nil || slices.Contains([]string{"below", "above"}, c.Order.Is) &&
			c.Order.Margin >= 0) &&
		(c.Range == nil || limited(&c.Range.limits)) && (c.Near == nil || c.Near.Tolerance >= 0) &&
		(c.Monotone == nil || c.Monotone.Along != "" &&
			slices.Contains([]string{"increasing", "decreasing"}, c.Monotone.Is)) &&
		(c.Growth == nil || c.Growth.Along != "" && order && limited(&c.Growth.limits))
}

// TestValid: a check that breaks a rule of its form is found.
func TestValid(t *testing.T) {
	for check, want := range map[string]bool{
		"by: medians\nnear: {of: {minus: {}}, value: 1}":                      true,
		"by: medians\nnear: {of: {take: max over k in each trial}, value: 1}": true,
		"range: {of: {}, max: 1}\nnear: {of: {}, value: 1}":                   false,
		"range: {of: {}}":                                        false,
		"near: {of: {stat: median}, value: 1}":                   false,
		"by: modes\nnear: {of: {}, value: 1}":                    false,
		"by: medians\nexact: true\nnear: {of: {}, value: 1}":     false,
		"by: medians\nnear: {of: {minus: {stat: se}}, value: 1}": false,
		"by: medians\nnear: {of: {take: max over k}, value: 1}":  false,
	} {
		c := &fileOf(t, check).Claims[0].Checks[0]
		must.Be(t, c.valid([]Reading{{}}), want, check)
	}
	c := &fileOf(t, "by: medians\nnear: {of: {minus: {}}, value: 1}").Claims[0].Checks[0]
	if c.valid([]Reading{{Minus: &Side{Take: []Take{{over: "k"}}}}}) {
		t.Error("a reading's minus is over all trials, and the check's median is valid")
	}
}

// TestFiles: claims keep the rules, ids are unique over all papers, and what the claims files name
// exists: figures, experiments, tests and errata.
func TestFiles(t *testing.T) {
	errata := make(map[string]bool)
	for _, of := range must.Get(ReadErrata(docs.Errata)) {
		for _, e := range of.Entries {
			errata[e.ID] = true
		}
	}
	tests := testsOfModule(t)
	seen := make(map[string]bool)
	for _, l := range every(t) {
		programs := make(map[string]*Program)
		for p := range results.Each(l.Programs) {
			for _, figure := range p.Figures {
				if !slices.Contains(l.Figures, figure) || programs[figure] != nil ||
					p.Reading == "" || p.Words == "" {
					t.Errorf("%s: %+v must have a reading with words, for figures of no other",
						l.Paper, p)
				}
				programs[figure] = p
			}
		}
		for c := range results.Each(l.Claims) {
			for _, rule := range c.broken(programs[c.Source[0]]) {
				t.Errorf("%s: %s", c.ID, rule)
			}
			for check := range results.Each(c.Checks) {
				readings := slices.DeleteFunc(append(slices.Clone(c.Readings), Reading{}),
					func(r Reading) bool { return len(r.Checks) > 0 })
				if !check.valid(readings) {
					t.Errorf("%s: %s: must have one predicate with what it needs, and what its "+
						"statistic allows", c.ID, l.lineOf(check.Node))
				}
			}
			if seen[c.ID] {
				t.Errorf("%s is taken", c.ID)
			}
			seen[c.ID] = true
			for _, id := range c.Errata {
				if !errata[id] {
					t.Errorf("%s: errata %s is not in docs/errata.yaml", c.ID, id)
				}
			}
			for _, test := range c.Tests {
				if !tests[test] {
					t.Errorf("%s: no test %s", c.ID, test)
				}
			}
			checks, readings := c.Experiments()
			for _, name := range slices.Concat(checks, readings) {
				if !slices.Contains(experiments.Names(), name) {
					t.Errorf("%s: no experiment %s", c.ID, name)
				}
			}
			for _, source := range c.Source {
				section, isSection := strings.CutPrefix(source, "section ")
				switch {
				case isSection && !slices.Contains(l.Sections, section):
					t.Errorf("%s: the paper has no %s", c.ID, source)
				case !isSection && !slices.Contains(l.Figures, source):
					t.Errorf("%s: %s is not among the paper's figures", c.ID, source)
				}
			}
		}
		for _, id := range l.Decisive {
			if !seen[id] {
				t.Errorf("%s: decisive: no claim %s", l.Paper, id)
			}
		}
	}
}

// TestTimesAreRelative: what is said of times is a growth or a ratio within one run, which another
// machine can be held to; but for one bound in seconds that is the paper's own.
func TestTimesAreRelative(t *testing.T) {
	inSeconds := []string{"D-13"}
	timed := 0
	for _, l := range every(t) {
		for c := range results.Each(l.Claims) {
			for check := range results.Each(c.Checks) {
				where := check.Where.String()
				for _, side := range within(check.predicate().sides(&Reading{})...) {
					where += ", " + side.Where.String()
				}
				if !strings.Contains(where, "metric "+results.RuntimeMetric) {
					continue
				}
				timed++
				ratio := check.Range != nil && check.Range.Of.Per != nil
				if !ratio && check.Growth == nil && !slices.Contains(inSeconds, c.ID) {
					t.Errorf("%s compares seconds, must compare ratios (per) or growth", c.ID)
				}
			}
		}
	}
	if timed < 5 {
		t.Errorf("only %d checks of times found", timed)
	}
}

// testsOfModule lists the module's tests as folder.Name.
func testsOfModule(t *testing.T) map[string]bool {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)
	tests := make(map[string]bool)
	must.Do(t, filepath.WalkDir(moduleRoot, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path),
			moduleRoot+string(filepath.Separator)))
		for _, match := range declared.FindAllStringSubmatch(string(data), -1) {
			tests[folder+"."+match[1]] = true
		}
		return nil
	}))
	return tests
}

var update = flag.Bool("update", false, "copy the summary of docs/generated/verdicts.md, "+
	"add lines to fixed.jsonl")

// part is the summary on a page, with the marks around it.
func part(page string) string {
	_, rest, opened := strings.Cut(page, SummaryBegin)
	inside, _, closed := strings.Cut(rest, SummaryEnd)
	if !opened || !closed {
		return ""
	}
	return SummaryBegin + inside + SummaryEnd
}

// TestPage: docs/generated/verdicts.md has every claim with the verdict the claims file expects and
// its note, and README.md its summary. All that rests on settled verdicts is as it is written now:
// tables, numbers, reversals, other thresholds, changes. The other numbers come from a full run on
// the real data; make them again with
//
//	make reproduce settle && bin/ppdp claims --write docs/generated/verdicts.md
func TestPage(t *testing.T) {
	page := string(must.Get(os.ReadFile("../../docs/generated/verdicts.md")))
	summary := part(page)
	must.Say(t, page, "\nThese are the verdicts published with ppdp, ")
	const readme = "../../README.md"
	text := string(must.Get(os.ReadFile(readme)))
	if there := part(text); *update {
		text = strings.Replace(text, there, summary, 1)
		must.Do(t, os.WriteFile(readme, []byte(text), 0o666))
	} else if there == "" || there != summary {
		t.Error("README.md has not the summary of docs/generated/verdicts.md: " +
			"go test ./claims -run Page -update")
	}
	const again = "run: make reproduce settle && bin/ppdp claims --write docs/generated/verdicts.md"
	for _, mark := range []string{"on stand-in data", "on a reduced run",
		"differs from the published", "verdicts of one run"} {
		if strings.Contains(page, mark) {
			t.Errorf("docs/generated/verdicts.md has a verdict %s; %s", mark, again)
		}
	}
	made := settledPage(t)
	for _, l := range every(t) {
		for c := range results.Each(l.Claims) {
			entry := entryOf(page, c.ID)
			expected := Judgement{Verdict: c.Expect, Calibration: c.Calibration}
			for k := range c.Readings {
				expected.Readings = append(expected.Readings,
					Judgement{Verdict: c.Readings[k].Expect})
			}
			verdict := "**" + strings.TrimSpace(expected.Says())
			for _, want := range []string{c.Statement, c.NotCovered, verdict, c.Note} {
				if entry == "" || !strings.Contains(entry, want) {
					t.Errorf("docs/generated/verdicts.md: %s: %q is missing; %s", c.ID, want, again)
				}
			}
			if j := Committed().of(c.ID); j != nil && entryOf(made, c.ID) != entry {
				t.Errorf("docs/generated/verdicts.md: %s\nwant %s; %s", entry,
					entryOf(made, c.ID), again)
			}
		}
	}
	for _, part := range [][2]string{{"What another reading", "The effect is"},
		{"## Other thresholds", "nowhere"}} {
		between := func(page string) string {
			_, rest, _ := strings.Cut(page, "\n"+part[0])
			text, _, _ := strings.Cut(rest, part[1])
			return text
		}
		if diff := gocmp.Diff(between(made), between(page)); diff != "" {
			t.Errorf("docs/generated/verdicts.md: %s; %s", diff, again)
		}
	}
}

// settledPage is the page of a run that has nothing but the committed settled verdicts.
func settledPage(t *testing.T) string {
	t.Helper()
	files := every(t)
	for _, f := range files {
		f.Judgements = Beside(must.Get(Evaluate(f, nil, Options{})), Committed(), Committed())
	}
	var b strings.Builder
	must.Do(t, WriteMarkdown(&b, files))
	return b.String()
}

// atThePapers is what a page with runs at the papers' numbers of trials says besides.
var atThePapers = regexp.MustCompile(` \(at the papers' numbers of trials: [a-z ]*\)`)

// entryOf is a claim's line in the table of a page, and all that stands below.
func entryOf(page, id string) string {
	_, line, _ := strings.Cut(page, "\n\n| claim |")
	_, line, _ = strings.Cut(line, "\n| "+id+" |")
	line, _, _ = strings.Cut(line, "\n")
	_, entry, _ := strings.Cut(page, "\n- **"+id+"** (")
	entry, _, _ = strings.Cut(entry, "\n\n")
	return atThePapers.ReplaceAllString(line+"\n"+entry, "")
}

// TestCounts: a row for the paper and one for each figure with claims, parts of a figure together.
func TestCounts(t *testing.T) {
	l := &File{Citation: "A paper", Figures: []string{"Fig. 1a", "Fig. 1b", "Fig. 2", "Table I"},
		Programs: []Program{{[]string{"Fig. 1a"}, "this", ""}, {[]string{"Fig. 1b"}, "that", ""}}}
	l.Judgements = []Judgement{
		{Verdict: Holds, Source: []string{"Fig. 1a"}},
		{Verdict: Holds, Source: []string{"Fig. 1b", "Fig. 2"}},
		{Verdict: NoData, Source: []string{"Table I"}},
		{Verdict: NotCovered, Source: []string{"section 3.1"}},
		{Verdict: Contradicted, Source: []string{"section 2"}},
	}
	var got string
	for _, of := range l.Places() {
		got += count(of.Name, of.Judgements, of.Readings)
	}
	const want = "| **A paper** | 2 | | | | 1 | | 2 | |\n" +
		"| Fig. 1 | 2 | | | | | | | this; that |\n" +
		"| Table I | | | | | | | 1 | |\n" +
		"| text | | | | | 1 | | 1 | |\n"
	must.Be(t, got, want)
}

// TestWholePage: only where all verdicts are as published is the page theirs, with those by tests;
// otherwise tests give a run no verdict, and the page says how far the run goes.
func TestWholePage(t *testing.T) {
	l := &File{Citation: "A paper"}
	page := func(run Verdict) string {
		var b strings.Builder
		l.Judgements = []Judgement{
			{ID: "A", Source: []string{"Fig. 1"}, Verdict: run, Expect: Holds},
			{ID: "B", Source: []string{"Fig. 2"}, Verdict: ByTests, Expect: Contradicted,
				Basis: "tests"},
			{ID: "C", Source: []string{"Fig. 3"}, Verdict: NotCovered, Reason: "Nobody looked."}}
		must.Do(t, WriteMarkdown(&b, []*File{l}))
		return b.String()
	}
	const own = "\nThese are verdicts of one run. This run could judge no claim"
	for run, want := range map[Verdict][2]string{
		Holds: {"\nThese are the verdicts published with ppdp, ",
			"| A paper | 1 | | | | 1 | | 1 |\n"},
		ProgramOnly: {own, "| A paper | | | | | | | 3 |\n"},
		NoData:      {own, "| A paper | | | | | | | 3 |\n"},
	} {
		if got := page(run); !strings.Contains(got, want[0]) || !strings.Contains(got, want[1]) {
			t.Errorf("%s: %s\nwant %q", run, got, want)
		}
	}
}

// TestDocumentedJSON: docs/reproduce.md describes every key that --json writes.
func TestDocumentedJSON(t *testing.T) {
	page := must.Get(os.ReadFile("../../docs/reproduce.md"))
	_, part, found := strings.Cut(string(page), "### As JSON\n")
	part, _, closed := strings.Cut(part, "\n## ")
	if !found || !closed {
		t.Fatal("docs/reproduce.md has no section on JSON")
	}
	for _, of := range []any{Judgement{}, Evidence{}, Point{}} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(of)) {
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if field.Anonymous || !field.IsExported() {
				continue
			}
			must.Say(t, part, "`"+key+"`")
		}
	}
}
