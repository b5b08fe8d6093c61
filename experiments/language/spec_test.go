package language

import (
	"context"
	"errors"
	"ppdp/algorithms"
	"slices"
	"strings"
	"testing"

	_ "ppdp/algorithms/all"
	_ "ppdp/classifiers/all"
	_ "ppdp/datasets/all"
	"ppdp/experiments"
)

// fake is an algorithm for tests, under differential privacy or without privacy. It is never run.
type fake struct{ info algorithms.Info }

type fakeParams struct {
	Mood  string  `yaml:"mood" doc:"never used" values:"a word"`
	Share float64 `yaml:"share" doc:"never used" values:"a number"`
	K     int     `yaml:"k" doc:"never used"`
}

func (p *fakeParams) Validate() error {
	if !(p.Share >= 0 && p.Share <= 1) {
		return errors.New("share: must be between 0 and 1")
	}
	return nil
}

func (f fake) Info() algorithms.Info { return f.info }

func (f fake) Params() algorithms.Params {
	if f.info.Variants[0].Model == algorithms.NoPrivacy {
		return nil
	}
	return &fakeParams{Share: 0.5}
}

func (fake) Release(context.Context, algorithms.Input) (*algorithms.Release, error) {
	return nil, errors.New("never run")
}

func init() {
	info := algorithms.Info{Name: "test-coin", Title: "Coin", Source: "test",
		Input: algorithms.TableInput, Produces: []algorithms.Product{algorithms.RecordsProduct},
		Variants: []algorithms.Guarantee{
			{Variant: algorithms.Published, Model: algorithms.DifferentialPrivacy, Unit: "record",
				Relation: "none", Status: algorithms.Broken},
			{Variant: algorithms.Strict, Model: algorithms.DifferentialPrivacy, Unit: "record",
				Relation: "none", Status: algorithms.Holds, Approximate: true}}}
	algorithms.Register(fake{info})
	info.Name, info.Title = "test-raw", "Raw"
	info.Variants = []algorithms.Guarantee{
		{Variant: algorithms.Published, Model: algorithms.NoPrivacy}}
	algorithms.Register(fake{info})
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
	spec := must(Parse("test.yaml", []byte(text)))
	return must(spec.Plan(o))
}

// TestEmbedded: every spec that comes with the program decodes and plans.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	if len(experiments.Names()) == 0 {
		t.Fatal("no embedded experiments")
	}
	for _, name := range experiments.Names() {
		t.Run(name, func(t *testing.T) {
			spec := must(Embedded(name))
			if spec.Name != name {
				t.Errorf("the spec calls itself %s", spec.Name)
			}
			for _, quick := range []bool{false, true} {
				plan := must(spec.Plan(Overrides{Quick: quick}))
				if len(plan.Jobs) == 0 {
					t.Error("no jobs")
				}
				t.Logf("quick %v: %d configurations, %d jobs",
					quick, len(plan.Configs), len(plan.Jobs))
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
	spec := must(Parse("spec.yaml", []byte(text)))
	for quick, want := range map[bool][]string{false: {"1000", "2000"}, true: {"100"}} {
		plan := must(spec.Plan(Overrides{Quick: quick}))
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
	for _, name := range experiments.Names() {
		text, _ := experiments.Text(name)
		f.Add(text)
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
