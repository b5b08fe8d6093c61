package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/experiments/language"
	"ppdp/internal/results"
	"ppdp/privacy"

	_ "ppdp/algorithms/all"
	_ "ppdp/classifiers/all"
	_ "ppdp/datasets/all"
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

// coin is an algorithm for tests: it publishes the rows a fair coin chooses, charges its budget,
// and misbehaves on demand.
type coin struct{}

type coinParams struct {
	Mood  string  `yaml:"mood" doc:"of the coin" values:"a word"`
	Share float64 `yaml:"share" doc:"of heads" values:"a number"`
	K     int     `yaml:"k" doc:"never used"`
}

func (p *coinParams) Validate() error {
	var errs []error
	if !(p.Share >= 0 && p.Share <= 1) {
		errs = append(errs, errors.New("share: must be between 0 and 1"))
	}
	return errors.Join(errs...)
}

func (coin) Info() algorithms.Info {
	return algorithms.Info{Name: "test-coin", Title: "Coin", Source: "test",
		Input:    algorithms.TableInput,
		Produces: []algorithms.Product{algorithms.RecordsProduct},
		Variants: []algorithms.Guarantee{
			{Variant: algorithms.Published, Model: algorithms.DifferentialPrivacy, Unit: "record",
				Relation: "none", Status: algorithms.Broken},
			// which is not so: see Release
			{Variant: algorithms.Strict, Model: algorithms.DifferentialPrivacy, Unit: "record",
				Relation: "none", Status: algorithms.Holds, Approximate: true}}}
}

func (coin) Params() algorithms.Params { return &coinParams{Share: 0.5} }

// meddle changes what it was lent. Other jobs may be reading it, which is the mistake to be
// noticed by the harness, not by the race detector.
//
//go:norace
func meddle(table *datasets.Table) { table.Column(0).Exact[0]++ }

// Release publishes the rows that the coin chooses, and does what the mood asks for.
func (coin) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	p := in.Params.(*coinParams)
	root := in.Budget.Root()
	switch p.Mood {
	case "panic":
		panic("a mistake in a plug-in")
	case "error":
		return nil, errors.New("cannot be done")
	case "processors":
		return nil, fmt.Errorf("%d processors", runtime.GOMAXPROCS(0))
	case "hang":
		select {} // ignores its context
	case "greedy":
		path := root.Fork()
		noise := in.Budget.Laplace("count", in.Noise.Open("count"), privacy.Exact(1))
		for range 3 {
			if _, err := noise.Add(&path, in.Budget.Epsilon()/2, 0); err != nil {
				return nil, err
			}
		}
	case "warns":
		return &algorithms.Release{Table: in.Table, Warnings: slices.Repeat([]string{
			strings.Repeat("\u009b word", 1_000_000)}, 1000)}, nil
	case "mute":
		return nil, nil
	case "meddle":
		meddle(in.Table)
	case "deaf":
		path := root.Fork()
		noise := in.Budget.Laplace("counts", in.Noise.Open("counts"), privacy.Exact(1))
		for range 3 {
			_, _ = noise.Add(&path, in.Budget.Epsilon()*0.75, 0)
		}
	case "wait":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	var noise privacy.VectorNoise = in.Budget.Laplace("count", in.Noise.Open("count"),
		privacy.Sensitivity{Claimed: 1, Proven: 2})
	if in.Budget.Unit() == privacy.Rho {
		noise = in.Budget.Gaussian("total", in.Noise.Open("total"),
			privacy.Sensitivity{Claimed: 1, Proven: 2})
	}
	if err := noise.AddAll(&root, in.Budget.Total(), make([]float64, 1)); err != nil {
		return nil, err
	}
	stream := in.Noise.Open("rows")
	var kept []int32
	for _, row := range in.Rows {
		if stream.Float64() < p.Share {
			kept = append(kept, row)
		}
	}
	return &algorithms.Release{Table: in.Table.Select(kept)}, nil
}

// raw is an algorithm without privacy for tests.
type raw struct{}

func (raw) Info() algorithms.Info {
	return algorithms.Info{Name: "test-raw", Title: "Raw", Source: "test",
		Input:    algorithms.TableInput,
		Produces: []algorithms.Product{algorithms.RecordsProduct},
		Variants: []algorithms.Guarantee{
			{Variant: algorithms.Published, Model: algorithms.NoPrivacy}}}
}
func (raw) Params() algorithms.Params { return nil }
func (raw) Release(_ context.Context, in algorithms.Input) (*algorithms.Release, error) {
	return &algorithms.Release{Table: in.Table.Select(in.Rows)}, nil
}

func init() {
	algorithms.Register(coin{})
	algorithms.Register(raw{})
}
