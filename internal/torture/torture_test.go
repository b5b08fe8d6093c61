// Package torture is a campaign of faults against the whole command: kills, torn and flipped files,
// full disks, hostile baselines, odd environments. After each, the command must go on and leave the
// bytes of an undisturbed run, or say in a sentence what is wrong. A small part runs with the other
// tests; "make torture" runs all and prints a table. It holds tests only.
package torture

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"ppdp/cmd"
	"ppdp/internal/must"
	"ppdp/internal/results"
	"ppdp/numeric/random"
)

var (
	seed = flag.Uint64("seed", 1, "what the campaign's random choices follow from")
	full = flag.Bool("full", false, "run the whole campaign, which takes minutes")
)

// TestMain is the command itself in the processes that the tests start.
func TestMain(m *testing.M) {
	if os.Getenv("PPDP_TORTURED") != "" {
		cmd.Main()
	}
	os.Exit(m.Run())
}

const spec = `
name: torture/small
seed: 7
trials: 3
folds: 2
dataset: {name: gaussian, shape: clusters-5d, n: 300}
epsilon: [0.5, 1]
algorithms:
  - {name: rps, series: RPS, params: {depth: 6}}
  - {name: mondrian, params: {k: 10}}
measure:
  - {metric: w1}
  - {metric: accuracy, classifier: naive-bayes}
`

// files are those that must be the same after every fault.
var files = []string{results.RecordsFile, results.SummaryFile, results.LedgerFile}

// campaign is what the kinds of fault share.
type campaign struct {
	*testing.T
	reference map[string]string // an undisturbed run's files
	journal   string
	took      time.Duration // by that run
	rows      []row
}

// row is a line of the table at the end.
type row struct {
	kind          string
	cases, failed int
	what          string
}

// fault is one case: a folder of its own with the spec in it, and its own random numbers.
type fault struct {
	*testing.T
	*random.Stream
	c      *campaign
	dir    string
	number int
}

// TestTorture is the campaign.
func TestTorture(t *testing.T) {
	c := &campaign{T: t, reference: make(map[string]string)}
	first := &fault{T: t, c: c, dir: t.TempDir()}
	write(t, filepath.Join(first.dir, "spec.yaml"), spec)
	began := time.Now()
	if out, err := first.run(); err != nil {
		t.Fatalf("undisturbed: %v: %s", err, out)
	}
	c.took = time.Since(began)
	for _, name := range files {
		c.reference[name] = read(t, filepath.Join(first.results(), name))
	}
	c.journal = read(t, filepath.Join(first.results(), "journal.jsonl"))

	c.kills()
	c.syscalls()
	c.damage()
	c.disks()
	c.baselines()
	c.environments()
	c.table()
}

// table prints what was tried and what came of it.
func (c *campaign) table() {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "fault\tcases\tfailed\tmust")
	for _, r := range c.rows {
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\n", r.kind, r.cases, r.failed, r.what)
	}
	w.Flush()
	if *full { // else a log is enough
		fmt.Printf("seed %d\n%s", *seed, b.String())
	}
	c.Logf("seed %d\n%s", *seed, b.String())
}

// each runs cases of a kind: few of them with the other tests, many in the whole campaign.
func (c *campaign) each(kind string, few, many int, what string, one func(*fault)) {
	n := few
	if *full {
		n = many
	}
	r := row{kind: kind, what: what}
	c.Run(kind, func(t *testing.T) {
		for i := range n {
			ok := t.Run(fmt.Sprint(i), func(t *testing.T) {
				defer func() {
					if !t.Skipped() {
						r.cases++
					}
				}()
				f := &fault{T: t, c: c, dir: t.TempDir(), number: i,
					Stream: random.NewKey(*seed).Derive(kind, fmt.Sprint(i)).Stream()}
				write(t, filepath.Join(f.dir, "spec.yaml"), spec)
				one(f)
			})
			if !ok {
				r.failed++
				t.Errorf("again: go test ./internal/torture -run 'TestTorture/^%s$/^%d$' "+
					"-seed %d -full=%t", kind, i, *seed, *full)
			}
		}
	})
	if r.cases > 0 {
		c.rows = append(c.rows, r)
	}
}

// skip says in the table that a kind could not be tried here.
func (c *campaign) skip(kind, why string) {
	c.Logf("%s: SKIPPED: %s", kind, why)
	c.rows = append(c.rows, row{kind: kind, what: "SKIPPED: " + why})
}

// results is the folder of the case's run.
func (f *fault) results() string { return filepath.Join(f.dir, "out", "torture", "small") }

// command is ppdp with arguments, in the case's folder, started by the words of with: another
// program that starts it, if there are any.
func (f *fault) command(with []string, args ...string) *exec.Cmd {
	self := must.Get(os.Executable())
	words := append(append(append([]string(nil), with...), self), args...)
	c := exec.Command(words[0], words[1:]...)
	c.Dir = f.dir
	c.Env = append(os.Environ(), "PPDP_TORTURED=1", "PPDP_OFFLINE=1")
	return c
}

// run runs the experiment and returns what it prints.
func (f *fault) run(args ...string) (string, error) {
	out, err := f.command(nil, append([]string{"run", "spec.yaml", "--out", "out", "-j", "2"},
		args...)...).CombinedOutput()
	return string(out), err
}

// intact: what a reader takes for a run is the undisturbed one.
func (f *fault) intact() {
	f.Helper()
	if _, err := results.Open(f.results()); err != nil {
		return // refused
	}
	f.same()
}

// same: the files are those of an undisturbed run.
func (f *fault) same() {
	f.Helper()
	for _, name := range files {
		if got := read(f.T, filepath.Join(f.results(), name)); got != f.c.reference[name] {
			f.Errorf("%s is not that of an undisturbed run", name)
		}
	}
}

// recovers: the same command goes on and leaves the files of an undisturbed run. Where the process
// was ended twice, the second time while a job ran alone, that command records the job as failed,
// since the job may have been the cause, and the next one runs it.
func (f *fault) recovers(args ...string) {
	f.Helper()
	f.intact()
	out, err := f.run(args...)
	if err != nil && strings.Contains(out, "of its setting, ran alone") {
		out, err = f.run(args...)
	}
	if err != nil {
		f.Fatalf("the run does not go on: %v: %s", err, out)
	}
	if _, err := results.Open(f.results()); err != nil {
		f.Error(err)
	}
	f.same()
}

// complains: a run that failed says why, in words and not by a stack.
func (f *fault) complains(out string, err error) {
	f.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		f.Fatalf("not started: %v", err)
	}
	if strings.Contains(out, "fatal error: runtime: ") ||
		strings.Contains(out, "error while loading shared libraries") {
		return // Go's runtime and the loader need a few files themselves, before main
	}
	if err != nil && !strings.Contains(out, "ppdp: ") || strings.Contains(out, "goroutine ") {
		f.Errorf("%v: %s", err, out)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
}

func read(t *testing.T, path string) string {
	t.Helper()
	text := must.Get(os.ReadFile(path))
	return string(bytes.Clone(text))
}

// environments runs the experiment as it is in surroundings that must make no difference.
func (c *campaign) environments() {
	settings := [][]string{
		{"GOMAXPROCS=1", "GOMAXPROCS=2", "GOMAXPROCS=7"},
		{"LC_ALL=C", "LC_ALL=de_DE.UTF-8", "LC_ALL=tr_TR.UTF-8", "LC_ALL=fa_IR.UTF-8"},
		{"TZ=UTC", "TZ=Asia/Kathmandu", "TZ=Pacific/Chatham", "TZ=nonsense"},
		{"GOGC=100", "GOGC=5", "GOGC=off", "GOMEMLIMIT=16MiB"},
		{"TERM=dumb", "HOME=/nonexistent", "TMPDIR=/nonexistent", "COLUMNS=1"},
	}
	c.each("environment", 2, 60, "same bytes", func(f *fault) {
		command := f.command(nil, "run", "spec.yaml", "--out", "out", "-j", fmt.Sprint(1+f.IntN(8)))
		for _, group := range settings {
			command.Env = append(command.Env, group[f.IntN(len(group))])
		}
		if out, err := command.CombinedOutput(); err != nil {
			f.Fatalf("%v: %v: %s", command.Env[len(command.Env)-len(settings):], err, out)
		}
		f.same()
	})
	c.each("program without a temporary folder", 1, 1, "say so, no stack", func(f *fault) {
		write(f.T, filepath.Join(f.dir, "a.baseline.yaml"), noProgram)
		write(f.T, filepath.Join(f.dir, "spec.yaml"), strings.Replace(spec, "algorithms:\n",
			"algorithms:\n  - {from: a.baseline.yaml}\n", 1))
		command := f.command(nil, "run", "spec.yaml", "--out", "out")
		command.Env = append(command.Env, "TMPDIR=/nonexistent")
		out, err := command.CombinedOutput()
		f.complains(string(out), err)
		if err == nil || !strings.Contains(string(out), "temporary folder (TMPDIR): ") {
			f.Errorf("%v: %s", err, out)
		}
	})
	c.each("two runs at once", 1, 20, "one is refused or waits, same bytes", func(f *fault) {
		one := f.command(nil, "run", "spec.yaml", "--out", "out")
		must.Do(f, one.Start())
		out, err := f.run()
		f.complains(out, err)
		if err := one.Wait(); err != nil {
			f.Log(err) // it was the one that was refused
		}
		f.recovers()
	})
}

// noProgram is a descriptor of a program that only has to be there.
const noProgram = `name: no-program
title: None
source: test
input: table
produces: records
command: [cat]
files: a.baseline.yaml
variants:
  - {variant: published, model: differential privacy, unit: record, relation: none, note: None.}
`
