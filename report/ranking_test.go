package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ppdp/internal/results"
)

// own is a run of no paper: series by their accuracies (of naive Bayes and of the majority), their
// distances and their sizes, each in three trials that differ by a thousandth.
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
			c := results.Cell{Setting: setting,
				CellResult: results.CellResult{Trial: trial, Status: results.OK}}
			for i, use := range measures {
				value := values[i] + float64(trial-1)/1000
				c.Values = append(c.Values,
					results.Value{Measurement: use.Measurement, Value: &value})
			}
			run.Cells = append(run.Cells, c)
		}
	}
	return run.Summary()
}

func pageOf(t *testing.T, run *results.Summary) string {
	t.Helper()
	var b bytes.Buffer
	_, err := Write(&b, Input{Runs: []*results.Summary{run}, Errata: testErrata,
		Papers: toyInput(t).Papers})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestOwnRuns: a page without a paper's experiment is about the user's runs: no claim, no erratum
// that bears on nothing, nothing "after none"; each release once, with its guarantee.
func TestOwnRuns(t *testing.T) {
	page := pageOf(t, own(map[string][4]float64{"Original": {0.9, 0.7, 0, 100},
		"A": {0.8, 0.7, 0.1, 90}, "C": {0.85, 0.7, 0.3, 100}}))
	for _, want := range []string{"<h1>My releases</h1>", "k-anonymity, k = 7:",
		"Differential privacy of one record at epsilon 1; neighbours: add or remove one record. " +
			"By such a change no release becomes more than e^epsilon = 2.72 times as likely",
		"No privacy. It is here for reference", "What choosing costs"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	for _, not := range []string{"claim-T-1", "erratum-R1", "after none", "Summary",
		"class=\"alert"} {
		if strings.Contains(page, not) {
			t.Errorf("%q is on the page", not)
		}
	}
}

// TestRanking: by hand. Of naive Bayes A, C, B are first to third, of the distance B, A and C: mean
// ranks 1.5, 2.5 and 2. What is not private is not ranked.
func TestRanking(t *testing.T) {
	r := newRanking(own(map[string][4]float64{"Original": {0.9, 0.7, 0, 100},
		"A": {0.8, 0.7, 0.2, 90}, "B": {0.7, 0.7, 0.1, 500}, "C": {0.75, 0.7, 0.3, 100}}), false)
	if len(r.Contests) != 1 || len(r.Contests[0].Columns) != 2 {
		t.Fatalf("%d contests", len(r.Contests))
	}
	var got []string
	for _, l := range r.Contests[0].Lines {
		got = append(got, fmt.Sprint(l.Place, " ", l.Label, " ", l.Rank, " ", l.NoBetter))
	}
	want := "1 A 1.5 false; 2 B 2.0 true; 3 C 2.5 false;  Original  false"
	if text := strings.Join(got, "; "); text != want {
		t.Errorf("%s, want %s", text, want)
	}
	// Student's t of 2 degrees of freedom is 4.303; the standard error of ±0.001 is 0.001/√3.
	if text := r.Contests[0].Lines[0].Cells[0].Interval; text != "0.798 to 0.802" {
		t.Errorf("interval %s", text)
	}
	alarms := strings.Join(r.Alarms, "\n")
	if !strings.Contains(alarms, "by any classifier: B.") ||
		!strings.Contains(alarms, "100 were released") || !strings.Contains(alarms, "B 500") {
		t.Errorf("alarms %s", alarms)
	}
}

// TestNothingBeatsTheMajority is said in capitals, and why where the original does not either.
func TestNothingBeatsTheMajority(t *testing.T) {
	run := own(map[string][4]float64{"Original": {0.9, 0.7, 0, 100}, "A": {0.7, 0.7, 0.2, 90},
		"B": {0.6, 0.7, 0.1, 100}})
	const loud = "NO RELEASE IS SHOWN TO BE BETTER"
	alarms := strings.Join(newRanking(run, false).Alarms, "\n")
	if !strings.Contains(alarms, loud) || strings.Contains(alarms, "original") {
		t.Errorf("alarms %q", alarms)
	}
	if !strings.Contains(Headline(run), "NOT SHOWN TO BEAT") {
		t.Errorf("headline %s", Headline(run))
	}
	run = own(map[string][4]float64{"Original": {0.7, 0.7, 0, 100}, "A": {0.7, 0.7, 0.2, 90}})
	if alarms := strings.Join(newRanking(run, false).Alarms, "\n"); !strings.Contains(alarms,
		"Neither are classifiers of the original data") {
		t.Errorf("alarms %q", alarms)
	}
}

// TestBrokenGuaranteeIsNotRanked: whatever it is worth, and the page says that it is not private.
func TestBrokenGuaranteeIsNotRanked(t *testing.T) {
	run := own(map[string][4]float64{"A": {0.9, 0.7, 0.1, 90}, "C": {0.8, 0.7, 0.3, 100}})
	run.Manifest.Algorithms[1].Status = "broken"
	r := newRanking(run, false)
	lines := r.Contests[0].Lines
	if r.Contests[0].Ranked != 1 || lines[0].Label != "C" || lines[1].Doubt != "guarantee broken" {
		t.Errorf("%+v", lines)
	}
	if text := r.Guarantees[0].Text; !strings.HasPrefix(text, "Not private: the claim of "+
		"differential privacy is broken") {
		t.Errorf("A: %s", text)
	}
}
