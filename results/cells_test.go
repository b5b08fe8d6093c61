package results

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func fullRecord() Record {
	return Record{
		Experiment: "rps/fig3", Series: "RPS <5> & more", Dataset: "adult-standin", StandIn: true, Algorithm: "rps", Variant: "strict",
		Params: map[string]string{"stop": "5", "depth": "50"}, Epsilon: pointer(0.1), Trial: 3, Fold: pointer(0), Status: OK,
		Values:    []Value{{Metric: "accuracy", Classifier: "c45", Value: pointer(0.8125)}, {Metric: "w1"}},
		Structure: &Structure{Nodes: 3, Leaves: 2, Depth: 1}, Spent: &Spent{Claimed: 0.1, Proven: math.Inf(1)},
		Warnings: []string{"line one\nline two"},
	}
}

// The expected bytes are written by hand from the json tags of Record: they are the file format.
func TestRecordsAreCanonical(t *testing.T) {
	const want = `{"experiment":"rps/fig3","series":"RPS <5> & more","dataset":"adult-standin","standIn":true,"algorithm":"rps","variant":"strict",` +
		`"params":{"depth":"50","stop":"5"},"epsilon":0.1,"trial":3,"fold":0,"status":"ok",` +
		`"values":[{"metric":"accuracy","classifier":"c45","value":0.8125},{"metric":"w1","value":null}],` +
		`"structure":{"nodes":3,"leaves":2,"depth":1},"spent":{"claimed":0.1,"proven":"Inf"},"warnings":["line one\nline two"]}` + "\n"
	var b bytes.Buffer
	if err := WriteRecords(&b, []Record{fullRecord()}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	back, err := ReadRecords(&b, "f")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Record{fullRecord()}, back); diff != "" {
		t.Error(diff)
	}
}

func TestWriteRecordsRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*Record){
		"NaN":              func(r *Record) { r.Values[0].Value = pointer(math.NaN()) },
		"infinity":         func(r *Record) { r.Values[0].Value = pointer(math.Inf(1)) },
		"status":           func(r *Record) { r.Status = "fine" },
		"phase of success": func(r *Record) { r.Phase = PhaseLoad },
		"failure's phase":  func(r *Record) { r.Status = Failed },
		"trial":            func(r *Record) { r.Trial = -1 },
		"fold":             func(r *Record) { r.Fold = pointer(-1) },
		"epsilon":          func(r *Record) { r.Epsilon = pointer(math.NaN()) },
		"twice":            func(r *Record) { r.Values[1] = r.Values[0] },
		"NaN spent":        func(r *Record) { r.Spent.Claimed = math.NaN() },
	} {
		r := fullRecord()
		spoil(&r)
		if err := WriteRecords(io.Discard, []Record{r}); err == nil {
			t.Errorf("%s: a record that cannot be read back is written", name)
		}
	}
}

func TestReadRecordsErrors(t *testing.T) {
	const good = `{"experiment":"e","series":"s","dataset":"d","algorithm":"a","variant":"","trial":0,"status":"ok"}` + "\n"
	for _, test := range []struct{ name, text, want string }{
		{"unknown key", strings.Replace(good, `"trial"`, `"tirals":1,"trial"`, 1), "f:1: json: unknown field \"tirals\""},
		{"repeated key", strings.Replace(good, `"trial"`, `"trial":1,"trial"`, 1), `f:1: key "trial" is given twice`},
		{"repeated parameter", strings.Replace(good, `"trial"`, `"params":{"k":"1","k":"2"},"trial"`, 1), `f:1: key "k" is given twice`},
		{"two objects", strings.TrimSpace(good) + "{}\n", "f:1: \"{}\" after the object"},
		{"array", "[]\n", "f:1: found [, must be an object"},
		{"number", "3\n", "f:1: found 3, must be an object"},
		{"empty line", good + "\n", "f:2: empty line"},
		{"torn line", good + good[:20], "f:2: the last line has no line end"},
		{"cut object", good + good[:20] + "\n", "f:2: unexpected EOF"},
		{"status", strings.Replace(good, `"ok"`, `"done"`, 1), `f:1: status: "done", must be "ok" or "failed"`},
		{"fraction of a trial", strings.Replace(good, `"trial":0`, `"trial":0.5`, 1), "f:1: json: cannot unmarshal number 0.5"},
		{"same cell twice", good + good, "f:2: the same cell as line 1"},
		{"number out of range", strings.Replace(good, `"trial"`, `"epsilon":1e999,"trial"`, 1), "f:1: "},
		{"all at once", "x\n" + good + "y\n", "f:3: "},
	} {
		_, err := ReadRecords(strings.NewReader(test.text), "f")
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
	_, err := ReadRecords(strings.NewReader(strings.Repeat("x\n", 1000)), "f")
	if lines := strings.Count(err.Error(), "\n"); lines != maxProblems {
		t.Errorf("a thousand bad lines give %d further lines of error, want %d", lines, maxProblems)
	}
}

var nan = math.NaN()

func TestSummaryFileByHand(t *testing.T) {
	rows := []Row{
		{Experiment: "e", Series: `RPS, "5"`, Dataset: "adult-standin", Algorithm: "rps", Variant: "strict", StandIn: true,
			Params: map[string]string{"b": "x=y;z", "a": "1"}, Epsilon: pointer(0.5), Metric: "accuracy", Classifier: "c45",
			N: 5, Failed: 1, Mean: 0.25, SE: 0.125, Lo95: -1, Hi95: 1.5},
		{Experiment: "e", Algorithm: "identity", Metric: "w1", N: 0, Failed: 2, Mean: nan, SE: nan, Lo95: nan, Hi95: nan},
	}
	const want = "experiment,series,dataset,algorithm,variant,params,epsilon,metric,classifier,n,failed,mean,se,lo95,hi95\n" +
		`e,"RPS, ""5""",adult-standin,rps,strict,a=1;b=x\=y\;z,0.5,accuracy,c45,5,1,0.25,0.125,-1,1.5` + "\n" +
		"e,,,identity,,,,w1,,0,2,,,,\n"
	var b bytes.Buffer
	if err := WriteSummary(&b, rows); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	back, err := ReadSummary(&b, "f")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rows, back, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
}

func TestReadSummaryErrors(t *testing.T) {
	header := strings.Join(summaryHeader, ",") + "\n"
	good := "e,s,d,a,v,k=1,,w1,,2,0,1,0,1,1\n"
	if _, err := ReadSummary(strings.NewReader(header+good), "f"); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "f:1: the file is empty"},
		{"header", "a,b\n", `f:1: header "a,b"`},
		{"cells", header + "a,b\n", "f:2: 2 cells, must be 15"},
		{"number", header + strings.Replace(good, ",1,0,1,1", ",one,0,1,1", 1), `f:2: mean: "one", must be a finite number`},
		{"NaN", header + strings.Replace(good, ",1,0,1,1", ",NaN,0,1,1", 1), `f:2: mean: "NaN"`},
		{"infinite", header + strings.Replace(good, ",1,0,1,1", ",1,Inf,1,1", 1), `f:2: se: "Inf"`},
		{"n", header + strings.Replace(good, ",2,0,", ",-2,0,", 1), "f:2: n -2"},
		{"SE of one", header + strings.Replace(good, ",2,0,", ",1,0,", 1), "f:2: se, lo95 and hi95 must be empty"},
		{"interval", header + strings.Replace(good, ",1,0,1,1", ",1,0,2,1", 1), "f:2: lo95 2 is above hi95 1"},
		{"params", header + strings.Replace(good, "k=1", "k", 1), `f:2: params: "k", must be name=value`},
		{"second line", header + good + strings.Replace(good, "k=1", `k=\q`, 1), `f:3: params: \q, must be`},
		{"quote", header + good + "\"e\n", "f:3: "},
	} {
		_, err := ReadSummary(strings.NewReader(test.text), "f")
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
}

func TestParamsRoundTrip(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune{'a', ';', '=', '\\', '\n', '\r', 'n', 'r', ' ', ',', '"', 'ε'}))
	rapid.Check(t, func(t *rapid.T) {
		params := rapid.MapOfN(text.Filter(func(s string) bool { return s != "" }), text, 0, 4).Draw(t, "params")
		written := FormatParams(params)
		if strings.ContainsAny(written, "\r\n") {
			t.Fatalf("%q spans lines", written)
		}
		back, err := parseParams(written)
		if err != nil {
			t.Fatal(err)
		}
		if len(params) == 0 {
			params = nil
		}
		if diff := cmp.Diff(params, back); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestLedgerRoundTrip(t *testing.T) {
	rows := []LedgerRow{
		{Cell: 0, Purpose: "cuts", Mechanism: "exponential", Claimed: 1, Proven: math.Inf(1), Calls: 1 << 40, Epsilon: 0.1, Loss: math.Inf(1), Composition: "sequential"},
		{Cell: 7, Purpose: "leaf, counts", Mechanism: "laplace", Claimed: 1, Proven: 2, Calls: 3, Epsilon: 1.0 / 3, Loss: 2.0 / 3, Composition: "parallel"},
	}
	var b bytes.Buffer
	if err := WriteLedger(&b, rows); err != nil {
		t.Fatal(err)
	}
	back, err := ReadLedger(&b, "f")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rows, back); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"x,,,1,1,1,1,1,", "0,,,NaN,1,1,1,1,", "0,,,1,-1,1,1,1,", "0,,,1,1,1.5,1,1,", "0,,,1,1,1,1"} {
		if _, err := ReadLedger(strings.NewReader(strings.Join(ledgerHeader, ",")+"\n"+bad+"\n"), "f"); err == nil || !strings.HasPrefix(err.Error(), "f:2: ") {
			t.Errorf("ledger line %q: error %v, want one at f:2", bad, err)
		}
	}
}

func TestTimingsRoundTrip(t *testing.T) {
	timings := []Timing{{Cell: 1, Load: 0.5, Release: 2.25, Measure: 0}, {Cell: 0}}
	var b bytes.Buffer
	if err := WriteTimings(&b, timings); err != nil {
		t.Fatal(err)
	}
	back, err := ReadTimings(&b, "f")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(timings, back); diff != "" {
		t.Error(diff)
	}
	if _, err := ReadTimings(strings.NewReader(`{"cell":0,"load":-1,"release":0,"measure":0}`+"\n"), "f"); err == nil || !strings.HasPrefix(err.Error(), "f:1: ") {
		t.Errorf("a negative time gives %v, want an error at f:1", err)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	records := []Record{fullRecord()}
	records[0].Dataset = "mine" // the flag must come from the record, not the name
	manifest := Manifest{Experiment: "rps/fig3", Spec: "name: <rps>\n", Seeds: []uint64{math.MaxUint64}, Trials: 1,
		Figures: []Figure{{Name: "a", X: "epsilon", Y: "accuracy", YLim: []float64{0.76, 0.9}, Where: map[string]string{"classifier": "c45"}}}}
	write := func(name string, f func(io.Writer) error) {
		t.Helper()
		if err := WriteFile(filepath.Join(dir, name), f); err != nil {
			t.Fatal(err)
		}
	}
	write(ManifestFile, func(w io.Writer) error { return WriteManifest(w, manifest) })
	write(RecordsFile, func(w io.Writer) error { return WriteRecords(w, records) })
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), SummaryFile) {
		t.Errorf("without a summary: %v, want an error naming it", err)
	}
	write(SummaryFile, func(w io.Writer) error { return WriteSummary(w, Summarise(records)) })
	write(TimingsFile, func(w io.Writer) error { return WriteTimings(w, []Timing{{Cell: 0, Release: 2}}) })
	o, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(manifest, o.Manifest); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Summarise(records), o.Summary, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
	rows, err := o.Rows()
	if err != nil {
		t.Fatal(err)
	}
	if last := rows[len(rows)-1]; last.Metric != RuntimeMetric || last.Mean != 2 || !last.StandIn {
		t.Errorf("last row %+v, want the run time 2 on stand-in data", last)
	}
	if entries, _ := filepath.Glob(filepath.Join(dir, "*.partial")); len(entries) > 0 {
		t.Errorf("%v left behind", entries)
	}
}

func TestWriteFileKeepsTheOldOnFailure(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := WriteFile(path, func(w io.Writer) error {
		fmt.Fprint(w, "half")
		return io.ErrShortWrite
	})
	if err == nil {
		t.Fatal("the writer's error is lost")
	}
	if text, _ := os.ReadFile(path); string(text) != "old" {
		t.Errorf("file holds %q, want the old content", text)
	}
}

func TestManifestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"{\n\"experiment\": \"e\",\n\"nonsense\": 1}": `unknown field "nonsense"`,
		"{}":   "experiment is empty",
		"":     "unexpected EOF",
		"{}{}": "must be one object",
	} {
		if _, err := ReadManifest(strings.NewReader(text), "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

// What is read can be written, and reads back as the same.
func FuzzReadRecords(f *testing.F) {
	var b bytes.Buffer
	if err := WriteRecords(&b, []Record{fullRecord(), failed(cell("s", 1))}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("{}\n"))
	f.Add([]byte(`{"experiment":"e","params":{"k":"1","k":"2"},"status":"ok"}` + "\n"))
	f.Add([]byte(`{"experiment":"e","status":"failed","phase":"load","spent":{"claimed":1,"proven":"Inf"}}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		records, err := ReadRecords(bytes.NewReader(text), "f")
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if err := WriteRecords(&first, records); err != nil {
			t.Fatal(err)
		}
		again, err := ReadRecords(bytes.NewReader(first.Bytes()), "f")
		if err != nil {
			t.Fatal(err)
		}
		if err := WriteRecords(&second, again); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("%q became %q", first.Bytes(), second.Bytes())
		}
		Summarise(records)
	})
}

func FuzzReadSummary(f *testing.F) {
	header := strings.Join(summaryHeader, ",") + "\n"
	f.Add([]byte(header + "e,s,d,a,v,k=1;l=\\;,0.5,w1,c,2,0,1,0,1,1\n"))
	f.Add([]byte(header + "e,\"s\r\nt\",d,a,v,,,w1,,0,2,,,,\n"))
	f.Add([]byte(header))
	f.Fuzz(func(t *testing.T, text []byte) {
		rows, err := ReadSummary(bytes.NewReader(text), "f")
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := WriteSummary(&b, rows); err != nil {
			t.Fatal(err)
		}
		again, err := ReadSummary(&b, "f")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rows, again, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzReadLedger(f *testing.F) {
	f.Add([]byte(strings.Join(ledgerHeader, ",") + "\n0,cuts,laplace,1,Inf,3,0.5,Inf,parallel\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		rows, err := ReadLedger(bytes.NewReader(text), "f")
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := WriteLedger(&b, rows); err != nil {
			t.Fatal(err)
		}
		again, err := ReadLedger(&b, "f")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rows, again); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzReadManifest(f *testing.F) {
	f.Add([]byte(`{"experiment":"e","figures":[{"name":"a","x":"epsilon","y":"w1"}],"seeds":[1]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if m, err := ReadManifest(bytes.NewReader(text), "f"); err == nil && m.Experiment == "" {
			t.Fatal("a manifest without an experiment is accepted")
		}
	})
}

func FuzzReadTimings(f *testing.F) {
	f.Add([]byte(`{"cell":0,"load":0.5,"release":1,"measure":0}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		timings, err := ReadTimings(bytes.NewReader(text), "f")
		if err != nil {
			return
		}
		if err := WriteTimings(io.Discard, timings); err != nil {
			t.Fatal(err)
		}
	})
}

// TestOpenFigures: cells are read where a figure draws times or a map, and are not asked for elsewhere.
func TestOpenFigures(t *testing.T) {
	records := []Record{fullRecord()}
	for name, c := range map[string]struct {
		figure Figure
		cells  int
	}{
		"a metric": {Figure{Name: "a", X: "epsilon", Y: "accuracy"}, 0},
		"times":    {Figure{Name: "a", X: "epsilon", Y: RuntimeMetric}, 1},
		"a map":    {Figure{Name: "a", Kind: RegionsKind, X: "age", Y: "sex"}, 1},
	} {
		dir := t.TempDir()
		manifest := Manifest{Experiment: "rps/fig3", Trials: 1, Figures: []Figure{c.figure}}
		for file, write := range map[string]func(io.Writer) error{
			ManifestFile: func(w io.Writer) error { return WriteManifest(w, manifest) },
			RecordsFile:  func(w io.Writer) error { return WriteRecords(w, records) },
			SummaryFile:  func(w io.Writer) error { return WriteSummary(w, Summarise(records)) },
			TimingsFile:  func(w io.Writer) error { return WriteTimings(w, []Timing{{Cell: 0, Release: 2}}) },
		} {
			if err := WriteFile(filepath.Join(dir, file), write); err != nil {
				t.Fatal(err)
			}
		}
		o, err := OpenFigures(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Records) != c.cells || len(o.Timings) != c.cells || len(o.Summary) == 0 {
			t.Errorf("%s: %d records, %d timings, %d rows of the summary; want %d cells and a summary", name, len(o.Records), len(o.Timings), len(o.Summary), c.cells)
		}
	}
}
