package publish

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ppdp/algorithms"
	csvtable "ppdp/datasets/csv"
	"ppdp/internal/must"
	"ppdp/internal/results"
	"ppdp/numeric/random"
)

// edit forges values of the certificate, by their place in its JSON.
type edit map[string]any

func (e edit) change(c *Certificate, _ string) {
	var root any
	if err := json.Unmarshal(must.Get(json.Marshal(c)), &root); err != nil {
		panic(err)
	}
	for place, value := range e { // order-free: places of their own
		at, keys := root, strings.Split(place, ".")
		for i, key := range keys {
			last := i == len(keys)-1
			switch in := at.(type) {
			case map[string]any:
				if last {
					in[key] = value
				}
				at = in[key]
			case []any:
				at = in[must.Get(strconv.Atoi(key))]
			}
		}
	}
	*c = Certificate{}
	if err := json.Unmarshal(must.Get(json.Marshal(root)), c); err != nil {
		panic(err)
	}
}

// forge changes a copy of a release. In pages and metadata the forger writes what the forged
// certificate says, and all digests are brought up to date; want is in what is wrong.
func forge(t *testing.T, from, want string, change func(c *Certificate, dir string)) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "forged")
	must.Do(t, os.CopyFS(dir, os.DirFS(from)))
	c, _, err := readCertificate(dir)
	must.Do(t, err)
	format := must.Get(csvtable.ParseSchema(SchemaFile,
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
		must.Do(t, results.WriteFile(filepath.Join(dir, name), write))
		files(name)
	}
	if want == "not what follows from" { // the page alone, or the metadata
		change(c, dir)
		files(RiskFile, CroissantFile, DeploymentFile, FormatFile, PageFile, SchemaFile)
		edit(CertificateFile, func(w io.Writer) error { return results.WriteJSON(w, c) })
		return dir
	}
	change(c, dir)
	files(RecordsFile)
	for _, part := range c.parts(format.Schema, nil, nil) {
		at := slices.IndexFunc(c.Files, func(f File) bool { return f.Name == part.name })
		if part.name == CroissantFile || part.name == DeploymentFile || part.name == PageFile {
			edit(part.name, func(w io.Writer) error { return part.write(w, c.Files[:max(0, at)]) })
		}
	}
	edit(CertificateFile, func(w io.Writer) error { return results.WriteJSON(w, c) })
	return dir
}

// TestForged: a release whose certificate does not make sense is refused, with a reason, however
// carefully its digests and pages were made to fit.
func TestForged(t *testing.T) {
	_, r := files(t, 300)
	made := func(algorithm string, epsilon float64, params ...string) string {
		r.Algorithm, r.Epsilon, r.Params = algorithm, epsilon, set(params...)
		r.Parquet = algorithm == "mondrian"
		r.Out = filepath.Join(filepath.Dir(r.Table), algorithm)
		must.Get(Make(t.Context(), r))
		return r.Out
	}
	mst := made("mst", 1)
	rps := made("rps", 1)
	mondrian := made("mondrian", 0, "k=5")
	original := &Original{Table: r.Table, Schema: r.Schema}
	table, _, err := r.load(t.Context())
	must.Do(t, err)
	stream := random.NewKey(4).Stream()
	// private puts n private records, shuffled or not, in place of as many of the release.
	private := func(n int, shuffled bool) func(c *Certificate, dir string) {
		return func(c *Certificate, dir string) {
			rows := table.AllRows()
			if shuffled {
				stream.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			}
			var b strings.Builder
			must.Do(t, csvtable.Write(&b, table, rows[:n], nil))
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
	without := func(name string) func(c *Certificate, dir string) {
		return func(c *Certificate, dir string) {
			must.Do(t, os.Remove(filepath.Join(dir, name)))
			c.Files = slices.DeleteFunc(c.Files, func(f File) bool { return f.Name == name })
		}
	}
	// records are others, made of the header and those of the release.
	records := func(of func(header string, lines []string) string) func(*Certificate, string) {
		return func(_ *Certificate, dir string) {
			lines := strings.SplitAfter(read(t, filepath.Join(dir, RecordsFile)), "\n")
			write(t, filepath.Join(dir, RecordsFile), of(lines[0], lines[1:]))
		}
	}
	record := func(line string) func(*Certificate, string) {
		return records(func(header string, _ []string) string { return header + line + "\n" })
	}
	all := edit{"guarantee.epsilon": .01, "guarantee.sentence": sentence(.01, 0, 0),
		"budget.cost": .01}
	method := func(name, title string) Method {
		return Method{Name: name, Title: title, Variant: "published", Params: map[string]string{}}
	}
	anonymous := func(k int) edit {
		return edit{"guarantee": Promise{Model: string(algorithms.KAnonymity), K: k, Unit: "record",
			Relation: "none", Sentence: fmt.Sprintf("Every record looks, in the "+
				"attributes that could identify a person, like at least %d others in this file.",
				k-1)},
			"content": "The original records, generalised: classes of records that look alike.",
			"budget":  nil, "mechanisms": []Mechanism{}, "notCovered": anonymityLimits,
			"audit": nil,
			"anonymity": Anonymity{QuasiIdentifiers: []string{"age", "job", "height"},
				Sensitive: []string{"town"}, Class: "y", Unchanged: []Diversity{}}}
	}
	made2 := anonymous(2)
	made2["algorithm.name"], made2["algorithm.params"] = "mondrian", map[string]string{"k": "2"}
	follows := "not what follows from"
	type forgeries map[string]struct {
		want   string
		change func(c *Certificate, dir string)
	}
	for of, forgeries := range map[string]forgeries{mst: {
		"epsilon .01":          {`"sentence": `, edit{"guarantee.epsilon": .01}.change},
		"epsilon .01 all over": {"mechanisms cost 1 together", all.change},
		"sentence":             {`"sentence": `, edit{"guarantee.sentence": "None."}.change},
		"a delta":              {`"sentence": `, edit{"guarantee.delta": .5}.change},
		"note":                 {`"note": `, edit{"guarantee.note": "Audited."}.change},
		"relation":             {`"relation": `, edit{"guarantee.relation": "none"}.change},
		"unit":                 {`"unit": `, edit{"guarantee.unit": "person"}.change},
		"no mechanisms":        {"/mechanisms", edit{"mechanisms": []any{}}.change},
		"free mechanisms": {"mechanisms cost 0 together", func(c *Certificate, _ string) {
			for i := range c.Mechanisms {
				c.Mechanisms[i].Cost = 0
			}
		}},
		"dear mechanisms": {"at most 1 in epsilon", edit{"mechanisms.1.cost": 2}.change},
		"other mechanisms": {"uses none of its mechanisms", edit{"mechanisms": []Mechanism{{"all",
			"geometric", 1, "epsilon", 1, "exact, from integers"}}}.change},
		"half the sensitivity": {"of sensitivity 0.5, must be",
			edit{"mechanisms.0.sensitivity": .5}.change},
		"another noise": {"must be by discrete laplace",
			edit{"mechanisms.0.mechanism": "geometric"}.change},
		"unit of a mechanism": {`"unit": "rho", must be`, edit{"mechanisms.0.unit": "rho"}.change},
		"drawn otherwise": {`"sampling": "exact", must be`,
			edit{"mechanisms.1.sampling": "exact"}.change},
		"cost": {`"cost": `, edit{"budget.cost": .5}.change},
		"cost above total": {"are spent before and 1 by the release",
			edit{"budget.epsilon": .5, "budget.total": .5}.change},
		"total": {`"total": `, edit{"budget.total": 1000}.change},
		"a first release": {"are spent by 0 earlier releases",
			edit{"budget.number": 1, "budget.before": 3}.change},
		"nothing before": {"by 4 earlier releases", edit{"budget.number": 5}.change},
		"identity": {"gives no privacy",
			edit{"algorithm": method("identity", "Original data")}.change},
		"for graphs":        {"takes graphs", edit{"algorithm.name": "hay"}.change},
		"no such algorithm": {"can be released", edit{"algorithm.name": "best"}.change},
		"a broken variant": {"its guarantee is broken",
			edit{"algorithm": method("diffmulti", "DiffMulti")}.change},
		"an inexact variant": {"variant published, cannot be released",
			edit{"algorithm.variant": "published"}.change},
		"settings out of range": {"must be", edit{"algorithm.params.bins": "-1"}.change},
		"title of the method":   {`"title": `, edit{"algorithm.title": "MST, certified"}.change},
		"revision":              {`"revision": `, edit{"algorithm.revision": 1000}.change},
		"randomness":            {`"randomness": `, edit{"randomness": "a quantum source"}.change},
		"limits":                {"Nothing.", edit{"notCovered": []string{"Nothing."}}.change},
		"a day":                 {"must be a day", edit{"released": "2026-02-30"}.change},
		"no audit":              {"missing properties: [\"audit\"]", edit{"audit": nil}.change},
		"an audit of nothing":   {"an audit of 0 pairs", edit{"audit.pairs": 0}.change},
		"an earlier format":     {"of another version", edit{"format": "ppdp ledger"}.change},
		"k = 1":                 {"/guarantee", anonymous(1).change},
		"k = 2 of made-up ones": {"must be 2 or more", made2.change},
		"a noisy count":         {"marginals.csv: ", replace(MarginalsFile, "\n1,", "\n01,")},
		"no marginals":          {"there false, with this algorithm true", without(MarginalsFile)},
		"less noise":            {`"error": 1`, edit{"noise.0.error": 1}.change},
		"none hidden":           {`"hidden": `, edit{"noise.0.hidden": 100}.change},
		"a larger group":        {`"smallest": `, edit{"noise.0.smallest": 250}.change},
		"a smaller error":       {`"relative": `, edit{"noise.0.relative": .001}.change},
		"another group":         {`"group": `, edit{"noise.0.group": "any"}.change},

		// Pages, metadata and records.
		"an owner":          {follows, edit{"owner": "The Office"}.change},
		"a contact":         {follows, edit{"contact": "office@example.org"}.change},
		"a purpose":         {follows, edit{"purpose": "research"}.change},
		"the entry's cost":  {follows, replace(DeploymentFile, "epsilon: 1\n", "epsilon: 0.1\n")},
		"the entry's owner": {follows, replace(DeploymentFile, "TO FILL IN: who rel", "Us: rel")},
		"no entry":          {"other files than a release has", without(DeploymentFile)},
		"the page":          {follows, replace(PageFile, "73.2", "50.1")},
		"the picture":       {follows, replace(PageFile, `class="gained"`, `class="wrong"`)},
		"the metadata":      {follows, replace(CroissantFile, "73.2", "50.1")},
		"the format":        {follows, replace(FormatFile, "ppdp", "PPDP")},
		"the schema's text": {follows, replace(SchemaFile, "attributes", "# reviewed\nattributes")},
		"the private table": {"have a chance below 1 in a million", private(300, false)},
		"shuffled":          {"have a chance below 1 in a million", private(300, true)},
		"most of it":        {"have a chance below 1 in a million", private(230, true)},
		"a link": {"must be a file", func(_ *Certificate, dir string) {
			must.Do(t, os.Remove(filepath.Join(dir, SchemaFile)))
			must.Do(t, os.Symlink("/dev/zero", filepath.Join(dir, SchemaFile)))
		}},
	}, rps: {
		"columns that say nothing": {`"uninformative": `, edit{"uninformative": nil}.change},
	}, mondrian: {
		"k":         {`"k": 4`, edit{"guarantee.k": 4}.change},
		"k reached": {`"k": 9`, edit{"anonymity.k": 9}.change},
		"l reached": {`"l": 3`, edit{"anonymity.unchanged.0.l": 3}.change},
		"t reached": {`"t": 0.01`, edit{"anonymity.unchanged.0.t": .01}.change},
		"disclosed": {`"disclosed": 299`, edit{"anonymity.unchanged.0.disclosed": 299}.change},
		"a name less": {`must be "age"`,
			edit{"anonymity.quasiIdentifiers": []string{"age"}}.change},
		"fewer files": {"in the folder, not in the certificate", func(c *Certificate, _ string) {
			c.Files = slices.Delete(c.Files, 2, 3)
		}},
		"k = 6":          {"must be 6 or more", edit{"guarantee.k": 6}.change},
		"no number":      {"neither a number nor", record("old,admin,1.6,x,no")},
		"another value":  {"is not in its public list", record("20,admin,1.6,x,maybe")},
		"a small class":  {"must be 5 or more", record("20,admin,1.6,x,no")},
		"another column": {"columns", replace(RecordsFile, "age,", "Age,")},
		"a record again and again": {"records are not from the original",
			records(func(header string, lines []string) string {
				return header + strings.Repeat(lines[0], 3*len(lines))
			})},
		"another schema": {"schema.yaml:1", func(_ *Certificate, dir string) {
			write(t, filepath.Join(dir, SchemaFile), "attributes: 3\n")
		}},
		"no schema": {"no such file", func(_ *Certificate, dir string) {
			must.Do(t, os.Remove(filepath.Join(dir, SchemaFile)))
		}},
		"digests":       {"SHA-256", replace(ParquetFile, "ppdp", "pppp")},
		"not sensitive": {`"sensitive": []`, edit{"anonymity.sensitive": []string{}}.change},
		"the Parquet":   {follows, replace(ParquetFile, "ppdp", "pppp")},
		"the risk":      {follows, replace(RiskFile, "anonymous", "Anonymous")},
		"private": {"is not a number, must be in", edit{"guarantee": Promise{Epsilon: 1,
			Model: "differential privacy", Sentence: sentence(1, 0, 0)}, "anonymity": nil,
			"budget": Spending{"epsilon", 1, 0, 1, 1, 0, 0, 1}, "audit": Audited{1, 2},
			"mechanisms": []Mechanism{{"all", "geometric", 1, "epsilon", 1, "exact"}}}.change},
	}} {
		for _, name := range slices.Sorted(maps.Keys(forgeries)) {
			dir := forge(t, of, forgeries[name].want, forgeries[name].change)
			report, err := Verify(t.Context(), dir, original)
			if err == nil {
				err = report.Err()
			}
			must.Fail(t, err, forgeries[name].want, name)
			must.Be(t, strings.Contains(fmt.Sprint(err), "nil"), false, name, err)
		}
		if report, err := Verify(t.Context(), of, original); err != nil || report.Err() != nil {
			t.Errorf("%s: %v, %v", of, err, report)
		}
		longer := filepath.Join(of, CertificateFile)
		text := read(t, longer)
		for want, forged := range map[string]string{" lines, must be ": text + "\n\n",
			"additional properties": strings.Replace(text, `"format"`, `"more": 1, "format"`, 1)} {
			write(t, longer, forged)
			must.Fail(t, must.Get(Verify(t.Context(), of, original)).Err(), want, of)
		}
	}
}

// TestSigned: only the folder that was signed is the holder's; keys are as private as they must be.
func TestSigned(t *testing.T) {
	dir, r := files(t, 60)
	key := filepath.Join(dir, "key")
	must.Do(t, NewKey(key))
	must.Do(t, NewKey(filepath.Join(dir, "other")))
	must.Be(t, must.Get(os.Stat(key)).Mode().Perm(), 0o600, "mode of a private key")
	if err := NewKey(key); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a key is overwritten: %v", err)
	}
	r.Algorithm, r.Sign, r.Title = "independent", key, "\xff <b>\u2028\x01"
	r.Params = set("iterations=5")
	must.Get(Make(t.Context(), r))
	unsigned := filepath.Join(dir, "unsigned")
	r.Sign, r.Out = "", unsigned
	must.Get(Make(t.Context(), r))
	out := filepath.Join(dir, "out")
	forged := forge(t, out, "", edit{"title": "Ours"}.change)
	for _, test := range []struct{ folder, key, want string }{{out, key, ""},
		{forged, key, "not of the certificate by this key"},
		{out, filepath.Join(dir, "other"), "not of the certificate by this key"},
		{unsigned, key, "the release is not signed"}} {
		report := must.Get(Verify(t.Context(), test.folder, nil))
		if err := report.Err(); err != nil { // without its key a forgery is not noticed
			t.Errorf("%s: %v", test.folder, err)
		}
		must.Do(t, report.CheckSignature(test.folder, test.key+".pub"))
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
		want           float64
	}{
		{math.Log(3), 0, 75}, // randomised response that tells the truth three times in four
		{math.Log(999), 0, 99.9},
		{0, 0.1, 55}, // the record itself once in ten times, else nothing
		{0.0001, 0, 50.1},
		{1000, 0, 100},
	} {
		must.Be(t, odds(test.epsilon, test.delta), test.want, test.epsilon, test.delta)
	}
}
