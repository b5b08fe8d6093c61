package artifact

import (
	"strings"
	"testing"

	"ppdp/claims"
	"ppdp/internal/results"
	"ppdp/report"
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
	l, err := claims.Parse("claims", []byte(claimsFile))
	if err != nil {
		t.Fatal(err)
	}
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
	one.Usage = &results.Usage{Jobs: 2, Workers: 2, Seconds: 16, PeakBytes: 123_000_000}
	trials := 1
	two := run("p/two", 237, results.Manifest{CPU: "Abacus", GOOS: "linux", GOARCH: "amd64",
		GoVersion: "go1.26", Overrides: results.Overrides{Trials: &trials},
		Datasets: []results.DatasetUse{{Name: "adult-standin", Checksum: "ab", StandsFor: "adult",
			License: "a|b"}}})
	return &Contents{Platform: "linux/amd64", Commit: "0123",
		Experiments: []Experiment{{Name: "p/one", Source: "Fig. 1", Run: one},
			{Name: "p/two", Run: two}, {Name: "p/control"}, {Name: "p/readings"}, {Name: "p/none"}},
		Papers: []report.Paper{{File: l, Judgements: []claims.Judgement{
			{ID: "A", Verdict: claims.Contradicted, Source: []string{"Fig. 1"},
				Statement: "It is small.", Expect: claims.Holds, Surprise: true},
			{ID: "B", Verdict: claims.NotCovered, Source: []string{"Fig. 2"},
				Statement: "It is fast.", Reason: "Nobody looked."}}}},
		Tires: Trial{Command: "./ppdp run p/one", Output: "done\n", Seconds: 2,
			Files: []File{{Path: "tires/x", SHA256: "cafe"}}},
	}
}

func TestWriteMarkdown(t *testing.T) {
	var b strings.Builder
	if err := WriteMarkdown(&b, contents(t)); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		"The runs below were made on Abacus (linux/amd64, go1.26).", // once, not once a run
		"at most 123.0 MB resident. This was not measured in 1 of the experiments below.",
		"Disk: 3.0 MB",
		// the bar does not end the field
		"| adult-standin | `ab` | a\\|b | **generated stand-in** |",
		"    ./ppdp run p/one\n    sha256sum tires/x\n",
		"    done\n    cafe  tires/x\n",
		"| `p/one` | Fig. 1 | 2 | 1 | 30 s | 16 s | 2 | 123.0 MB | 1.5 MB |", // 27 + 3 seconds
		"| `p/two` |  | 2 | 1 | 4 min | - | - | - | 1.5 MB |",                // 237 + 3 seconds
		"| `p/none` |  | not run |",
		// 30 + 240 seconds are four minutes and a half; halves go to even.
		"Together: 2 of 5 experiments, 4 jobs, 4 min of workers' time, 16 s by the clock for " +
			"the 1 that recorded it.",
		"| `p/one` | A contradicted (a surprise: holds was expected) |",
		// what is subtracted counts
		"| `p/two` | A contradicted (a surprise: holds was expected) |",
		"| `p/control` | other readings of A |",
		"| `p/readings` | other readings of A |",
		"| `p/none` | none |",
		"verdicts on 1 of 2 claims, 1 of 2 figures and tables (without Fig. 2)",
		"- Not run for this artifact: `p/control`, `p/none`, `p/readings`.",
		"changed in between: `p/two`.\n", // p/one was made by the program that is here
		"./ppdp reproduce --out mine ",   // not into the results that come along
		"- `p/two` was run with trials=1: less than the paper's setting.",
		"- `p/two` was run on adult-standin in place of real data",
		"- **B** (p, Fig. 2): It is fast. *Nobody looked.*",
		"- **A** (p, Fig. 1) contradicted (a surprise: holds was expected): It is small. *No",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("ARTIFACT.md lacks %q", want)
		}
	}
	if strings.Contains(text, "source differed") {
		t.Error("ARTIFACT.md reports a changed source")
	}
	if t.Failed() {
		t.Log(text)
	}
}
