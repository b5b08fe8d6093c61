package artifact

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"ppdp/internal/must"
	"ppdp/internal/results"
	"ppdp/report/claims"
)

const claimsFile = `
paper: p
citation: A. Author 2000
figures: [Fig. 1, Fig. 2]
claims:
  - id: A
    statement: It is small.
    source: Fig. 1
    checks:
      - experiment: p/one
        range: {of: {where: {metric: w1}, minus: {experiment: p/two}}, max: 1}
    expect: holds
    readings:
      - name: other
        experiment: p/readings
        expect: holds
      - name: control
        minus: {experiment: p/control}
        expect: holds
  - id: B
    statement: It is fast.
    source: Fig. 2
    not-covered: Nobody looked.
`

// contents is two runs, one of them reduced and on a stand-in, and an experiment that was not run.
// Their times and sizes are chosen so that the sums are known.
func contents(t *testing.T) *Contents {
	t.Helper()
	l := must.Get(claims.Parse("claims", []byte(claimsFile)))
	run := func(name string, seconds float64, m results.Manifest) *Run {
		m.Experiment = name
		records := []results.Record{{Setting: &results.Setting{}}, {Setting: &results.Setting{}}}
		records[0].Status, records[1].Status = results.OK, results.Failed
		return &Run{Bytes: 1_500_000,
			Results: (&results.Run{Manifest: m, Records: records,
				Timings: []results.Timing{{Release: seconds}, {Job: 1, Measure: 3}}}).Summary()}
	}
	one := run("p/one", 27, results.Manifest{CPU: "Abacus", GOOS: "linux", GOARCH: "amd64",
		GoVersion: "go1.26", Commit: "0123"})
	trials := 1
	two := run("p/two", 237, results.Manifest{CPU: "Abacus", GOOS: "linux", GOARCH: "amd64",
		GoVersion: "go1.26", Overrides: results.Overrides{Trials: &trials},
		Datasets: []results.DatasetUse{{Name: "adult-standin", Checksum: "ab", StandsFor: "adult",
			License: "a|b"}}})
	l.Judgements = []claims.Judgement{
		{ID: "A", Verdict: claims.Contradicted, Source: []string{"Fig. 1"},
			Statement: "It is small.", Expect: claims.Holds, Surprise: true,
			Published: &claims.Judgement{Verdict: claims.Holds, Settled: true}},
		{ID: "B", Verdict: claims.NotCovered, Source: []string{"Fig. 2"},
			Statement: "It is fast.", Reason: "Nobody looked."}}
	return &Contents{Platform: "linux/amd64", Commit: "0123",
		Experiments: []Experiment{{Name: "p/one", Source: "Fig. 1", Run: one},
			{Name: "p/two", Run: two},
			{Name: "p/control"}, {Name: "p/readings"}, {Name: "p/none", Extra: true}},
		Papers: []*claims.File{l},
		Tires: Trial{Command: "./ppdp run p/one", Output: "done\n", Seconds: 2,
			Files: []File{{Path: "tires/x", SHA256: "cafe"}}},
	}
}

func TestWriteMarkdown(t *testing.T) {
	var b strings.Builder
	must.Do(t, WriteMarkdown(&b, contents(t)))
	text := b.String()
	must.Say(t, text,
		"**This is not a whole run.** Experiments not run: 2 of 5 (p/control, p/readings); run "+
			"with less than the spec says: 1 of 5 (p/two); run on stand-ins for real data: 1 of "+
			"5 (p/two); with failed jobs: 2 of 5 (p/one, p/two).",
		"were made on Abacus (linux/amd64, go1.26).",
		"Disk: 3.0 MB",
		// the bar does not end the field
		"| adult-standin | `ab` | a\\|b | **generated stand-in** |",
		"    ./ppdp run p/one\n    sha256sum tires/x\n",
		"    done\n    cafe  tires/x\n",
		"| `p/one` | Fig. 1 | 2 | 1 | 30s | 1.5 MB |", // 27 + 3 seconds
		"| `p/two` |  | 2 | 1 | 4m0s | 1.5 MB |",      // 237 + 3 seconds
		"| `p/none` |  | not run |",
		"Together: 2 of 5 experiments, 4 jobs, 4m30s of workers' time.\n",
		// what is subtracted counts
		"| A | Fig. 1 | It is small. | contradicted (differs from the published verdict, "+
			"holds) | holds | `p/one p/two` | 4m30s |",
		"| B | Fig. 2 | It is fast. | not covered | - | none: Nobody looked. |  |",
		"judged 1 of 2 claims, 1 of 2 figures and tables (without Fig. 2)",
		"\n0 of 1 claims that this run could judge agree with the verdicts published with "+
			"ppdp; 1 differ: A (here contradicted, published holds). The others: 1 not covered.\n",
		"- `p/two` was run with trials=1: less than the paper's setting.",
		"- `p/two` was run on adult-standin in place of real data")
	if strings.Contains(text, "source differed") {
		t.Error("ARTIFACT.md reports a changed source")
	}
	if t.Failed() {
		t.Log(text)
	}
}

// TestWholeRun: nothing is lacking of a run of everything in full on real data, whether or not
// experiments that are no part of it were run.
func TestWholeRun(t *testing.T) {
	run := &Run{Results: (&results.Run{}).Summary()}
	c := &Contents{Experiments: []Experiment{{Name: "p/one", Run: run},
		{Name: "leaderboard/x", Extra: true}}}
	if gaps := c.Gaps(); gaps != nil {
		t.Errorf("a whole run lacks %q", gaps)
	}
}

// TestCitation: the metadata for an archive are those of CITATION.cff.
func TestCitation(t *testing.T) {
	type facts struct {
		Title, Version, License, Date string
		Authors                       []struct{ Name string }
		Keywords                      []string
	}
	var cff, zenodo facts
	read := func(path string) []byte { return must.Get(os.ReadFile("../../" + path)) }
	var inFile struct {
		facts `yaml:",inline"`
		Date  string `yaml:"date-released"`
	}
	var inArchive struct {
		facts
		Date    string                  `json:"publication_date"`
		Authors []struct{ Name string } `json:"creators"`
	}
	must.Do(t, yaml.Unmarshal(read("CITATION.cff"), &inFile))
	must.Do(t, json.Unmarshal(read(".zenodo.json"), &inArchive))
	cff, zenodo = inFile.facts, inArchive.facts
	cff.Date, zenodo.Date, zenodo.Authors = inFile.Date, inArchive.Date, inArchive.Authors
	if !reflect.DeepEqual(cff, zenodo) {
		t.Errorf("CITATION.cff has %+v, .zenodo.json %+v", cff, zenodo)
	}
	if _, err := time.Parse(time.DateOnly, cff.Date); err != nil || cff.Version == "" {
		t.Errorf("CITATION.cff has version %q and date %q: %v", cff.Version, cff.Date, err)
	}
}
