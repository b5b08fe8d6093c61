package engine

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/datasets"
	"ppdp/experiments/language"
	"ppdp/internal/must"
	"ppdp/internal/results"
	"ppdp/numeric/random"
)

// resampledSpec has jobs of data that are drawn anew for each trial, of two sizes, among others.
const resampledSpec = `
name: test/resampled
seed: 7
trials: 2
folds: 2
keep: [regions, rows]
dataset:
  - {name: gaussian, shape: clusters-5d, n: 100}
  - {name: gaussian, shape: clusters-5d, n: [200, 300], resample: true}
epsilon: [0.5, 1]
algorithms:
  - {name: rps, params: {depth: 4}}
  - {name: test-doomed, params: {mood: ["", MOOD]}}
  - {name: mondrian, params: {k: 10}}
measure:
  - {metric: w1}
  - {metric: accuracy, classifier: naive-bayes}
`

// TestUserTableIsItsContent: the noise and folds of a user's table follow from what its files hold.
// Their names and folders change nothing; one other character does.
func TestUserTableIsItsContent(t *testing.T) {
	dir := t.TempDir()
	table := "age,job\n" + strings.Repeat("30,clerk\n41,cook\n52,clerk\n", 10)
	schema := "attributes:\n  - {name: age, kind: numeric, low: 18, high: 95, step: 1, role: " +
		"quasi-identifier}\n" +
		"  - {name: job, kind: categorical, values: [clerk, cook], order: given, role: " +
		"quasi-identifier}\n"
	for name, text := range map[string]string{"my.csv": table, "my.yaml": schema,
		"sub/copy.csv": table, "sub/copy.yaml": schema,
		"other.csv": strings.Replace(table, "30", "31", 1)} {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	}
	run := func(csv, schema string) []string {
		file := filepath.Join(dir, "spec.yaml")
		text := fmt.Sprintf("name: test/own\nseed: 3\nfolds: 2\ndataset: "+
			"{name: csv, csv: %s, schema: %s}\nepsilon: 1\n"+
			"algorithms: [{name: test-coin}]\nmeasure: [{metric: w1}]\n", csv, schema)
		parsed := must.Get(language.Parse(file, []byte(text)))
		plan := must.Get(parsed.Plan(language.Overrides{}))
		finished := must.Get(results.Open(mustRun(t, plan, options(t, t.TempDir())).Dir))
		return results.Mapped(finished.Samples(),
			func(s results.Sample) string { return fmt.Sprint(s.Measurement, s.Trials) })
	}
	values := run("my.csv", "my.yaml")
	for _, same := range [][2]string{{"./my.csv", "my.yaml"}, {"sub/../my.csv", "./my.yaml"},
		{"sub/copy.csv", "sub/copy.yaml"},
		{filepath.Join(dir, "my.csv"), "my.yaml"}} {
		must.Equal(t, run(same[0], same[1]), values, same[0], same[1])
	}
	if other := run("other.csv", "my.yaml"); slices.Equal(other, values) {
		t.Error("another table gives the same numbers")
	}
}

// TestPairing: all algorithms of a trial see the same folds, and every job has noise of its own.
// Releases of other rows, or of other content, have other noise, which would cancel in their
// difference; of a user's table and of any other.
func TestPairing(t *testing.T) {
	for _, dataset := range []string{"{name: csv, csv: my.csv, schema: my.yaml}",
		"{name: gaussian, n: 50}"} {
		keys := make(map[random.Key]string)
		for _, rows := range []string{"folds: 0", "folds: 0\ntrain: 20", "folds: 0\ntrain: 21",
			"folds: 2", "folds: 3"} {
			plan := mustPlan(t, "name: test/own\nseed: 3\n"+rows+"\ndataset: "+dataset+
				"\ntrials: 2\nepsilon: [1, 2]\nalgorithms: [{name: test-coin}, {name: test-raw}]\n"+
				"measure: [{metric: w1}]\n", language.Overrides{})
			d, last := plan.Configs[0].Data, plan.Configs[len(plan.Configs)-1].Data
			if folds := plan.FoldKey(d, "checksum", 0); folds == plan.FoldKey(d, "checksum", 1) ||
				folds != plan.FoldKey(last, "checksum", 0) {
				t.Error("two trials have one set of folds, or two algorithms of a trial two")
			}
			for i := range plan.Jobs {
				for _, checksum := range []string{"checksum", "another"} {
					key := plan.NoiseKey(&plan.Jobs[i], checksum)
					if other, ok := keys[key]; ok {
						t.Errorf("%s: %q and %q have the same noise in job %d", dataset, rows,
							other, i)
					}
					keys[key] = rows + ", " + checksum
				}
			}
		}
	}
}

// TestSplitOfOrderedTable: of a table that is ordered by its class, a quarter yes, both parts of a
// split have the same share by default. In the order of the file they do not, and a note says so.
func TestSplitOfOrderedTable(t *testing.T) {
	dir := t.TempDir()
	text := "age,paid\n" + strings.Repeat("30,no\n41,no\n52,no\n", 300) +
		strings.Repeat("30,yes\n", 300)
	must.Do(t, os.WriteFile(filepath.Join(dir, "my.csv"), []byte(text), 0o666))
	must.Do(t, os.WriteFile(filepath.Join(dir, "my.yaml"), []byte("attributes:\n"+
		"  - {name: age, kind: numeric, low: 18, high: 95, role: quasi-identifier}\n"+
		"  - {name: paid, kind: categorical, values: [no, yes], role: class}\n"), 0o666))
	split := func(more string) (shares [2]float64, notes string) {
		parsed := must.Get(language.Parse(filepath.Join(dir, "spec.yaml"), []byte(
			"name: test/split\nseed: 3\ntrain: 2/3\n"+
				"dataset: {csv: my.csv, schema: my.yaml"+more+"}\nepsilon: 1\n"+
				"algorithms: [{name: test-coin}]\nmeasure: [{metric: w1}]\n")))
		plan := must.Get(parsed.Plan(language.Overrides{}))
		m := must.Get(loadTrial(t.Context(), plan, datasets.Files{}, plan.Datasets()[0], 0, nil))
		if m.train != 800 {
			t.Fatalf("%d of 1,200 rows released", m.train)
		}
		for _, row := range m.rows {
			if yes := m.data.Table.Column(1).At(row); int(row) < m.train {
				shares[0] += float64(yes) / 800
			} else {
				shares[1] += float64(yes) / 400
			}
		}
		return shares, strings.Join(m.data.Notes, "; ")
	}
	// The share of 400 rows without replacement has a standard deviation of .0177.
	shares, notes := split("")
	if math.Abs(shares[0]-shares[1]) > 5*.0177*1.5 || strings.Contains(notes, "paid") {
		t.Errorf("shuffled: %v yes in the parts; %s", shares, notes)
	}
	shares, notes = split(", shuffled: false")
	if shares[0] != 0 || math.Abs(shares[1]-.75) > 1e-9 || !strings.Contains(notes,
		"in 100.0 % of the 800 rows released and 25.0 % of the 400 tested, which chance does") {
		t.Errorf("in the order of the file: %v yes in the parts; %s", shares, notes)
	}
}

// TestUnlike: two parts of 100 rows, 50 + x and 50 - x of them yes, have the statistic x²/12.5. One
// degree of freedom allows 15.137 at a level of 1 in 10,000, so that 13 are chance (13.52); 15 are
// not (18). Among persons with two records each 19 are chance (28.88/2)
// and 22 are not (38.72/2). A single row of a class says nothing, whichever part it is in.
func TestUnlike(t *testing.T) {
	for _, contributions := range []int{0, 2} {
		schema := &datasets.Schema{Contributions: contributions, Attributes: []datasets.Attribute{{
			Name: "paid", Kind: datasets.Categorical, Values: []string{"no", "yes", "never"},
			Role: datasets.Class}}}
		for x, want := range map[int]bool{0: false, 13: false, 15: contributions == 0,
			19: contributions == 0, 22: true} {
			b := datasets.NewBuilder(schema, 200)
			for i := range 200 {
				yes := i < 50+x || i >= 150+x
				b.Set(b.AddRow(), 0, map[bool]uint32{true: 1}[yes])
			}
			b.Set(b.AddRow(), 0, 2)
			must.Be(t, unlike(b.Table(), 200), "", "a single row")
			must.Be(t, unlike(b.Table(), 100) != "", want, contributions, x)
		}
	}
}
