package cmd

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ppdp/datasets"
	"ppdp/experiments"
	"ppdp/internal/must"

	"github.com/rogpeppe/go-internal/testscript"
)

// raceDetector is whether the tests were built with it.
var raceDetector bool

// quickFig1 runs rps/fig1 quickly by the command on testscript's path, as a script would, and
// returns the folder of results.
func quickFig1(dir string) (string, error) {
	command := exec.Command("ppdp", "run", "rps/fig1", "--quick", "--out", "results")
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return filepath.Join(dir, "results"), nil
}

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ppdp": Main})
}

// printed runs a command line in this process and returns its exit code and all that it prints.
func printed(args ...string) (code int, said string) {
	var out bytes.Buffer
	code = run(args, &out, &out, environment{ctx: context.Background(), now: time.Now})
	return code, out.String()
}

// TestInterruptedAtOnce: what is interrupted before its first experiment has not done its work.
func TestInterruptedAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	code := run([]string{"run", "rps/noise", "--quick", "--out", t.TempDir()}, &out, &out,
		environment{ctx: ctx, now: time.Now})
	if code != exitFailed || !strings.Contains(out.String(), "interrupted") {
		t.Errorf("exit code %d, want %d: %q", code, exitFailed, out.String())
	}
}

// TestScripts runs testdata/script/*.txtar, at least one a verb, and the tutorial. A script that
// needs the real data stops at "[!data] stop".
//
// "quickfig1 DIR" leaves what "exec ppdp run rps/fig1 --quick --out DIR" does, from one run for all
// scripts.
func TestScripts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	shared := sync.OnceValues(func() (string, error) { return quickFig1(dir) })
	data, root := os.Getenv("PPDP_DATA"), must.Get(filepath.Abs(".."))
	if data == "" {
		t.Log("PPDP_DATA is not set: scripts of real data skip")
	}
	// The interpreter itself, in place of what may choose one at each start.
	python, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	tutorial := filepath.Join(dir, "tutorial.txtar")
	must.Do(t, os.WriteFile(tutorial, tutorialScript(t), 0o666))
	testscript.Run(t, testscript.Params{
		Files: append(must.Get(filepath.Glob("testdata/script/*.txtar")), tutorial),
		Setup: func(env *testscript.Env) error {
			if err == nil {
				env.Setenv("PATH", filepath.Dir(string(python))+string(os.PathListSeparator)+
					env.Getenv("PATH"))
			}
			env.Setenv("DATA", data)
			env.Setenv("ROOT", root)
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_CACHE_HOME", env.WorkDir+"/cache")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"quickfig1": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 1 {
					ts.Fatalf("usage: quickfig1 DIR")
				}
				results, err := shared()
				ts.Check(err)
				ts.Check(os.CopyFS(ts.MkAbs(args[0]), os.DirFS(results)))
			},
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "data":
				return data != "", nil
			case "race":
				return raceDetector, nil
			case "long":
				return os.Getenv("PPDP_LONG") != "", nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
	})
}

// TestExitCodes: scripts distinguish success from failure; this test the two kinds of failure.
func TestExitCodes(t *testing.T) {
	t.Setenv("PPDP_DATA", "")
	t.Setenv("PPDP_OFFLINE", "1")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	for _, c := range []struct {
		args string
		code int
		want string // on standard output or error
	}{
		{"", exitDone, "Usage: ppdp"},
		{"--help", exitDone, "Usage: ppdp"},
		{"list --help", exitDone, "ppdp list algorithms"},
		{"list metrics", exitDone, "NAME"},
		{"help run", exitDone, "ppdp run rps/fig1"},
		{"help datasets fetch", exitDone, "PPDP_OFFLINE"},
		{"frobnicate", exitInput, "frobnicate"},
		{"release rps .", exitInput, "ppdp release: Make one release of your own table"},
		{"release rps . --epsilon 1 --out o --param depth", exitInput, "must be NAME=VALUE"},
		{"release rps . --epsilon 1 --out o --param depth=1 --param depth=2", exitInput,
			"each name once"},
		{"compare . --rows 5 --epsilon -.5", exitInput, "--epsilon: -0.5, must be above 0"},
		{"run rps/fig99", exitInput, "(did you mean rps/fig1?); of rps there are rps/fig1, "},
		{"list", exitInput, "<what>"},
		{"list colours", exitInput, "algorithms"},
		{"list metrics --yaml", exitInput, "--yaml"},
		{"datasets fetch nobody nowhere", exitInput, "nowhere"},
		{"run missing.yaml", exitInput, "neither a file nor an experiment"},
		{"run rps/fig3 --trials 0", exitInput, "--trials: 0, must be at least 1"},
		{"run rps/fig3 --jobs=-1", exitInput, "--jobs: -1, must be at least 0"},
		{"run rps/fig3 --trials 1000000000000", exitInput, "must be between 1 and 100000"},
		{"run rps/fig3 --quick --no-stand-ins", exitInput, "adult.data"}, // which is missing
		{"datasets fetch", exitFailed, "PPDP_OFFLINE"},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Chdir(t.TempDir())
			code, said := printed(strings.Fields(c.args)...)
			if code != c.code || !strings.Contains(said, c.want) {
				t.Errorf("ppdp %s: exit code %d, want %d and output with %q:\n%s", c.args, code,
					c.code, c.want, said)
			}
			if strings.Contains(said, "mondrian/fig10") { // of rps/fig99 too far away
				t.Errorf("ppdp %s lists all:\n%s", c.args, said)
			}
		})
	}
}

// piped is a console whose progress goes to a pipe, with a clock that the test moves.
func piped() (con *console, clock *time.Time, said *bytes.Buffer) {
	clock, said = new(time.Time), new(bytes.Buffer)
	*clock = time.Date(2012, 5, 2, 0, 0, 0, 0, time.UTC)
	return &console{environment: environment{now: func() time.Time { return *clock }},
		stderr: said}, clock, said
}

// TestProgressLines: piped progress is a line for every logEvery.
func TestProgressLines(t *testing.T) {
	con, clock, said := piped()
	p := newProgress(con, "rps/fig1", "jobs", 100)
	for done := range int64(4) {
		p.set(10 * done)
		*clock = clock.Add(logEvery / 2)
	}
	p.set(50) // two pauses after the start, one after the last line
	p.finish()
	// Lines fall due one and two pauses after the start: 20 jobs in 15 s leave 80 for 60 s, 50 in
	// 30 s leave 50 for 30 s. Jobs of an earlier run say nothing about how long the others take.
	p = newProgress(con, "rps/fig1", "jobs", 100)
	p.before = 80
	*clock = clock.Add(logEvery)
	p.set(85) // five in 15 s, and fifteen more
	want := "ppdp: rps/fig1: 20 of 100 jobs, about 1m0s left\n" +
		"ppdp: rps/fig1: 50 of 100 jobs, about 30s left\n" +
		"ppdp: rps/fig1: 85 of 100 jobs, about 45s left\n"
	if got := said.String(); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}

// TestReading: a file that takes long to read has lines like a run, and a second one its own.
func TestReading(t *testing.T) {
	con, clock, said := piped()
	files := reading(con, datasets.Files{})
	for _, path := range []string{"a/my.csv", "b/other.csv"} {
		for done := range int64(4) {
			files.Progress(path, 10*done, 30)
			*clock = clock.Add(logEvery)
		}
	}
	want := "ppdp: my.csv: 10 of 30 bytes, about 30s left\n" +
		"ppdp: my.csv: 20 of 30 bytes, about 15s left\nppdp: my.csv: 30 of 30 bytes\n"
	want += strings.ReplaceAll(want, "my.csv", "other.csv")
	if got := said.String(); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}

// TestCosts: a cost of an experiment that does not exist is a slip of the pen.
func TestCosts(t *testing.T) {
	for _, quick := range []bool{false, true} {
		known := must.Get(costs(quick))
		for name, seconds := range known {
			if !(seconds > 0) || !slices.Contains(experiments.Names(), name) {
				t.Errorf("%s: %v seconds, must be an experiment and take time", name, seconds)
			}
		}
	}
}

// TestClean: what a terminal would obey is replaced, wherever writes cut it; all else passes.
func TestClean(t *testing.T) {
	const text = "ε ≤ 1\t🙂\n\x1b[31mred\x1b]0;title\x07 a\rb \x9b1m \u009b \u202e live \x7f\xe2\x82"
	want := strings.ReplaceAll("ε ≤ 1\t🙂\n_[31mred_]0;title_ a_b _1m _ _ live _", "_", "\ufffd")
	for size := 1; size < 9; size++ {
		var b strings.Builder
		w := clean(&b)
		for rest := text; len(rest) > 0; rest = rest[min(size, len(rest)):] {
			part := rest[:min(size, len(rest))]
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatalf("%d of %d bytes, %v", n, len(part), err)
			}
		}
		if b.String() != want {
			t.Errorf("in parts of %d: %q, want %q", size, b.String(), want)
		}
	}
}

// TestCleanMessages: what a verb prints is clean.
func TestCleanMessages(t *testing.T) {
	_, said := printed("run", "\x1b[31m.yaml")
	if strings.Contains(said, "\x1b") || !strings.Contains(said, "\ufffd[31m") {
		t.Errorf("%q", said)
	}
}

// TestManyMessages: what is wrong is said in a screenful or two, and in lines that end.
func TestManyMessages(t *testing.T) {
	var keys strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&keys, "key%d: 1\n", i)
	}
	path := filepath.Join(t.TempDir(), "a.yaml")
	must.Do(t, os.WriteFile(path, []byte(keys.String()), 0o666))
	for path, want := range map[string]string{
		path:                           "more lines",
		strings.Repeat("a", 1_000_000): "... (cut: ",
	} {
		if _, said := printed("plan", path); len(said) > 100_000 || !strings.Contains(said, want) {
			t.Errorf("%d bytes, must say %q: %.200q", len(said), want, said)
		}
	}
}
