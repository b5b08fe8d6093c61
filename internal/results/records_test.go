package results

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/privacy"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var nan = math.NaN()

// unkeyed ignores the key that a setting keeps once it was asked for.
var unkeyed = cmpopts.IgnoreUnexported(Setting{})

// writeRecords writes records as a run's records have them.
func writeRecords(w io.Writer, records []Record) error {
	encoder := NewEncoder(w)
	for i := range records {
		if err := writeRecord(encoder, &records[i]); err != nil {
			return err
		}
	}
	return nil
}

// readRecords is ReadRecords into memory.
func readRecords(r io.Reader, name string) (records []Record, err error) {
	err = ReadRecords(r, name, func(c *Record) { records = append(records, *c) })
	return records, err
}

func fullRecord() Record {
	return Record{
		Setting: &Setting{
			Dataset: Dataset{Name: "gaussian", Params: map[string]string{"n": "9",
				"shape": "flat"}, Changed: []string{"n"}},
			Algorithm: "rps", Variant: "strict", Params: map[string]string{"stop": "5",
				"depth": "50"},
			Epsilon: pointer(0.1), Series: "RPS <5> & more", ShowVariant: true,
		},
		Outcome: Outcome{
			Trial: 3, Fold: pointer(0), Status: OK,
			Values: []Value{{Measurement{"accuracy", "c45"}, pointer(0.8125)},
				{Measurement{Metric: "w1"}, nil}},
			Structure: &Structure{Nodes: 3, Leaves: 2, Depth: 1}, Spent: &Spent{Claimed: 0.1,
				Proven: Bound(math.Inf(1))},
			Warnings: []string{"line one\nline two"},
			Ledger: []privacy.Entry{{Purpose: "cuts", Mechanism: "laplace", Claimed: 1, Proven: 2,
				Calls: 1 << 40,
				Cost:  0.1, Loss: Bound(math.Inf(1)), Composition: "sequential"}},
			Regions: []RegionSide{{Region: 1, Records: 2.5, Attribute: "x", Low: -0.5, High: 3}},
		},
		Original: []Column{{"x", []float64{1, 2}}},
	}
}

// fullLine is written by hand from the json tags: it is the file format.
const fullLine = `{"setting":{"dataset":{"name":"gaussian",` +
	`"params":{"n":"9","shape":"flat"},"changed":["n"]},` +
	`"algorithm":"rps","variant":"strict","params":{"depth":"50","stop":"5"},"epsilon":0.1,` +
	`"series":"RPS <5> & more","showVariant":true},"trial":3,"fold":0,"status":"ok",` +
	`"values":[{"metric":"accuracy","classifier":"c45","value":0.8125},` +
	`{"metric":"w1","value":null}],` +
	`"structure":{"nodes":3,"leaves":2,"depth":1},"spent":{"claimed":0.1,"proven":"Inf"},` +
	`"warnings":["line one\nline two"],` +
	`"ledger":[{"purpose":"cuts","mechanism":"laplace","claimed":1,"proven":2,` +
	`"calls":1099511627776,` +
	`"epsilon":0.1,"loss":"Inf","composition":"sequential"}],` +
	`"regions":[{"region":1,"records":2.5,"attribute":"x","low":-0.5,"high":3}],` +
	`"original":[{"attribute":"x","values":[1,2]}]}` + "\n"

func TestRecordsAreCanonical(t *testing.T) {
	var b bytes.Buffer
	must.Do(t, writeRecords(&b, []Record{fullRecord()}))
	if diff := cmp.Diff(fullLine, b.String()); diff != "" {
		t.Error(diff)
	}
	back := must.Get(readRecords(&b, "f"))
	if diff := cmp.Diff([]Record{fullRecord()}, back, unkeyed); diff != "" {
		t.Error(diff)
	}
}

// TestRecordsShareSettings: records of one setting have it in common, however its text is written.
func TestRecordsShareSettings(t *testing.T) {
	other := strings.Replace(fullLine, `"trial":3`, `"trial":4`, 1)
	other = strings.Replace(other, `"algorithm":"rps",`, ` "algorithm" : "rps" ,`, 1)
	third := strings.Replace(fullLine, `"epsilon":0.1,"series"`, `"epsilon":0.2,"series"`, 1)
	records := must.Get(readRecords(strings.NewReader(fullLine+other+third), "f"))
	if records[0].Setting != records[1].Setting || records[0].Setting == records[2].Setting {
		t.Errorf("settings %p, %p and %p, the first two must be one", records[0].Setting,
			records[1].Setting, records[2].Setting)
	}
}

func TestWriteRecordsRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*Record){
		"NaN":              func(c *Record) { c.Values[0].Value = pointer(nan) },
		"infinity":         func(c *Record) { c.Values[0].Value = pointer(math.Inf(1)) },
		"status":           func(c *Record) { c.Status = "fine" },
		"phase of success": func(c *Record) { c.Phase = PhaseLoad },
		"failure's phase":  func(c *Record) { c.Status = Failed },
		"trial":            func(c *Record) { c.Trial = -1 },
		"fold":             func(c *Record) { c.Fold = pointer(-2) },
		"epsilon":          func(c *Record) { c.Epsilon = pointer(nan) },
		"twice":            func(c *Record) { c.Values[1] = c.Values[0] },
		"no setting":       func(c *Record) { c.Setting = nil },
		"NaN spent":        func(c *Record) { c.Spent.Claimed = nan },
		"NaN loss":         func(c *Record) { c.Ledger[0].Loss = Bound(nan) },
		"empty region":     func(c *Record) { c.Regions[0].High = c.Regions[0].Low },
	} {
		c := fullRecord()
		spoil(&c)
		must.Fail(t, writeRecords(io.Discard, []Record{c}), "", name)
	}
}

func TestReadRecordsErrors(t *testing.T) {
	const good = `{"setting":{"dataset":{"name":"d"},"algorithm":"a","variant":"","series":"s"},` +
		`"trial":0,"status":"ok"}` + "\n"
	for _, test := range []struct{ name, text, want string }{
		{"unknown key", strings.Replace(good, `"trial"`, `"tirals":1,"trial"`, 1),
			`f:1: json: unknown field "tirals"`},
		{"unknown fact", strings.Replace(good, `"algorithm"`, `"method":"b","algorithm"`, 1),
			`f:1: setting: json: unknown field "method"`},
		{"two objects", strings.TrimSpace(good) + "{}\n", `f:1: "{}" after the object`},
		{"array", "[]\n", "f:1: json: cannot unmarshal array"},
		{"number", "3\n", "f:1: json: cannot unmarshal number"},
		{"empty line", good + "\n", "f:2: empty"},
		{"torn line", good + good[:20], "f:2: the last line has no line end"},
		{"cut object", good + good[:20] + "\n", "f:2: unexpected EOF"},
		{"no setting", `{"trial":0,"status":"ok"}` + "\n", "f:1: the record has no setting"},
		{"status", strings.Replace(good, `"ok"`, `"done"`, 1),
			`f:1: status: "done", must be "ok" or "failed"`},
		{"fraction of a trial", strings.Replace(good, `"trial":0`, `"trial":0.5`, 1),
			"f:1: json: cannot unmarshal number 0.5"},
		{"number out of range", strings.Replace(good, `"series"`, `"epsilon":1e999,"series"`, 1),
			"f:1: "},
		{"all at once", "x\n" + good + "y\n", "f:3: "},
	} {
		_, err := readRecords(strings.NewReader(test.text), "f")
		must.Fail(t, err, test.want, test.name)
	}
	_, err := readRecords(strings.NewReader(strings.Repeat("x\n", 1000)), "f")
	must.Be(t, strings.Count(err.Error(), "\n"), maxProblems, "a thousand bad lines")
}

// fullRun is a run with everything a run can have.
func fullRun() *Run {
	return &Run{
		Manifest: Manifest{Experiment: "rps/fig3", Spec: "name: <rps>\n", Seed: math.MaxUint64,
			Trials:    1,
			Overrides: Overrides{Quick: true, Trials: pointer(1)},
			Measures: []MeasureUse{{Measurement: Measurement{"accuracy", "c45"}, Title: "Accuracy",
				Unit: "fraction", HigherIsBetter: true}},
			Figures: []Figure{{Name: "a", X: "epsilon", Y: "accuracy", YLim: []float64{0.76, 0.9},
				Where: Filter{"classifier": "c45"}}}},
		Records: []Record{fullRecord()},
		Timings: []Timing{{Release: 2.25, Measure: 0.5}},
	}
}

// write writes the folder of the run.
func (r *Run) write(dir string) error {
	return Write(dir, r.Manifest, func(add func(*Record, *Timing) error) error {
		for i := range r.Records {
			var time *Timing
			if r.Timings != nil {
				time = &r.Timings[i]
			}
			if err := add(&r.Records[i], time); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestAuditVerdicts: a verdict says what was found, loudly where it should not be.
func TestAuditVerdicts(t *testing.T) {
	loss := []AuditFailure{{Kind: "loss"}, {Kind: "output"}}
	for _, c := range []struct {
		a       Audit
		want    string
		refuted bool
	}{
		{Audit{Status: "holds"}, "passed", false},
		{Audit{Status: "holds", Failures: loss}, "REFUTED: loss, output", true},
		{Audit{Status: "broken", Failures: loss}, "refuted: loss, output", false},
		{Audit{Status: "holds", BlackBox: &Certified{}}, "passed", false},
		{Audit{Status: "holds", BlackBox: &Certified{Accused: true}}, "REFUTED: black box", true},
		{Audit{Status: "holds", Error: "too few records"}, "not audited", false},
	} {
		if got := c.a.Verdict(); got != c.want || c.a.Refuted() != c.refuted ||
			c.a.Passed() != (c.want == "passed") {
			t.Errorf("%+v: %s, refuted %t, want %s", c.a, got, c.a.Refuted(), c.want)
		}
	}
}

// TestRunReadsBack: records and manifest are all that a run needs; the other files are not read.
func TestRunReadsBack(t *testing.T) {
	dir := t.TempDir()
	want := fullRun()
	must.Do(t, want.write(dir))
	for _, name := range []string{SummaryFile, LedgerFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Errorf("export: %v", err)
		}
	}
	got := must.Get(Open(dir))
	want.Manifest.Files = got.Manifest.Files
	if diff := cmp.Diff(want.Manifest, got.Manifest); diff != "" {
		t.Error(diff)
	}
	if got.Jobs != 1 || !got.Timed || got.Seconds != 2.75 {
		t.Errorf("%d jobs of %v seconds, timed %v", got.Jobs, got.Seconds, got.Timed)
	}
	must.Do(t, os.Remove(filepath.Join(dir, TimingsFile)))
	if got, err := Open(dir); err != nil || got.Timed {
		t.Errorf("without timings: %v, timed %v", err, got.Timed)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.partial")); len(left) > 0 {
		t.Errorf("%v left behind", left)
	}
}

// TestOpenRefuses: files that do not belong together are not read as a run.
func TestOpenRefuses(t *testing.T) {
	gone := func(name string) func(string) error {
		return func(dir string) error { return os.Remove(filepath.Join(dir, name)) }
	}
	put := func(name, text string) func(string) error {
		return func(dir string) error {
			return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)
		}
	}
	for name, c := range map[string]struct {
		spoil func(dir string) error
		want  string
	}{
		"no manifest": {gone(ManifestFile), ManifestFile},
		"no records":  {gone(RecordsFile), RecordsFile},
		"other records": {put(RecordsFile, strings.Replace(fullLine, "0.8125", "0.8126", 1)),
			"not the file that manifest.json was written for"},
		"times of another run": {put(TimingsFile, ""), "times of 0 jobs, must be of 1"},
		"times out of order": {put(TimingsFile, `{"cell":1,"release":1,"measure":1}`+"\n"),
			"timings.jsonl:1: job 1 took"},
		"an export changed": {put(SummaryFile, ""), "summary.csv: not the file"},
	} {
		dir := t.TempDir()
		must.Do(t, fullRun().write(dir))
		must.Do(t, c.spoil(dir))
		must.Fail(t, must.Err(Open(dir)), c.want, name)
	}
}

// TestInterruptedWriteIsNoRun: whatever file cannot be written, what is left is not read as a run.
func TestInterruptedWriteIsNoRun(t *testing.T) {
	for _, name := range []string{RecordsFile, TimingsFile, SummaryFile, LedgerFile,
		ManifestFile} {
		dir := t.TempDir()
		old := fullRun()
		old.Records[0].Trial = 7
		must.Do(t, old.write(dir))
		inTheWay := filepath.Join(dir, name+".partial", "full")
		must.Do(t, os.MkdirAll(inTheWay, 0o777))
		if err := fullRun().write(dir); err == nil {
			t.Fatalf("%s: written through a folder in the way", name)
		}
		must.Fail(t, must.Err(Open(dir)), "", name)
	}
}

// TestFlips: a run with a bit flipped anywhere in its files, or one that is cut off, is refused.
func TestFlips(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, fullRun().write(dir))
	for _, name := range []string{RecordsFile, TimingsFile, SummaryFile, LedgerFile,
		ManifestFile} {
		path := filepath.Join(dir, name)
		text := must.Get(os.ReadFile(path))
		for at := 0; at < len(text); at += 3 {
			flipped := bytes.Clone(text)
			flipped[at] ^= 1 << (at % 8)
			must.Do(t, os.WriteFile(path, flipped, 0o666))
			must.Fail(t, must.Err(Open(dir)), "", name, at, flipped[at])
			must.Do(t, os.WriteFile(path, text[:at], 0o666))
			must.Fail(t, must.Err(Open(dir)), "", name, at)
		}
		must.Do(t, os.WriteFile(path, text, 0o666))
	}
	if _, err := Open(dir); err != nil {
		t.Errorf("as written: %v", err)
	}
}

// TestWriteFileSyncs: the text is on disk before it gets its name, and then the name is.
func TestWriteFileSyncs(t *testing.T) {
	var synced []string
	syncFile = func(f *os.File) error {
		info, err := f.Stat()
		if err != nil {
			t.Error(err)
		}
		what, dir := "folder", f.Name()
		if !info.IsDir() {
			what, dir = fmt.Sprintf("%d bytes", info.Size()), filepath.Dir(f.Name())
		}
		_, err = os.Stat(filepath.Join(dir, "f"))
		synced = append(synced, fmt.Sprintf("%s, named %v", what, err == nil))
		return f.Sync()
	}
	defer func() { syncFile = (*os.File).Sync }()
	err := WriteFile(filepath.Join(t.TempDir(), "f"), func(w io.Writer) error {
		_, err := io.WriteString(w, "text")
		return err
	})
	want := []string{"4 bytes, named false", "folder, named true"}
	if diff := cmp.Diff(want, synced); err != nil || diff != "" {
		t.Errorf("%v; synced: %s", err, diff)
	}
}

// TestWriteFileFollowsNoLink: a link planted where the unfinished file goes is removed, and what it
// points to is left alone.
func TestWriteFileFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	target, path := filepath.Join(dir, "target"), filepath.Join(dir, "f")
	must.Do(t, os.WriteFile(target, []byte("precious"), 0o644))
	if err := os.Symlink(target, path+".partial"); err != nil {
		t.Skip("no links here")
	}
	err := WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, "text")
		return err
	})
	precious, _ := os.ReadFile(target)
	written, _ := os.ReadFile(path)
	if err != nil || string(precious) != "precious" || string(written) != "text" {
		t.Errorf("%v: the link's target holds %q, the file %q", err, precious, written)
	}
}

func TestWriteFileKeepsTheOldOnFailure(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	must.Do(t, os.WriteFile(path, []byte("old"), 0o644))
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
		"":     "f: empty",
		"{}{}": "must be one object",
	} {
		_, err := ReadManifest([]byte(text), "f")
		must.Fail(t, err, want, text)
	}
}

// What is read can be written, and reads back as the same.
func FuzzReadRecords(f *testing.F) {
	f.Add([]byte(fullLine))
	f.Add([]byte("{}\n"))
	f.Add([]byte(`{"setting":{"series":"s"},"trial":1,"status":"failed","phase":"load",` +
		`"spent":{"claimed":1,"proven":"Inf"}}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		records, err := readRecords(bytes.NewReader(text), "f")
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		must.Do(t, writeRecords(&first, records))
		again := must.Get(readRecords(bytes.NewReader(first.Bytes()), "f"))
		must.Do(t, writeRecords(&second, again))
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("%q became %q", first.Bytes(), second.Bytes())
		}
		(&Run{Records: records}).Summary().Rows()
	})
}

// TestExports: each file by hand, from its header.
func TestExports(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, fullRun().write(dir))
	r := fullRun()
	second := failed(fullRecord())
	second.Setting = &Setting{Dataset: Dataset{Name: "adult-standin", StandsFor: "adult"},
		Algorithm: "identity",
		Params:    map[string]string{"b": "x=y;z", "a": "1"}, Series: `Original, "raw"`}
	second.Ledger, second.Regions, second.Original, second.Fold = nil, nil, nil, nil
	second.Trial = 0
	r.Records, r.Timings = append(r.Records, second), nil
	r.Records[0].Trial = 0
	must.Do(t, r.write(dir))
	for name, want := range map[string]string{
		SummaryFile: "experiment,series,dataset,algorithm,variant,params,epsilon,delta," +
			"metric,classifier,n,failed,mean,se,lo95,hi95\n" +
			"rps/fig3,RPS <5> & more (strict),gaussian " +
			"n=9,rps,strict,depth=50;n=9;shape=flat;stop=5,0.1,,accuracy,c45,1,0,0.8125,,,\n" +
			"rps/fig3,RPS <5> & more (strict),gaussian " +
			"n=9,rps,strict,depth=50;n=9;shape=flat;stop=5,0.1,,w1,,0,1,,,,\n" +
			`rps/fig3,"Original, ""raw""",adult-standin,identity,,a=1;b=x\=y\;z,,,` +
			"accuracy,c45,0,1,,,,\n" +
			`rps/fig3,"Original, ""raw""",adult-standin,identity,,a=1;b=x\=y\;z,,,` +
			"w1,,0,1,,,,\n",
		LedgerFile: "cell,purpose,mechanism,claimed,proven,calls,unit,cost,loss,composition\n" +
			"0,cuts,laplace,1,2,1099511627776,epsilon,0.1,Inf,sequential\n",
	} {
		got := must.Get(os.ReadFile(filepath.Join(dir, name)))
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	// It keeps less than the run before, of which nothing is left.
	if _, err := os.Stat(filepath.Join(dir, TimingsFile)); !os.IsNotExist(err) {
		t.Errorf("%s of an earlier run is still there: %v", TimingsFile, err)
	}
}

// TestFormulas: what a spreadsheet would compute is text, numbers stay numbers.
func TestFormulas(t *testing.T) {
	var b strings.Builder
	w := &output{csv: csv.NewWriter(&b)}
	for _, record := range []string{"a", "=1+1", "+cmd", "-x", "@SUM(A1)", "\t=1", "-1", "+2.5",
		"-1e-7", "-Inf", "", "a=1", "-"} {
		w.line(record)
	}
	w.csv.Flush()
	want := "a\n'=1+1\n'+cmd\n'-x\n'@SUM(A1)\n'\t=1\n-1\n+2.5\n-1e-7\n-Inf\n\"\"\na=1\n'-\n"
	want = strings.Replace(want, "\"\"\n", "\n", 1)
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
