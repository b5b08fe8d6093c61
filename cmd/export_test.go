package cmd

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"

	"ppdp/internal/results"
)

// TestExportReadsBack: what is written is what Go's own reader of the format finds, whatever names
// hold.
func TestExportReadsBack(t *testing.T) {
	half := 0.5
	setting := &results.Setting{Series: "RPS, stop 5/6 a\tb",
		Dataset: results.Dataset{Name: "d n=5"}, Algorithm: "rps", Variant: "strict",
		Epsilon: &half, Params: map[string]string{"k": "a/b c-7"}}
	w1, accuracy := results.Measurement{Metric: "w1"}, results.Measurement{Metric: "accuracy",
		Classifier: "c45"}
	var cells []results.Cell
	for trial, v := range []float64{0.25, 1e-300, 12345678.9} {
		a := v / 2
		cells = append(cells, results.Cell{Setting: setting,
			CellResult: results.CellResult{Trial: trial, Status: results.OK,
				Values: []results.Value{{Measurement: w1, Value: &v},
					{Measurement: accuracy, Value: &a}}}})
	}
	failing := &results.Setting{Series: "s-7", Dataset: results.Dataset{Name: "d n=5"},
		Algorithm: "x"}
	cells = append(cells, results.Cell{Setting: failing,
		CellResult: results.CellResult{Status: results.Failed, Phase: results.PhaseLoad}})
	var text bytes.Buffer
	run := &results.Run{Cells: cells, Manifest: results.Manifest{Experiment: "mine/a b",
		Measures: []results.MeasureUse{{Measurement: w1}, {Measurement: accuracy,
			HigherIsBetter: true}}}}
	if err := writeBenchmarks(&text, []*results.Summary{run.Summary()}); err != nil {
		t.Fatal(err)
	}
	var got [][2]float64
	r := benchfmt.NewReader(&text, "t")
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(rec)
		case *benchfmt.Result:
			w1, ok := rec.Value("w1")
			accuracy, classified := rec.Value("accuracy-by-c45")
			if !ok || !classified {
				t.Errorf("units are missing: %+v", rec.Values)
			}
			base, parts := rec.Name.Parts()
			if string(base) != "Rps" || len(parts) != 2 || rec.GetConfig("dataset") != "d n=5" ||
				rec.GetConfig("experiment") != "mine/a b" {
				t.Errorf("name %s, parts %q, dataset %q", base, parts, rec.GetConfig("dataset"))
			}
			got = append(got, [2]float64{w1, accuracy})
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	want := [][2]float64{{0.25, 0.125}, {1e-300, 5e-301}, {12345678.9, 6172839.45}}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Error(difference)
	}
	if units := r.Units(); units.GetBetter("w1") != -1 || units.GetBetter("accuracy-by-c45") != 1 {
		t.Error("directions of units are lost")
	}
}

// TestExportNames: a name contains what configurations differ in; no two of a dataset are equal.
func TestExportNames(t *testing.T) {
	sample := func(series, dataset, algorithm, variant string, epsilon float64,
		params ...string) results.Sample {
		s := &results.Setting{Series: series, Dataset: results.Dataset{Name: dataset},
			Algorithm: algorithm, Variant: variant,
			Params: make(map[string]string)}
		if epsilon > 0 {
			s.Epsilon = &epsilon
		}
		for i := 0; i < len(params); i += 2 {
			s.Params[params[i]] = params[i+1]
		}
		return results.Sample{Setting: s}
	}
	samples := []results.Sample{
		sample("a", "d", "mondrian", "published", 0, "k", "2", "mode", "strict"),
		{},
		sample("a", "d", "mondrian", "published", 0, "k", "5", "mode", "strict"),
		sample("a", "d", "rps", "strict", 1e-5, "depth", "5"),
		sample("a", "d", "rps", "strict", 2, "depth", "5", "stop", "0"),
		sample("a", "e", "rps", "strict", 2, "depth", "7"),
		sample("first", "d", "identity", "", 0),
		sample("second one", "d", "identity", "", 0),
	}
	samples[1] = results.Sample{Setting: samples[0].Setting,
		Measurement: results.Measurement{Metric: "of the same setting"}}
	want := []string{
		"Mondrian/variant=published/k=2",
		"Mondrian/variant=published/k=2",
		"Mondrian/variant=published/k=5",
		"Rps/variant=strict/epsilon=1e-05.", // "-05" alone would be a number of processors
		"Rps/variant=strict/epsilon=2/stop=0",
		"Rps/variant=strict/epsilon=2",
		"Identity/series=first",
		"Identity/series=second_one",
	}
	if difference := cmp.Diff(want, benchmarkNames(samples)); difference != "" {
		t.Error(difference)
	}
}

// TestExportProjects: the queries that the help recommends for benchstat work in the packages it is
// made of. Names, keys and units are words of its filters, without quotes.
func TestExportProjects(t *testing.T) {
	epsilon, three, one := 0.5, 0.75, 1.0
	var cells []results.Cell
	for _, variant := range []string{"published", "strict"} {
		for _, stop := range []string{"0", "5"} {
			setting := &results.Setting{Series: "RPS, stop " + stop, ShowVariant: true,
				Dataset:   results.Dataset{Name: "adult"},
				Algorithm: "rps", Variant: variant, Epsilon: &epsilon,
				Params: map[string]string{"stop": stop, "depth": "50"}}
			cells = append(cells, results.Cell{Setting: setting,
				CellResult: results.CellResult{Status: results.OK, Values: []results.Value{
					{Measurement: results.Measurement{Metric: "accuracy", Classifier: "c45"},
						Value: &three},
					{Measurement: results.Measurement{Metric: "w1"}, Value: &one}}}})
		}
	}
	var text bytes.Buffer
	run := &results.Run{Manifest: results.Manifest{Experiment: "rps/fig3"}, Cells: cells}
	if err := writeBenchmarks(&text, []*results.Summary{run.Summary()}); err != nil {
		t.Fatal(err)
	}
	filter, err := benchproc.NewFilter(".name:Rps .unit:accuracy-by-c45 /stop:5")
	if err != nil {
		t.Fatal(err)
	}
	var parser benchproc.ProjectionParser
	columns, err := parser.Parse("/variant", filter)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := parser.Parse("/epsilon /stop", filter)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	r := benchfmt.NewReader(&text, "t")
	for r.Scan() {
		result, ok := r.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		match, err := filter.Apply(result)
		if err != nil {
			t.Fatal(err)
		}
		if match {
			got = append(got, fmt.Sprint(columns.Project(result), " ", rows.Project(result), " ",
				result.Values[0].Unit))
		}
		if match && len(result.Values) != 1 {
			t.Errorf("the filter leaves %d values, want the one unit", len(result.Values))
		}
	}
	want := []string{"/variant:published /epsilon:0.5 /stop:5 accuracy-by-c45",
		"/variant:strict /epsilon:0.5 /stop:5 accuracy-by-c45"}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Error(difference)
	}
}
