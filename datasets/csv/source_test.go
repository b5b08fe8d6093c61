package csvtable

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ppdp/datasets"
	"ppdp/internal/declared"
	"ppdp/internal/must"
)

const bankText = "id;y;age;job;education;balance\n1;no;18;admin;tertiary;-1\n" +
	"2;yes;94;services;primary;0.5\n3;no;?;services;primary;0\n"

// write puts files into a directory of the test's and returns it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must.Get(z.Write([]byte(text)))
	must.Do(t, z.Close())
	return b.String()
}

func load(dir, csv, schema string) (*datasets.Dataset, error) {
	return Source{}.Load(context.Background(),
		datasets.Request{Params: &Params{CSV: filepath.Join(dir, csv),
			Schema: filepath.Join(dir, schema)}})
}

func TestLoad(t *testing.T) {
	schema := readFile(t, "bank.schema.yaml")
	dir := write(t, map[string]string{
		"a.csv": bankText, "b.csv.gz": zipped(t, bankText),
		"c.csv":  strings.Replace(bankText, "18", "19", 1),
		"s.yaml": schema, "other.yaml": schema + "# a word more\n",
	})
	must.Do(t, must.Err(datasets.Lookup("csv")))
	a := must.Get(load(dir, "a.csv", "s.yaml"))
	if a.Table.Len() != 2 || a.Dropped != 1 || len(a.Checksum) != 64 {
		t.Errorf("got %+v", a)
	}
	want := []string{`columns left out, as the schema does not describe them: "id"`}
	must.Equal(t, a.Notes, want, "notes")
	b := must.Get(load(dir, "b.csv.gz", "s.yaml"))
	if b.Checksum != a.Checksum || b.Table.Checksum() != a.Table.Checksum() {
		t.Error("compression changes the data")
	}
	for _, files := range [][2]string{{"c.csv", "s.yaml"}, {"a.csv", "other.yaml"}} {
		other := must.Get(load(dir, files[0], files[1]))
		if other.Checksum == a.Checksum {
			t.Errorf("%v has the checksum of other content", files)
		}
	}
}

func TestLoadBad(t *testing.T) {
	torn := zipped(t, strings.Repeat(bankText, 1))
	dir := write(t, map[string]string{
		"a.csv": bankText, "s.yaml": readFile(t, "bank.schema.yaml"),
		"none.csv": "y;age;job;education;balance\nno;?;admin;primary;0\n",
		"torn.csv": torn[:len(torn)-9], "short.csv": "\x1f\x8b", "bad.yaml": "attributes: []\n",
		"broken.csv": bankText + "4;no;17;admin;primary;0\n",
	})
	for _, test := range [][3]string{
		{"a.csv", "bad.yaml", "bad.yaml:1: attributes: must list at least one"},
		{"a.csv", "absent.yaml", "schema: open "},
		{"absent.csv", "s.yaml", "csv: open "},
		{"none.csv", "s.yaml", "none.csv:1: age: missing in all of 1 records"},
		{"torn.csv", "s.yaml",
			"torn.csv: gzip: unexpected EOF; the file begins as one that gzip has packed"},
		{"short.csv", "s.yaml", "short.csv: gzip: unexpected EOF"},
		{"broken.csv", "s.yaml", "broken.csv:5:6: age: 17 is outside its public bounds"},
	} {
		must.Fail(t, must.Err(load(dir, test[0], test[1])), test[2], test[0], test[1])
	}
	for _, want := range []string{"csv: missing", "schema: missing"} {
		must.Fail(t, declared.Check(new(Params)), want, "no paths")
	}
	if _, err := (Source{}).Load(context.Background(), datasets.Request{}); err == nil {
		t.Error("a request without parameters was accepted")
	}
}

// TestProgress: reading a table tells how far it is, up to the file's end.
func TestProgress(t *testing.T) {
	text := "a\n" + strings.Repeat("1\n", 200_000)
	for name, content := range map[string]string{"t.csv": text, "t.csv.gz": zipped(t, text)} {
		path := filepath.Join(write(t, map[string]string{name: content}), name)
		var told []int64
		r := must.Get(Open(path, func(file string, done, total int64) {
			if file != path || total != int64(len(content)) {
				t.Errorf("%s of %d bytes", file, total)
			}
			told = append(told, done)
		}))
		must.Do(t, must.Err(io.Copy(io.Discard, r)))
		r.Close()
		if !slices.IsSorted(told) || told[len(told)-1] != int64(len(content)) {
			t.Errorf("%s of %d bytes: told %v", name, len(content), told)
		}
	}
}

// TestBomb: a small file of very many rows is refused before they are read.
func TestBomb(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv.gz")
	text := "a\n" + strings.Repeat("1\n", 10<<20)
	must.Do(t, os.WriteFile(path, []byte(zipped(t, text)), 0o666))
	r := must.Get(Open(path, nil))
	defer r.Close()
	n, err := io.Copy(io.Discard, r)
	if !errors.Is(err, datasets.ErrUnpacked) || n > 19<<20 {
		t.Errorf("%d bytes are read, then %v", n, err)
	}
}

// TestHoldout: the rows of a second table come last, and another order of rows is drawn by content.
func TestHoldout(t *testing.T) {
	const schema = "attributes:\n- {name: x, kind: numeric, low: 0, high: 1000}\n"
	text := "x\n"
	for i := range 100 {
		text += strconv.Itoa(i) + "\n"
	}
	dir := write(t, map[string]string{"a.csv": text, "same.csv": text, "h.csv": "x\n500\n501\n",
		"none.csv": "x\n", "s.yaml": schema})
	read := func(p Params) ([]string, string, error) {
		p.CSV, p.Schema = filepath.Join(dir, p.CSV), filepath.Join(dir, "s.yaml")
		if p.Holdout != "" {
			p.Holdout = filepath.Join(dir, p.Holdout)
		}
		set, err := Source{}.Load(context.Background(), datasets.Request{Params: &p})
		if err != nil {
			return nil, "", err
		}
		return texts(set.Table), set.Checksum, nil
	}
	plain, sum, err := read(Params{CSV: "a.csv"})
	must.Do(t, err)
	both, other, err := read(Params{CSV: "a.csv", Holdout: "h.csv", Shuffled: true})
	must.Do(t, err)
	if !slices.Equal(both, append(slices.Clone(plain), "500", "501")) || other == sum {
		t.Errorf("with a holdout %v, checksum %s", both, other)
	}
	standard := *Source{}.Params().(*Params) // is to shuffle
	standard.CSV = "a.csv"
	shuffled, other, err := read(standard)
	must.Do(t, err)
	again, _, err := read(Params{CSV: "same.csv", Shuffled: true})
	must.Do(t, err)
	if slices.Equal(shuffled, plain) || !slices.Equal(shuffled, again) || other == sum {
		t.Errorf("shuffled %v, then %v, checksum %s", shuffled, again, other)
	}
	slices.Sort(shuffled)
	must.Equal(t, shuffled, slices.Sorted(slices.Values(plain)), "rows")
	for _, p := range []Params{{CSV: "a.csv", Holdout: "none.csv"}, {CSV: "a.csv",
		Holdout: "absent.csv"}} {
		if _, _, err := read(p); err == nil {
			t.Errorf("%+v is read", p)
		}
	}
}
