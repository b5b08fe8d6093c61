package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ppdp/results"
)

// mutants are mistakes of the kind the gate is there for, each a change of the source.
var mutants = []struct{ name, file, old, new string }{
	{"Laplace noise of half the scale", "privacy/laplace.go", "scale := l.sensitivity.Claimed / epsilon", "scale := l.sensitivity.Claimed / epsilon / 2"},
	{"dropped leaf", "algorithms/rps/release.go", "copy(published, r.noisy)", "if len(r.sizes) == 0 {\n\t\tclear(r.noisy)\n\t}\n\tcopy(published, r.noisy)"},
	{"split off by one", "algorithms/partition/space.go", "if uint32(codes[row]) < at {", "if uint32(codes[row]) <= at {"},
	{"test rows among the training rows", "experiments/cell.go", "return m.folds[fold].Train, m.folds[fold].Test", "return m.rows, m.folds[fold].Test"},
	{"regions of k-1 records", "algorithms/mondrian/mondrian.go", "p, err := split(ctx, table, members, params)", "params.K--\n\tp, err := split(ctx, table, members, params)\n\tparams.K++"},
	{"geometric noise of half the scale", "privacy/laplace.go", "values[i] += g.stream.geometric(epsilon / g.sensitivity.Claimed)", "values[i] += g.stream.geometric(2 * epsilon / g.sensitivity.Claimed)"},
	{"leaked labels", "algorithms/rps/release.go", "if err := r.leaves.AddAll(path, epsilon, r.noisy); err != nil {\n\t\t\treturn err\n\t\t}",
		"exact := append([]float64(nil), r.noisy...)\n\t\tif err := r.leaves.AddAll(path, epsilon, r.noisy); err != nil {\n\t\t\treturn err\n\t\t}\n\t\tcopy(r.noisy, exact)"},
	{"no noise at all", "privacy/laplace.go", "values[i] += float64(l.stream.laplace() * scale)", "values[i] += float64(l.stream.laplace() * scale * 0)"},
}

// mutantsSpec has every algorithm that a mutant touches, and enough trials for tests.
const mutantsSpec = `name: mine/mutants
title: Planted changes
source: none
seed: 7
trials: 10
folds: 3
dataset: {name: adult-standin, select: rps}
epsilon: [0.1, 0.5, 2]
algorithms:
  - {name: rps, series: "RPS {variant}", variant: [published, strict], params: {quality: class, depth: 20, attributes: random}}
  - {name: mondrian, series: mondrian, params: {k: [2, 5]}}
measure:
  - {metric: [w1, regions, purity]}
  - {metric: accuracy, classifier: naive-bayes}
`

// TestMutants plants changes in the source and looks whether the gate falls: under the baseline's seed, where it compares exactly, and
// under another, where it tests. Ten runs of unchanged source under other seeds must not make it fall: it promises false alarms in at
// most one of a hundred, so that ten give none with a chance of at least 0.9; the seeds are fixed.
func TestMutants(t *testing.T) {
	if os.Getenv("PPDP_MUTANTS") == "" {
		t.Skip("PPDP_MUTANTS is not set: building eight changed programs takes minutes (make mutants)")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	spec := filepath.Join(dir, "mutants.yaml")
	write(t, spec, mutantsSpec)
	base := filepath.Join(dir, "base")
	program := func(args ...string) (string, int) {
		var out bytes.Buffer
		code := run(args, &out, &out, environment{ctx: context.Background(), now: time.Now})
		return out.String(), code
	}
	gate := func(out string) (*results.Gate, int) {
		text, code := program("regress", "--out", out, "--baseline", base, "--json")
		text, _, _ = strings.Cut(text, "\nppdp: ")
		var g results.Gate
		if err := json.Unmarshal([]byte(text), &g); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		return &g, code
	}
	for _, args := range [][]string{{"run", spec, "--out", filepath.Join(dir, "seed-7")},
		{"regress", "--out", filepath.Join(dir, "seed-7"), "--baseline", base, "--accept", "--reason", "unchanged"}} {
		if text, code := program(args...); code != exitDone {
			t.Fatalf("%v: exit code %d\n%s", args, code, text)
		}
	}
	alarms := 0
	for seed := range 10 {
		out := filepath.Join(dir, fmt.Sprintf("seed-10%d", seed))
		if text, code := program("run", spec, "--out", out, "--seed", fmt.Sprint(100+seed)); code != exitDone {
			t.Fatal(text)
		}
		if g, code := gate(out); code != exitDone {
			alarms++
			t.Errorf("seed %d of unchanged source: %v", 100+seed, g.Counts)
		}
	}
	t.Logf("%d of 10 unchanged runs under other seeds set off the gate", alarms)
	exact, tested := 0, 0
	for i, m := range mutants {
		mutant := buildMutant(t, root, filepath.Join(dir, fmt.Sprintf("mutant-%d", i)), m.file, m.old, m.new)
		caught := func(seed string) bool {
			out := filepath.Join(dir, fmt.Sprintf("out-%d-%s", i, seed))
			if text, err := exec.Command(mutant, "run", spec, "--out", out, "--seed", seed).CombinedOutput(); err != nil {
				line, _, _ := strings.Cut(string(text), "\n")
				t.Logf("%s: the run itself fails: %s", m.name, line)
				return true
			}
			g, code := gate(out)
			t.Logf("%s, seed %s: %v", m.name, seed, g.Counts)
			return code == exitFailed
		}
		if caught("7") {
			exact++
		} else {
			t.Errorf("%s: not seen under the baseline's seed", m.name)
		}
		if caught("8") {
			tested++
		} else {
			t.Logf("%s: not seen under another seed", m.name)
		}
	}
	t.Logf("%d of %d mutants caught under the baseline's seed, %d under another", exact, len(mutants), tested)
}

// buildMutant builds the command from source in which one file differs.
func buildMutant(t *testing.T, root, stem, file, old, new string) string {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(file))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), old); n != 1 {
		t.Fatalf("%s: %q is there %d times, must be once: the mutant is out of date", file, old, n)
	}
	write(t, stem+".go.txt", strings.Replace(string(text), old, new, 1))
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {path: stem + ".go.txt"}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, stem+".json", string(overlay))
	build := exec.Command("go", "build", "-overlay", stem+".json", "-o", stem+".exe", "./cmd/ppdp")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", file, err, out)
	}
	return stem + ".exe"
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
