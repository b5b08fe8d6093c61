package external

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

var fileSchema = &datasets.Schema{Attributes: []datasets.Attribute{
	{Name: "age", Kind: datasets.Numeric, Low: 0, High: 100, Step: 1},
	{Name: "job", Kind: datasets.Categorical, Values: []string{"a", "b", "c"}},
	{Name: "pay", Kind: datasets.Numeric, Low: 0, High: 10, Step: 1, Continuous: true}}}

// released is the release of a file of a text, beside which a certificate may lie.
func released(t *testing.T, text, certificate string) (*algorithms.Release, *File, error) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, recordsName)
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	if certificate != "" {
		must.Do(t, os.WriteFile(filepath.Join(dir, certificateName), []byte(certificate), 0o600))
		path = dir
	}
	found, err := Find(path)
	if err != nil {
		return nil, nil, err
	}
	file := found.(*File)
	original := datasets.NewBuilder(fileSchema, 1)
	original.AddRow()
	release, err := file.Release(context.Background(), algorithms.Input{Table: original.Table(),
		Params: &algorithms.NoParams{}, Variant: algorithms.Published,
		Budget: privacy.NewBudget(0), Noise: random.NewStreams(random.NewKey(1))})
	return release, file, err
}

// TestFile: columns in any order, others left out; records with values that the schema does not
// allow stay, with others of the column in their place, and are counted.
func TestFile(t *testing.T) {
	release, _, err := released(t, "job;pay;note;age\nb;1,5;x;7\nb;NaN;x;7\nd;2;x;-1\nc;2;x\n"+
		"a;3.25;x;8.0\n\xe9;1;x;1\n", "")
	must.Do(t, err)
	if got := release.Table.Len(); got != 5 || release.Weights != nil {
		t.Fatalf("%d records, weights %v", got, release.Weights)
	}
	drawn := math.NaN()
	for row, want := range [][3]float64{{7, 1, 1.5}, {7, 1, drawn}, {drawn, drawn, 2}, {8, 0, 3.25},
		{1, drawn, 1}} {
		at := int32(row)
		got := [3]float64{release.Table.Number(at, 0), float64(release.Table.Column(1).At(at)),
			release.Table.Number(at, 2)}
		of := [3][]float64{{7, 8, 1}, {0, 1}, {1.5, 2, 3.25, 1}} // the columns' own values
		for i := range want {
			if got[i] != want[i] && !(math.IsNaN(want[i]) && slices.Contains(of[i], got[i])) {
				t.Errorf("row %d: %v, want %v", row, got, want)
			}
		}
	}
	if want := []float64{0.2, 0.4, 0.2}; !slices.Equal(release.Absent, want) {
		t.Errorf("absent %v, want %v", release.Absent, want)
	}
	if want := 4. / 6; math.Abs(release.Outside-want) > 1e-15 {
		t.Errorf("%v of the records left out, want %v", release.Outside, want)
	}
	notes := strings.Join(release.Warnings, "\n")
	for _, want := range []string{"1 of 6 records left out: not as many fields",
		"3 of 6 records have values outside the schema, taken for missing",
		"age in 1, such as \"-1\"",
		"job in 2, such as \"d\" (did you mean a?)", "pay in 1, such as \"NaN\"",
		"the schema does not describe, and nothing measures: \"note\""} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in\n%s", want, notes)
		}
	}
}

// TestFileGeneralised: of 10,000 records of one range of ten values and one set of two, values are
// drawn evenly. Chi-square of 19 degrees of freedom is above 50.8 once in 10,000 seeds.
func TestFileGeneralised(t *testing.T) {
	const n = 10_000
	release, _, err := released(t, "age,job,pay\n"+strings.Repeat("20-29,\"{a, c}\",1\n", n), "")
	must.Do(t, err)
	counts := make([]float64, 20)
	for row := range int32(n) {
		age, job := release.Table.Column(0).At(row), release.Table.Column(1).At(row)
		if age < 20 || age > 29 || job%2 > 0 {
			t.Fatalf("row %d is of age %d and job %d", row, age, job)
		}
		counts[2*(age-20)+job/2]++
	}
	if chi := testinput.ChiSquare(counts, nil); chi > 50.8 {
		t.Errorf("chi-square %v: %v", chi, counts)
	}
}

// TestFileOfFolder: the records of a folder have its weights, and the certificate's promise.
func TestFileOfFolder(t *testing.T) {
	release, file, err := released(t, "age,job,pay,weight\n1,a,1,2.5\n2,b,2,x\n3,c,3,0\n",
		`{"weighted": true, "guarantee": {"epsilon": 0.5, "delta": 1e-9}}`)
	must.Do(t, err)
	if w := release.Weights; len(w) != 2 || w[0] != 2.5 || w[1] != 0 {
		t.Errorf("weights %v", w)
	}
	if file.Promised.Epsilon != 0.5 || file.Promised.Delta != 1e-9 {
		t.Errorf("%+v", file)
	}
	for text, certificate := range map[string]string{"age,job,pay\n": `{"weighted": true}`,
		"age,pay\n1,1\n": "", "": "", "age,job,pay\n1,a,1\n": "{"} { // order-free: each is refused
		if _, _, err := released(t, text, certificate); err == nil {
			t.Errorf("%q with %q is read", text, certificate)
		}
	}
}

// TestFileIdentity: the digest, by which finished jobs are found again, is of the content.
func TestFileIdentity(t *testing.T) {
	one, a, err := released(t, "age,job,pay\n1,a,1\n", "")
	must.Do(t, err)
	_, b, err := released(t, "age,job,pay\n1,a,1\n", "")
	must.Do(t, err)
	_, c, err := released(t, "age,job,pay\n2,a,1\n", "")
	must.Do(t, err)
	if a.Info().Program != b.Info().Program || a.Info().Program == c.Info().Program {
		t.Errorf("%s %s %s", a.Info().Program, b.Info().Program, c.Info().Program)
	}
	must.Do(t, one.Table.Validate())
}

// TestFileMissing: where an attribute keeps missing values, one outside the schema is missing too,
// and is counted as outside.
func TestFileMissing(t *testing.T) {
	marker := "?"
	schema := &datasets.Schema{Attributes: slices.Clone(fileSchema.Attributes)}
	schema.Attributes[0].Missing = &marker
	path := filepath.Join(t.TempDir(), recordsName)
	must.Do(t, os.WriteFile(path, []byte("age,job,pay\n?,a,1\n999,b,2\n7,c,3\n"), 0o600))
	found, err := Find(path)
	must.Do(t, err)
	published, err := found.(*File).Read(t.Context(), schema)
	must.Do(t, err)
	table, _ := published.table(random.NewKey(1).Stream())
	ages := [3]float64{table.Number(0, 0), table.Number(1, 0), table.Number(2, 0)}
	if !math.IsNaN(ages[0]) || !math.IsNaN(ages[1]) || ages[2] != 7 || published.Missing != 1 {
		t.Errorf("ages %v, %d records outside; want missing, missing and 7, and 1", ages,
			published.Missing)
	}
}
