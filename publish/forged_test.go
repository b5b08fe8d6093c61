package publish

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/algorithms"
	csvtable "ppdp/datasets/csv"
	"ppdp/internal/results"
	"ppdp/numeric/random"
)

// forgery changes a copy of a release. In pages and metadata the forger writes what the forged
// certificate says, and all digests are brought up to date.
type forgery struct {
	want   string // in what is wrong
	change func(c *Certificate, dir string)
}

// forge copies a folder and forges it.
func forge(t *testing.T, from string, f forgery) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "forged")
	noError(t, os.CopyFS(dir, os.DirFS(from)))
	c, _, err := readCertificate(dir)
	noError(t, err)
	format := must(csvtable.ParseSchema(SchemaFile,
		[]byte(read(t, filepath.Join(dir, SchemaFile)))))
	files := func(names ...string) {
		for i := range c.Files {
			if file, err := describeFile(dir, c.Files[i].Name); err == nil &&
				slices.Contains(names, file.Name) {
				c.Files[i] = file
			}
		}
	}
	edit := func(name string, write func(w io.Writer) error) {
		noError(t, results.WriteFile(filepath.Join(dir, name), write))
		files(name)
	}
	if f.want == "not what follows from" { // the page alone, or the metadata
		f.change(c, dir)
		files(RiskFile, CroissantFile, FormatFile, PageFile, SchemaFile)
		edit(CertificateFile, func(w io.Writer) error { return results.WriteJSON(w, c) })
		return dir
	}
	f.change(c, dir)
	files(RecordsFile)
	edit(CroissantFile, func(w io.Writer) error {
		return writeCroissant(w, c, format.Schema, c.Files[:len(c.Files)-3])
	})
	edit(PageFile, func(w io.Writer) error {
		shown := *c
		shown.Files = c.Files[:len(c.Files)-1]
		return page.Execute(w, shown)
	})
	edit(CertificateFile, func(w io.Writer) error { return results.WriteJSON(w, c) })
	return dir
}

// TestForged: a release whose certificate does not make sense is refused, with a reason, however
// carefully its digests and pages were made to fit.
func TestForged(t *testing.T) {
	_, r := files(t, 300)
	made := func(algorithm string, epsilon float64, params ...string) string {
		r.Algorithm, r.Epsilon, r.Params = algorithm, epsilon, set(params...)
		r.Out = filepath.Join(filepath.Dir(r.Table), algorithm)
		must(Make(t.Context(), r))
		return r.Out
	}
	mst := made("mst", 1)
	rps := made("rps", 1)
	mondrian := made("mondrian", 0, "k=5")
	original := &Original{Table: r.Table, Schema: r.Schema}
	table, _, err := r.load(t.Context())
	noError(t, err)
	stream := random.NewKey(4).Stream()
	// private puts n private records, shuffled or not, in place of as many of the release.
	private := func(n int, shuffled bool) func(c *Certificate, dir string) {
		return func(c *Certificate, dir string) {
			rows := table.AllRows()
			if shuffled {
				stream.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			}
			var b strings.Builder
			noError(t, csvtable.Write(&b, table.Select(rows[:n]), nil))
			lines := strings.SplitAfter(read(t, filepath.Join(dir, RecordsFile)), "\n")
			text := b.String() + strings.Join(lines[min(n+1, len(lines)-1):], "")
			write(t, filepath.Join(dir, RecordsFile), text)
		}
	}
	replace := func(name, old, new string) func(c *Certificate, dir string) {
		return func(_ *Certificate, dir string) {
			text := read(t, filepath.Join(dir, name))
			if !strings.Contains(text, old) {
				t.Fatalf("%s lacks %q", name, old)
			}
			write(t, filepath.Join(dir, name), strings.Replace(text, old, new, 1))
		}
	}
	as := func(change func(c *Certificate)) func(c *Certificate, dir string) {
		return func(c *Certificate, _ string) { change(c) }
	}
	anonymous := func(c *Certificate, k int) {
		c.Guarantee = Promise{Model: string(algorithms.KAnonymity), K: k, Unit: c.Guarantee.Unit,
			Relation: "none", Sentence: fmt.Sprintf("Every record looks, in the "+
				"attributes that could identify a person, like at least %d others in this file.",
				k-1)}
		c.Content = "The original records, generalised: classes of records that look alike."
		c.Budget, c.Mechanisms, c.NotCovered = nil, []Mechanism{}, slices.Clone(anonymityLimits)
		c.Audit = nil
		c.Anonymity = &Anonymity{QuasiIdentifiers: []string{"age", "job", "height"},
			Sensitive: []string{"town"}, Class: "y", Unchanged: []Diversity{}}
	}
	follows := "not what follows from"
	for of, forgeries := range map[string]map[string]forgery{mst: {
		"epsilon .01": {`"sentence": `, as(func(c *Certificate) {
			c.Guarantee.Epsilon = .01
		})},
		"epsilon .01 all over": {"mechanisms cost 1 together", as(func(c *Certificate) {
			c.Guarantee.Epsilon, c.Guarantee.Sentence = .01, sentence(.01, 0, 0)
			c.Budget.Cost = .01
		})},
		"sentence": {`"sentence": `, as(func(c *Certificate) {
			c.Guarantee.Sentence = sentence(.01, 0, 0)
		})},
		"a delta": {`"sentence": `, as(func(c *Certificate) {
			c.Guarantee.Delta = .5
		})},
		"note": {`"note": `, as(func(c *Certificate) {
			c.Guarantee.Note = "Audited."
		})},
		"relation": {`"relation": `, as(func(c *Certificate) {
			c.Guarantee.Relation = "none"
		})},
		"unit": {`"unit": `, as(func(c *Certificate) {
			c.Guarantee.Unit = "person"
		})},
		"no mechanisms": {"/mechanisms", as(func(c *Certificate) { c.Mechanisms = []Mechanism{} })},
		"free mechanisms": {"mechanisms cost 0 together", as(func(c *Certificate) {
			for i := range c.Mechanisms {
				c.Mechanisms[i].Cost = 0
			}
		})},
		"dear mechanisms": {"at most 1 in epsilon", as(func(c *Certificate) {
			c.Mechanisms[1].Cost = 2
		})},
		"other mechanisms": {"uses none of its mechanisms", as(func(c *Certificate) {
			c.Mechanisms = []Mechanism{{"all", "geometric", 1, "epsilon", 1,
				"exact, from integers"}}
		})},
		"half the sensitivity": {"of sensitivity 0.5, must be", as(func(c *Certificate) {
			c.Mechanisms[0].Sensitivity = .5
		})},
		"another noise": {"must be by discrete laplace", as(func(c *Certificate) {
			c.Mechanisms[0].Mechanism = "geometric"
		})},
		"unit of a mechanism": {`"unit": "rho", must be`, as(func(c *Certificate) {
			c.Mechanisms[0].Unit = "rho"
		})},
		"drawn otherwise": {`"sampling": "exact", must be`, as(func(c *Certificate) {
			c.Mechanisms[1].Sampling = "exact"
		})},
		"cost": {`"cost": `, as(func(c *Certificate) { c.Budget.Cost = .5 })},
		"cost above total": {"are spent before and 1 by the release", as(func(c *Certificate) {
			c.Budget.Epsilon, c.Budget.Total = .5, .5
		})},
		"total": {`"total": `, as(func(c *Certificate) { c.Budget.Total = 1000 })},
		"a first release": {"are spent by 0 earlier releases", as(func(c *Certificate) {
			c.Budget.Number, c.Budget.Before = 1, 3
		})},
		"nothing before": {"by 4 earlier releases", as(func(c *Certificate) {
			c.Budget.Number = 5
		})},
		"identity": {"gives no privacy", as(func(c *Certificate) {
			c.Algorithm = Method{Name: "identity", Title: "Original data", Variant: "published",
				Params: map[string]string{}}
		})},
		"for graphs": {"takes graphs", as(func(c *Certificate) {
			c.Algorithm.Name = "hay"
		})},
		"no such algorithm": {"can be released", as(func(c *Certificate) {
			c.Algorithm.Name = "best"
		})},
		"a broken variant": {"its guarantee is broken", as(func(c *Certificate) {
			c.Algorithm = Method{Name: "diffmulti", Title: "DiffMulti", Variant: "published",
				Params: map[string]string{}}
		})},
		"an inexact variant": {"variant published, cannot be released", as(func(c *Certificate) {
			c.Algorithm.Variant = "published"
		})},
		"settings out of range": {"must be", as(func(c *Certificate) {
			c.Algorithm.Params["bins"] = "-1"
		})},
		"title of the method": {`"title": `, as(func(c *Certificate) {
			c.Algorithm.Title = "MST, certified"
		})},
		"revision": {`"revision": `, as(func(c *Certificate) {
			c.Algorithm.Revision++
		})},
		"randomness": {`"randomness": `, as(func(c *Certificate) {
			c.Randomness = "a quantum source"
		})},
		"limits": {"Nothing.", as(func(c *Certificate) {
			c.NotCovered = []string{"Nothing."}
		})},
		"a day": {"must be a day", as(func(c *Certificate) {
			c.Released = "2026-02-30"
		})},
		"no audit": {"missing property 'audit'", as(func(c *Certificate) { c.Audit = nil })},
		"an audit of nothing": {"an audit of 0 pairs", as(func(c *Certificate) {
			c.Audit.Pairs = 0
		})},
		"an earlier format": {"of another version", as(func(c *Certificate) {
			c.Format = "ppdp certificate 1"
		})},
		"k = 1": {"/guarantee", as(func(c *Certificate) { anonymous(c, 1) })},
		"k = 2 of made-up ones": {"must be 2 or more", as(func(c *Certificate) {
			anonymous(c, 2)
			c.Algorithm.Name, c.Algorithm.Params = "mondrian", map[string]string{"k": "2"}
		})},
		"a noisy count": {"marginals.csv: ", replace(MarginalsFile, "\n1,", "\n01,")},
		"no marginals": {"there false, with this algorithm true", func(c *Certificate, dir string) {
			noError(t, os.Remove(filepath.Join(dir, MarginalsFile)))
			c.Files = slices.DeleteFunc(c.Files, func(f File) bool {
				return f.Name == MarginalsFile
			})
		}},
		"less noise":        {`"error": 1`, as(func(c *Certificate) { c.Noise[0].Error = 1 })},
		"none hidden":       {`"hidden": `, as(func(c *Certificate) { c.Noise[0].Hidden += 3 })},
		"the page":          {follows, replace(PageFile, "73.2", "50.1")},
		"the metadata":      {follows, replace(CroissantFile, "73.2", "50.1")},
		"the format":        {follows, replace(FormatFile, "ppdp", "PPDP")},
		"the schema's text": {follows, replace(SchemaFile, "attributes", "# reviewed\nattributes")},
		"the private table": {"have a chance below 1 in a million", private(300, false)},
		"shuffled":          {"have a chance below 1 in a million", private(300, true)},
		"half of it":        {"have a chance below 1 in a million", private(180, true)},
		"a link": {"must be a file", func(_ *Certificate, dir string) {
			noError(t, os.Remove(filepath.Join(dir, SchemaFile)))
			noError(t, os.Symlink("/dev/zero", filepath.Join(dir, SchemaFile)))
		}},
	}, rps: {
		"columns that say nothing": {`"uninformative": `, as(func(c *Certificate) {
			c.Uninformative = nil
		})},
	}, mondrian: {
		"k":         {`"k": 4`, as(func(c *Certificate) { c.Guarantee.K = 4 })},
		"k reached": {`"k": 9`, as(func(c *Certificate) { c.Anonymity.K = 9 })},
		"l reached": {`"l": 3`, as(func(c *Certificate) {
			c.Anonymity.Unchanged[0].L = 3
		})},
		"t reached": {`"t": 0.01`, as(func(c *Certificate) {
			c.Anonymity.Unchanged[0].T = .01
		})},
		"a name less": {`must be "age"`, as(func(c *Certificate) {
			c.Anonymity.QuasiIdentifiers = []string{"age"}
		})},
		"fewer files": {"in the folder, not in the certificate", as(func(c *Certificate) {
			c.Files = slices.Delete(c.Files, 2, 3)
		})},
		"not sensitive": {`"sensitive": []`, as(func(c *Certificate) {
			c.Anonymity.Sensitive = []string{}
		})},
		"the risk": {follows, replace(RiskFile, "anonymous", "Anonymous")},
		"private": {"is not a number, must be in", as(func(c *Certificate) {
			c.Guarantee = Promise{Model: "differential privacy", Epsilon: 1,
				Sentence: sentence(1, 0, 0)}
			c.Anonymity, c.Budget = nil, &Spending{"epsilon", 1, 0, 1, 1, 0, 1}
			c.Audit = &Audited{1, 2}
			c.Mechanisms = []Mechanism{{"all", "geometric", 1, "epsilon", 1, "exact"}}
		})},
	}} {
		for _, name := range slices.Sorted(maps.Keys(forgeries)) {
			dir := forge(t, of, forgeries[name])
			report, err := Verify(t.Context(), dir, original)
			if err == nil {
				err = report.Err()
			}
			if want := forgeries[name].want; err == nil || !strings.Contains(err.Error(), want) ||
				strings.Contains(err.Error(), "nil") {
				t.Errorf("%s: want %q: %v", name, want, err)
			}
		}
		if report, err := Verify(t.Context(), of, original); err != nil || report.Err() != nil {
			t.Errorf("%s: %v, %v", of, err, report)
		}
		longer := filepath.Join(of, CertificateFile)
		write(t, longer, read(t, longer)+"\n\n")
		if err := must(Verify(t.Context(), of, original)).Err(); err == nil ||
			!strings.Contains(err.Error(), " lines, must be ") {
			t.Errorf("%s: blank lines behind the certificate: %v", of, err)
		}
	}
}

// TestSigned: only the folder that was signed is the holder's; keys are as private as they must be.
func TestSigned(t *testing.T) {
	dir, r := files(t, 60)
	key := filepath.Join(dir, "key")
	noError(t, NewKey(key))
	noError(t, NewKey(filepath.Join(dir, "other")))
	if is := must(os.Stat(key)).Mode().Perm(); is != 0o600 {
		t.Errorf("a private key of mode %v", is)
	}
	if err := NewKey(key); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a key is overwritten: %v", err)
	}
	r.Algorithm, r.Sign, r.Title = "independent", key, "\xff <b>\u2028\x01"
	r.Params = set("iterations=5")
	must(Make(t.Context(), r))
	unsigned := filepath.Join(dir, "unsigned")
	r.Sign, r.Out = "", unsigned
	must(Make(t.Context(), r))
	out := filepath.Join(dir, "out")
	forged := forge(t, out, forgery{change: func(c *Certificate, _ string) { c.Title = "Ours" }})
	for _, test := range []struct{ folder, key, want string }{{out, key, ""},
		{forged, key, "not of the certificate by this key"},
		{out, filepath.Join(dir, "other"), "not of the certificate by this key"},
		{unsigned, key, "the release is not signed"}} {
		report := must(Verify(t.Context(), test.folder, nil))
		if err := report.Err(); err != nil { // without its key a forgery is not noticed
			t.Errorf("%s: %v", test.folder, err)
		}
		noError(t, report.CheckSignature(test.folder, test.key+".pub"))
		if err := report.Err(); fmt.Sprint(err) != "<nil>" && test.want == "" ||
			!strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("%s by %s: want %q: %v", test.folder, test.key, test.want, err)
		}
	}
}

// TestOdds compares with mechanisms for which nothing better than the best guess is possible.
func TestOdds(t *testing.T) {
	for _, test := range []struct {
		epsilon, delta float64
		want           string
	}{
		{math.Log(3), 0, "75"}, // randomised response that tells the truth three times in four
		{math.Log(999), 0, "99.9"},
		{0, 0.1, "55"}, // the record itself once in ten times, else nothing
		{0.0001, 0, "50.1"},
		{1000, 0, "100"},
	} {
		if got := odds(test.epsilon, test.delta); got != test.want {
			t.Errorf("epsilon %v, delta %v: %s, want %s", test.epsilon, test.delta, got, test.want)
		}
	}
}
