package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"ppdp/internal/regress"
)

// mutant is a change of one function, "Name" or "Type.Method", of the package in a folder. The
// function gets the body with, which may call the sound one, called "sound" and its name. Where old
// is given, that part of the body alone becomes with. How the source is laid out, and which file it
// is in, does not matter. Without a function, old is part of a file, such as a constant.
type mutant struct{ name, folder, function, old, with string }

// changedFiles returns the files that mutants change, by path.
func changedFiles(root string, mutants ...mutant) (map[string]string, error) {
	files := make(map[string]string)
	for _, m := range mutants {
		paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(m.folder), "*.go"))
		if err != nil {
			return nil, err
		}
		planted := 0
		for _, path := range paths {
			text, changed := files[path]
			if !changed {
				source, err := os.ReadFile(path)
				if err != nil {
					return nil, err
				}
				text = string(source)
			}
			if text, changed = m.plant(text); changed {
				files[path] = text
				planted++
			}
		}
		if planted != 1 {
			return nil, fmt.Errorf("%s: %s with %q is there %d times, must be once: the mutant is "+
				"out of date", m.folder, m.function, m.old, planted)
		}
	}
	return files, nil
}

// plant makes the change in a file that has the function.
func (m *mutant) plant(text string) (changed string, ok bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return "", false
	}
	if m.function == "" {
		from, to := find(text, m.old)
		return text[:from] + m.with + text[to:], to > from
	}
	at := func(pos token.Pos) int { return fset.Position(pos).Offset }
	for _, declaration := range file.Decls {
		f, isFunction := declaration.(*ast.FuncDecl)
		if !isFunction || m.function != nameOf(f) {
			continue
		}
		if m.old == "" {
			name := f.Name.Name
			sound := "sound" + strings.ToUpper(name[:1]) + name[1:]
			return text[:at(f.Name.Pos())] + sound + text[at(f.Name.End()):] + "\n" +
				text[at(f.Pos()):at(f.Body.Lbrace)] + "{\n" + m.with + "\n}\n", true
		}
		from, to := find(text[at(f.Body.Lbrace):at(f.Body.End())], m.old)
		from, to = from+at(f.Body.Lbrace), to+at(f.Body.Lbrace)
		return text[:from] + m.with + text[to:], to > from
	}
	return "", false
}

func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if generic, ok := of.(*ast.IndexExpr); ok {
		of = generic.X
	}
	return fmt.Sprint(of, ".", f.Name.Name)
}

// find is where a text has another for the only time, white space apart, else (0, 0).
func find(text, old string) (from, to int) {
	var packed []byte
	var places []int
	for i := range len(text) {
		if !unicode.IsSpace(rune(text[i])) {
			packed, places = append(packed, text[i]), append(places, i)
		}
	}
	wanted := []byte(strings.Join(strings.Fields(old), ""))
	if bytes.Count(packed, wanted) != 1 {
		return 0, 0
	}
	at := bytes.Index(packed, wanted)
	return places[at], places[at+len(wanted)-1] + 1
}

// mutants are mistakes of the kind the gate is there for, each a change of the source.
var mutants = []mutant{
	{name: "Laplace noise of half the scale", folder: "privacy", function: "drawLaplace",
		with: "return soundDrawLaplace(s) / 2"},
	{name: "dropped leaf", folder: "algorithms/rps", function: "recursion.leaf",
		old:  "copy(published, r.noisy)",
		with: "if len(r.sizes) == 0 {\nclear(r.noisy)\n}\ncopy(published, r.noisy)"},
	{name: "split off by one", folder: "algorithms/kernel/partition", function: "width.split",
		with: "return codes.soundSplit(rows, moved, at+1)"},
	{name: "test rows among the training rows",
		folder: "experiments/engine", function: "trialData.split",
		old: "m.folds[fold].Train", with: "m.rows"},
	{name: "regions of k-1 records", folder: "algorithms/mondrian", function: "Algorithm.Release",
		old: "split(ctx, table, rows, params)", with: "split(ctx, table, rows, " +
			"func(p Params) *Params { p.K--; return &p }(*params))"},
	{name: "geometric noise of half the scale", folder: "privacy", function: "drawGeometric",
		with: "return soundDrawGeometric(s, 2*rate)"},
	{name: "leaked labels", folder: "algorithms/rps", function: "recursion.leaf",
		old:  "r.leaves.AddAll(path, path.Remaining(), r.noisy)",
		with: "r.leaves.AddAll(path, path.Remaining(), append([]float64(nil), r.noisy...))"},
	{name: "no noise at all", folder: "privacy", function: "drawLaplace", with: "return 0"},
}

// applies reports changes whose places the source no longer has and, in the tests that take long,
// those that no longer compile.
func applies(t *testing.T, name string, mutants ...mutant) {
	t.Helper()
	if _, err := changedFiles("..", mutants...); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if os.Getenv("PPDP_LONG") == "" {
		return
	}
	root := must(filepath.Abs(".."))
	args := []string{"build", "-overlay", overlay(t, root, filepath.Join(t.TempDir(), "planted"),
		mutants...)}
	for _, m := range mutants {
		args = append(args, "./"+m.folder)
	}
	command := exec.Command("go", args...)
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", name, err, out)
	}
}

// TestMutantsApply: mutants still change the source.
func TestMutantsApply(t *testing.T) {
	for _, m := range mutants {
		applies(t, m.name, m)
	}
}

// gateSpecs writes the experiments that the gate sees the mechanisms through, on data that need no
// files.
func gateSpecs(t *testing.T, dir string) []string {
	t.Helper()
	var paths []string
	for _, name := range []string{"compare/noise", "rps/noise"} {
		text := must(os.ReadFile(filepath.Join("..", "experiments",
			filepath.FromSlash(name)+".yaml")))
		mine := strings.ReplaceAll(name, "/", "-")
		path := filepath.Join(dir, mine+".yaml")
		own := strings.Replace(string(text), "name: "+name, "name: mine/"+mine, 1)
		write(t, path, strings.Replace(own, "{name: adult, ", "{name: adult-standin, ", 1))
		paths = append(paths, path)
	}
	return paths
}

// amongAll is the level that makes n comparisons as strict as they are among the fewer than 6000 of
// all quick experiments: Holm's correction multiplies by their number.
func amongAll(n int) float64 { return regress.DefaultOptions.Alpha * float64(n) / 6000 }

// TestMutants: the gate fails on each planted change of the source, under the baseline's seed,
// where it compares exactly, and under another, where it tests. Runs with failed jobs are compared
// like any other. Ten runs of unchanged source under other seeds must pass: each gives a false
// alarm with a chance of at most 0.01, so all ten pass with one of at least 0.9; the seeds are
// fixed.
func TestMutants(t *testing.T) {
	if os.Getenv("PPDP_MUTANTS") == "" {
		t.Skip("PPDP_MUTANTS is not set: eight programs are built in minutes (make mutants)")
	}
	root := must(filepath.Abs(".."))
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
		text, code := program("regress", "--out", out, "--reference", base, "--json", "--alpha",
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
		{"regress", "--out", filepath.Join(dir, "unchanged"), "--reference", base, "--accept",
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
	files := must(changedFiles(root, mutants...))
	replaced := make(map[string]string)
	for i, path := range slices.Sorted(maps.Keys(files)) {
		replaced[path] = fmt.Sprintf("%s-%d.go.txt", stem, i)
		write(t, replaced[path], files[path])
	}
	text := must(json.Marshal(map[string]any{"Replace": replaced}))
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
		t.Fatalf("%s: %v\n%s", mutants[0].folder, err, out)
	}
	return stem + ".exe"
}

func write(t *testing.T, path, text string) {
	t.Helper()
	noError(t, os.WriteFile(path, []byte(text), 0o666))
}

// must returns v, and panics on an error: for the steps that a test takes for granted.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// noError ends the test or benchmark on an error.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
