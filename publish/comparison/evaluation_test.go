package comparison

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/datasets"
	"ppdp/experiments/language"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

const evaluatedSchema = `class: y
attributes:
  - {name: x, kind: numeric, low: 0, high: 200}
  - {name: z, kind: categorical, values: [a, b, c, d, e], role: sensitive}
  - {name: y, kind: categorical, values: ["no", "yes"]}
`

// population is a table of n records drawn from 2,000 combinations, most of them alone.
func population(n int, seed uint64) string {
	draws := random.NewKey(seed).Stream()
	text := "x,z,y\n"
	for range n {
		text += fmt.Sprintf("%d,%c,%s\n", draws.IntN(200), 'a'+rune(draws.IntN(5)),
			[]string{"no", "yes"}[draws.IntN(2)])
	}
	return text
}

// evaluate writes files and makes the spec of their evaluation: original.csv and release.csv.
func evaluate(t *testing.T, e Evaluation, files map[string]string) (*language.Spec, string) {
	t.Helper()
	dir := t.TempDir()
	if files["my.schema.yaml"] == "" {
		files["my.schema.yaml"] = evaluatedSchema
	}
	for name, text := range files { // order-free: each is written
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	e.CSV, e.Schema = filepath.Join(dir, "original.csv"), filepath.Join(dir, "my.schema.yaml")
	e.Releases = []string{filepath.Join(dir, "release.csv")}
	if e.Holdout != "" {
		e.Holdout = filepath.Join(dir, e.Holdout)
	}
	made, notes, err := e.Spec(context.Background(), datasets.Files{},
		filepath.Join(dir, "out", "evaluate.yaml"))
	must.Do(t, err)
	if _, err := language.Parse(made.File, made.Text); err != nil {
		t.Fatalf("the spec's text: %v\n%s", err, made.Text)
	}
	return made, strings.Join(notes, "\n")
}

// TestOverlap: of 20 fresh holdouts of one population none overlaps, though most records have equal
// ones; one that shares a tenth of its records with the original does.
func TestOverlap(t *testing.T) {
	original := population(1000, 1)
	lines := strings.SplitAfter(original, "\n")
	for seed := range uint64(20) {
		_, notes := evaluate(t, Evaluation{Holdout: "h.csv"}, map[string]string{
			"original.csv": original, "release.csv": original, "h.csv": population(500, 100+seed)})
		if strings.Contains(notes, "OVERLAPS") {
			t.Errorf("seed %d: %s", seed, notes)
		}
	}
	_, notes := evaluate(t, Evaluation{Holdout: "h.csv"}, map[string]string{"release.csv": original,
		"original.csv": original, "h.csv": population(360, 7) + strings.Join(lines[1:141], "")})
	must.Say(t, notes, "THE HOLDOUT OVERLAPS THE ORIGINAL")
}

// TestExposedAreNumbered: the record that a release discloses is named by its place in the file,
// by which its holder can look it up.
func TestExposedAreNumbered(t *testing.T) {
	lines := slices.Repeat([]string{"20,a,no\n"}, 40)
	lines[16] = "190,e,yes\n"
	original := "x,z,y\n" + strings.Join(lines, "")
	_, notes := evaluate(t, Evaluation{}, map[string]string{"original.csv": original,
		"release.csv": original})
	must.Say(t, notes, "numbers 17 of those read")
}

// TestEvaluationMeasures: what needs what is not there is left out, and said to be.
func TestEvaluationMeasures(t *testing.T) {
	files := func() map[string]string {
		return map[string]string{"original.csv": population(300, 1),
			"release.csv": population(300, 2), "h.csv": population(300, 3)}
	}
	for _, test := range []struct {
		name           string
		e              Evaluation
		measured, note string // metrics that are, and a part of the notes
		not            string
	}{
		{"nothing held out", Evaluation{}, "nist-score unique-matches",
			"judged on records that it was not made from", "accuracy membership closest-record"},
		{"split", Evaluation{Split: 0.25}, "nist-score accuracy auc",
			"75 records, drawn at random, were held out", "membership closest-record"},
		{"holdout", Evaluation{Holdout: "h.csv", Groups: []string{"z"}},
			"accuracy group-gap membership closest-record attribute-inference", "", "r2"},
		{"no group to be had", Evaluation{Holdout: "h.csv", Sensitive: []string{"x", "z"}},
			"attribute-inference", "Not measured: attribute-inference attribute x", ""},
		{"a number to learn", Evaluation{Holdout: "h.csv", Target: "x"},
			"r2 mae membership", "", "accuracy group-gap"},
		{"a larger table", Evaluation{Holdout: "h.csv", Learnt: 299}, "accuracy membership",
			"Models learn from 299 records of each release and control at most", ""},
	} {
		made, notes := evaluate(t, test.e, files())
		measured := make(map[string]bool)
		for _, m := range made.Measures {
			measured[m.Metric.Info().Name] = true
		}
		for _, name := range strings.Fields(test.measured) {
			if !measured[name] {
				t.Errorf("%s: %s is not measured", test.name, name)
			}
		}
		for _, name := range strings.Fields(test.not) {
			if measured[name] {
				t.Errorf("%s: %s is measured", test.name, name)
			}
		}
		must.Say(t, notes, test.note)
	}
}

// TestEvaluationWithoutNumbers: a table of categories alone has no amounts to measure, and its spec
// can be read.
func TestEvaluationWithoutNumbers(t *testing.T) {
	csv := "z,y\n" + strings.Repeat("a,no\nb,yes\n", 50)
	made, _ := evaluate(t, Evaluation{}, map[string]string{"original.csv": csv, "release.csv": csv,
		"my.schema.yaml": strings.Replace(evaluatedSchema, "numeric, low: 0, high: 200", "ignored",
			1)})
	if strings.Contains(string(made.Text), "amounts") {
		t.Errorf("amounts of no number:\n%s", made.Text)
	}
}

// TestEvaluationOfLargeTables: models have a limit where a table exceeds it, and say so; fidelity
// and attacks have none. A target that is a number is permuted too.
func TestEvaluationOfLargeTables(t *testing.T) {
	for _, test := range []struct {
		e    Evaluation
		rows int
	}{{Evaluation{Holdout: "h.csv", Learnt: 299, Target: "x"}, 299},
		{Evaluation{Holdout: "h.csv", Learnt: 300, Target: "x"}, 0},
		{Evaluation{Holdout: "h.csv", Target: "x"}, 0}} {
		made, notes := evaluate(t, test.e, map[string]string{"original.csv": population(300, 1),
			"release.csv": population(300, 2), "h.csv": population(300, 3)})
		for _, m := range made.Measures {
			learns := strings.HasPrefix(m.Name, "r2") || strings.HasPrefix(m.Name, "mae") ||
				m.Classifier != nil
			limited := strings.Contains(m.Name, fmt.Sprintf("rows=%d", test.rows))
			must.Be(t, limited, learns && test.rows > 0, test.e, m.Name)
		}
		must.Be(t, strings.Contains(notes, "Models learn"), test.rows > 0, test.e, notes)
		must.Say(t, string(made.Text), "target: x")
	}
}
