package engine

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "ppdp/algorithms/independent"
	_ "ppdp/algorithms/mondrian"
	"ppdp/datasets"
	"ppdp/experiments/language"
	"ppdp/numeric/random"
)

// TestPersons: a run on a table that names its persons protects these: its guarantees, ledger,
// index and audits say so, in pure epsilon and in rho, for either number of records; and nothing is
// short any more, as it is where the same records count as different people's.
func TestPersons(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	var table strings.Builder
	table.WriteString("age,id\n")
	for row := range 200 {
		fmt.Fprintf(&table, "%d,p%d\n", 20+row%7, row%50)
	}
	for name, text := range map[string]string{"my.csv": table.String(),
		"my.yaml": "person: id\ncontributions: 3\nattributes:\n" +
			"  - {name: age, kind: numeric, low: 18, high: 30}\n"} {
		noError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	parsed := must(language.Parse(filepath.Join(dir, "spec.yaml"), []byte("name: test/persons\n"+
		"dataset: {csv: my.csv, schema: my.yaml, contributions: [1, 0]}\nepsilon: 1\n"+
		"algorithms:\n  - {name: independent, variant: strict, delta: [0, 1e-6]}\n"+
		"  - {name: mondrian, params: {k: 5}}\n"+
		"measure: [{metric: records}]\n")))
	opts := options(t, out)
	opts.WriteReleases = true
	result := mustRun(t, must(parsed.Plan(language.Overrides{})), opts)
	run := mustOpen(t, result.Dir)
	for i := range run.Records {
		r := &run.Records[i]
		most := 3.0
		if r.Dataset.Params["contributions"] == "1" {
			most = 1
		}
		if r.Algorithm == "mondrian" {
			continue
		}
		whole := 1.0
		if r.Delta > 0 {
			whole = r.Spent.Rho
		}
		if l := r.Ledger[0]; l.Claimed != most || float64(l.Proven) != most ||
			math.Abs(r.Spent.Claimed/whole-1) > 1e-9 ||
			math.Abs(float64(r.Spent.Proven)/whole-1) > 1e-9 {
			t.Errorf("%s: spent %+v, ledger %+v, want all of it at a sensitivity of %v",
				r.Dataset.Label(), r.Spent, l, most)
		}
	}
	for _, a := range run.Manifest.Algorithms {
		if a.Unit != "person" || a.Status != "holds" ||
			a.Name == "independent" && a.Relation != "add or remove one person" {
			t.Errorf("%+v: must be of persons", a)
		}
	}
	if notes := run.Manifest.Datasets[1].Notes; !strings.Contains(strings.Join(notes, "; "),
		"persons are protected, by id: 50 records beyond the 3 of a person are left out") {
		t.Errorf("notes %q", notes)
	}
}

// TestFoldsOfPersons: every row is tested on once, all of a person's in the same fold, and folds
// differ by at most one person.
func TestFoldsOfPersons(t *testing.T) {
	schema := &datasets.Schema{Contributions: 3, Attributes: []datasets.Attribute{
		{Name: "x", Low: 0, High: 10, Step: 1}}}
	b := datasets.NewBuilder(schema, 0)
	var persons []int32
	ids := make([]string, 23)
	for row := range 60 {
		b.AddRow()
		persons = append(persons, int32(row*row%23))
		ids[row%23] = fmt.Sprint(row % 23)
	}
	table := datasets.OfPersons(b.Table(), persons, ids)
	plan := mustPlan(t, deltaSpec, language.Overrides{})
	plan.Folds = 4
	folds := must(foldsOf(plan, table, random.NewKey(5)))
	home, sizes := make(map[int32]int), make([]int, len(folds))
	for f, fold := range folds {
		if len(fold.Train)+len(fold.Test) != table.Len() {
			t.Errorf("fold %d: %d rows to learn from and %d to test on, of %d", f, len(fold.Train),
				len(fold.Test), table.Len())
		}
		for _, row := range fold.Test {
			person := table.Person(row)
			if at, met := home[person]; met && at != f {
				t.Errorf("person %d is in folds %d and %d", person, at, f)
			} else if !met {
				home[person] = f
				sizes[f]++
			}
		}
		for _, row := range fold.Train {
			if slices.Contains(fold.Test, row) {
				t.Errorf("fold %d: row %d on both sides", f, row)
			}
		}
	}
	if len(sizes) != 4 || slices.Max(sizes)-slices.Min(sizes) > 1 || len(home) != 12 {
		t.Errorf("folds of %v persons, %d in all, want 12", sizes, len(home))
	}
}
