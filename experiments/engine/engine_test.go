package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/experiments/language"
	"ppdp/internal/must"
	"ppdp/internal/results"
	"ppdp/metrics"
	"ppdp/numeric/random"
	"ppdp/privacy"

	_ "ppdp/algorithms/all"
	_ "ppdp/algorithms/independent"
	_ "ppdp/algorithms/mondrian"
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
	s := must.Get(language.Parse("test.yaml", []byte(text)))
	return must.Get(s.Plan(o))
}

func options(t *testing.T, out string) Options {
	t.Helper()
	return Options{Out: out, Workers: 1, Clock: time.Now,
		Files: datasets.DefaultFiles(t.TempDir()),
		Log:   func(message string) { t.Log(message) }}
}

func mustRun(t *testing.T, p *language.Plan, opts Options) *Result {
	t.Helper()
	return must.Get(Run(context.Background(), p, opts))
}

// finished is a run with its records in memory.
type finished struct {
	*results.Summary
	Records []results.Record
}

func mustOpen(t *testing.T, elements ...string) finished {
	t.Helper()
	dir := filepath.Join(elements...)
	run := finished{Summary: must.Get(results.Open(dir))}
	must.Do(t, results.ParseFile(dir, results.RecordsFile, func(r io.Reader, path string) error {
		return results.ReadRecords(r, path, func(c *results.Record) {
			run.Records = append(run.Records, *c)
		})
	}))
	return run
}

func read(t *testing.T, elements ...string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(filepath.Join(elements...))))
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

// crowd counts the jobs in the moods "alone" and "both".
var crowd atomic.Int32

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
	case "alone", "both":
		most := map[string]int32{"alone": 1, "both": 2}[p.Mood]
		defer crowd.Add(-1)
		if n := crowd.Add(1); n > most {
			return nil, fmt.Errorf("%d jobs at once", n)
		}
		time.Sleep(5 * time.Millisecond)
		if n := crowd.Load(); n > most {
			return nil, fmt.Errorf("%d jobs at once", n)
		}
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
	noise := in.Budget.Laplace("count", in.Noise.Open("count"),
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

const measureSpec = `
name: test/measures
seed: 3
dataset: {name: discrete, n: 200, attributes: 2}
algorithms:
  - {name: mondrian, params: {k: [2, 20]}}
measure:
  - {metric: [count-error, count-error-std], params: {attribute: [x1, x2], ranges: tight}}
  - {metric: [count-error, discernibility, cavg, ncp, anonymity]}
plots:
  - {name: a, x: k, y: count-error attribute=x2 ranges=tight}
`

// TestMeasureParameters: every setting of a metric is a separate measurement, recorded under the
// metric's name with what differs from the defaults, and a figure can draw it.
func TestMeasureParameters(t *testing.T) {
	result := mustRun(t, mustPlan(t, measureSpec, language.Overrides{}), options(t, t.TempDir()))
	want := []string{
		"count-error attribute=x1 ranges=tight", "count-error attribute=x2 ranges=tight",
		"count-error-std attribute=x1 ranges=tight", "count-error-std attribute=x2 ranges=tight",
		"count-error", "discernibility", "cavg", "ncp", "anonymity",
	}
	run := mustOpen(t, result.Dir)
	records := run.Records
	if len(records) != 2 {
		t.Fatalf("%d records, want one for each k", len(records))
	}
	for i, k := range []float64{2, 20} {
		var names []string
		values := make(map[string]float64)
		for _, v := range records[i].Values {
			names = append(names, v.Metric)
			values[v.Metric] = *v.Value
		}
		must.Equal(t, names, want)
		// C_AVG is relative to k, so it has to be between 1 and 2d(k-1)+m over k, and the largest k
		// at least k.
		if values["cavg"] < 1 || values["cavg"] > 4+200/k || values["anonymity"] < k {
			t.Errorf("k %v: C_AVG %v, anonymity %v", k, values["cavg"], values["anonymity"])
		}
		must.Be(t, records[i].Status, results.OK, k, records[i].Error)
	}
}

// unusable is a metric that no release can be measured by.
type unusable struct{}

func (unusable) Info() metrics.Info { return metrics.Info{Name: "test-unusable", Title: "None"} }
func (unusable) Measure(context.Context, metrics.Case) (float64, bool, error) {
	return 0, false, errors.New("nothing fits")
}

// hasty is a metric that panics.
type hasty struct{}

func (hasty) Info() metrics.Info { return metrics.Info{Name: "test-hasty", Title: "Hasty"} }
func (hasty) Measure(_ context.Context, c metrics.Case) (float64, bool, error) {
	return 0, false, fmt.Errorf("row %d", c.Train[len(c.Train)])
}

func init() {
	metrics.Register(unusable{})
	metrics.Register(hasty{})
}

// TestPanicNamesMetric: which of a job's many measurements it was.
func TestPanicNamesMetric(t *testing.T) {
	text := strings.Replace(measureSpec, "anonymity]", "test-hasty]", 1)
	run := mustOpen(t, mustRun(t, mustPlan(t, text, language.Overrides{}),
		options(t, t.TempDir())).Dir)
	must.Fail(t, errors.New(run.Records[0].Error), "panic: test-hasty: runtime error: index out")
}

// TestUnusableMeasureCostsItself: a metric that fails, or has no value, leaves the others of the
// job as they are; the record says why.
func TestUnusableMeasureCostsItself(t *testing.T) {
	const text = `
name: test/unusable
dataset: {name: gaussian, shape: clusters-5d, n: 20}
epsilon: 1
algorithms: [{name: test-coin, params: {share: 0.000001}}]
measure: [{metric: [test-unusable, ks, records]}]
`
	result := mustRun(t, mustPlan(t, text, language.Overrides{}), options(t, t.TempDir()))
	run := mustOpen(t, result.Dir)
	c := &run.Records[0]
	if c.Status != results.OK || len(c.Values) != 3 {
		t.Fatalf("%s (%s), %d values", c.Status, c.Error, len(c.Values))
	}
	// no record was published: its distance is undefined, their number is not
	if c.Values[0].Value != nil || c.Values[1].Value != nil || *c.Values[2].Value != 0 {
		t.Errorf("values %+v", c.Values)
	}
	if len(c.Warnings) != 1 || c.Warnings[0] != "not measured: test-unusable: nothing fits" {
		t.Errorf("warnings %q", c.Warnings)
	}
}

// deltaSpec is run in pure epsilon and in (epsilon, delta).
const deltaSpec = `
name: test/delta
dataset: {name: gaussian, shape: clusters-5d, n: 300}
epsilon: 1
algorithms:
  - {name: test-coin, variant: strict, delta: [0, 1e-9]}
measure:
  - {metric: accuracy, classifier: majority}
plots:
  - {name: a, x: epsilon, y: accuracy}
`

// TestDelta: what has a delta says so in its name, and its costs and losses are in rho. The coin's
// proven sensitivity is twice the claimed one, which costs four times the rho.
func TestDelta(t *testing.T) {
	out := t.TempDir()
	result := mustRun(t, mustPlan(t, deltaSpec, language.Overrides{}), options(t, out))
	run := mustOpen(t, result.Dir)
	pure, approximate := &run.Records[0], &run.Records[1]
	if pure.Label() != "test-coin" || pure.BudgetText() != "epsilon 1" || pure.Spent.Rho != 0 ||
		approximate.Label() != "test-coin, δ = 1e-09" ||
		approximate.BudgetText() != "epsilon 1, delta 1e-09" {
		t.Errorf("%q at %q, %q at %q", pure.Label(), pure.BudgetText(), approximate.Label(),
			approximate.BudgetText())
	}
	const rho = 0.0149731 // of (1, 1e-9)
	s := approximate.Spent
	total, ok := approximate.Budget()
	if math.Abs(s.Rho-rho) > 1e-7 || !ok || total != s.Rho ||
		math.Abs(s.Claimed/s.Rho-1) > 1e-12 || math.Abs(float64(s.Proven)/s.Rho-4) > 1e-12 ||
		!(s.ProvenEpsilon > 2 && s.ProvenEpsilon < 3) || approximate.Unit() != "rho" {
		t.Errorf("spent %+v, budget %v", s, total)
	}
	if row := approximate.Ledger[1]; row.Mechanism != "gaussian" || row.Cost != s.Claimed {
		t.Errorf("ledger %+v", row)
	}
	if summary := read(t, result.Dir, results.SummaryFile); strings.Count(summary,
		",1,1e-09,accuracy") != 1 || strings.Count(summary, ",1,,accuracy") != 1 {
		t.Errorf("summary:\n%s", summary)
	}
	ledger := read(t, result.Dir, results.LedgerFile)
	must.Say(t, ledger, "1,total,gaussian,1,2,1,rho,0.0149",
		"0,count,laplace,1,2,1,epsilon,1,")
	for name, change := range map[string]func(s string) string{
		"a delta for a variant without": func(s string) string {
			return strings.Replace(s, "strict", "published", 1)
		},
		"a delta of 1": func(s string) string { return strings.Replace(s, "1e-9", "1", 1) },
		"twice":        func(s string) string { return strings.Replace(s, "1e-9", "0", 1) },
	} {
		must.Fail(t, must.Err(language.Parse("spec.yaml", []byte(change(deltaSpec)))),
			"spec.yaml:6: algorithms[0].delta", name)
	}
}

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
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	parsed := must.Get(language.Parse(filepath.Join(dir, "spec.yaml"), []byte(
		"name: test/persons\n"+
			"dataset: {csv: my.csv, schema: my.yaml, contributions: [1, 0]}\nepsilon: 1\n"+
			"algorithms:\n  - {name: independent, variant: strict, delta: [0, 1e-6]}\n"+
			"  - {name: mondrian, params: {k: 5}}\n"+
			"measure: [{metric: records}]\n")))
	opts := options(t, out)
	result := mustRun(t, must.Get(parsed.Plan(language.Overrides{})), opts)
	run := mustOpen(t, result.Dir)
	for r := range results.Each(run.Records) {
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
	folds := must.Get(foldsOf(plan, table, random.NewKey(5)))
	home, sizes := make(map[int32]int), make([]int, len(folds))
	for f, fold := range folds {
		must.Be(t, len(fold.Train)+len(fold.Test), table.Len(), f, len(fold.Train), len(fold.Test))
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

// TestWarnings: warnings that differ in numbers only are counted as one, the first; equal ones, of
// several draws, are not counted.
func TestWarnings(t *testing.T) {
	all := []warning{{"A", "gap 81.3 % after 2290 nodes"}, {"A", "not private"},
		{"A", "gap 81 % after 31 nodes"}, {"A", "gap 7.25 % after 4 nodes"},
		{"A", "gap 81.3 % after 2290 nodes at last"}, {"B", "gap 1 % after 2 nodes"},
		{"C", "C published too much"}, {"c.csv", "c.csv: odd"}, {"c.csv", "c.csv: odd"}}
	var logged []string
	r := &run{opts: Options{Log: func(message string) { logged = append(logged, message) }}}
	r.logWarnings(all)
	want := []string{"warning: A: gap 81.3 % after 2290 nodes (the first of 4 like it)",
		"warning: A: not private", "warning: A: gap 81.3 % after 2290 nodes at last",
		"warning: C: published too much", "warning: c.csv: odd"}
	must.Equal(t, logged, want)
}
