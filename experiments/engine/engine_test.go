package engine

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	_ "ppdp/algorithms/all"
	_ "ppdp/classifiers/all"
	"ppdp/datasets"
	_ "ppdp/datasets/all"
	"ppdp/experiments/language"
	"ppdp/internal/results"
)

// testSpec is an experiment small enough for tests, with noise, folds and a reference.
const testSpec = `
name: test/coins
seed: 7
trials: 3
folds: 4
dataset: {name: gaussian, shape: clusters-5d, n: 300}
epsilon: [0.5, 1]
algorithms:
  - {name: test-coin, series: "coin {share}", params: {share: [0.2, 0.8]}}
  - {name: test-raw, series: raw}
measure:
  - {metric: accuracy, classifier: [naive-bayes, majority]}
plots:
  - {name: a, where: {classifier: naive-bayes}, x: epsilon, y: accuracy,
     reference: [test-raw, majority]}
quick: {trials: 1, epsilon: [1]}
`

func mustPlan(t *testing.T, text string, o language.Overrides) *language.Plan {
	t.Helper()
	s := must(language.Parse("test.yaml", []byte(text)))
	return must(s.Plan(o))
}

func options(t *testing.T, out string) Options {
	t.Helper()
	return Options{Out: out, Workers: 1, Clock: time.Now, Process: processes(),
		Files: datasets.DefaultFiles(t.TempDir()),
		Log:   func(message string) { t.Log(message) }}
}

func mustRun(t *testing.T, p *language.Plan, opts Options) *Result {
	t.Helper()
	return must(Run(context.Background(), p, opts))
}

// finished is a run with its records in memory.
type finished struct {
	*results.Summary
	Records []results.Record
}

func mustOpen(t *testing.T, elements ...string) finished {
	t.Helper()
	dir := filepath.Join(elements...)
	run := finished{Summary: must(results.Open(dir))}
	noError(t, results.ParseFile(dir, results.RecordsFile, func(r io.Reader, path string) error {
		return results.ReadRecords(r, path, func(c *results.Record) {
			run.Records = append(run.Records, *c)
		})
	}))
	return run
}

func read(t *testing.T, elements ...string) string {
	t.Helper()
	return string(must(os.ReadFile(filepath.Join(elements...))))
}

// must returns v, and panics on an error: for the steps that a test takes for granted.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// noError ends the test or benchmark on an error.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
