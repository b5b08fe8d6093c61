package cmd

import (
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/regress"
	"ppdp/internal/results"
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
// nothing in an unchanged program. Into a folder of earlier results a rebuilt program runs again
// what changed, and nothing else.
func TestRebuilt(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: two programs are built")
	}
	t.Parallel()
	root, dir := must(filepath.Abs("..")), t.TempDir()
	programs := make(map[string]string)
	for name, mutants := range map[string][]mutant{"sound": nil, "changed": constants} {
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
		if !moved || !strings.Contains(text, "No Revision was raised") ||
			!strings.Contains(text, "/"+m.folder) {
			t.Errorf("%s: the paragraph is %q", path.Base(m.folder), text)
		}
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
	const named = "runs again: ppdp/algorithms/dpcube, ppdp/algorithms/rps\n"
	for _, step := range []struct {
		program, jobs string
		named         bool
	}{
		{"sound", "8 jobs, 0 failed", false},
		{"sound", "8 jobs, 8 of them from an earlier run", false},
		{"changed", "8 jobs, 4 of them from an earlier run", true},
		{"changed", "8 jobs, 8 of them from an earlier run", false},
		{"sound", "8 jobs, 8 of them from an earlier run", true}, // nothing is lost
	} {
		if out, ok := run(step.program, "run", spec, "--out", results); !ok ||
			!strings.Contains(out, step.jobs) || strings.Contains(out, named) != step.named {
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

// TestLikelyCause: what moved together, or alone, says where to look.
func TestLikelyCause(t *testing.T) {
	for _, c := range []struct {
		moved, same []string // algorithms; the cause is of the first one's
		want        string
	}{
		{[]string{"rps"}, nil, "ppdp/algorithms/rps or what it imports; no other"},
		{[]string{"rps"}, []string{"mondrian", "dpcube"},
			"ppdp/algorithms/rps, which no algorithm uses"},
		{[]string{"mst", "aim"}, []string{"rps"},
			"ppdp/algorithms/kernel/margins or ppdp/algorithms/kernel/pgm, which"},
		{[]string{"rps", "mst"}, []string{"privbayes"},
			"ppdp/algorithms/rps, or what the 2 algorithms share that moved, a metric"},
	} {
		var all [][]*regress.Comparison
		for _, name := range slices.Concat(c.moved, c.same) {
			number := &regress.Comparison{Algorithm: name, Verdict: regress.Same}
			if slices.Contains(c.moved, name) {
				number.Verdict = regress.Changed
			}
			all = append(all, []*regress.Comparison{number})
		}
		if got := likelyCause(c.moved[0], all); !strings.HasPrefix(got, c.want) {
			t.Errorf("%v of %d: %q, want %q", c.moved, len(all), got, c.want)
		}
	}
}
