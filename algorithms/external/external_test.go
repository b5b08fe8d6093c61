//go:build unix

package external

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/audit/conformance"
	"ppdp/datasets"
	"ppdp/internal/declared"
	"ppdp/internal/must"
	"ppdp/internal/strictyaml"
)

// TestMain finds the interpreter itself, in place of what may choose one at each start.
func TestMain(m *testing.M) {
	path, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err == nil {
		os.Setenv("PATH", filepath.Dir(string(path))+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	os.Exit(m.Run())
}

// needsPython skips with a message where there is no python3.
func needsPython(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here: programs in Python are not tested")
	}
}

// moods is a descriptor of testdata/moods.py.
const moods = `name: moods
title: Moods
source: test
input: table
produces: records
command: [python3, moods.py]
files: moods.py
variants:
  - {variant: published, model: differential privacy, unit: record, relation: none, note: None.}
params:
  mood: {type: string, default: ""}
limits: {memory: 100MiB}
`

// load writes a descriptor, with the files of testdata and other folders beside it, and loads it.
func load(t testing.TB, text string, folders ...string) *Algorithm {
	t.Helper()
	dir := t.TempDir()
	for _, folder := range append(folders, "testdata") {
		must.Do(t, os.CopyFS(dir, os.DirFS(folder)))
	}
	path := filepath.Join(dir, "a.baseline.yaml")
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	a := must.Get(Load(path))
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// table has one numeric attribute and one of words.
func table(t testing.TB, n int) *datasets.Table {
	t.Helper()
	b := datasets.NewBuilder(&datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "age", High: 100, Step: 1},
		{Name: `a "word", or two`, Kind: datasets.Categorical, Values: []string{"no", "yes, so"}},
	}}, n)
	for i := range n {
		b.AddRow(uint32(i%100), uint32(i%2))
	}
	return b.Table()
}

func input(a *Algorithm, t *datasets.Table, seed uint64) algorithms.Input {
	return testinput.Input(t, a.Params(), algorithms.Published, 1, seed)
}

func inMood(a *Algorithm, t *datasets.Table, mood string) algorithms.Input {
	in := input(a, t, 0)
	set(in.Params, "mood", mood)
	return in
}

// set sets a parameter that is a text.
func set(params algorithms.Params, name, text string) {
	v := reflect.ValueOf(params).Elem()
	for _, field := range strictyaml.Fields(v.Type()) {
		if field.Name == name {
			v.FieldByIndex(field.Index).SetString(text)
		}
	}
}

// FuzzDescriptor: whatever a descriptor has, it is refused or has parameters of its own.
func FuzzDescriptor(f *testing.F) {
	f.Add(moods)
	f.Add(strings.Replace(moods, "params:\n", `params:
  a-b: {type: integer, default: 2, minimum: 1, maximum: 4}
  a_b: {type: number, default: 1e6, minimum: 0.5}
  way: {type: string, default: "", enum: ["", a b, "c\"d"]}
`, 1))
	path := filepath.Join(f.TempDir(), "a.baseline.yaml")
	must.Do(f, os.WriteFile(filepath.Join(filepath.Dir(path), "moods.py"), nil, 0o600))
	f.Fuzz(func(t *testing.T, text string) {
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		if a, err := Load(path); err == nil {
			if err := declared.Check(a.Params()); err != nil {
				t.Errorf("the defaults are refused: %v", err)
			}
		}
	})
}

// TestParams: a descriptor's parameters are checked as it says, and go to the program by name.
func TestParams(t *testing.T) {
	t.Parallel()
	a := load(t, strings.Replace(moods, "params:\n", `params:
  degree: {type: integer, default: 2, minimum: 1, maximum: 4}
  share: {type: number, default: 1e6, minimum: 0.5}
  way: {type: string, default: "", enum: ["", a b, "c\"d"]}
  in-order: {type: boolean, default: true}
`, 1))
	if diff := cmp.Diff(valuesOf(a.Params()), map[string]any{"degree": int64(2), "share": 1e6,
		"way": "", "in-order": true, "mood": ""}); diff != "" {
		t.Error(diff)
	}
	if got := strictyaml.Resolved(a.Params())["share"]; got != "1e+06" {
		t.Errorf("share is recorded as %s", got)
	}
	for text, want := range map[string]string{
		`way: a b`:    "",
		`way: "c\"d"`: "",
		`degree: 4`:   "",
		`share: 0.5`:  "",
		`degree: 5`:   "degree: 5, must be from 1 to 4",
		`share: 0.4`:  "share: 0.4, must be at least 0.5",
		`way: a`:      `way: "a", must be one of , a b, c"d`,
		`degre: 1`: "f:1: unknown key degre (did you mean degree?), " +
			"must be one of degree, share, way, in-order, mood",
		`degree: 1.5`: "f:1: degree: 1.5, must be a whole number, in " +
			"digits without quotes or leading zeros",
		`{in-order: "false"}`: `f:1: in-order: "false", must be true or false`,
	} {
		r, params := strictyaml.NewReader("f"), a.Params()
		r.Decode(r.Document([]byte(text)), params)
		got := ""
		if err := errors.Join(r.Err(), declared.Check(params)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	in := input(a, table(t, 5), 0)
	in.Params = &algorithms.NoParams{}
	if _, err := a.Release(context.Background(), in); err == nil {
		t.Error("parameters of another algorithm are accepted")
	}
}

// TestMoods: whatever a program does costs one release, whose error says what happened; the next
// release is as if nothing had been.
func TestMoods(t *testing.T) {
	t.Parallel()
	needsPython(t)
	data := table(t, 50)
	for mood, want := range map[string]string{
		"crash":                    "ended without an answer (exit status 1); its last words: ",
		"segfault":                 "signal: segmentation fault",
		"late crash":               "",
		"late hang":                "",
		"flood":                    "",
		"closes its input":         "",
		"removes its file":         "no such file",
		"pipe":                     "is no file",
		"hang":                     "timed out after 100ms",
		"deaf":                     "context canceled",
		"memory":                   "emory", // its own error, or the group's limit, which is first
		"memory of children":       "out of memory: it and its children had",
		"garbage":                  `it printed "Loading model...", which is no line`,
		"half line":                `it ended in the middle of a line: "{\"id\": \""`,
		"long line":                "a line of more than 1048576 bytes",
		"wrong id":                 `it answered request "another", must be`,
		"own count":                `it answered request "1", must be`,
		"unknown key":              `unknown field "epsilon"`,
		"two lines":                "",
		"one answer":               "",
		"error":                    "the program says: no such degree",
		"outside":                  `"../outside.csv" lies outside the request's folder`,
		"absolute":                 `"/etc/passwd" lies outside`,
		"link":                     "escapes",
		"folder":                   "is no file",
		"no file":                  "no such file",
		"wrong columns":            "age",
		"missing column":           "age",
		"one column more":          "columns that the schema has not: more",
		"outside the domain":       "out.csv:2:1: age",
		"outside in every row":     "\nand 297 more problems",
		"not a number":             "out.csv:2:1: age",
		"missing value":            "out.csv:2:1: age",
		"too many rows":            "more rows than ten times the input's",
		"empty file":               "out.csv",
		"silent about its budget":  "it does not say what it has spent",
		"greedy":                   "privacy budget overspent",
		"spends less than nothing": "must be above 0",
		"many mechanisms":          "more than 8 mechanisms",
	} {
		t.Run(mood, func(t *testing.T) {
			t.Parallel()
			a := load(t, moods)
			for _, warm := range []bool{false, true} {
				if warm { // a process that has served another request
					must.Get(a.Release(context.Background(), inMood(a, data, "")))
				}
				ctx := t.Context()
				switch mood {
				case "hang": // set late: a well-behaved release has all the time it needs
					a.d.Limits.time = 100 * time.Millisecond
				case "late hang":
					a.d.Limits.time = 5 * time.Second
				case "deaf":
					ctx = cancelled(t, filepath.Join(a.dir, "child"))
				}
				release, err := a.Release(ctx, inMood(a, data, mood))
				a.d.Limits.time = 0
				switch {
				case want == "" && err != nil:
					t.Errorf("warm %v: %v", warm, err)
				case want == "" && release.Table.Checksum() != data.Checksum():
					t.Errorf("warm %v: another table", warm)
				case want != "" && (err == nil || !strings.Contains(err.Error(), want) ||
					mood != "deaf" && !strings.HasPrefix(err.Error(), "moods: ") ||
					strings.ContainsRune(err.Error(), 0x1b)):
					t.Errorf("warm %v: %v, want %q", warm, err, want)
				}
				if mood == "deaf" {
					checkDead(t, filepath.Join(a.dir, "child"))
				}
			}
			again, err := a.Release(context.Background(), inMood(a, data, ""))
			if err != nil || again.Table.Checksum() != data.Checksum() {
				t.Errorf("afterwards: %v", err)
			}
			left, err := filepath.Glob(filepath.Join(a.home, "request-*"))
			if err != nil || len(left) > 0 {
				t.Errorf("folders of requests are left: %v %v", left, err)
			}
			if mood == "two lines" { // slow, which is said once
				must.Fail(t, a.Close(), "it answered other requests than it was asked")
			}
		})
	}
}

// cancelled is a context that ends when a program has written to a file that is not there yet.
func cancelled(t *testing.T, path string) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			if text, err := os.ReadFile(path); err == nil && len(text) > 0 {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	return ctx
}

// checkDead: the process whose number a file holds has been killed.
func checkDead(t *testing.T, path string) {
	t.Helper()
	text := must.Get(os.ReadFile(path))
	pid, err := strconv.Atoi(string(text))
	must.Do(t, errors.Join(err, os.Remove(path)))
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		if syscall.Kill(pid, 0) != nil {
			return
		}
		time.Sleep(10 * time.Millisecond) // a child that survives its group is waited for in vain
	}
}

// TestNoProgram: what cannot be started, or does not speak, is named.
func TestNoProgram(t *testing.T) {
	t.Parallel()
	const closes = `[sh, -c, "exec 0<&-; echo '{\"protocol\":1}'; sleep 1000"]`
	for command, want := range map[string]string{
		"[no-such-program-anywhere]":  "no-such-program-anywhere",
		`[sh, -c, "exit 3"]`:          "at its start: it ended without an answer",
		`[sh, -c, "echo hello; cat"]`: `at its start: it printed "hello"`,

		`[sh, -c, "echo '{\"protocol\":2}'; cat"]`: "it speaks protocol 2, must be 1",

		closes: "moods: it closed its standard input",
	} {
		a := load(t, strings.Replace(moods, "[python3, moods.py]", command, 1))
		_, err := a.Release(context.Background(), inMood(a, table(t, 5), ""))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", command, err, want)
		}
	}
}

// TestMute: a program that says nothing is waited for once, however many releases are asked of it.
func TestMute(t *testing.T) {
	t.Parallel()
	a := load(t, strings.Replace(moods, "[python3, moods.py]",
		`[sh, -c, "echo x >> started; sleep 1000"]`, 1))
	must.Get(a.newFolder())
	a.pool.StartTime = 300 * time.Millisecond
	for range 3 {
		_, err := a.Release(t.Context(), inMood(a, table(t, 5), ""))
		if err == nil || err.Error() != "moods: at its start: timed out after 300ms" {
			t.Error(err)
		}
	}
	if n := len(must.Get(os.ReadFile(filepath.Join(a.dir, "started")))); n != len("x\n") {
		t.Errorf("%d bytes written, must be one line: it was started again", n)
	}
}

const randomised = "../../docs/examples/randomised-response/randomised.baseline.yaml"

// inR is the descriptor of randomised response in R.
func inR(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("Rscript"); err != nil {
		t.Skip("no Rscript here: the program in R is not tested")
	}
	return withCommand(t, "[Rscript, randomised.R]")
}

// inGo is the descriptor of randomised response in Go, compiled.
func inGo(t *testing.T) string {
	t.Helper()
	path := withCommand(t, "[./randomised]")
	compile := exec.Command("go", "build", "-o", "randomised", "randomised.go")
	compile.Dir = filepath.Dir(path)
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// withCommand is a copy of the descriptor of randomised response with another command.
func withCommand(t *testing.T, command string) string {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.CopyFS(dir, os.DirFS(filepath.Dir(randomised))))
	path := filepath.Join(dir, filepath.Base(randomised))
	text := must.Get(os.ReadFile(path))
	own := strings.Replace(string(text), "[python3, randomised.py]", command, 1)
	must.Do(t, os.WriteFile(path, []byte(own), 0o666))
	return path
}

// marginals is the descriptor of the example in C, compiled.
func marginals(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no cc here: the program in C is not tested")
	}
	dir := t.TempDir()
	must.Do(t, os.CopyFS(dir, os.DirFS("../../docs/examples/marginals")))
	compile := exec.Command("cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", "marginals",
		"marginals.c", "-lm")
	compile.Dir = dir
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return filepath.Join(dir, "marginals.baseline.yaml")
}

// TestExamples: the programs in examples/ pass the suite, and a release does not depend on what a
// process was asked before, nor on its being started again.
func TestExamples(t *testing.T) {
	t.Parallel()
	t.Run("python", func(t *testing.T) {
		needsPython(t)
		checkExample(t, randomised)
	})
	t.Run("c", func(t *testing.T) { checkExample(t, marginals(t)) })
	t.Run("r", func(t *testing.T) { checkExample(t, inR(t)) })
	t.Run("go", func(t *testing.T) { checkExample(t, inGo(t)) })
}

func checkExample(t *testing.T, descriptor string) {
	t.Helper()
	a := must.Get(Load(descriptor))
	defer a.Close()
	conformance.Check(a, func(demand string, err error) {
		if err != nil {
			t.Errorf("%s: %v", demand, err)
		}
	})
	data := table(t, 200)
	var first [5]string
	for round := range 3 {
		for i := range first {
			seed := uint64(i)
			if round == 1 {
				seed = uint64(len(first) - 1 - i) // in another order
			}
			release := must.Get(a.Release(context.Background(), input(a, data, seed)))
			hash := conformance.Hash(release)
			if round == 0 {
				first[seed] = hash
			} else if first[seed] != hash {
				t.Errorf("round %d, seed %d: another release", round, seed)
			}
			if round == 2 {
				a.Close()
			}
		}
	}
}
