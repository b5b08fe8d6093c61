package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/internal/results"
	"ppdp/report/contest"
)

// own is a run of no paper: series by their accuracies (of naive Bayes and of the majority), their
// distances and their sizes, each in three trials that differ by slope thousandths.
func own(lines map[string][4]float64) *results.Summary {
	run := &results.Run{Manifest: results.Manifest{
		Experiment: "mine", Title: "My releases", Source: "none", Trials: 3, Spec: "name: mine\n",
		Datasets: []results.DatasetUse{{Name: "csv csv=my.csv"}},
		Algorithms: []results.AlgorithmUse{
			{Name: "identity", Guarantee: "none", Status: "holds"},
			{Name: "noisy", Guarantee: "differential privacy", Status: "holds", Unit: "record",
				Relation: "add or remove one record"},
			{Name: "grouped", Guarantee: "k-anonymity", Status: "holds"}},
		IntervalMethod: results.IntervalMethod,
	}}
	measures := []results.MeasureUse{
		{Measurement: results.Measurement{Metric: "accuracy", Classifier: "naive-bayes"},
			Title: "Classification accuracy", HigherIsBetter: true},
		{Measurement: results.Measurement{Metric: "accuracy", Classifier: "majority"},
			Title: "Classification accuracy", HigherIsBetter: true},
		{Measurement: results.Measurement{Metric: "ks"}, Title: "Distance"},
		{Measurement: results.Measurement{Metric: "records"}, Title: "Records"}}
	run.Manifest.Measures = measures
	slope := map[string]float64{"Original": 0, "A": 1, "B": -1, "C": 2}
	for _, label := range []string{"Original", "A", "B", "C"} {
		values, there := lines[label]
		if !there {
			continue
		}
		epsilon := 1.0
		setting := &results.Setting{Series: label, Algorithm: "noisy", Epsilon: &epsilon,
			Dataset: results.Dataset{Name: "csv"}}
		switch label {
		case "Original":
			setting.Algorithm, setting.Epsilon = "identity", nil
		case "C":
			setting.Algorithm, setting.Epsilon = "grouped", nil
			setting.Params = map[string]string{"k": "7"}
		}
		for trial := range 3 {
			c := results.Record{Setting: setting,
				Outcome: results.Outcome{Trial: trial, Status: results.OK}}
			for i, use := range measures {
				value := values[i] + slope[label]*float64(trial-1)/1000
				c.Values = append(c.Values,
					results.Value{Measurement: use.Measurement, Value: &value})
			}
			run.Records = append(run.Records, c)
		}
	}
	return run.Summary()
}

func pageOf(t *testing.T, run *results.Summary) string {
	t.Helper()
	var b bytes.Buffer
	must.Get(Write(&b, Input{Runs: []*results.Summary{run}, Errata: testErrata,
		Papers: toyInput(t).Papers}))
	return b.String()
}

// TestOwnRuns: a page without a paper's experiment is about the user's runs: no claim, no erratum
// that bears on nothing, nothing "after none"; each release once, with its guarantee.
func TestOwnRuns(t *testing.T) {
	run := own(map[string][4]float64{"Original": {0.9, 0.7, 0, 100},
		"A": {0.8, 0.7, 0.1, 90}, "C": {0.85, 0.7, 0.3, 100}})
	run.Manifest.Algorithms[1].Errata = []string{"R1"} // its guarantee holds all the same
	page := pageOf(t, run)
	must.Say(t, page, "<h1>My releases</h1>", "k-anonymity, k = 7:",
		"Differential privacy of one record at epsilon 1; neighbours: add or remove one record. "+
			"By such a change no release becomes more than e^epsilon = 2.72 times as likely",
		"No privacy. It is here for reference", "What choosing costs")
	for _, not := range []string{"claim-T-1", "erratum-R1", "after none", "Summary",
		"class=\"alert"} {
		if strings.Contains(page, not) {
			t.Errorf("%q is on the page", not)
		}
	}
}

// TestErrataOfFailures: an erratum that says why a guarantee fails is on the user's page.
func TestErrataOfFailures(t *testing.T) {
	run := own(map[string][4]float64{"A": {0.8, 0.7, 0.1, 90}})
	run.Manifest.Algorithms[1].Errata, run.Manifest.Algorithms[1].Status = []string{"R1"}, "short"
	must.Say(t, pageOf(t, run), `id="erratum-R1"`)
}

// TestCommands: a competitor has the command that makes its release, or why none can be made, and
// what does not compete has neither.
func TestCommands(t *testing.T) {
	var asked []string
	in := Input{Release: func(s *results.Setting) (command, refused string) {
		asked = append(asked, s.Series)
		if s.Series == "C" {
			return "", "it < cannot"
		}
		return "ppdp release x", ""
	}, Runs: []*results.Summary{own(map[string][4]float64{"Original": {0.9, 0.7, 0, 100},
		"A": {0.8, 0.7, 0.1, 90}, "C": {0.85, 0.7, 0.3, 100}})}}
	var b bytes.Buffer
	must.Get(Write(&b, in))
	must.Equal(t, asked, []string{"A", "C"})
	must.Say(t, b.String(), "<code>ppdp release x</code>", "it &lt; cannot", "--total")
}

// TestRanking: A and B compete at epsilon 1, C alone at k = 7; what is not private is shown beside
// both. A is best by naive Bayes, B by the distance. In both they differ by 0.1, with differences
// of trials 0.002 apart: t is 50√3, and Student's p with two degrees of freedom 1 - t/√(2+t²) =
// 0.00013. The marks on the page say so.
func TestRanking(t *testing.T) {
	run := own(map[string][4]float64{"Original": {0.9, 0.7, 0, 100},
		"A": {0.8, 0.7, 0.2, 90}, "B": {0.7, 0.7, 0.1, 500}, "C": {0.75, 0.7, 0.3, 100}})
	r := newRanking(run, &Input{})
	var got []string
	for _, c := range r.Contests {
		for _, l := range c.Lines {
			line := fmt.Sprint(c.Title, ", ", c.Ranked, ": ", l.Name(), " ", l.Leads)
			for _, e := range l.Entries {
				line += fmt.Sprintf(" %.3g %s", e.Mean, e.Rank)
				if e.Rank == contest.Worse {
					line += " " + e.Lag()
				}
			}
			got = append(got, line)
		}
	}
	want := []string{
		"ε = 1, 2: A 1 0.8 best 0.2 worse behind by 0.1 ± 0.0012, p = 0.00013",
		"ε = 1, 2: B 1 0.7 worse behind by 0.1 ± 0.0012, p = 0.00013 0.1 best",
		"ε = 1, 2: Original (no privacy) 0 0.9  0 ",
		"k = 7, 1: C 2 0.75 best 0.3 best",
		"k = 7, 1: Original (no privacy) 0 0.9  0 ",
	}
	must.Equal(t, got, want)
	page := pageOf(t, run)
	must.Say(t, page,
		"<strong>0.800</strong>", "majority 0.700",
		"0.700 <span class=\"quiet\">± 0.00058</span><br><span class=\"quiet\">behind by 0.1 ± "+
			"0.0012, p = 0.00013</span>")
}

// TestNothingBeatsTheMajority is said of each release, and in place of one to take.
func TestNothingBeatsTheMajority(t *testing.T) {
	run := own(map[string][4]float64{"Original": {0.9, 0.7, 0, 100}, "A": {0.7, 0.7, 0.2, 90},
		"B": {0.6, 0.7, 0.1, 100}})
	view := newRanking(run, &Input{}).Contests[0]
	if text := view.Advice[0].Text(); !strings.HasPrefix(text, "none: no release") ||
		!view.Lines[0].NoBetter || !view.Lines[1].NoBetter {
		t.Errorf("advice %q", text)
	}
	if page := pageOf(t, run); strings.Count(page, "not shown to beat the majority class") != 2 {
		t.Error("the page does not mark both")
	}
}

// TestBrokenGuaranteeIsNotRanked: whatever it is worth, and the page says that it is not private.
func TestBrokenGuaranteeIsNotRanked(t *testing.T) {
	run := own(map[string][4]float64{"A": {0.9, 0.7, 0.1, 90}, "C": {0.8, 0.7, 0.3, 100}})
	run.Manifest.Algorithms[1].Status = "broken"
	r := newRanking(run, &Input{})
	lines := r.Contests[0].Lines
	if r.Contests[0].Ranked != 1 || lines[0].Label() != "C" || lines[1].Status != results.Broken {
		t.Errorf("%+v", lines)
	}
	if text := r.Guarantees[0].Text; !strings.HasPrefix(text, "Not private: the claim of "+
		"differential privacy is broken") {
		t.Errorf("A: %s", text)
	}
}
