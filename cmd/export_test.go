package cmd

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"

	"ppdp/results"
)

// TestExportReadsBack: what is written is what Go's own reader of the format finds, whatever names
// hold.
func TestExportReadsBack(t *testing.T) {
	number := func(v float64) *float64 { return &v }
	half := 0.5
	var records []results.Record
	for trial, v := range []float64{0.25, 1e-300, 12345678.9} {
		records = append(records, results.Record{Experiment: "mine/a b",
			Series: "RPS, stop 5/6 a\tb", Dataset: "d n=5", Algorithm: "rps", Variant: "strict",
			Epsilon: &half, Params: map[string]string{"k": "a/b c-7"},
			Trial: trial, Status: results.OK,
			Values: []results.Value{{Metric: "w1", Value: number(v)},
				{Metric: "accuracy", Classifier: "c45", Value: number(v / 2)}}})
	}
	records = append(records, results.Record{Experiment: "mine/a b", Series: "s-7",
		Dataset: "d n=5", Algorithm: "x", Status: results.Failed, Phase: results.PhaseLoad})
	var text bytes.Buffer
	outcome := &results.Outcome{Manifest: results.Manifest{Experiment: "mine/a b"},
		Records: records}
	if err := writeBenchmarks(&text, []*results.Outcome{outcome}); err != nil {
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
	epsilon := func(v float64) *float64 { return &v }
	samples := []results.Sample{
		{Series: "a", Dataset: "d", Algorithm: "mondrian", Variant: "published",
			Params: map[string]string{"k": "2", "mode": "strict"}},
		{Series: "a", Dataset: "d", Algorithm: "mondrian", Variant: "published",
			Params: map[string]string{"k": "2", "mode": "strict"},
			Metric: "the same configuration"},
		{Series: "a", Dataset: "d", Algorithm: "mondrian", Variant: "published",
			Params: map[string]string{"k": "5", "mode": "strict"}},
		{Series: "a", Dataset: "d", Algorithm: "rps", Variant: "strict", Epsilon: epsilon(1e-5),
			Params: map[string]string{"depth": "5"}},
		{Series: "a", Dataset: "d", Algorithm: "rps", Variant: "strict", Epsilon: epsilon(2),
			Params: map[string]string{"depth": "5", "stop": "0"}},
		{Series: "a", Dataset: "e", Algorithm: "rps", Variant: "strict", Epsilon: epsilon(2),
			Params: map[string]string{"depth": "7"}},
		{Series: "first", Dataset: "d", Algorithm: "identity"},
		{Series: "second one", Dataset: "d", Algorithm: "identity"},
	}
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
	number := func(v float64) *float64 { return &v }
	var records []results.Record
	for _, variant := range []string{"published", "strict"} {
		for _, stop := range []string{"0", "5"} {
			records = append(records, results.Record{Experiment: "rps/fig3",
				Series: "RPS " + variant + ", stop " + stop, Dataset: "adult", Algorithm: "rps",
				Variant: variant, Epsilon: number(0.5),
				Params: map[string]string{"stop": stop, "depth": "50"}, Status: results.OK,
				Values: []results.Value{
					{Metric: "accuracy", Classifier: "c45", Value: number(0.75)},
					{Metric: "w1", Value: number(1)}}})
		}
	}
	var text bytes.Buffer
	outcome := &results.Outcome{Records: records}
	outcome.Manifest.Experiment = "rps/fig3"
	if err := writeBenchmarks(&text, []*results.Outcome{outcome}); err != nil {
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
