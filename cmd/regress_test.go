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
	if os.Getenv("PPDP_LONG") == "" {
		t.Skip("PPDP_LONG is not set: make test-long builds two programs")
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
