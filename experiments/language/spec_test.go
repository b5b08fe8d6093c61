package language

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/experiments"
	"ppdp/internal/badfiles"
	"ppdp/internal/must"
	"ppdp/internal/results"
	"ppdp/internal/source"
	"ppdp/metrics"

	_ "ppdp/algorithms/all"
	_ "ppdp/classifiers/all"
	_ "ppdp/datasets/all"
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

func mustPlan(t *testing.T, text string, o Overrides) *Plan {
	t.Helper()
	spec := must.Get(Parse("test.yaml", []byte(text)))
	return must.Get(spec.Plan(o))
}

// TestEmbedded: every spec that comes with the program decodes and plans.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	if len(experiments.Names()) == 0 {
		t.Fatal("no embedded experiments")
	}
	for _, name := range experiments.Names() {
		t.Run(name, func(t *testing.T) {
			spec := must.Get(Embedded(name))
			must.Be(t, spec.Name, name, "the spec calls itself")
			for _, quick := range []bool{false, true} {
				plan := must.Get(spec.Plan(Overrides{Quick: quick}))
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
	spec := must.Get(Parse("spec.yaml", []byte(text)))
	for quick, want := range map[bool][]string{false: {"1000", "2000"}, true: {"100"}} {
		plan := must.Get(spec.Plan(Overrides{Quick: quick}))
		got := results.Mapped(plan.Configs,
			func(c *Config) string { return c.Dataset.Params["n"] })
		must.Equal(t, got, want, quick)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range experiments.Names() {
		text, _ := experiments.Text(name)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		spec, err := Parse("fuzz.yaml", data)
		if err != nil {
			must.Say(t, err.Error(), "fuzz.yaml:")
			return
		}
		spec.Plan(Overrides{Trials: 1}) // must not panic
	})
}

// TestBadSpecs: every mistake in a spec is reported. <algorithms> is the list of all algorithms,
// and so on, so that a new plug-in changes no file. go test ./experiments -run BadSpecs -update
func TestBadSpecs(t *testing.T) {
	lists := strings.NewReplacer(
		strings.Join(algorithms.Names(), ", "), "<algorithms>",
		strings.Join(datasets.Names(), ", "), "<datasets>",
		strings.Join(metrics.Names(), ", "), "<metrics>",
		strings.Join(classifiers.Names(), ", "), "<classifiers>")
	badfiles.Run(t, func(text []byte) error {
		spec, err := Parse(badfiles.Name, text)
		if err == nil {
			_, err = spec.Plan(Overrides{})
		}
		if err == nil {
			return nil
		}
		return errors.New(lists.Replace(err.Error()))
	})
}

func TestTrainParse(t *testing.T) {
	for text, want := range map[string]int{"7": 7, "2/3": 6, "0.8": 7, "1/9": 1, "8/9": 8} {
		var train Train
		if !train.parse(text) {
			t.Errorf("%q is refused", text)
			continue
		}
		must.Be(t, must.Get(train.Of(9)), want, text)
	}
	for _, text := range []string{"", "0", "-1", "07", "+7", "1", "0/3", "3/3", "4/3", "-1/3",
		"1/-3", "1/0", "0.0", "1.0", "NaN", "Inf", "a", "1/2/3", "0x7"} {
		var train Train
		if train.parse(text) && text != "1" {
			t.Errorf("%q is taken for %+v", text, train)
		}
	}
	for _, text := range []string{"9", "10", "0.1", "1/10"} {
		var train Train
		if !train.parse(text) {
			t.Fatalf("%q is refused", text)
		}
		must.Fail(t, must.Err(train.Of(9)), "both sides", text)
	}
}

// shares lists n numbers from 0 to 1 as YAML.
func shares(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprint(float64(i+1) / float64(n))
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// TestSize: plans beyond all bounds are refused, by what multiplies in them. The products are
// computed by hand.
func TestSize(t *testing.T) {
	t.Parallel()
	const text = `name: t/size
trials: %d
folds: %d
dataset: {name: gaussian, n: 300, shape: clusters-5d}
epsilon: %s
algorithms:
  - {name: test-coin, params: {share: %s, k: %s}}
measure:
  - {metric: accuracy, classifier: majority}
`
	whole := func(n int) string {
		words := make([]string, n)
		for i := range words {
			words[i] = fmt.Sprint(i)
		}
		return "[" + strings.Join(words, ", ") + "]"
	}
	for _, c := range []struct {
		trials, folds int
		epsilon       string
		shares, ks    int
		want          string // nothing: it is a plan
	}{
		{100_000, 4, "1", 10, 1, ""},
		{100_000, 5, "1", 10, 1,
			"the experiment has 5000000 jobs, must be at most 4194304"},
		{1, 0, "1", 257, 257, "the lists multiply to more than 65536 combinations"},
		{1, 0, shares(300), 300, 1, "multiply to more than 65536 configurations"},
	} {
		spec, err := Parse("f.yaml", fmt.Appendf(nil, text, c.trials, c.folds, c.epsilon,
			shares(c.shares), whole(c.ks)))
		if err == nil {
			_, err = spec.Plan(Overrides{})
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d trials, %d folds, %d shares, %d ks: %v, want %q", c.trials, c.folds,
				c.shares, c.ks, err, c.want)
		}
	}
	spec := must.Get(Parse("f.yaml", fmt.Appendf(nil, text, 1, 0, "1", "0.5", "1")))
	_, err := spec.Plan(Overrides{Trials: 1 << 60})
	must.Fail(t, err, "must be between 1 and 100000", "1<<60 trials from outside")
}

// TestMeasureParametersAreCached: a job measured with other parameters is another job.
func TestMeasureParametersAreCached(t *testing.T) {
	keys := make(map[string]bool)
	for _, params := range []string{"", ", params: {ranges: tight}", ", params: {ranges: box}",
		", params: {attribute: x1}"} {
		text := "name: test/keys\ndataset: {name: discrete, n: 50}\n" +
			"algorithms: [{name: mondrian}]\nmeasure: [{metric: count-error" + params + "}]\n"
		plan := mustPlan(t, text, Overrides{})
		keys[plan.CacheKeys()(&plan.Jobs[0], "checksum")] = true
	}
	if len(keys) != 3 { // ranges: box is the default
		t.Errorf("%d keys, want 3", len(keys))
	}
}

// TestCode: a job's code is its plug-ins' packages, those registered through another's type and
// those that only a parameter names, with all imports; not what other jobs alone need.
func TestCode(t *testing.T) {
	plan := mustPlan(t, `name: test/code
folds: 2
dataset: {name: adult-clusters-standin}
algorithms: [{name: mst, epsilon: [1]}, {name: identity}]
measure:
  - {metric: accuracy, classifier: id3}
  - {metric: r2, params: {target: age, regressor: ridge}}
`, Overrides{})
	code := plan.Configs[0].Code()
	for _, name := range []string{"ppdp/algorithms/mst", "ppdp/algorithms/kernel/pgm",
		"ppdp/privacy", "ppdp/datasets/adultclusters", "ppdp/datasets/adult",
		"ppdp/datasets/clustering", "ppdp/metrics", "ppdp/classifiers/id3",
		"ppdp/classifiers/ridge", "ppdp/experiments/language", "ppdp/experiments/engine"} {
		if code[name] == "" {
			t.Errorf("%s is not in %v", name, code)
		}
	}
	for _, name := range []string{"ppdp/algorithms/identity", "ppdp/algorithms/rps",
		"ppdp/classifiers/c45", "ppdp/internal/results", source.Program} {
		must.Be(t, code[name], "", name, code)
	}
	key := plan.CacheKeys()(&plan.Jobs[0], "")
	plan.Configs[0].Implementation = struct{ algorithms.Algorithm }{plan.Configs[0].Implementation}
	if plan.Configs[0].Code()[source.Program] == "" {
		t.Error("an algorithm of a type that is not known does not stand for the whole program")
	}
	if plan.CacheKeys()(&plan.Jobs[0], "") == key {
		t.Error("other code, the same key")
	}
}

// TestMeasureWhere: a measurement is made of the settings that its filter selects, and others need
// not serve it: only Mondrian has a k.
func TestMeasureWhere(t *testing.T) {
	plan := mustPlan(t, `name: test/where
dataset: {name: discrete, n: 50}
algorithms: [{name: mondrian, params: {k: [2, 5]}}, {name: identity}]
measure:
  - {metric: records}
  - {metric: cavg, where: {algorithm: mondrian}}
  - {metric: record-weight, where: {k: ">2"}}
`, Overrides{})
	var got []string
	for _, c := range plan.Configs {
		names := c.Algorithm
		for _, m := range c.Measures {
			names += " " + m.Name
		}
		got = append(got, names)
	}
	want := []string{"mondrian records cavg",
		"mondrian records cavg record-weight", "identity records"}
	must.Equal(t, got, want)
}
