package cmd

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ppdp/algorithms"
	"ppdp/algorithms/mondrian"
	"ppdp/experiments/engine"
	"ppdp/experiments/language"
	"ppdp/internal/must"
	"ppdp/internal/regress"
	"ppdp/internal/results"
	"ppdp/privacy"

	"github.com/google/go-cmp/cmp"
)

// constants are changes of one constant each, of five baselines.
var constants = []mutant{
	{folder: "algorithms/rps", old: "const leafShare = 0.5",
		with: "const leafShare = 0.55"},
	{folder: "algorithms/dpcube",
		old:  `CountNoise("cell counts", privacy.Exact(1))`,
		with: `CountNoise("cell counts", privacy.Exact(2))`},
	{folder: "algorithms/mst", old: "in.Budget.Total() / 3",
		with: "in.Budget.Total() / 4"},
	{folder: "algorithms/independent", old: "d.Each(in.Budget.Total(), sets)",
		with: "d.Each(in.Budget.Total()/2, sets)"},
	{folder: "algorithms/aim", old: "const between = 0.5",
		with: "const between = 0.1"},
}

// TestRebuilt: ppdp regress finds a changed constant of each of five baselines by their names, and
// nothing in an unchanged program; a replay sees a fault. Into a folder of earlier results a
// rebuilt program runs again what changed, and nothing else.
func TestRebuilt(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: two programs are built")
	}
	t.Parallel()
	root, dir := must.Get(filepath.Abs("..")), t.TempDir()
	programs := make(map[string]string)
	for name, mutants := range map[string][]mutant{"sound": nil,
		"changed": append(slices.Clone(constants), faults[0].change)} {
		programs[name] = build(t, root, filepath.Join(dir, name), mutants...)
	}
	run := func(program string, args ...string) (string, bool) {
		command := exec.Command(programs[program], args...)
		command.Dir = root
		out, err := command.CombinedOutput()
		return string(out), err == nil
	}
	out, ok := run("sound", "regress", "rps/noise", "dpcube", "mst", "independent", "aim")
	if !ok || strings.Contains(out, " moved") || !strings.Contains(out, " same\n") {
		t.Errorf("an unchanged program: %s", out)
	}
	out, ok = run("changed", "regress", "rps/noise", "dpcube", "mst", "independent", "aim")
	if ok || strings.Count(out, " moved: ") != len(constants) {
		t.Errorf("five changed constants: %v, %s", ok, out)
	}
	if strings.Contains(out, "Inputs that differ") {
		t.Errorf("only code differs: %s", out)
	}
	for _, m := range constants {
		_, text, moved := strings.Cut("\n"+out, "\n"+path.Base(m.folder)+" moved: ")
		text, _, _ = strings.Cut(text, "\n\n")
		if !moved || !strings.Contains(text, "No Revision was raised") {
			t.Errorf("%s: the paragraph is %q", path.Base(m.folder), text)
		}
	}

	f := &faults[0]
	found := f.audit(t, programs["changed"], filepath.Join(dir, "fault"))
	_, _, rows := faultRows()
	if replay := strings.Join(kindsOf(found), ", "); !found.Refuted() ||
		!strings.HasPrefix(rows[f.head()], f.head()+replay+" |") {
		t.Errorf("the replay finds %v, %s has %s", replay, faultsPage, rows[f.head()])
	}

	spec := filepath.Join(dir, "few.yaml")
	write(t, spec, `name: mine/few
title: Two algorithms that change and one that does not
source: none
seed: 1
trials: 2
dataset: {name: adult-standin, select: dpcube}
epsilon: [1]
algorithms:
  - {name: rps, variant: strict, params: {quality: class, depth: 3}}
  - {name: dpcube, variant: strict}
  - {name: mondrian, params: {k: [5, 50]}}
measure: [{metric: regions}]
`)
	shared, results := filepath.Join(dir, "shared"), filepath.Join(dir, "results")
	for i, program := range []string{"sound", "changed"} {
		run(program, "run", spec, "--out", shared, "--shard", fmt.Sprintf("%d/2", i+1))
	}
	if out, ok := run("sound", "merge", shared, "--out", results); ok || !strings.Contains(out,
		"code ppdp/algorithms/dpcube: ") || !strings.Contains(out, "code ppdp/algorithms/rps: ") {
		t.Errorf("shards of two programs are merged: %s", out)
	}
	for _, step := range []struct{ program, jobs string }{
		{"sound", "8 jobs, 0 failed"},
		{"sound", "8 jobs, 8 of them from an earlier run"},
		{"changed", "8 jobs, 4 of them from an earlier run"},
		{"changed", "8 jobs, 8 of them from an earlier run"},
		{"sound", "8 jobs, 8 of them from an earlier run"}, // nothing is lost
	} {
		if out, ok := run(step.program, "run", spec, "--out", results); !ok ||
			!strings.Contains(out, step.jobs) {
			t.Errorf("%s: %s, want %+v", step.program, out, step)
		}
	}
}

// TestMovedText counts by hand: of the four numbers of mst one is the same, one goes up by a half,
// one down by a tenth and one is missing.
func TestMovedText(t *testing.T) {
	number := func(metric, verdict string, old, new float64) *regress.Comparison {
		c := &regress.Comparison{Experiment: "x/y", Algorithm: "mst", Verdict: verdict, Old: &old,
			Series: "MST", Dataset: "adult", Measurement: results.Measurement{Metric: metric}}
		if verdict != regress.Missing {
			change := (new - old) / old
			c.New, c.Change = &new, &change
		}
		return c
	}
	all := numbers{number("m", regress.Same, 5, 5), number("n", regress.Changed, 2, 3),
		number("n", regress.Changed, 10, 9), number("m", regress.Missing, 4, 0),
		number("n", regress.Added, 1, 2)} // the last of the run alone: nothing moved
	const head = "mst moved: 3 of its 4 numbers, in x/y\n" +
		"  m: 1 of 2, 0 up, 0 down, 1 missing\n" +
		"  n: 2 of 2, 1 up, 1 down, 0 missing; median +20 %, largest +50 % at x/y, MST, adult\n"
	if got := movedText(all); !strings.HasPrefix(got, head+"  No Revision was raised: ") {
		t.Errorf("%s, want %s", got, head)
	}
	all[1].Revised = true
	if got := movedText(all); !strings.HasPrefix(got, head+"  A Revision was raised.\n") {
		t.Errorf("%s, want %s", got, head)
	}
}

// plantedSpec is compare/noise and rps/noise in one, on few records.
const plantedSpec = `name: mine/planted
title: Planted changes
source: none
seed: 1
trials: 16
folds: 2
dataset: {name: gaussian, shape: [clusters-5d, normal-1d], n: 2000, resample: true}
epsilon: [2]
algorithms:
  - {name: rps, variant: [published, strict], params: {quality: even, depth: 4}}
  - {name: mondrian, params: {k: 3}}
measure:
  - {metric: count-noise, params: {per: [class, region]}}
  - {metric: [records, regions]}
`

// changed is an algorithm with a change planted in it: in what it is given, or in what it
// publishes.
type changed struct {
	algorithms.Algorithm
	input   func(*algorithms.Input)
	release func(*algorithms.Input, *algorithms.Release)
}

func (a changed) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	if a.input != nil {
		a.input(&in)
	}
	given := in // the algorithm may reorder the rows it is given
	given.Rows = slices.Clone(in.Rows)
	release, err := a.Algorithm.Release(ctx, given)
	if err == nil && a.release != nil {
		a.release(&in, release)
	}
	return release, err
}

// spending multiplies the budget behind the accountant's back: noise shrinks by as much.
func spending(factor float64) func(*algorithms.Input) {
	return func(in *algorithms.Input) {
		in.Budget = privacy.NewBudget(factor * in.Budget.Epsilon())
	}
}

// exactCounts puts the true counts of classes in place of the published ones.
func exactCounts(in *algorithms.Input, release *algorithms.Release) {
	regions, class := release.Regions, in.Table.Schema().Class()
	codes := make([]uint32, len(regions.Attributes))
	clear(regions.Counts)
	for _, row := range in.Rows {
		for d, attribute := range regions.Attributes {
			codes[d] = in.Table.Column(attribute).At(row)
		}
		label := uint32(0)
		if class >= 0 {
			label = in.Table.Column(class).At(row)
		}
		regions.Count(regions.Locate(codes))[label]++
	}
}

// amongAll is the level that makes n comparisons as strict as they are among the fewer than 6000 of
// all quick experiments: Holm's correction multiplies by their number.
func amongAll(n int) float64 { return regress.Alpha * float64(n) / 6000 }

// TestPlantedChanges: the gate must find each change of an algorithm under the baseline's seed,
// where it compares exactly, and under another, where it tests, at the level of all quick
// experiments; unchanged runs must pass.
//
// That does not depend on the seeds. Of the noise on 2 × 2 × 16 class counts (two folds, two
// classes, as many leaves) a trial's mean has a relative standard deviation of 1/√64 = 0.13; with
// 16 trials a side half the noise is away by 0.5/(0.13·√(1.25/16)) = 14 standard errors. A dropped
// leaf has 1000/16 = 62 points, give or take a third where there is one dimension: it adds 3.9 ±
// 1.3/√2 to a mean noise of 1 ± 0.2, which makes 16 standard errors. At 15 degrees of freedom a t
// of 10 has p = 5e-8, which the correction takes to 3e-6 here and 6e-4 among all.
func TestPlantedChanges(t *testing.T) {
	t.Parallel()
	type variant = algorithms.Variant
	measure := func(seed uint64, name string, variant variant, plant *changed) *regress.Reference {
		t.Helper()
		s := must.Get(language.Parse("planted.yaml", []byte(plantedSpec)))
		plan := must.Get(s.Plan(language.Overrides{Seed: &seed}))
		planted := 0
		for _, config := range plan.Configs {
			if plant != nil && config.Info.Name == name && config.Guarantee.Variant == variant {
				config.Implementation = changed{config.Implementation, plant.input, plant.release}
				planted++
			}
		}
		if plant != nil && planted == 0 {
			t.Fatalf("nothing is planted in %s, %s", name, variant)
		}
		clock := func() time.Time { return time.Time{} }
		run, err := engine.Run(context.Background(), plan,
			engine.Options{Out: t.TempDir(), Workers: 2, Clock: clock})
		if err != nil || run.Failed > 0 {
			t.Fatalf("%d jobs failed: %v %v", run.Failed, run.Failures, err)
		}
		outcome := must.Get(results.Open(run.Dir))
		return regress.ReferenceOf(outcome)
	}
	compare := func(old, new *regress.Reference, alpha float64) *regress.Gate {
		return regress.Compare([]regress.Pair{{Old: old, New: new}}, alpha)
	}
	old := measure(1, "", "", nil)
	g := compare(old, measure(1, "", "", nil), regress.Alpha)
	if g.Counts[regress.Same] != len(g.Comparisons) {
		t.Errorf("unchanged, under the baseline's seed: %v, must all be the same", g.Counts)
	}
	// Each gives a false alarm with a chance of at most 1 %: all three are silent with one of at
	// least 0.97, and the seeds are fixed.
	for seed := uint64(2); seed < 5; seed++ {
		if g := compare(old, measure(seed, "", "", nil), regress.Alpha); g.Failed() {
			t.Errorf("unchanged, seed %d: %v", seed, g.Counts)
		}
	}
	alpha := amongAll(len(g.Comparisons))
	for _, c := range []struct {
		name, algorithm string
		variant         algorithms.Variant
		change          changed
	}{
		{"Laplace noise of half the scale", "rps", algorithms.Published,
			changed{input: spending(2)}},
		{"geometric noise of half the scale", "rps", algorithms.Strict,
			changed{input: spending(2)}},
		{"no noise at all", "rps", algorithms.Published, changed{input: spending(1e6)}},
		{"exact class counts published", "rps", algorithms.Strict, changed{release: exactCounts}},
		{"dropped leaf", "rps", algorithms.Published,
			changed{release: func(_ *algorithms.Input, release *algorithms.Release) {
				clear(release.Regions.Count(0))
			}}},
		{"split off by one", "rps", algorithms.Published,
			changed{release: func(_ *algorithms.Input, release *algorithms.Release) {
				release.Regions.Tree[0].At++
			}}},
		{"test rows among the training rows", "rps", algorithms.Strict,
			changed{input: func(in *algorithms.Input) { in.Rows = in.Table.AllRows() }}},
		{"regions of k-1 records", "mondrian", algorithms.Published,
			changed{input: func(in *algorithms.Input) {
				fewer := *in.Params.(*mondrian.Params)
				fewer.K--
				in.Params = &fewer
			}}},
	} {
		for _, seed := range []uint64{1, 2} {
			g := compare(old, measure(seed, c.algorithm, c.variant, &c.change), alpha)
			t.Logf("%s, seed %d: %v", c.name, seed, g.Counts)
			if !g.Failed() {
				t.Errorf("%s, seed %d: not seen: %v", c.name, seed, g.Counts)
			}
		}
	}
}

// processors are machines that must give the same results. For each the program is built with some
// variables and started with others, under an emulator where the machine is another.
var processors = []struct {
	name         string
	build, start []string
	emulator     string // of Debian's package qemu-user
}{
	{"amd64", []string{"GOARCH=amd64", "GOAMD64=v1"}, nil, "qemu-x86_64"},
	{"amd64 without FMA", []string{"GOARCH=amd64", "GOAMD64=v1"}, []string{"GODEBUG=cpu.fma=off"},
		"qemu-x86_64"},
	{"amd64 v3", []string{"GOARCH=amd64", "GOAMD64=v3"}, nil, "qemu-x86_64"},
	{"arm64", []string{"GOARCH=arm64"}, nil, "qemu-aarch64"},
}

// TestProcessors runs the quick experiments of PPDP_PROCESSORS, a paper or all, once for each
// processor, on stand-ins, and compares the digests of all files of results.
func TestProcessors(t *testing.T) {
	papers := os.Getenv("PPDP_PROCESSORS")
	if papers == "" {
		t.Skip("PPDP_PROCESSORS is not set (make test-processors sets it)")
	}
	root := t.TempDir()
	do := func(t *testing.T, dir string, environment []string, command ...string) {
		t.Helper()
		c := exec.Command(command[0], command[1:]...)
		c.Dir, c.Env = dir, append(os.Environ(), environment...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", command, err, out)
		}
	}
	var want map[string]map[string]string
	for _, p := range processors {
		t.Run(p.name, func(t *testing.T) {
			dir := filepath.Join(root, p.name)
			must.Do(t, os.Mkdir(dir, 0o777))
			program := filepath.Join(dir, "ppdp")
			do(t, ".", append(p.build, "CGO_ENABLED=0"), "go", "build", "-o", program, "./ppdp")
			var command []string
			if exec.Command(program, "--help").Run() != nil {
				if _, err := exec.LookPath(p.emulator); err != nil {
					t.Skipf("this machine is another, and there is no %s (Debian: qemu-user)",
						p.emulator)
				}
				command = []string{p.emulator}
			}
			command = append(command, program, "reproduce", papers, "--quick", "--out", "results")
			do(t, dir, append(p.start, "HOME="+dir, "XDG_CACHE_HOME="+dir, "PPDP_DATA=",
				"PPDP_OFFLINE=1"), command...)
			got := digests(t, filepath.Join(dir, "results"))
			if want == nil {
				want = got
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("files differ:\n%s", d)
			}
		})
	}
}

// digests are those in the manifests of all runs below a folder, by run and file.
func digests(t *testing.T, dir string) map[string]map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*", results.ManifestFile))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no runs below %s: %v", dir, err)
	}
	all := make(map[string]map[string]string)
	for _, path := range paths {
		run := must.Get(results.Open(filepath.Dir(path)))
		name := must.Get(filepath.Rel(dir, filepath.Dir(path)))
		all[name] = run.Manifest.Files
	}
	return all
}
