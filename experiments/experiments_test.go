package experiments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ppdp/algorithms"
	_ "ppdp/algorithms/all"
	_ "ppdp/classifiers/all"
	"ppdp/datasets"
	_ "ppdp/datasets/all"
	"ppdp/privacy"
)

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

// meddle changes what it was lent. Other cells may be reading it, which is the mistake to be
// noticed by the harness, not by the race detector.
//
//go:norace
func meddle(table *datasets.Table) { table.Column(0).Exact[0]++ }

// die ends the process, in one of the ways that nothing in it can stop.
func die(how string) {
	switch how {
	case "exit":
		os.Exit(0)
	case "stack":
		var overflow func(int) int
		overflow = func(n int) int { return overflow(n+1) + n }
		overflow(0)
	case "goroutine":
		go panic("a mistake in a goroutine")
	case "maps":
		m := make(map[int]int)
		for range 2 {
			go func() {
				for i := 0; ; i++ {
					m[i%100] = i
				}
			}()
		}
	}
	select {} // until the goroutines have done it
}

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
		select {} // never looks at its context
	case "greedy":
		path := root.Fork()
		noise := in.Budget.Laplace("count", in.Noise.Open("count"), privacy.Exact(1))
		for range 3 {
			if _, err := noise.Add(&path, in.Budget.Epsilon()/2, 0); err != nil {
				return nil, err
			}
		}
	case "mute":
		return nil, nil
	case "goexit":
		runtime.Goexit()
	case "meddle":
		meddle(in.Table)
	case "exit", "stack", "goroutine", "maps":
		die(p.Mood)
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

func mustPlan(t *testing.T, text string, o Overrides) *Plan {
	t.Helper()
	spec, err := Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := spec.Plan(o)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func options(t *testing.T, out string) Options {
	t.Helper()
	return Options{Out: out, Jobs: 1, Clock: time.Now, Files: datasets.DefaultFiles(t.TempDir()),
		Log: func(message string) { t.Log(message) }}
}

func mustRun(t *testing.T, p *Plan, opts Options) *Result {
	t.Helper()
	result, err := p.Run(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func read(t *testing.T, elements ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestEmbedded: every spec that comes with the program decodes and plans.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	if len(Names()) == 0 {
		t.Fatal("no embedded experiments")
	}
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			spec, err := Embedded(name)
			if err != nil {
				t.Fatal(err)
			}
			if spec.Name != name {
				t.Errorf("the spec calls itself %s", spec.Name)
			}
			for _, quick := range []bool{false, true} {
				plan, err := spec.Plan(Overrides{Quick: quick})
				if err != nil {
					t.Fatal(err)
				}
				if len(plan.Cells) == 0 {
					t.Error("no cells")
				}
				t.Logf("quick %v: %d configurations, %d cells",
					quick, len(plan.Configs), len(plan.Cells))
			}
		})
	}
}

// TestQuickDataset: a quick run has the datasets named for it, any other those of the experiment.
func TestQuickDataset(t *testing.T) {
	const text = `
name: t/quick
dataset: {name: discrete, n: [1000, 2000]}
algorithms:
  - {name: mondrian, params: {k: 10}}
measure:
  - {metric: regions}
quick: {dataset: {name: discrete, n: 100}}
`
	spec, err := Parse("spec.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for quick, want := range map[bool][]string{false: {"1000", "2000"}, true: {"100"}} {
		plan, err := spec.Plan(Overrides{Quick: quick})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, config := range plan.Configs {
			got = append(got, config.Dataset.Params["n"])
		}
		if !slices.Equal(got, want) {
			t.Errorf("quick %v: n %v, want %v", quick, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(testSpec))
	for _, name := range Names() {
		data, err := specs.ReadFile(name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		spec, err := Parse("fuzz.yaml", data)
		if err != nil {
			if !strings.Contains(err.Error(), "fuzz.yaml:") {
				t.Errorf("an error without its place: %v", err)
			}
			return
		}
		spec.Plan(Overrides{Trials: 1}) // must not panic
	})
}
