package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ppdp/internal/regress"
)

// mutant is a change of the source: in one file, old becomes new.
type mutant struct{ name, file, old, new string }

// changedFiles returns the files that mutants change, by path.
func changedFiles(root string, mutants ...mutant) (map[string]string, error) {
	files := make(map[string]string)
	for _, m := range mutants {
		path := filepath.Join(root, filepath.FromSlash(m.file))
		if _, changed := files[path]; !changed {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			files[path] = string(text)
		}
		if n := strings.Count(files[path], m.old); n != 1 {
			return nil, fmt.Errorf("%s: %q is there %d times, must be once: the mutant is out of "+
				"date", m.file, m.old, n)
		}
		files[path] = strings.Replace(files[path], m.old, m.new, 1)
	}
	return files, nil
}

// mutants are mistakes of the kind the gate is there for, each a change of the source.
var mutants = []mutant{
	{"Laplace noise of half the scale", "privacy/laplace.go",
		"values[i] += float64(drawLaplace(l.stream) * scale)",
		"values[i] += float64(drawLaplace(l.stream) * scale / 2)"},
	{"dropped leaf", "algorithms/rps/release.go", "copy(published, r.noisy)",
		"if len(r.sizes) == 0 {\n\t\tclear(r.noisy)\n\t}\n\tcopy(published, r.noisy)"},
	{"split off by one", "algorithms/kernel/partition/space.go", "if uint32(codes[row]) < at {",
		"if uint32(codes[row]) <= at {"},
	{"test rows among the training rows", "experiments/data.go",
		"return m.folds[fold].Train, m.folds[fold].Test", "return m.rows, m.folds[fold].Test"},
	{"regions of k-1 records", "algorithms/mondrian/mondrian.go",
		"p, err := split(ctx, table, rows, params)",
		"fewer := *params\n\tfewer.K--\n\tp, err := split(ctx, table, rows, &fewer)"},
	{"geometric noise of half the scale", "privacy/laplace.go",
		"values[i] += drawGeometric(g.stream, rate)",
		"values[i] += drawGeometric(g.stream, 2*rate)"},
	{"leaked labels", "algorithms/rps/release.go",
		"if err := r.leaves.AddAll(path, epsilon, r.noisy); err != nil {\n\t\t\treturn err\n\t\t}",
		"exact := append([]float64(nil), r.noisy...)\n" +
			"\t\tif err := r.leaves.AddAll(path, epsilon, r.noisy); err != nil {\n" +
			"\t\t\treturn err\n\t\t}\n\t\tcopy(r.noisy, exact)"},
	{"no noise at all", "privacy/laplace.go", "values[i] += float64(drawLaplace(l.stream) * scale)",
		"values[i] += float64(drawLaplace(l.stream) * scale * 0)"},
}

// TestMutantsApply: the source still has the places that mutants change.
func TestMutantsApply(t *testing.T) {
	for _, m := range mutants {
		if _, err := changedFiles("..", m); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
	}
}

// gateSpecs writes the experiments that the gate sees the mechanisms through, on data that need no
// files.
func gateSpecs(t *testing.T, dir string) []string {
	t.Helper()
	var paths []string
	for _, name := range []string{"compare/noise", "rps/noise"} {
		text, err := os.ReadFile(filepath.Join("..", "experiments",
			filepath.FromSlash(name)+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, strings.ReplaceAll(name, "/", "-")+".yaml")
		write(t, path, strings.Replace(string(text), "{name: adult, ", "{name: adult-standin, ", 1))
		paths = append(paths, path)
	}
	return paths
}

// amongAll is the level that makes n comparisons as strict as they are among the fewer than 6000 of
// all quick experiments: Holm's correction multiplies by their number.
func amongAll(n int) float64 { return regress.DefaultOptions.Alpha * float64(n) / 6000 }

// TestMutants: the gate fails on each planted change of the source, under the baseline's seed,
// where it compares exactly, and under another, where it tests. Runs with failed cells are compared
// like any other. Ten runs of unchanged source under other seeds must pass: each gives a false
// alarm with a chance of at most 0.01, so all ten pass with one of at least 0.9; the seeds are
// fixed.
func TestMutants(t *testing.T) {
	if os.Getenv("PPDP_MUTANTS") == "" {
		t.Skip("PPDP_MUTANTS is not set: eight programs are built in minutes (make mutants)")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	specs := gateSpecs(t, dir)
	runOf := func(out, seed string) []string {
		return append(append([]string{"run"}, specs...), "--quick", "--out", out, "--seed", seed)
	}
	base := filepath.Join(dir, "base")
	program := func(args ...string) (string, int) {
		var out bytes.Buffer
		code := run(args, &out, &out, environment{ctx: context.Background(), now: time.Now})
		return out.String(), code
	}
	gate := func(out string, alpha float64) (*regress.Gate, int) {
		text, code := program("regress", "--out", out, "--baseline", base, "--json", "--alpha",
			fmt.Sprint(alpha))
		text, _, _ = strings.Cut(text, "\nppdp: ")
		var g regress.Gate
		if err := json.Unmarshal([]byte(text), &g); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		return &g, code
	}
	const seed, otherSeed = "2006", "8"
	for _, args := range [][]string{runOf(filepath.Join(dir, "unchanged"), seed),
		{"regress", "--out", filepath.Join(dir, "unchanged"), "--baseline", base, "--accept",
			"--reason", "unchanged"}} {
		if text, code := program(args...); code != exitDone {
			t.Fatalf("%v: exit code %d\n%s", args, code, text)
		}
	}
	unchanged, _ := gate(filepath.Join(dir, "unchanged"), regress.DefaultOptions.Alpha)
	alpha := amongAll(len(unchanged.Comparisons))
	alarms := 0
	for i := range 10 {
		out := filepath.Join(dir, fmt.Sprintf("unchanged-%d", 100+i))
		if text, code := program(runOf(out, fmt.Sprint(100+i))...); code != exitDone {
			t.Fatal(text)
		}
		if g, code := gate(out, regress.DefaultOptions.Alpha); code != exitDone {
			alarms++
			t.Errorf("seed %d of unchanged source: %v", 100+i, g.Counts)
		}
	}
	t.Logf("%d of 10 unchanged runs under other seeds set off the gate", alarms)
	exact, tested := 0, 0
	for i, m := range mutants {
		program := build(t, root, filepath.Join(dir, fmt.Sprintf("mutant-%d", i)), m)
		caught := func(seed string) bool {
			out := filepath.Join(dir, fmt.Sprintf("out-%d-%s", i, seed))
			failed := ""
			text, err := exec.Command(program, runOf(out, seed)...).CombinedOutput()
			if err != nil {
				lines := strings.Split(strings.TrimSpace(string(text)), "\n")
				failed = "; the run itself ends with: " + lines[len(lines)-1]
			}
			g, code := gate(out, alpha)
			t.Logf("%s, seed %s: %v%s", m.name, seed, g.Counts, failed)
			return code == exitFailed
		}
		if caught(seed) {
			exact++
		} else {
			t.Errorf("%s: not seen under the baseline's seed", m.name)
		}
		if caught(otherSeed) {
			tested++
		} else {
			t.Errorf("%s: not seen under another seed", m.name)
		}
	}
	t.Logf("%d of %d mutants caught under the baseline's seed, %d under another", exact,
		len(mutants), tested)
}

// overlay writes changed sources for the go command's -overlay and returns the file to name there.
func overlay(t *testing.T, root, stem string, mutants ...mutant) string {
	t.Helper()
	files, err := changedFiles(root, mutants...)
	if err != nil {
		t.Fatal(err)
	}
	replaced := make(map[string]string)
	for i, path := range slices.Sorted(maps.Keys(files)) {
		replaced[path] = fmt.Sprintf("%s-%d.go.txt", stem, i)
		write(t, replaced[path], files[path])
	}
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	write(t, stem+".json", string(text))
	return stem + ".json"
}

// build builds the command from the changed source.
func build(t *testing.T, root, stem string, mutants ...mutant) string {
	t.Helper()
	command := exec.Command("go", "build", "-overlay", overlay(t, root, stem, mutants...),
		"-o", stem+".exe", "./cmd/ppdp")
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", mutants[0].file, err, out)
	}
	return stem + ".exe"
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
