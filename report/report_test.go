package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/internal/results"
	"ppdp/plots"
	"ppdp/privacy"
	"ppdp/report/claims"
)

const testClaims = `paper: toy
citation: Nobody 2026 <i>(toy)</i>
under-test: [a]
figures: [Fig. 1a, Fig. 1b]
claims:
  - id: T-1
    statement: The distance is at most 5 & never more.
    source: Fig. 1a
    errata: R1
    checks:
      - experiment: toy/fig1
        where: {metric: w1, series: A}
        each: epsilon
        range: {of: {}, max: 5}
    expect: holds
  - id: T-2
    statement: Whatever.
    source: section 2
    tests: results.TestStore
    expect: contradicted
    note: Because.
  - id: T-3
    statement: Something else.
    source: Fig. 1b
    not-covered: No records are about it.
`

var testErrata = []claims.Errata{{Title: "First", Entries: []claims.Erratum{
	{ID: "R1", Title: "one <thing>", Verdict: "broken", But: "for once", Text: "A `code <x>`,\n" +
		"on two lines.\n", PPDP: "does it.", Tests: []string{"algorithms/a.TestR1"}},
	{ID: "R2", Title: "two", Verdict: "text", Text: "Other."}}}}

// toy is a run with two series over three epsilons and three trials, one job of which failed.
func toy() *results.Run {
	run := &results.Run{Manifest: results.Manifest{
		Experiment: "toy/fig1", Title: "Toy <b>", Source: "Nobody 2026, Fig. 1",
		Spec:     "name: toy/fig1\n",
		SpecHash: "0123", Seed: 7, Trials: 3, SeriesOrder: []string{"A", "B"},
		Figures: []results.Figure{{Name: "a", X: "epsilon", Y: "w1", XScale: "log"},
			{Name: "b", X: "epsilon", Y: "nothing"}},
		Datasets: []results.DatasetUse{{Name: "toys-standin", Checksum: "abcd", StandsFor: "toys"}},
		Algorithms: []results.AlgorithmUse{{Name: "a", Variant: "published",
			Guarantee: "differential privacy",
			Status:    "short", Errata: []string{"R1"}}},
		Measures: []results.MeasureUse{{Measurement: results.Measurement{Metric: "w1"},
			Title: "Earth mover's distance", Unit: "cm"}},
		IntervalMethod: results.IntervalMethod,
		GoVersion:      "go1.26", GOOS: "linux", GOARCH: "amd64",
		CommandLine: []string{"ppdp", "run", "my spec.yaml"},
	}}
	for _, series := range []string{"A", "B"} {
		for _, epsilon := range []float64{0.1, 1, 10} {
			setting := &results.Setting{Series: series, Algorithm: "a", Variant: "published",
				Epsilon: &epsilon,
				Dataset: results.Dataset{Name: "toys-standin", StandsFor: "toys"}}
			for trial := range 3 {
				value := 1/epsilon/10 + float64(trial)/100
				c := results.Record{Setting: setting,
					Outcome: results.Outcome{Trial: trial, Status: results.OK}}
				if series == "B" && epsilon == 10 && trial == 2 {
					c.Status, c.Phase, c.Error = results.Failed, results.PhaseRelease,
						"out of <luck>"
					run.Records = append(run.Records, c)
					continue
				}
				c.Values = []results.Value{{Measurement: results.Measurement{Metric: "w1"},
					Value: &value}}
				c.Spent = &results.Spent{Claimed: epsilon, Proven: results.Bound(1.25 * epsilon)}
				loss := 0.75 * epsilon
				if series == "B" {
					loss = math.Inf(1)
				}
				c.Ledger = []privacy.Entry{
					{Purpose: "cuts", Mechanism: "exponential", Claimed: 0.5, Proven: 1.5, Calls: 3,
						Cost: 0.5 * epsilon, Loss: results.Bound(loss), Composition: "parallel"},
					{Purpose: "counts", Mechanism: "laplace", Claimed: 1, Proven: 1, Calls: 2,
						Cost: 0.5 * epsilon, Loss: results.Bound(0.5 * epsilon),
						Composition: "parallel"}}
				run.Records = append(run.Records, c)
			}
		}
	}
	return run
}

func toyInput(t *testing.T) Input {
	t.Helper()
	file := must.Get(claims.Parse("toy.yaml", []byte(testClaims)))
	runs := []*results.Summary{toy().Summary()}
	judgements := must.Get(claims.Evaluate(file, runs, claims.Options{}))
	strict, _ := claims.Evaluate(file, runs, claims.Options{Variant: claims.Strict})
	none := &claims.Settled{}
	file.Judgements = claims.Beside(judgements, none, none)
	file.Strict = claims.Beside(strict, none, none)
	return Input{Papers: []*claims.File{file}, Runs: runs, Errata: testErrata}
}

// TestPage: what went in is on the page, each thing in its place, and what is not to be overlooked
// is said.
func TestPage(t *testing.T) {
	var b bytes.Buffer
	warnings := must.Get(Write(&b, toyInput(t)))
	page := b.String()
	// Figure b asks for a metric that nothing measured.
	if len(warnings) != 1 || !strings.Contains(warnings[0], `figure "b"`) {
		t.Errorf("warnings %q, want one about figure b", warnings)
	}
	must.Say(t, page,
		`aria-label="Figure a: Earth mover&#39;s distance (cm), lower is better, `+
			`by Privacy budget ε"`,
		`Earth mover&#39;s distance (cm), lower is better. Mean ± standard error.`,
		`<th>Privacy budget ε →</th>`,
		`STAND-IN DATA, not the original: toys-standin`,
		`<strong>1 of 18 jobs failed.</strong>`,
		`out of &lt;luck&gt;`, `first: job 17, trial 2`,
		`Toy &lt;b&gt;`, `Nobody 2026 &lt;i&gt;(toy)&lt;/i&gt;`, `at most 5 &amp; never more`,
		`<strong>This run could judge no claim of the papers. The others: 1 on stand-in data`,
		`1 not covered.</strong> Some data are stand-ins for the real ones; 1 of 18 jobs failed.`,
		`Judged by this run: 0 of 3 claims`,
		`Published with ppdp: holds</p>`,
		`Published with ppdp: contradicted; strict: contradicted. <`,
		`<h2>In short</h2>`, `<a class="skip" href="#main">`, `<main id="main" tabindex="-1">`,
		`are no evidence about the papers' numbers.</summary><code>`, // folded, above the answer
		`3 of 3 points support`, `on stand-in data`,
		`href="#erratum-R1"`, `id="erratum-R1"`, `<code>algorithms/a.TestR1</code>`,
		`one &lt;thing&gt;</p><p><span class="chip v-against">broken, for once</span>`,
		"A <code>code &lt;x&gt;</code>,\non two lines.", "<em>ppdp</em>: does it.",
		`No records are about it.`,
		`<code>ppdp run &#39;my spec.yaml&#39;</code>`,
		`no finite bound`, `1.250 ε`,
		`abcd`)
	// A browser runs the one script whose hash the policy names, and nothing in attributes.
	before, rest, _ := strings.Cut(page, "<script>")
	script, after, _ := strings.Cut(rest, "</script>")
	sum := sha256.Sum256([]byte(script))
	policy := "; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"
	if !strings.Contains(html.UnescapeString(page), policy) || len(script) < 1000 {
		t.Errorf("the policy lacks %q", policy)
	}
	page = before + after
	for _, not := range []string{"<script", "http://", "https://", "src=", "@import", "url(",
		`class="claim v-holds"`, "out of <luck>", "ZgotmplZ"} {
		body := strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, "")
		if body = strings.ReplaceAll(body, `xmlns:xlink="http://www.w3.org/1999/xlink"`,
			""); strings.Contains(body, not) {
			t.Errorf("the page holds %q", not)
		}
	}
	must.Be(t, strings.Count(page, `class="chip v-holds"`), 1)
	ids := make(map[string]int)
	var links []string
	walk(t, page, func(e xml.StartElement) {
		for _, a := range e.Attr {
			switch {
			case a.Name.Local == "id":
				ids[a.Value]++
			case a.Name.Local == "href" && strings.HasPrefix(a.Value, "#"):
				links = append(links, a.Value[1:])
			}
		}
	})
	for id, n := range ids {
		if n > 1 {
			t.Errorf("id %s occurs %d times", id, n)
		}
	}
	for _, link := range links {
		if ids[link] == 0 {
			t.Errorf("a link leads to #%s, which is nowhere", link)
		}
	}
	if len(links) < 10 {
		t.Errorf("only %d links found", len(links))
	}
}

// walk calls f for every element, and fails where elements are not properly nested.
func walk(t *testing.T, page string, f func(xml.StartElement)) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		if err != nil {
			if token == nil && err.Error() == "EOF" {
				return
			}
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			f(e)
		}
	}
}

// TestReadings: a decisive claim stands by all its readings, which are counted, and what another
// one turns round is said; so does its place in the tally. A calibration is shown with its reason.
func TestReadings(t *testing.T) {
	in := toyInput(t)
	paper := in.Papers[0]
	paper.Decisive = []string{"T-1"}
	one, two := &paper.Judgements[0], &paper.Judgements[1]
	one.Verdict, one.Effect = claims.Holds, &claims.Point{Value: 2}
	one.Checks[0].Verdict = claims.Holds
	one.Readings = []claims.Judgement{{Reading: "backwards", Verdict: claims.Contradicted,
		Checks: []claims.Evidence{{Points: []claims.Point{{State: "opposes"}}}}}}
	two.Verdict, two.Calibration = claims.Holds, "The unit was chosen."
	var b bytes.Buffer
	must.Get(Write(&b, in))
	must.Say(t, b.String(),
		`~</span> depends on the reading: holds</span> <span class="nowrap">2 W1</span>, `+
			`bound at most 5<br><span class="quiet">Other readings: 1 opposes</span>`,
		`<br><span class="quiet">1 of 1 points oppose it by another reading: backwards</span>`,
		`<p>In the judged reading: holds. 1 of 1 points oppose it by another reading: backwards.`,
		`~</span> 1 depends on the reading</span>`, `c</span> 1 calibration</span>`,
		`<p class="why">Calibration: The unit was chosen.</p>`, `Judged by this run: 1 of 3 claims`)
}

// TestSameBytes: the same runs, in whatever order they are handed over, give the same page, with
// Fig. 9 before Fig. 10.
func TestSameBytes(t *testing.T) {
	var first string
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		in := toyInput(t)
		in.Runs = nil
		for _, i := range order {
			run := toy()
			run.Manifest.Experiment = []string{"toy/fig1", "toy/fig9", "toy/fig10"}[i]
			in.Runs = append(in.Runs, run.Summary())
		}
		var b strings.Builder
		must.Get(Write(&b, in))
		if first == "" {
			first = b.String()
		}
		if b.String() != first || strings.Index(first, `id="run-toy-fig9"`) >
			strings.Index(first, `id="run-toy-fig10"`) {
			t.Fatal("the order of runs matters")
		}
	}
}

// TestEmpty: nothing run is a page too.
func TestEmpty(t *testing.T) {
	var b bytes.Buffer
	if warnings, err := Write(&b, Input{}); err != nil || len(warnings) > 0 ||
		!strings.Contains(b.String(), "None of 0.") {
		t.Errorf("%v, %q", err, warnings)
	}
}

// TestBudget: shares as the toy ledger's fixed parts give them. Cuts and counts are half of ε each
// by claimed, 0.75 and 0.5 by proven sensitivities, and B has no finite bound.
func TestBudget(t *testing.T) {
	run := toy().Summary()
	for i, want := range []string{"1.250 ε: cuts 0.750, counts 0.500", "no finite bound"} {
		s := run.Spending[i]
		if claimed(s) != "1.000 ε: cuts 0.500, counts 0.500" || proven(s) != want ||
			!overspent(s) {
			t.Errorf("%s: claimed %s, proven %s", s.Label, claimed(s), proven(s))
		}
	}
	one := &results.Spending{Releases: 2, Worst: 1.5,
		Purposes: []results.PurposeSpending{{Purpose: "all", Claimed: 2, Proven: 2}}}
	if got := proven(one); got != "1.000 ε: all 1.000; at most 1.500 ε" || !overspent(one) {
		t.Errorf("one release above its budget: %s", got)
	}
	if one.Worst = 1; overspent(one) {
		t.Error("what is within its budget exceeds it")
	}
}

// TestNumbers: the table under a figure has the means of its curves, by hand.
func TestNumbers(t *testing.T) {
	pictures, _, err := plots.Experiment(toy().Summary())
	if len(pictures) != 1 {
		t.Fatalf("%d pictures, %v", len(pictures), err)
	}
	tables := numbersOf(&pictures[0])
	if len(tables) != 1 || len(tables[0].Lines) != 2 ||
		strings.Join(tables[0].Columns, " ") != "0.1 1 10" {
		t.Fatalf("%+v", tables)
	}
	a, b := tables[0].Lines[0], tables[0].Lines[1]
	// Trials add 0, 0.01 and 0.02: mean 0.01 above, standard error 0.01/√3.
	near := func(x, want float64) bool { return math.Abs(x-want) < 1e-12 }
	if a.Label != "A" || !near(a.Points[0].Mean, 1.01) ||
		!near(a.Points[0].SE, 0.01/math.Sqrt(3)) || !near(a.Points[2].Mean, 0.02) {
		t.Errorf("A: %+v", a)
	}
	if p := b.Points[2]; p.N != 2 || p.Failed != 1 || !near(p.Mean, 0.015) {
		t.Errorf("B with a failed trial: %+v", p)
	}
}

// TestNumbersOfLines: benchmarks and values that an axis cannot show are in the tables too.
func TestNumbersOfLines(t *testing.T) {
	nan := math.NaN()
	p := &plots.Picture{Figure: results.Figure{X: "epsilon", X2: "k"}, XLabel: "ε",
		X2Label: "k (M)", Lines: []plots.Line{
			{Label: "A", Axis: "epsilon", Points: []plots.Point{{X: 0.5, Mean: 0, SE: 0, N: 2},
				{X: 1e6, Mean: nan, SE: nan, Failed: 2}}},
			{Label: "M", Axis: "k", Points: []plots.Point{{X: 5, Mean: 7, SE: nan, N: 1}}},
			{Label: "Original", Points: []plots.Point{{Mean: 3, SE: 1, N: 2}}},
			{Label: "Several", Points: []plots.Point{{Mean: 4, SE: nan}}},
		}}
	var got []string
	for _, table := range numbersOf(p) {
		for _, l := range table.Lines {
			got = append(got, fmt.Sprint(table.Axis, table.Columns, l.Label, len(l.Points),
				l.Points[0].Mean))
		}
	}
	want := []string{"ε[0.5 1000000]A2 0", "k (M)[5]M1 7", "[mean]Original1 3", "[mean]Several1 4"}
	must.Equal(t, got, want)
}

// TestLeaderboard: runs of the leaderboard put what to release on the first screen. Both of the
// toy's series have the same mean at 0.1 and 1; at 10 the trial that failed leaves B 0.015 and A
// 0.02, which is worth three quarters of it.
func TestLeaderboard(t *testing.T) {
	in := toyInput(t)
	board := func() (string, bool) {
		var b bytes.Buffer
		must.Get(Write(&b, in))
		_, rest, found := strings.Cut(b.String(), `<section id="leaderboard">`)
		first, _, _ := strings.Cut(rest, `<section id="summary">`)
		return first, found
	}
	if _, found := board(); found {
		t.Error("a leaderboard of other runs")
	}
	run := in.Runs[0]
	run.Manifest.Experiment, run.Manifest.Algorithms[0].Status = "leaderboard/toy", "holds"
	first, _ := board()
	must.Say(t, first, "Toy &lt;b&gt;", "STAND-IN DATA", "<th>ε = 10</th>",
		"<td>A: 100 % (&#43;1)</td><td>B: 100 %</td>")
}

func TestCompareNames(t *testing.T) {
	want := "compare/adult compare/adult-four mondrian/fig9 mondrian/fig15-16 rps/fig1 " +
		"rps/fig1-readings rps/fig2 rps/fig02 rps/fig10 rps/table1"
	names := strings.Fields(want)
	slices.Sort(names)
	slices.SortFunc(names, CompareNames)
	// fig02 and fig2 are the same number: the strings decide.
	must.Be(t, strings.Join(names, " "), strings.Replace(want, "rps/fig2 rps/fig02",
		"rps/fig02 rps/fig2", 1))
}
