package torture

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"ppdp/algorithms"
	"ppdp/internal/must"
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
	"schema":    "another schema",
	"domain":    "code 200 of",
	"exact":     "in cell",
	"weights":   "weight 0 is NaN",
	"promises":  "product records",
}

// deadly acts end the process; with them what the record says.
var deadly = map[string]string{
	"exit":      "the process died while this job",
	"stack":     "the process died while this job",
	"goroutine": "the process died while this job",
	"maps":      "the process died while this job",
	"memory":    "the process died while this job",
}

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
	case "goexit":
		runtime.Goexit()
	case "nothing":
		return nil, nil
	case "hang":
		if err := os.WriteFile(hangsFile, nil, 0o666); err != nil {
			return nil, err
		}
		select {}
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
		debug.SetMaxStack(32 << 20) // soon
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

// hostileSpec is the experiment with some acts beside it.
func hostileSpec(acts ...string) string {
	return strings.Replace(spec, "algorithms:\n", fmt.Sprintf("algorithms:\n  - {name: hostile, "+
		"series: \"{act}\", trials: 1, params: {act: [%s]}}\n", strings.Join(acts, ", ")), 1)
}

// baselines runs all acts side by side and beside good jobs, which must come out as without them.
func (c *campaign) baselines() {
	kinds := []struct {
		kind string
		acts map[string]string
		runs int      // a job may end one, and the next ones find out which
		with []string // what starts the command
	}{
		{"hostile baselines", acts, 1, nil},
		{"deadly baselines", deadly, 4 * len(deadly),
			[]string{"sh", "-c", `ulimit -v 3000000; exec "$0" "$@"`}},
		{"hanging baseline", hang, 1, nil},
	}
	for _, k := range kinds {
		want := maps.Clone(k.acts)
		if k.with != nil && !*full {
			delete(want, "memory") // it takes long to fill three gigabytes
		}
		c.each(k.kind, 1, 1, fmt.Sprintf("each of %d fails alone; others same bytes", len(want)),
			func(f *fault) { f.failAlone(want, k.runs, k.with) })
	}
}

// failAlone runs the experiment with acts beside it, a limited number of times until it finishes.
// Their jobs must say what is wanted, and the others come out as without them.
func (f *fault) failAlone(want map[string]string, runs int, with []string) {
	var flags []string
	if want["hang"] != "" { // the limit must not be one for good jobs, which a busy machine keeps
		if out, err := f.run(); err != nil {
			f.Fatalf("%v: %s", err, out)
		}
		flags = []string{"--timeout", "300ms"}
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

// kills ends the process at random moments, from outside.
func (c *campaign) kills() {
	c.each("kill", 3, 150, "go on, same bytes", func(f *fault) {
		for range 1 + f.IntN(3) {
			command := f.command(nil, "run", "spec.yaml", "--out", "out", "-j",
				fmt.Sprint(1+f.IntN(4)))
			must.Do(f, command.Start())
			time.Sleep(time.Duration(f.Float64() * 1.2 * float64(c.took)))
			command.Process.Kill() // it may have finished
			command.Wait()
			f.intact()
		}
		f.recovers()
	})
	signals := []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP}
	signals = slices.DeleteFunc(signals, // as under nohup, where the command ignores it too
		func(s syscall.Signal) bool { return signal.Ignored(s) })
	c.each("signal", 3, 60, "end within 5 s, go on, same bytes", func(f *fault) {
		command := f.command(nil, "run", "spec.yaml", "--out", "out")
		must.Do(f, command.Start())
		time.Sleep(time.Duration(f.Float64() * 1.2 * float64(c.took)))
		command.Process.Signal(signals[f.number%len(signals)]) // it may have finished
		f.ends(command)
		f.recovers()
	})
	c.each("signal, hanging job", 1, 6, "end within 5 s", func(f *fault) {
		write(f.T, filepath.Join(f.dir, "spec.yaml"), hostileSpec("hang"))
		command := f.command(nil, "run", "spec.yaml", "--out", "out", "--timeout", "1h")
		must.Do(f, command.Start())
		f.hangs()
		if err := command.Process.Signal(signals[f.number%len(signals)]); err != nil {
			f.Error(err)
		}
		f.ends(command)
	})
}

// hangs waits until a hostile job of the case hangs.
func (f *fault) hangs() {
	for {
		if _, err := os.Stat(filepath.Join(f.dir, hangsFile)); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// ends: a process that got a signal ends, and soon. The whole campaign says how soon; beside other
// tests a machine may be as busy as it likes.
func (f *fault) ends(command *exec.Cmd) {
	f.Helper()
	sent := time.Now()
	command.Wait() // with 1 if it was interrupted, 0 if it had finished
	if took := time.Since(sent); *full && took > 5*time.Second {
		f.Errorf("it ended after %v", took)
	}
}

// syscalls has the system fail, or the process killed, at each call of a kind in turn.
func (c *campaign) syscalls() {
	strace, err := exec.LookPath("strace")
	if err == nil {
		err = exec.Command(strace, "-e", "trace=none", "true").Run()
	}
	if err != nil {
		c.skip("system calls", "strace is not here or may not trace")
		return
	}
	for _, kind := range []struct {
		name, calls, inject, must string
		few, many                 int
		dies                      bool
	}{
		{"kill at each rename", "rename,renameat,renameat2", "signal=SIGKILL",
			"go on, same bytes", 2, 100, true},
		{"kill at each removal", "unlink,unlinkat", "signal=SIGKILL", "go on, same bytes",
			1, 100, true},
		{"kill at each sync", "fsync", "signal=SIGKILL", "go on, same bytes", 2, 100, true},
		{"failing sync", "fsync", "error=EIO", "say so, go on, same bytes", 2, 100, false},
		{"failing rename", "rename,renameat,renameat2", "error=EIO",
			"say so, go on, same bytes", 1, 100, false},
		{"failing write", "write", "error=ENOSPC", "say so, go on, same bytes", 2, 200, false},
		{"failing open", "openat", "error=EMFILE", "say so, go on, same bytes", 1, 100, false},
		{"slow sync", "fsync", "delay_enter=300000", "same bytes", 0, 3, false},
	} {
		passed := false // the call with this number does not occur any more
		c.each(kind.name, kind.few, kind.many, kind.must, func(f *fault) {
			if passed {
				f.SkipNow()
			}
			when := f.number + 1
			if !*full {
				when = 1 + f.IntN(4)
			}
			inject := fmt.Sprintf("inject=%s:%s:when=%d", kind.calls, kind.inject, when)
			if strings.HasPrefix(kind.inject, "delay") {
				inject = fmt.Sprintf("inject=%s:%s", kind.calls, kind.inject)
			}
			command := f.command([]string{strace, "-f", "-qq", "-o", "trace", "-e",
				"trace=" + kind.calls, "-e", inject}, "run", "spec.yaml", "--out", "out")
			out, err := command.CombinedOutput()
			// The message itself may be among the writes that fail: each thread has its own count.
			if !kind.dies && !(kind.calls == "write" && len(out) == 0) {
				f.complains(string(out), err)
			}
			trace, readErr := os.ReadFile(filepath.Join(f.dir, "trace"))
			passed = *full && readErr == nil && !strings.Contains(string(trace), "INJECTED") &&
				!strings.Contains(string(trace), "SIGKILL")
			f.recovers()
		})
	}
}

// damage tears and flips what a run has left.
func (c *campaign) damage() {
	c.each("torn journal", 2, 200, "go on, same bytes", func(f *fault) {
		must.Do(f, os.MkdirAll(f.results(), 0o777))
		cut := f.IntN(len(c.journal))
		write(f.T, filepath.Join(f.results(), "journal.jsonl"), c.journal[:cut])
		f.recovers()
	})
	c.each("flipped journal", 2, 200, "go on, same bytes", func(f *fault) {
		must.Do(f, os.MkdirAll(f.results(), 0o777))
		text := []byte(c.journal)
		for range 1 + f.IntN(3) {
			text[f.IntN(len(text))] ^= 1 << f.IntN(8)
		}
		write(f.T, filepath.Join(f.results(), "journal.jsonl"), string(text))
		f.recovers()
	})
}

// disks runs on disks that are too small and with too few open files.
func (c *campaign) disks() {
	c.each("file size limit", 2, 60, "say so, go on, same bytes", func(f *fault) {
		f.limited(fmt.Sprintf("ulimit -f %d", f.number*4))
	})
	c.each("file size limit, merging", 2, 20, "say so, go on, same bytes", func(f *fault) {
		for _, part := range []string{"1/2", "2/2"} {
			if out, err := f.run("--shard", part); err != nil {
				f.Fatalf("%v: %s", err, out)
			}
		}
		f.limited(fmt.Sprintf("ulimit -f %d", f.number*8), "merge", "out", "--out", "out")
	})
	c.each("open file limit", 2, 40, "say so, go on, same bytes", func(f *fault) {
		limit := 3 + f.number
		if !*full {
			limit = 6 + 4*f.number
		}
		f.limited(fmt.Sprintf("ulimit -n %d", limit))
	})
	mount := func(f *fault, options string) error {
		out := filepath.Join(f.dir, "out")
		must.Do(f, os.MkdirAll(out, 0o777))
		return exec.Command("mount", "-t", "tmpfs", "-o", options, "tmpfs", out).Run()
	}
	first := &fault{T: c.T, c: c, dir: c.TempDir()}
	if err := mount(first, "size=4k"); err != nil {
		c.skip("full disk", "a small file system cannot be mounted; the limit on files stands in")
		return
	}
	exec.Command("umount", filepath.Join(first.dir, "out")).Run()
	c.each("full disk", 2, 40, "say so, go on, same bytes", func(f *fault) {
		size := 4 * (1 + f.number)
		must.Do(f, mount(f, fmt.Sprintf("size=%dk", size)))
		defer exec.Command("umount", filepath.Join(f.dir, "out")).Run()
		out, err := f.run()
		f.complains(out, err)
		must.Do(f, mount(f, "remount,size=16m"))
		f.recovers()
	})
}

// limited runs ppdp by a shell that first sets a limit: the experiment, if nothing else is asked.
func (f *fault) limited(limit string, args ...string) {
	if args == nil {
		args = []string{"run", "spec.yaml", "--out", "out"}
	}
	out, err := f.command([]string{"sh", "-c", limit + ` && exec "$0" "$@"`},
		args...).CombinedOutput()
	f.complains(string(out), err)
	f.recovers()
}
