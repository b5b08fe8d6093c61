package evaluation

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"ppdp/internal/results"
)

// measures of the made-up run: the accuracy of a learner and of the majority, a distance, an attack
// with the ends of its interval, and the number of records.
var measures = []results.MeasureUse{
	{Measurement: results.Measurement{Metric: "records"}, Title: "Records"},
	{Measurement: results.Measurement{Metric: "marginal-distance"}, Title: "Distance"},
	{Measurement: results.Measurement{Metric: "accuracy", Classifier: "boosting"},
		Title: "Accuracy", HigherIsBetter: true},
	{Measurement: results.Measurement{Metric: "accuracy", Classifier: "majority"},
		Title: "Accuracy", HigherIsBetter: true},
	{Measurement: results.Measurement{Metric: "membership fpr=0.1"}, Title: "Attack"},
	{Measurement: results.Measurement{Metric: "membership end=low fpr=0.1"}, Title: "Attack"},
	{Measurement: results.Measurement{Metric: "membership end=high fpr=0.1"}, Title: "Attack"},
	{Measurement: results.Measurement{Metric: "membership allowed=true fpr=0.1"}, Title: "Attack"},
}

// evaluated is the evaluation of a run in which each entry has one trial with values of measures.
func evaluated(t *testing.T, entries ...any) *Evaluation {
	t.Helper()
	run := &results.Run{Manifest: results.Manifest{Experiment: "evaluate", Title: "Mine",
		Note: "one\ntwo", Measures: measures}}
	for i := 0; i < len(entries); i += 2 {
		c := results.Record{Setting: entries[i].(*results.Setting),
			Outcome: results.Outcome{Status: results.OK}}
		for at, use := range measures {
			value := results.Value{Measurement: use.Measurement}
			if x := entries[i+1].([8]float64)[at]; !math.IsNaN(x) {
				value.Value = &x
			}
			c.Values = append(c.Values, value)
		}
		if c.Algorithm == results.FileAlgorithm {
			c.Warnings = []string{"three"}
		}
		run.Records = append(run.Records, c)
	}
	return Of(run.Summary())
}

func setting(series, algorithm string, param ...string) *results.Setting {
	s := &results.Setting{Series: series, Algorithm: algorithm,
		Dataset: results.Dataset{Name: "csv"}}
	if param != nil {
		s.Params = map[string]string{param[0]: param[1]}
	}
	return s
}

// controls are a copy, samples of 1 and of 10 % and independent columns. By the distance .4, .2 and
// 0, a value of .3 lies halfway between the samples: at the geometric mean of their shares, 3.2 %.
func controls() []any {
	return []any{
		setting("Copy", "identity"), [8]float64{1000, 0, 0.9, 0.6, 1, 1, 1, math.NaN()},
		setting("Independent columns", "permuted", "columns", "all"),
		[8]float64{1000, 0.3, 0.6, 0.6, 0.1, 0.1, 0.1, math.NaN()},
		setting("Sample of 0.01", "sample", "share", "0.01"),
		[8]float64{10, 0.4, 0.7, 0.6, 0.11, 0.1, 0.2, math.NaN()},
		setting("Sample of 0.1", "sample", "share", "0.1"),
		[8]float64{100, 0.2, 0.8, 0.6, 0.19, 0.1, 0.2, math.NaN()},
	}
}

func TestOf(t *testing.T) {
	none := math.NaN()
	e := evaluated(t, append(controls(),
		setting("a.csv", "file"), [8]float64{900, 0.3, 0.75, 0.6, 0.595, 0.55, 0.64, 0.7},
		setting("b.csv", "file"), [8]float64{900, 0.1, 0.6, 0.6, none, none, none, math.NaN()})...)
	var names []string
	for _, c := range e.Columns {
		names = append(names, c.Name)
	}
	want := "a.csv|b.csv|Copy|Sample of 10 %|Sample of 1 %|Independent columns|Majority class"
	if got := strings.Join(names, "|"); got != want {
		t.Fatalf("columns %s, want %s", got, want)
	}
	if got := strings.Join(e.Notes, "|"); got != "one|two|three" {
		t.Errorf("notes %s", got)
	}
	value := func(kind, at, column int) Value {
		return e.Kinds[kind].Measurements[at].Values[column]
	}
	for _, test := range []struct {
		what             string
		v                Value
		text, sample     string
		spread           string
		noBetter, exists bool
	}{
		{"records have no yardstick", value(0, 0, 0), "900", "", "", false, true},
		{"halfway between samples", value(0, 1, 0), "0.300", "3.2 %", "", true, true},
		// Halfway from .2 to 0, in logarithms from 10 to 100 %.
		{"above the samples", value(0, 1, 1), "0.100", "32 %", "", false, true},
		{"a learner halfway", value(1, 0, 0), "0.750", "3.2 %", "", false, true},
		{"a learner that guesses", value(1, 0, 1), "0.600", "≤ 1 %", "", true, true},
		{"the majority", value(1, 0, 6), "0.600", "", "", false, true},
		// An attack succeeds more, the larger the sample: from .19 to 1 halfway is .595.
		{"an attack", value(2, 0, 0), "0.595", "32 %", "0.55 to 0.64; the guarantee " +
			"allows 0.700", false, true},
		{"an undefined attack", value(2, 0, 1), "", "", "", false, false},
	} {
		if test.v.Text() != test.text || test.v.SampleText != test.sample ||
			test.v.Spread() != test.spread || test.v.NoBetter != test.noBetter ||
			(test.v.Value != nil) != test.exists {
			t.Errorf("%s: %+v, %q %q", test.what, test.v, test.v.Text(), test.v.Spread())
		}
	}
	if n := len(e.Kinds[2].Measurements); n != 1 {
		t.Errorf("%d attacks, want the one with its interval", n)
	}
	for _, test := range []struct {
		kind, column int
		want         string
	}{
		{0, 0, "As good as a sample of 3.2 % of the original's records; NO BETTER THAN " +
			"INDEPENDENT COLUMNS by 1 of 1."},
		{1, 0, "As good as a sample of 3.2 % of the original's records. Boosting: Accuracy: " +
			"0.750, with the original 0.900, by guessing the majority class 0.600."},
		{1, 1, "NO LEARNER DOES BETTER THAN GUESSING."},
		{2, 0, "It gives away as much as a sample of 32 % of the original's records."},
		{2, 1, "Nothing here can be held against samples of the original."},
	} {
		if got := e.Kinds[test.kind].Short[test.column]; !strings.Contains(got, test.want) {
			t.Errorf("kind %d of column %d: %s, want %s", test.kind, test.column, got, test.want)
		}
	}
	if _, err := json.Marshal(e); err != nil {
		t.Error(err)
	}
}

// TestOfOthers: runs without a release in a file are none, one without controls has its numbers.
func TestOfOthers(t *testing.T) {
	if e := evaluated(t, controls()...); e != nil {
		t.Errorf("an evaluation of %v", e.Columns)
	}
	e := evaluated(t, setting("a.csv", "file"),
		[8]float64{9, 0.3, 0.75, 0.6, 0.5, 0.4, 0.6, math.NaN()})
	if len(e.Columns) != 1 || e.Sampled() || !e.Kinds[0].Has(0) ||
		!strings.HasPrefix(e.Kinds[1].Short[0], "Nothing here") {
		t.Errorf("%+v", e)
	}
}

// TestNames: settings are said in words, and the most records learnt from in a note instead.
func TestNames(t *testing.T) {
	for metric, want := range map[string]string{
		"pmse ratio=true":     "Title, as a multiple of what chance makes",
		"accuracy rows=50000": "Title",
		"membership fpr=0.001 of=tpr": "Title, where 0.1 % of others are taken for members, " +
			"members found",
		"r2 target=net pay": "Title, of net pay", "unique-matches of=held-out": "Title, people " +
			"who are not in it",
		"membership strange=1": "Title, strange 1",
	} {
		if m, _ := newMeasurement(&results.MeasureUse{Title: "title",
			Measurement: results.Measurement{Metric: metric}}); m.Name != want {
			t.Errorf("%s: %s, want %s", metric, m.Name, want)
		}
	}
}
