package comparison

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppdp/algorithms"
	_ "ppdp/algorithms/all"
	_ "ppdp/classifiers/all"
	"ppdp/datasets"
	_ "ppdp/datasets/all"
	"ppdp/experiments/language"
	"ppdp/internal/must"
)

const comparedSchema = `class: y
attributes:
  - {name: age, kind: numeric, low: 0, high: 100}
  - {name: job, kind: categorical, values: [a, b, c]}
  - {name: y, kind: categorical, values: ["no", "yes"]}
`

// compared writes a table of the given number of records and makes the spec of its comparison.
func compared(t *testing.T, c Comparison, schema string, rows int, record string) (text []byte,
	unfit map[string]string) {
	t.Helper()
	dir := t.TempDir()
	c.CSV, c.Schema = filepath.Join(dir, "my.csv"), filepath.Join(dir, "my.schema.yaml")
	table := "age,job,y\n" + strings.Repeat(record, rows)
	for path, content := range map[string]string{c.CSV: table, c.Schema: schema} { // order-free
		must.Do(t, os.WriteFile(path, []byte(content), 0o666))
	}
	made, left, err := c.Spec(context.Background(), datasets.Files{},
		filepath.Join(dir, "out", "compare.yaml"))
	must.Do(t, err)
	if _, err := made.Plan(language.Overrides{}); err != nil {
		t.Fatal(err)
	}
	text = made.Text
	unfit = make(map[string]string)
	for _, note := range left {
		name, reason, _ := strings.Cut(strings.TrimPrefix(note, "left out: "), ": ")
		unfit[name] = reason
	}
	return text, unfit
}

// TestComparisonKnowsNoRecord: the spec is a function of public facts. Other records, and another
// number of them, leave it as it is, to the byte; a stated number does not.
func TestComparisonKnowsNoRecord(t *testing.T) {
	c := Comparison{Epsilon: []float64{0.1, 1}, K: 10, Records: 5000, Trials: 2, Seed: 1}
	one, _ := compared(t, c, comparedSchema, 100, "20,a,no\n30,b,yes\n")
	other, _ := compared(t, c, comparedSchema, 37, "99,c,no\n0,c,no\n")
	if !bytes.Equal(one, other) {
		t.Errorf("two tables give\n%s\nand\n%s", one, other)
	}
	c.Records = 50
	stated, _ := compared(t, c, comparedSchema, 100, "20,a,no\n30,b,yes\n")
	if bytes.Equal(one, stated) {
		t.Error("the stated number of records has no effect")
	}
}

// TestComparisonLeavesOut: what does not fit is named with its reason and is not in the spec.
func TestComparisonLeavesOut(t *testing.T) {
	c := Comparison{Epsilon: []float64{1}, K: 10, Records: 1000, Trials: 1}
	text, unfit := compared(t, c, comparedSchema, 5, "20,a,no\n30,b,yes\n")
	// Of 10 records four fifths are released: 8 are too few for groups of 10.
	must.Say(t, unfit["mondrian"], "k is 10, the table has 8 rows")
	if unfit["incognito"] == "" || bytes.Contains(text, []byte("name: incognito")) {
		t.Errorf("incognito releases no records: %q", unfit["incognito"])
	}
	if bytes.Contains(text, []byte("name: mondrian")) ||
		!bytes.Contains(text, []byte("name: rps")) {
		t.Errorf("%s", text)
	}
	text, unfit = compared(t, c, strings.Replace(comparedSchema, "class: y\n", "", 1), 50,
		"20,a,no\n30,b,yes\n")
	if !strings.Contains(unfit["all classifiers"], "as the target") ||
		bytes.Contains(text, []byte("accuracy")) || bytes.Contains(text, []byte("folds")) {
		t.Errorf("without a class: %v\n%s", unfit, text)
	}
	c.Target = "job"
	text, _ = compared(t, c, comparedSchema, 50, "20,a,no\n30,b,yes\n")
	if !bytes.Contains(text, []byte("target: job")) || bytes.Contains(text, []byte("quality")) {
		t.Errorf("with a target of three values:\n%s", text)
	}
}

// TestUnreleasable: what cannot be handed out is left out with the reason that was given; what is
// here for reference stays.
func TestUnreleasable(t *testing.T) {
	c := Comparison{Epsilon: []float64{1}, K: 10, Records: 1000, Trials: 1,
		Unreleasable: func(a algorithms.Algorithm) string {
			return map[string]string{"rps": "it is refused", "sample": "never asked",
				"identity": "never asked"}[a.Info().Name]
		}}
	text, unfit := compared(t, c, comparedSchema, 50, "20,a,no\n30,b,yes\n")
	if unfit["rps"] != "it is refused" || bytes.Contains(text, []byte("name: rps")) ||
		!bytes.Contains(text, []byte("name: sample")) ||
		!bytes.Contains(text, []byte("name: identity")) {
		t.Errorf("%v\n%s", unfit, text)
	}
}

// TestQuickLook: fewer trials, folds and classifiers, and samples to learn from; and amounts are
// measured where there are numbers alone.
func TestQuickLook(t *testing.T) {
	c := Comparison{Epsilon: []float64{1}, K: 10, Records: 1000, Trials: 5}
	whole, _ := compared(t, c, comparedSchema, 50, "20,a,no\n30,b,yes\n")
	c.Quick = true
	quick, _ := compared(t, c, comparedSchema, 50, "20,a,no\n30,b,yes\n")
	for text, want := range map[string][2]bool{"trials: 5": {true, false},
		"trials: 2": {false, true}, "folds: 5": {true, false}, "folds: 2": {false, true},
		"rows: 4000": {false, true}, "svm": {true, false}, "quantile": {true, true}} {
		for i, spec := range [][]byte{whole, quick} {
			must.Be(t, bytes.Contains(spec, []byte(text)), want[i], i, text, spec)
		}
	}
	words, _ := compared(t, c, strings.Replace(comparedSchema, "kind: numeric, low: 0, high: 100",
		"kind: categorical, values: [\"20\", \"30\"]", 1), 50, "20,a,no\n30,b,yes\n")
	if bytes.Contains(words, []byte("quantile")) {
		t.Errorf("without numbers:\n%s", words)
	}
}

// TestRemedies: what warnings advise is compared already: fewer regions, and private bins where a
// column is wide by the schema and they are not the default.
func TestRemedies(t *testing.T) {
	c := Comparison{Epsilon: []float64{1}, K: 10, Records: 5000, Trials: 1}
	table := "20,a,no\n30,b,yes\n"
	narrow, _ := compared(t, c, comparedSchema, 50, table)
	schema := strings.Replace(comparedSchema, "high: 100", "high: 1000000", 1)
	wide, _ := compared(t, c, schema, 50, table)
	for _, spec := range [][]byte{narrow, wide} {
		if !bytes.Contains(spec, []byte("DiffGen, few regions")) {
			t.Errorf("%s", spec)
		}
	}
	if bytes.Contains(narrow, []byte("cut: private")) ||
		!bytes.Contains(wide, []byte("series: DPCube, private bins")) ||
		bytes.Contains(wide, []byte("series: PrivBayes, private bins")) ||
		!bytes.Contains(wide, []byte("cut: private")) {
		t.Errorf("%s\n%s", narrow, wide)
	}
}
