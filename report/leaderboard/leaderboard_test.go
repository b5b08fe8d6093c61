package leaderboard

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/internal/results"
)

var update = flag.Bool("update", false, "write testdata/board.md")

// madeUp is a run of four competitors at two budgets. Trials are offset ± spread, so that tests
// have closed forms; the learning curve gains .05 with each tenfold share.
func madeUp(trials int) *results.Run {
	run := &results.Run{Manifest: results.Manifest{Experiment: "leaderboard/t", Title: "A table",
		CPU: "A Chip",
		Measures: []results.MeasureUse{
			{Measurement: results.Measurement{Metric: "accuracy", Classifier: "c45"},
				Title: "Accuracy", HigherIsBetter: true},
			{Measurement: results.Measurement{Metric: "distance"}, Title: "Distance"}}}}
	use := func(name, status string) {
		run.Manifest.Algorithms = append(run.Manifest.Algorithms, results.AlgorithmUse{Name: name,
			Variant: "strict", Guarantee: "differential privacy",
			Relation: "add or remove one record", Status: status})
	}
	add := func(series, algorithm string, epsilon float64, params map[string]string, accuracy,
		spread, distance float64) {
		s := &results.Setting{Dataset: results.Dataset{Name: "t"}, Algorithm: algorithm,
			Variant: "strict", Series: series, Params: params}
		if epsilon > 0 {
			s.Epsilon = &epsilon
		}
		for trial := range trials {
			off := spread * float64(trial%2*2-1)
			// trials of competitors differ in more than a shift
			off *= 1 + float64(len(series)%3)*float64(trial/2%2)
			values := []float64{accuracy + off, 0.6, distance + off/10}
			record := results.Record{Setting: s, Outcome: results.Outcome{Trial: trial,
				Status: results.OK}}
			for i, m := range []results.Measurement{{Metric: "accuracy", Classifier: "c45"},
				{Metric: "accuracy", Classifier: "majority"}, {Metric: "distance"}} {
				record.Values = append(record.Values,
					results.Value{Measurement: m, Value: &values[i]})
			}
			run.Records = append(run.Records, record)
			run.Timings = append(run.Timings, results.Timing{Job: len(run.Timings),
				Release: 1.5})
		}
	}
	for _, name := range []string{"good", "alike", "poor"} {
		use(name, "holds")
	}
	use("leaky", "broken")
	for i, epsilon := range []float64{0.1, 1} {
		gain := 0.05 * float64(i)
		add("Good", "good", epsilon, nil, 0.7+gain, 0.001, 0.04)
		add("Alike", "alike", epsilon, nil, 0.6995+gain, 0.002, 0.03)
		add("Poorer", "poor", epsilon, nil, 0.6, 0.001, 0.2)
		add("Leaky", "leaky", epsilon, nil, 0.9, 0.001, 0.01)
	}
	for i, share := range []string{"0.001", "0.01", "0.1", "1"} {
		x := float64(i)
		add("sample, share "+share, "sample", 0, map[string]string{results.ShareParam: share},
			0.65+0.05*x, 0, 0.08-0.02*x)
	}
	add("Original", "identity", 0, nil, 0.8, 0, 0)
	return run
}

// TestMarkdown: the page of the made-up run says what was planted. At each budget of accuracy Good
// leads, Alike cannot be told from it, Poorer is worse and no better than the majority; Leaky's
// guarantee is broken, so it does not compete. Good gains half of what the original data do, .1
// of .2, then three quarters. The sample equal to .7 is 10^-2 of the records
// by the curve. Of distances Alike leads and Good, whose mean is ten deviations away, is worse.
func TestMarkdown(t *testing.T) {
	var b strings.Builder
	if err := WriteMarkdown(&b, Of([]*results.Summary{madeUp(8).Summary()}), "a test",
		"../board.md"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "board.md")
	if *update {
		must.Do(t, os.WriteFile(path, []byte(b.String()), 0o666))
	}
	if want := must.Get(os.ReadFile(path)); b.String() != string(want) {
		t.Errorf("the page differs from %s; go test ./report/leaderboard -update\n%s", path, &b)
	}
}

// TestAccuracyAndAUC: planted are Good's first place by accuracy and Alike's by AUC, and Poorer's
// tenfold records, whose labels follow from the rest; the page says so.
func TestAccuracyAndAUC(t *testing.T) {
	run := madeUp(8)
	boosting := func(metric string) results.Measurement {
		return results.Measurement{Metric: metric, Classifier: "boosting"}
	}
	records := results.Measurement{Metric: "records"}
	for _, of := range []results.Measurement{boosting("auc"), boosting("accuracy"),
		boosting("accuracy-within"), records} {
		run.Manifest.Measures = append(run.Manifest.Measures,
			results.MeasureUse{Measurement: of, Title: of.Metric, HigherIsBetter: true})
	}
	planted := map[string][4]float64{"good": {0.8, 0.7, 0.8, 900}, "alike": {0.7, 0.8, 0.8, 900},
		"poor": {0.6, 0.6, 0.99, 9000}, "identity": {0.9, 0.9, 0.85, 900}}
	for r := range results.Each(run.Records) {
		values, ok := planted[r.Setting.Algorithm]
		if !ok {
			continue
		}
		for j := range values[:2] { // trials of competitors differ in more than a shift
			values[j] += 0.001 * float64(r.Trial*len(r.Setting.Algorithm)%3)
		}
		for j, of := range []results.Measurement{boosting("accuracy"), boosting("auc"),
			boosting("accuracy-within"), records} {
			r.Values = append(r.Values, results.Value{Measurement: of, Value: &values[j]})
		}
	}
	tables := Of([]*results.Summary{run.Summary()})
	var b strings.Builder
	must.Do(t, WriteMarkdown(&b, tables, "a test", ""))
	must.Say(t, b.String(),
		"### Boosting: accuracy and AUC\n\nHigher is better. The original data give 0.901 and "+
			"0.901.\n",
		"| Good | **0.801** ± 0.0003 / 0.701 ± 0.0003 |",
		"| Alike | 0.701 ± 0.0003 / **0.801** ± ",
		"what Boosting predicts right in one half of them after learning from the other; of the "+
			"original records it is 0.850.\n",
		"| Good | × 1.0, 0.800 | × 1.0, 0.800 |",
		"| Poorer | × 10, 0.990 (10 times as many records, hard labels) |")
}
