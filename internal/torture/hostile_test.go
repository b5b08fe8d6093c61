package torture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/results"
)

// hostile is a baseline that does what a baseline must not do.
type hostile struct{}

type hostileParams struct {
	Act string `yaml:"act"`
}

func (*hostileParams) Validate() error { return nil }

func (hostile) Info() algorithms.Info {
	return algorithms.Info{Name: "hostile", Title: "Hostile", Source: "tests",
		Input: algorithms.TableInput, Produces: []algorithms.Product{algorithms.RecordsProduct},
		Variants: []algorithms.Guarantee{{Variant: algorithms.Published,
			Model: algorithms.NoPrivacy}}}
}

func (hostile) Params() algorithms.Params { return new(hostileParams) }

func init() { algorithms.Register(hostile{}) }

// acts are what it does, and what the record of its job must say.
var acts = map[string]string{
	"error":     "cannot be done",
	"panic":     "panic: ",
	"nil panic": "panic called with nil",
	"escape":    "panic: ",
	"untold":    "panic: no words",
	"endless":   "(cut: ",
	"goexit":    "runtime.Goexit",
	"nothing":   "neither a release nor an error",
	"meddle":    "has changed the data that all jobs share",
	"schema":    "another schema",
	"domain":    "code 200 of",
	"exact":     "in cell",
	"weights":   "weight 0 is NaN",
	"promises":  "product records",
}

// deadly acts end the process; with them what the record says when the job ran in one of its own.
var deadly = map[string]string{
	"exit":      "hostile ended its process: exit status 0",
	"stack":     "hostile ended its process: fatal error: stack overflow",
	"goroutine": "hostile ended its process: panic: a mistake in a goroutine",
	"maps":      "hostile ended its process: fatal error: concurrent map",
	"memory":    "hostile needs more memory than a worker may have",
}

// apart are acts that only a process of its own keeps from harming others.
var apart = map[string]string{"steals": "cannot be done"}

// hang is an act that needs a limit of time.
var hang = map[string]string{"hang": "timed out"}

// untold is an error whose text cannot be made.
type untold struct{}

func (untold) Error() string { panic("no words") }

// hangsFile says, in the folder of a run, that a job hangs.
const hangsFile = "hangs"

func (hostile) Release(_ context.Context, in algorithms.Input) (*algorithms.Release, error) {
	r := &algorithms.Release{Table: in.Table.Select(in.Rows)}
	switch act := in.Params.(*hostileParams).Act; act {
	case "error":
		return nil, errors.New("cannot be done")
	case "panic":
		panic("a mistake")
	case "nil panic":
		panic(nil)
	case "escape":
		panic("\x1b[31m\x1b]0;title\x07")
	case "untold":
		return nil, untold{}
	case "endless":
		return nil, errors.New(strings.Repeat("\x1b[31m", 20<<20))
	case "steals":
		if _, err := io.ReadAll(os.Stdin); err != nil {
			return nil, err
		}
		fmt.Println("out of turn")
		_ = syscall.Close(1) // it may have been closed by another job
		return nil, errors.New("cannot be done")
	case "goexit":
		runtime.Goexit()
	case "nothing":
		return nil, nil
	case "hang":
		if err := os.WriteFile(hangsFile, nil, 0o666); err != nil {
			return nil, err
		}
		select {}
	case "meddle":
		meddle(in.Table)
	case "schema":
		schema := *in.Table.Schema()
		schema.Attributes = slices.Clone(schema.Attributes)
		schema.Attributes[0].Name = "another"
		r.Table, _ = in.Table.WithSchema(&schema)
	case "domain":
		r.Table.Column(in.Table.Schema().Class()).U8[0] = 200
	case "exact":
		r.Table.Column(0).Exact[0] += 1e6
	case "weights":
		r.Weights = slices.Repeat([]float64{math.NaN()}, r.Table.Len())
	case "promises":
		return new(algorithms.Release), nil
	case "exit":
		os.Exit(0)
	case "stack":
		fmt.Print(overflow(1))
	case "goroutine":
		go panic("a mistake in a goroutine")
		select {}
	case "maps":
		m := make(map[int]int)
		for range 8 {
			go func() {
				for i := 0; ; i++ {
					m[i%100] = i
				}
			}()
		}
		select {}
	case "memory":
		var hoard [][]byte
		for {
			block := make([]byte, 64<<20)
			for i := 0; i < len(block); i += 4096 {
				block[i] = 1
			}
			if hoard = append(hoard, block); len(hoard) == 1<<20 {
				return nil, errors.New("a very large machine")
			}
		}
	}
	return r, nil
}

func overflow(n int) int {
	if n < 0 {
		return 0
	}
	return overflow(n+1) + n
}

// meddle races with all that read the table, which is its fault and not the harness's.
//
//go:norace
func meddle(table *datasets.Table) { table.Column(0).Exact[0]++ }

// hostileSpec is the experiment with some acts beside it.
func hostileSpec(acts ...string) string {
	return strings.Replace(spec, "algorithms:\n", fmt.Sprintf("algorithms:\n  - {name: hostile, "+
		"series: \"{act}\", trials: 1, params: {act: [%s]}}\n", strings.Join(acts, ", ")), 1)
}

// baselines runs all acts side by side and beside good jobs, which must come out as without them.
func (c *campaign) baselines() {
	kinds := []struct {
		kind  string
		acts  []map[string]string
		runs  int      // the first may be ended by a job, and the next finds out by which
		with  []string // what starts the command
		flags []string
	}{
		{"hostile baselines", []map[string]string{acts}, 1, nil, nil},
		{"deadly baselines", []map[string]string{deadly}, 2,
			[]string{"sh", "-c", `ulimit -v 3000000; exec "$0" "$@"`}, nil},
		{"hostile baselines, isolated", []map[string]string{acts, deadly, apart}, 1, nil,
			[]string{"--isolate", "--isolate-memory", "512MiB"}},
		{"hanging baseline", []map[string]string{hang}, 1, nil, nil},
		{"hanging baseline, isolated", []map[string]string{hang}, 1, nil, []string{"--isolate"}},
	}
	for _, k := range kinds {
		want := make(map[string]string)
		for _, some := range k.acts {
			maps.Copy(want, some)
		}
		if k.with != nil && !*full {
			delete(want, "memory") // it takes long to fill three gigabytes
		}
		c.each(k.kind, 1, 1, fmt.Sprintf("each of %d fails alone; others same bytes", len(want)),
			func(f *fault) { f.failAlone(want, k.runs, k.with, k.flags...) })
	}
}

// failAlone runs the experiment with acts beside it, a limited number of times until it finishes.
// Their jobs must say what is wanted, and the others come out as without them.
func (f *fault) failAlone(want map[string]string, runs int, with []string, flags ...string) {
	if want["hang"] != "" { // the limit must not be one for good jobs, which a busy machine keeps
		if out, err := f.run(flags...); err != nil {
			f.Fatalf("%v: %s", err, out)
		}
		flags = append(flags, "--timeout", "300ms")
	}
	write(f.T, filepath.Join(f.dir, "spec.yaml"),
		hostileSpec(slices.Sorted(maps.Keys(want))...))
	var out []byte
	for range runs {
		command := f.command(with, append([]string{"run", "spec.yaml", "--out", "out", "-j", "2"},
			flags...)...)
		out, _ = command.CombinedOutput()
		if _, err := results.Open(f.results()); err == nil {
			break
		}
	}
	if strings.ContainsAny(string(out), "\x1b\x07") || len(out) > 1<<20 {
		f.Errorf("escape sequences or %d bytes reach the terminal: %.200q", len(out), out)
	}
	if left := "jobs that did not end when they were stopped"; want["hang"] != "" &&
		strings.Contains(string(out), left) == slices.Contains(flags, "--isolate") {
		f.Errorf("what hangs here, and nothing else, must be named: %s", out)
	}
	if _, err := results.Open(f.results()); err != nil {
		f.Fatalf("%d runs did not finish: %v: %s", runs, err, out)
	}
	var good strings.Builder
	lines, failed := results.NewEncoder(&good), 0
	records := read(f.T, filepath.Join(f.results(), results.RecordsFile))
	err := results.ReadRecords(strings.NewReader(records), "", func(job *results.Record) {
		if job.Algorithm != "hostile" {
			if err := lines.Encode(job); err != nil {
				f.Error(err)
			}
			return
		}
		act := job.Params["act"]
		failed++
		if job.Status != results.Failed || !strings.Contains(job.Error, want[act]) ||
			len(job.Values) > 0 {
			f.Errorf("%s is %s with %q, must say %q", act, job.Status, job.Error, want[act])
		}
	})
	if err != nil {
		f.Error(err)
	}
	if failed != 2*len(want) { // folds
		f.Errorf("%d hostile jobs of %d acts", failed, len(want))
	}
	if good.String() != f.c.reference[results.RecordsFile] {
		f.Error("the other jobs are not those of an undisturbed run")
	}
}
