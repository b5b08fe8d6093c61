package publish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ppdp/algorithms"
	_ "ppdp/algorithms/all"
	csvtable "ppdp/datasets/csv"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

const schemaText = `delimiter: ";"
class: y
attributes:
  - {name: age, kind: numeric, low: 18, high: 95}
  - {name: job, kind: categorical, values: [admin, services, "tech, other"],
     taxonomy: {any: [admin, {work: [services, "tech, other"]}]}}
  - {name: height, kind: numeric, low: 1.5, high: 2, step: 0.125, continuous: true}
  - {name: town, kind: categorical, values: [x, y, z], role: sensitive}
  - {name: y, kind: categorical, values: ["no", "yes"]}
`

// files writes a table of n rows with its schema into a folder.
func files(t testing.TB, rows int) (dir string, request *Request) {
	t.Helper()
	dir = t.TempDir()
	stream := random.NewKey(1).Stream()
	var b strings.Builder
	b.WriteString("age;job;height;town;y;id\n")
	for i := range rows {
		fmt.Fprintf(&b, "%d;%s;%.3f;%c;%s;%d\n", 18+stream.IntN(77),
			[]string{"admin", "services", "tech, other"}[stream.IntN(3)], 1.5+stream.Open01()/2.01,
			'x'+rune(stream.IntN(3)), []string{"no", "yes"}[stream.IntN(2)], 1000+i)
	}
	write(t, filepath.Join(dir, "my.csv"), b.String())
	write(t, filepath.Join(dir, "my.schema.yaml"), schemaText)
	return dir, requestIn(dir)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
}

func read(t testing.TB, path string) string {
	t.Helper()
	text := must.Get(os.ReadFile(path))
	return string(text)
}

func requestIn(dir string) *Request {
	return &Request{Algorithm: "rps", Epsilon: 1, Table: filepath.Join(dir, "my.csv"),
		Schema: filepath.Join(dir, "my.schema.yaml"), Out: filepath.Join(dir, "out"),
		Total: Total{TotalEpsilon: 100}, Program: "ppdp test",
		Now: time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC), Log: func(string) {}}
}

// set are settings that are written as name=value.
func set(texts ...string) (s Settings) {
	for _, text := range texts {
		if err := s.UnmarshalText([]byte(text)); err != nil {
			panic(err)
		}
	}
	return s
}

// TestMemory: a release says before it starts that the machine may be too small, and what would
// fit. The columns of 300 records take a byte a value or more.
func TestMemory(t *testing.T) {
	dir, _ := files(t, 300)
	silent := requestIn(dir)
	silent.Log, silent.Memory, silent.Out = nil, 1000, filepath.Join(dir, "silent")
	must.Get(Make(t.Context(), silent))
	for memory, want := range map[int64]bool{0: false, 1000: true, 1 << 30: false} {
		r, said := requestIn(dir), false
		r.Memory, r.Out = memory, filepath.Join(dir, fmt.Sprint(memory))
		r.Log = func(line string) {
			said = said || strings.Contains(line, "the release of 300 records may need")
		}
		must.Get(Make(t.Context(), r))
		must.Be(t, said, want, memory)
	}
}

// TestReleases makes, reads and verifies a release by every algorithm that can be released.
func TestReleases(t *testing.T) {
	dir, _ := files(t, 300)
	private := sha(t, filepath.Join(dir, "my.csv"))
	for _, name := range Releasable() {
		for _, delta := range []float64{0, 1e-6} {
			r := requestIn(dir)
			r.Algorithm, r.Out, r.Title = name, filepath.Join(dir, fmt.Sprint(name, delta)), "Mine"
			r.Delta, r.Parquet = delta, delta == 0
			r.Account = filepath.Join(dir, fmt.Sprint("account", delta))
			if delta > 0 {
				r.Total = Total{TotalRho: 30}
			}
			algorithm := must.Get(algorithms.Lookup(name))
			info := algorithm.Info()
			anonymous := info.Variants[0].Model == algorithms.KAnonymity
			if anonymous {
				r.Epsilon, r.Params = 0, set("k=7")
			}
			if delta > 0 && !info.Variants[0].Approximate {
				continue
			}
			made, err := Make(t.Context(), r)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			report, err := Verify(t.Context(), r.Out, &Original{Table: r.Table, Schema: r.Schema})
			if err != nil || report.Err() != nil {
				t.Errorf("%s: %v, %v", name, err, report)
				continue
			}
			if diff := cmp.Diff(made.Certificate, report.Certificate); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			if r.Parquet {
				sameAsParquet(t, r.Out)
			}
			if anonymous && (report.Smallest < 7 || report.Records+*report.Suppressed != 300) {
				t.Errorf("%s: %+v", name, report)
			}
			// Records that are drawn from regions say nothing of what is sensitive.
			must.Be(t, slices.Contains(made.Certificate.Uninformative, "town"),
				slices.Contains([]string{"rps", "dpcube", "diffgen", "diffmulti"}, name), name,
				made.Certificate.Uninformative)
			cost := 0.0
			for _, m := range made.Certificate.Mechanisms {
				cost += m.Cost
				if m.Mechanism == "exponential" && m.Sensitivity != 0 {
					t.Errorf("%s: the sensitivity of a choice is published", name)
				}
			}
			if !anonymous && (cost > made.Standing.Cost*(1+1e-9) || cost < made.Standing.Cost/2) {
				t.Errorf("%s: mechanisms cost %v of %v", name, cost, made.Standing.Cost)
			}
			for _, file := range report.Certificate.Files {
				text := read(t, filepath.Join(r.Out, file.Name))
				if strings.Contains(text, private) || strings.Contains(text, "my.csv") {
					t.Errorf("%s: %s discloses the table", name, file.Name)
				}
				info, err := os.Stat(filepath.Join(r.Out, file.Name))
				if day := r.Now.Truncate(24 * time.Hour); err != nil || !info.ModTime().Equal(day) {
					t.Errorf("%s: %s is of %v (%v)", name, file.Name, info.ModTime(), err)
				}
			}
		}
	}
}

// sameAsParquet compares a release's records with those of its Parquet file, which are read by the
// release's own schema.
func sameAsParquet(t *testing.T, dir string) {
	format, _, err := csvtable.ReadSchema(filepath.Join(dir, SchemaFile), "", 0)
	must.Do(t, err)
	var records [2]*csvtable.Texts
	var sums [2]string
	for i, name := range []string{RecordsFile, ParquetFile} {
		read := func() io.ReadCloser {
			return must.Get(csvtable.Open(filepath.Join(dir, name), nil))
		}
		records[i] = must.Get(format.ReadTexts(t.Context(), name, read(), format.Schema.Names()))
		if content, err := format.Read(t.Context(), name, read()); err == nil {
			sums[i] = content.Table.Checksum() // not of generalised ones
		}
	}
	if sums[0] != sums[1] || sums[0] == "" && !reflect.DeepEqual(records[0], records[1]) {
		t.Errorf("%s: %s has other records", dir, ParquetFile)
	}
}

func sha(t testing.TB, path string) string {
	t.Helper()
	return must.Get(describeFile(filepath.Split(path))).SHA256
}

// TestRefused: what may not be released is refused before the account is changed, with a way out.
func TestRefused(t *testing.T) {
	for want, change := range map[string]func(r *Request){
		"take the variant strict, which can": func(r *Request) { r.Variant = "published" },
		"its guarantee is broken": func(r *Request) {
			r.Algorithm, r.Variant = "diffmulti", "published"
		},
		"laplace noise is drawn in floating point": func(r *Request) {
			r.Algorithm, r.Variant = "privbayes", "published"
		},
		"utility ncp weighs cut points": func(r *Request) {
			r.Algorithm, r.Params = "diffmulti", set("utility=ncp")
		},
		"utility dm divides scores by the number of records": func(r *Request) {
			r.Algorithm, r.Params = "diffmulti", set("utility=dm")
		},
		"which is private: one record can move": func(r *Request) {
			r.Algorithm, r.Params = "diffgen", set("utility=dm")
		},
		"gives no privacy":            func(r *Request) { r.Algorithm = "identity" },
		"it takes graphs":             func(r *Request) { r.Algorithm = "hay" },
		"mondrian, mst,":              func(r *Request) { r.Algorithm = "nothing" },
		"must be one of":              func(r *Request) { r.Variant = "other" },
		"needs an epsilon":            func(r *Request) { r.Epsilon = 0 },
		"a delta of the total":        func(r *Request) { r.Total = Total{TotalDelta: 1e-6} },
		"must be one of them":         func(r *Request) { r.Total = Total{1, 0, 1} },
		"has no epsilon":              func(r *Request) { r.Algorithm = "mondrian" },
		"leave delta out":             func(r *Request) { r.Delta = 1e-6 },
		"epsilon: NaN":                func(r *Request) { r.Epsilon = math.NaN() },
		"total: +Inf":                 func(r *Request) { r.TotalEpsilon = math.Inf(1) },
		"delta: 1, must be":           func(r *Request) { r.Delta = 1 },
		"settings: unknown":           func(r *Request) { r.Params = set("nothing=1") },
		"depth: -1":                   func(r *Request) { r.Params = set("depth=-1") },
		"exists already":              func(r *Request) { r.Out = filepath.Dir(r.Table) },
		"can be made in nowhere: s":   func(r *Request) { r.Out = filepath.Join("nowhere", "b") },
		"\"nothing\" is no attribute": func(r *Request) { r.Target = "nothing" },
		"must be categorical":         func(r *Request) { r.Target = "height" },
		"by --total (with":            func(r *Request) { r.Total = Total{} },
		"are left; the release":       func(r *Request) { r.TotalEpsilon = 0.5 },
		"fewer records than k": func(r *Request) {
			r.Algorithm, r.Epsilon, r.Params = "mondrian", 0, set("k=51")
		},
		"Program and Now must":   func(r *Request) { r.Program = "" },
		"must be given":          func(r *Request) { r.Now = time.Time{} },
		"beside the table: name": func(r *Request) { r.Table, r.Schema = "of-another.csv", "" },
		"a draft": func(r *Request) {
			text, _ := os.ReadFile(r.Schema)
			os.WriteFile(r.Schema, append([]byte("# DRAFT, read off the private data in x\n"),
				text...), 0o666)
		},
	} {
		dir, r := files(t, 50)
		change(r)
		_, err := Make(t.Context(), r)
		must.Fail(t, err, want)
		must.Be(t, Spent(err), false, want)
		must.Fail(t, must.Err(os.Stat(Beside(r.Table, accountEnding))), "", want)
		must.Equal(t, must.Get(filepath.Glob(filepath.Join(dir, ".out*"))), nil, want)
	}
}

// TestSchemaBeside: the library finds the schema as the command does.
func TestSchemaBeside(t *testing.T) {
	_, r := files(t, 50)
	r.Schema = ""
	must.Get(Make(t.Context(), r))
}

// TestFailureIsSpent: a release that fails after its entry counts, and leaves nothing.
func TestFailureIsSpent(t *testing.T) {
	dir, r := files(t, 3000)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Make(ctx, r); err == nil || Spent(err) { // before the entry
		t.Error(err)
	}
	// Made-up records, which are few, stay within the cap.
	r.Epsilon, r.Params = 90, set("max_nodes=300")
	if _, err := Make(t.Context(), r); !Spent(err) || !errors.Is(err, algorithms.ErrTooLarge) ||
		!strings.Contains(err.Error(), "it counts as spent (release 1 in") {
		t.Errorf("%v", err)
	}
	l, err := file(Beside(r.Table, accountEnding)).read()
	if err != nil || l.spent().Cmp(decimal(90)) != 0 {
		t.Errorf("%v spent (%v)", l.spent(), err)
	}
	must.Equal(t, must.Get(filepath.Glob(filepath.Join(dir, "*out*"))), nil)
}

// TestNeighbours: certificates of two tables of other records differ in nothing but what mechanisms
// have answered.
func TestNeighbours(t *testing.T) {
	for name, params := range map[string][]string{"rps": nil, "privbayes": nil,
		"diffmulti": {"utility=max"}, "mondrian": {"k=5"}} {
		var certificates [2]*Certificate
		for i, rows := range []int{300, 211} {
			_, r := files(t, rows)
			r.Algorithm, r.Params = name, set(params...)
			if name == "mondrian" {
				r.Epsilon = 0
			}
			made := must.Get(Make(t.Context(), r))
			c := made.Certificate
			c.Files = nil
			if c.Anonymity != nil { // counted in the records
				c.Anonymity.Records, c.Anonymity.Classes, c.Anonymity.K = 0, 0, 0
				c.Anonymity.Unchanged = nil
			}
			for m := range c.Mechanisms {
				c.Mechanisms[m].Cost = 0
			}
			if name == "privbayes" { // a network is chosen where the noisy number is large enough
				c.Mechanisms = nil
			}
			certificates[i] = c
		}
		if diff := cmp.Diff(certificates[0], certificates[1]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestCroissant: the metadata describe the files and columns that there are, numbers as such unless
// they are generalised to intervals.
func TestCroissant(t *testing.T) {
	for _, c := range []struct {
		algorithm string
		epsilon   float64
		params    Settings
		guarantee string
		files     []string // that are there when it is written
		kinds     string
	}{
		{"rps", 1, nil, "at most 73.2 times in 100", []string{RecordsFile, SchemaFile},
			"sc:Integer sc:Text sc:Float sc:Text sc:Text"},
		{"mondrian", 0, set("k=5"), "4 others", []string{RecordsFile, SchemaFile, RiskFile},
			"sc:Text sc:Text sc:Text sc:Text sc:Text"},
	} {
		_, r := files(t, 100)
		r.Algorithm, r.Epsilon, r.Params = c.algorithm, c.epsilon, c.params
		r.Title, r.License = "Mine", "https://example.org/terms"
		must.Get(Make(t.Context(), r))
		text := read(t, filepath.Join(r.Out, CroissantFile))
		all := func(key string) (values []string) {
			for _, m := range regexp.MustCompile(`"`+key+`": "([^"]*)"`).FindAllStringSubmatch(
				text, -1) {
				values = append(values, m[1])
			}
			return values
		}
		var sums, got []string
		for _, name := range c.files {
			sums = append(sums, sha(t, filepath.Join(r.Out, name)))
		}
		header, _, _ := strings.Cut(read(t, filepath.Join(r.Out, RecordsFile)), "\n")
		for _, key := range []string{"contentUrl", "sha256", "datePublished", "license"} {
			got = append(got, all(key)...)
		}
		want := slices.Concat(c.files, sums, []string{"2026-05-06", r.License})
		if !slices.Equal(got, want) || !json.Valid([]byte(text)) ||
			strings.Join(all("column"), ",") != "cr:column,"+header ||
			strings.Join(all("dataType")[:5], " ") != c.kinds ||
			!strings.Contains(all("description")[0], c.guarantee) ||
			!slices.Contains(all("conformsTo"), "http://mlcommons.org/croissant/1.0") {
			t.Errorf("%s: %q, want %q\n%s", c.algorithm, got, want, text)
		}
	}
}

// TestVerifyAnything: bytes changed anywhere are found or do no harm, with or without a forged
// certificate.
func TestVerifyAnything(t *testing.T) {
	dir, r := files(t, 120)
	r.Algorithm, r.Epsilon, r.Params = "mondrian", 0, set("k=5")
	must.Get(Make(t.Context(), r))
	certificate := read(t, filepath.Join(r.Out, CertificateFile))
	// certified also brings the certificate up to date, as a forger would.
	certified := func(name, text, dir string) {
		write(t, filepath.Join(dir, name), text)
		var c Certificate
		must.Do(t, json.Unmarshal([]byte(certificate), &c))
		for i := range c.Files {
			if c.Files[i].Name == name {
				c.Files[i] = File{name, sha(t, filepath.Join(dir, name)), int64(len(text))}
			}
		}
		write(t, filepath.Join(dir, CertificateFile), string(must.Get(json.Marshal(c))))
	}
	copied, stream := filepath.Join(t.TempDir(), "out"), random.NewKey(3).Stream()
	must.Do(t, os.CopyFS(copied, os.DirFS(r.Out)))
	for i := range 120 {
		name, text := CertificateFile, []byte(certificate)
		if i%3 > 0 {
			name = []string{RecordsFile, SchemaFile}[i%3-1]
			text = []byte(read(t, filepath.Join(r.Out, name)))
		}
		text[stream.IntN(len(text))] = "09-.,\"\n[){}:ex\x00"[stream.IntN(15)]
		if i%3 > 0 {
			certified(name, string(text), copied)
		} else {
			write(t, filepath.Join(copied, name), string(text))
		}
		Verify(t.Context(), copied, &Original{Table: r.Table, Schema: r.Schema})
		write(t, filepath.Join(copied, name), read(t, filepath.Join(r.Out, name)))
	}
	must.Fail(t, must.Err(Verify(t.Context(), dir, nil)), "not the folder of a release")
}

// TestDocumented: docs/your-table.md lists what can be released, of the algorithms in
// docs/generated/algorithms.md: others, such as a baseline that somebody is working on, need no
// row.
func TestDocumented(t *testing.T) {
	page := read(t, "../docs/your-table.md")
	_, table, _ := strings.Cut(page, "| algorithm | guarantee | cannot be released with |")
	table, _, _ = strings.Cut(table, "\n\n")
	var listed []string
	for _, row := range regexp.MustCompile(`(?m)^\|([^|]*)\|`).FindAllStringSubmatch(table, -1) {
		for _, name := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(row[1], -1) {
			listed = append(listed, name[1])
		}
	}
	slices.Sort(listed)
	kept := read(t, "../docs/generated/algorithms.md")
	want := slices.DeleteFunc(Releasable(), func(name string) bool {
		return !strings.Contains(kept, "\n| `"+name+"` | ")
	})
	must.Equal(t, listed, want)
}
