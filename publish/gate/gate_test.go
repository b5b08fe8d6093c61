package gate

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppdp/internal/must"
	"ppdp/internal/results"
	"ppdp/publish/evaluation"
)

// measured is what the made-up call measures.
var measured = []results.MeasureUse{
	use("records", "", "records"), use("distance", "", "fraction"),
	use("accuracy", "a", "fraction"),
	use("accuracy", "b", "fraction"), use("accuracy", "majority", "fraction"),
	use("auc rows=5", "a", ""), use("f1", "a", ""),
	use("gap attribute=sex of=error", "a", "fraction"),
	use("membership", "", ""), use("membership end=low", "", ""), use("membership of=tpr", "", ""),
}

func use(metric, classifier, unit string) results.MeasureUse {
	return results.MeasureUse{Measurement: results.Measurement{Metric: metric,
		Classifier: classifier}, Unit: unit}
}

// values of a release, the copy, independent columns and the majority; sample is the release's.
func row(metric, classifier string, sample float64, values ...float64) *evaluation.Measurement {
	m := &evaluation.Measurement{Measurement: results.Measurement{Metric: metric,
		Classifier: classifier}, Name: metric, Values: make([]evaluation.Value, 4)}
	for i := range values {
		m.Values[i].Value = &values[i]
	}
	if sample > 0 {
		m.Values[0].Sample, m.Values[0].SampleText = &sample, "some"
	}
	return m
}

// floored is no better than the smallest sample that was measured.
func floored(m *evaluation.Measurement) *evaluation.Measurement {
	m.Values[0].SampleText = "≤ 10 %"
	return m
}

func evaluated() *evaluation.Evaluation {
	strong := 0.0625
	return &evaluation.Evaluation{
		Columns: []evaluation.Column{{Name: "theirs", Release: true}, {Name: "Copy"},
			{Name: "Independent columns"}, {Name: "Majority class"}},
		Kinds: []*evaluation.Kind{
			{Name: "fidelity", Measurements: []*evaluation.Measurement{
				row("records", "", 0, 90, 100, 100), row("distance", "", 0.9, 0.25, 0, 0.5)}},
			{Name: "utility", Measurements: []*evaluation.Measurement{
				row("accuracy", "a", 0.125, 0.75, 0.875, 0.5, 0.625),
				row("accuracy", "b", 0, 0.625, 0.875, 0.5, 0.625),
				row("auc rows=5", "a", 0, 0.75, 0.875), floored(row("f1", "a", 0.1, 0.5, 0.875)),
				row("gap attribute=sex of=error", "a", 0, 0.1)}},
			{Name: "disclosure", Headlines: []*evaluation.Headline{{Sample: &strong, By: "one"}},
				Measurements: []*evaluation.Measurement{row("membership", "", 0.01, 0.55, 1),
					row("membership of=tpr", "", 0.0625, 0.02, 1)}},
		}}
}

// TestJudge: each rule by arithmetic that can be done by hand, at its limit and beside it.
func TestJudge(t *testing.T) {
	for rule, want := range map[string]string{
		"records, at-least: 90":                    "passed",
		"records, at-least: 91":                    "failed",
		"records, at-most: 90":                     "passed",
		"records, at-most: 89.5":                   "failed",
		"records, at-least: 0.9, of: copy":         "passed",
		"records, at-least: 0.91, of: copy":        "failed",
		"distance, at-most: 0.5, of: independent":  "passed",
		"distance, at-most: 0.49, of: independent": "failed",
		// thrice nothing
		"distance, at-most: 3, of: copy":          "failed",
		"accuracy, classifier: a, at-least: 0.75": "passed",
		// of b
		"accuracy, at-least: 0.7":               "passed failed",
		"accuracy, at-least: 1, of: majority":   "passed passed",
		"accuracy, at-least: 1.1, of: majority": "passed failed",
		// no such column
		"accuracy, classifier: a, at-least: 0, of: target-permuted": "failed",
		"accuracy, classifier: a, at-least-sample: 0.125":           "passed",
		// none of b
		"accuracy, at-least-sample: 0.13":            "failed failed",
		"accuracy, classifier: b, at-most-sample: 1": "failed",
		"auc, at-least: 0.7, at-most: 0.7":           "passed failed",
		// without a value
		"auc, at-least: 0, of: independent": "failed",
		"gap of=error, at-most: 0.1":        "passed",
		// It may be as good as a sample of any smaller share.
		"f1, at-least-sample: 0.05": "failed",
		"f1, at-most-sample: 0.1":   "passed",
		// not by of=tpr
		"membership, at-most: 0.55":                     "passed",
		"disclosure: strongest, at-most-sample: 0.0625": "passed",
		"disclosure: strongest, at-most-sample: 0.0624": "failed",
	} {
		if !strings.HasPrefix(rule, "disclosure") {
			rule = "measure: " + rule
		}
		p, err := parse("p.yaml", []byte("rules: [{"+rule+"}]"), measured)
		if err != nil {
			t.Errorf("%s: %v", rule, err)
			continue
		}
		var got []string
		for _, c := range p.Judge(evaluated()) {
			got = append(got, c.Outcome)
			if c.Of != "theirs" || c.Words == "" {
				t.Errorf("%s: %+v", rule, c)
			}
		}
		must.Be(t, strings.Join(got, " "), want, rule, got)
	}
}

// TestNothingFound: where attacks find nothing, what they could have seen must keep the limit.
func TestNothingFound(t *testing.T) {
	p := must.Get(parse("p.yaml",
		[]byte("rules: [{disclosure: strongest, at-most-sample: 0.05}]"), nil))
	sharp, blunt := 0.05, 0.06
	for _, c := range []struct {
		seen *float64
		want string
	}{{&sharp, Passed}, {&blunt, Failed}, {nil, Failed}} {
		e := evaluated()
		e.Kinds[2].Headlines[0] = &evaluation.Headline{Nothing: true, CouldSee: c.seen}
		if got := p.Judge(e)[0]; got.Outcome != c.want {
			t.Errorf("%+v, want %s", got, c.want)
		}
	}
}

// TestNothing: a release of which nothing was measured passes no rule.
func TestNothing(t *testing.T) {
	p := must.Get(parse("p.yaml", []byte("rules: [{measure: records, at-least: 0}, "+
		"{disclosure: strongest, at-most-sample: 1}]"), measured))
	r := Report{Checks: p.Judge(&evaluation.Evaluation{
		Columns: []evaluation.Column{{Name: "theirs", Release: true}}})}
	if r.Count(Failed) != 2 || len(r.Checks) != 2 {
		t.Errorf("%+v", r.Checks)
	}
}

// TestProblems: all at once, each with its line, and no message of a sound rule.
func TestProblems(t *testing.T) {
	const file = `policy: defalt
rules:
  - {measure: records, at-least: 5000, at-most: 5000}
  - {measure: acuracy, at-least: 0.5}
  - {measure: accuracy, classifier: c, at-least: 0.5}
  - {measure: accuracy, at-least: 90}
  - {measure: distance, at-most: -0.1}
  - {measure: auc, at-least: 0.9, at-most: 0.8}
  - {measure: auc, at-least: 0.9, of: original}
  - {measure: auc, at-least: -1, of: copy}
  - {measure: auc, at-most: 1, of: majority}
  - {measure: auc, of: copy, at-most-sample: 1}
  - {measure: auc, at-least-sample: 1.5}
  - {measure: auc}
  - {measure: auc, disclosure: strongest, at-most-sample: 1}
  - {disclosure: mean, at-most-sample: 1}
  - {disclosure: strongest, at-most: 1}
  - {measure: membership fpr=0.01 of=tpr, at-most: 1}
  - {measure: membership end=low, at-most: 1}
  - {at-most: 1}
  - {measure: auc, at_most: 1}
  - {measure: accuracy, classifier: majority, at-least: 0}
`
	_, err := parse("p.yaml", []byte(file), measured)
	if err == nil {
		t.Fatal("no error")
	}
	must.Say(t, err.Error(),
		`p.yaml:1: policy: "defalt" (did you mean default?), must be one of default, privacy`,
		`p.yaml:4: rules[1].measure: "acuracy" (did you mean accuracy?): not measured here`,
		`p.yaml:5: rules[2].classifier: "c" (did you mean a?), must be one of a, b`,
		`p.yaml:6: rules[3].at-least: 90, must be from 0 to 1 as accuracy is`,
		`p.yaml:7: rules[4].at-most: -0.1, must be from 0 to 1 as distance is`,
		`p.yaml:8: rules[5].at-most: 0.8, must not be below at-least: nothing is both`,
		`p.yaml:9: rules[6].of: "original", must be one of copy, independent, majority, target-per`,
		`p.yaml:10: rules[7].at-least: -1, must be at least 0`,
		`p.yaml:11: rules[8]: the majority class is measured by accuracy alone`,
		`p.yaml:12: rules[9]: limits nothing, must have at-least or at-most`,
		`p.yaml:13: rules[10].at-least-sample: 1.5, must be at least 0 and, of a sample, at most 1`,
		`p.yaml:14: rules[11]: limits nothing`,
		`p.yaml:15: rules[12]: must have one of measure and disclosure`,
		`p.yaml:16: rules[13].disclosure: "mean", must be one of strongest`,
		`p.yaml:17: rules[14]: attacks are compared by at-least-sample and at-most-sample alone`,
		`p.yaml:18: rules[15].measure: "membership fpr=0.01 of=tpr": defaults are left out, `+
			`must be one of membership, membership of=tpr`,
		`p.yaml:19: rules[16].measure: "membership end=low"`,
		`p.yaml:20: rules[17]: must have one of measure and disclosure`,
		`p.yaml:21: rules[18]: unknown key at_most (did you mean at-most?)`,
		`p.yaml:22: rules[19].classifier: "majority", must be one of a, b`)
	if strings.Contains(err.Error(), "p.yaml:3:") {
		t.Error("a sound rule is refused")
	}
	if t.Failed() {
		t.Log(err)
	}
	for _, empty := range []string{"", "rules: []", "policy: ''", "policy: [x]", "rules: [x]"} {
		must.Fail(t, must.Err(parse("p.yaml", []byte(empty), measured)), "", empty)
	}
	must.Fail(t, must.Err(Read("defaut", measured)), "(did you mean default?)", "a missing file")
}

// TestNamed: the page has the rules of the program's policies, word for word, and an example that
// can be read; a file that names a policy has its rules first.
func TestNamed(t *testing.T) {
	page := must.Get(os.ReadFile("../../docs/your-table.md"))
	for _, name := range named {
		text := must.Get(policies.ReadFile("policies/" + name + ".yaml"))
		if _, err := Read(name, nil); err != nil {
			t.Error(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "  - ") && !strings.Contains(string(page), line) {
				t.Errorf("docs/your-table.md lacks %s", line)
			}
		}
	}
	_, example, _ := strings.Cut(string(page), "\n    policy: ")
	example, _, _ = strings.Cut(example, "\n\n")
	example = "policy: " + strings.ReplaceAll(example, "\n    ", "\n")
	if p, err := parse("page", []byte(example), nil); err != nil || len(p.Rules) != 5 {
		t.Errorf("%s: %v", example, err)
	}
	p := must.Get(parse("p.yaml",
		[]byte("policy: privacy\nrules: [{measure: records, at-least: 1}]"), measured))
	var got []string
	for i := range p.Rules {
		got = append(got, p.Rules[i].Disclosure+p.Rules[i].Measure)
	}
	must.Be(t, strings.Join(got, "|"), "strongest|membership of=tpr|records", "rules")
}

// TestFiles: another reader of XML gets back what was checked; the summary is appended to, and no
// cell of its table ends before its time.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	files := Files{JUnit: filepath.Join(dir, "checks.xml")}
	summary := filepath.Join(dir, "summary.md")
	must.Do(t, os.WriteFile(summary, []byte("before\n"), 0o666))
	odd := "a|b <script> & \"c\"\nd \x01"
	r := &Report{Command: "ppdp evaluate", Checks: []Check{
		{Of: odd, Name: "one", Outcome: Passed, Words: odd},
		{Of: "x", Name: odd, Outcome: Skipped, Words: "reason"},
		{Of: "y", Name: "three", Outcome: Failed, Words: odd}}}
	must.Do(t, files.Write(r, summary))
	text := must.Get(os.ReadFile(files.JUnit))
	type word struct {
		Message string `xml:"message,attr"`
	}
	var suite struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []struct {
			Of      string `xml:"classname,attr"`
			Name    string `xml:"name,attr"`
			Failure *word  `xml:"failure"`
			Skipped *word  `xml:"skipped"`
			Out     string `xml:"system-out"`
		} `xml:"testcase"`
	}
	must.Do(t, xml.Unmarshal(text, &suite))
	readable := strings.ReplaceAll(odd, "\x01", "\ufffd") // XML has no such letter
	cases := suite.Cases
	if suite.Name != "ppdp evaluate" || suite.Tests != 3 || suite.Failures != 1 ||
		suite.Skipped != 1 || len(cases) != 3 || cases[0].Of != readable ||
		cases[0].Out != readable || cases[0].Failure != nil || cases[0].Skipped != nil ||
		cases[1].Name != readable || cases[1].Skipped == nil ||
		cases[1].Skipped.Message != "reason" || cases[2].Failure == nil ||
		cases[2].Failure.Message != readable {
		t.Errorf("%+v", suite)
	}
	got := must.Get(os.ReadFile(summary))
	const cell = "a\\|b &lt;script> &amp; \"c\" d \x01"
	want := "before\n### ppdp evaluate: 1 failed, 1 passed, 1 skipped\n\n" +
		"| | of | check | found |\n|---|---|---|---|\n" +
		"| failed | y | three | " + cell + " |\n| passed | " + cell + " | one | " + cell + " |\n" +
		"| skipped | x | " + cell + " | reason |\n\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	many := (&Report{Checks: make([]Check, mostRows+7)}).markdown()
	must.Say(t, many, "\n7 more are not shown.\n")
}

// FuzzPolicy: a policy is refused with its file's name, or limits something that can be reached.
func FuzzPolicy(f *testing.F) {
	for _, seed := range []string{"policy: default", "rules: [{measure: \"\"}, {}]",
		"rules: [{measure: auc, at-least: 0.9, of: copy}]",
		"rules:\n  - {disclosure: strongest, at-most-sample: 0.01}\n  -\n",
		"rules: [{measure: membership of=tpr, at-least: 0.1, at-most: 0.2}]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parse("p.yaml", []byte(text), measured)
		if err != nil {
			for line := range strings.Lines(err.Error()) {
				if !strings.HasPrefix(line, "p.yaml:") && !strings.HasPrefix(line, "policy ") {
					t.Errorf("no file: %s", line)
				}
			}
			return
		}
		if r := (Report{Checks: p.Judge(evaluated())}); len(r.Checks) < len(p.Rules) ||
			len(r.Checks) == 0 || r.Count(Failed)+r.Count(Passed) != len(r.Checks) {
			t.Errorf("%d rules, checks %+v", len(p.Rules), r.Checks)
		}
	})
}
