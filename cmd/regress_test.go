package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/internal/results"

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
	if !ok || strings.Contains(out, " changed: ") || !strings.Contains(out, " same\n") {
		t.Errorf("an unchanged program: %s", out)
	}
	out, ok = run("changed", "regress", "rps/noise", "dpcube", "mst", "independent", "aim")
	if ok || strings.Contains(out, "Inputs that differ from the reference's:\n") {
		t.Errorf("five changed constants, and nothing else: %v, %s", ok, out)
	}
	for _, m := range constants {
		if name := path.Base(m.folder); !strings.Contains(out, "\n"+name+" moved: ") {
			t.Errorf("%s did not move: %s", name, out)
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
