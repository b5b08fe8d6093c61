package engine

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"sync"
	"time"

	"ppdp/datasets"
	"ppdp/internal/process"
	"ppdp/internal/results"
)

// Jobs can run in worker processes, one at a time in each. A job that ends its process, or needs
// more memory than the process may have, is then a failed record, and no other job is lost. The run
// starts the same program as "ppdp worker" with an assignment, and writes a request a line; see
// Work for the other side. A worker loads the data for itself, and one that has ended is replaced.
// Records are the same as without workers.
//
// Jobs of baselines in other languages stay in the run's process: they have processes already.

// assignment is the first line to a worker: the run whose jobs it will get. All that a job depends
// on is in Start and in the data.
type assignment struct {
	Process       int           `json:"process"` // the run's
	Start         *Start        `json:"start"`
	Dir           string        `json:"dir"` // of the experiment's results
	DataDirs      []string      `json:"dataDirs"`
	Download      string        `json:"download"`
	Timeout       time.Duration `json:"timeout"` // nanoseconds
	WriteReleases bool          `json:"writeReleases"`
	MaxStack      int           `json:"maxStack"` // bytes of a goroutine's stack
}

// reply is a line of a worker. The first says that it has loaded the data, or why it could not. One
// with a Phase says that the job has entered it, and more lines will come; one without is the last
// of its request, which is the job's number.
type reply struct {
	Phase     string `json:"phase,omitempty"`
	Entry     *entry `json:"entry,omitempty"`
	Stack     string `json:"stack,omitempty"`     // of a panic
	Unwritten string `json:"unwritten,omitempty"` // why its release is not
	End       string `json:"end,omitempty"`       // why the run has to end
}

// Bounds of what a worker prints.
const (
	maxWorkerLine  = 1 << 30  // a job may keep the regions of its release
	maxWorkerWords = 64 << 10 // with a stack or two
)

// hardGrace is how long after a job's time limit its worker may take to report that, before the run
// kills it.
const hardGrace = grace + 10*time.Second

// maxWorkerStack bounds a goroutine's stack in a worker: far more than any recursion needs, but so
// little that an endless recursion is reported as such and not as a lack of memory. Where memory is
// limited, the stack may have the given part of it: a stack is copied as it grows.
const (
	maxWorkerStack  = 256 << 20
	workerStackPart = 8
)

// inProcess reports whether a job runs in a worker process.
func (r *run) inProcess(i int) bool {
	config := r.plan.Jobs[i].Config
	_, outside := config.Implementation.(io.Closer) // it has one already
	return r.processes != nil && r.opts.Isolate && !outside
}

// newProcesses is a pool of worker processes for the run. It starts one when a job needs it.
func (r *run) newProcesses(start *Start) *process.Pool {
	o := assignment{Process: os.Getpid(), Start: start, Dir: r.result.Dir,
		DataDirs: r.opts.Files.Dirs, Download: r.opts.Files.Download, Timeout: r.opts.Timeout,
		WriteReleases: r.opts.WriteReleases, MaxStack: maxWorkerStack}
	if memory := r.opts.Process.Memory; memory > 0 {
		o.MaxStack = int(min(maxWorkerStack, memory/workerStackPart))
	}
	program := process.Program{Command: r.opts.Process.Command, Greeting: jsonLine(&o),
		Greeted: func(line []byte) error {
			var said reply
			if err := json.Unmarshal(line, &said); err != nil {
				return fmt.Errorf("it printed %s", process.Shown(line))
			}
			if said.End != "" {
				return errors.New(said.End)
			}
			return nil
		},
		// data that have to be loaded again take none of the job's time
		Begins: bytes.TrimSpace(jsonLine(&reply{Phase: results.PhaseLoad})),
		Memory: r.opts.Process.Memory, Line: maxWorkerLine, Words: maxWorkerWords,
		Env: os.Environ()}
	if program.Memory > 0 { // garbage is collected before the limit ends the process
		program.Env = append(program.Env, fmt.Sprintf("GOMEMLIMIT=%d", program.Memory/10*9))
	}
	if r.plan.Timed() {
		program.Env = append(program.Env, "GOMAXPROCS=1") // as in this process
	}
	return &process.Pool{Program: program}
}

// jobInProcess runs a job in a worker and keeps the outcome.
func (r *run) jobInProcess(ctx context.Context, i int) {
	limit := r.opts.Timeout
	if limit > 0 {
		limit += hardGrace
	}
	var said reply
	phase := "" // the last one that the job has entered
	take := func(line []byte) (_ []byte, last bool, err error) {
		said = reply{}
		if err := json.Unmarshal(line, &said); err != nil {
			return nil, true, fmt.Errorf("its process printed %s", process.Shown(line))
		}
		phase = cmp.Or(said.Phase, phase)
		if said.Phase == "" && said.Entry == nil && said.End == "" {
			return nil, true, fmt.Errorf("its process printed %s", process.Shown(line))
		}
		return nil, said.Phase == "", nil
	}
	err := r.processes.Ask(ctx, jsonLine(i), limit,
		func() process.Take { return take })
	start, notStarted := errors.AsType[*process.StartError](err)
	switch {
	case err != nil && ctx.Err() != nil:
		return // the run is ending: the job did not fail
	case notStarted:
		r.stop(deathOf("a worker", start))
		return
	case errors.Is(err, process.ErrTime):
		err = fmt.Errorf("timed out after %v", r.opts.Timeout)
	case err != nil:
		what := r.plan.Jobs[i].Config.Algorithm
		if phase == results.PhaseMeasure {
			what = "what measures " + what
		}
		err = deathOf(what, err)
	case said.End != "":
		r.stop(errors.New(said.End))
		return
	}
	if err != nil {
		said.Entry = r.concluded(i, outcome{},
			&failure{cmp.Or(phase, results.PhaseLoad), err})
		said.Stack = stackOf(err)
	}
	if said.Unwritten != "" {
		r.unwritten(i, said.Unwritten)
	}
	r.finish(i, said.Entry, said.Stack)
}

// The last words of a Go program that ends by a panic or a fatal error, and those of one that has
// no more memory.
var (
	goDeath  = regexp.MustCompile(`(?m)^(?:panic|fatal error): .*`)
	goMemory = regexp.MustCompile(`(?m)^(?:fatal error: .*(?:out of|cannot allocate) memory|` +
		`runtime/cgo: pthread_create failed)`) // for a thread's stack
)

// deathOf is the error of a worker that has ended while it served who. The stack goes to the log.
func deathOf(who string, err error) error {
	var fault *process.Fault
	if !errors.As(err, &fault) || !errors.Is(err, process.ErrEnded) {
		return fmt.Errorf("%s: %w", who, err)
	}
	stack, how := fault.Words, "exit status 0"
	if said := goDeath.FindAllStringIndex(stack, -1); len(said) > 0 {
		last := said[len(said)-1]
		how, stack = stack[last[0]:last[1]], stack[last[0]:]
	} else if fault.Wait != nil {
		how = fault.Wait.Error() // "signal: killed", say, by a system without memory
	}
	text := fmt.Sprintf("%s ended its process: %s", who, process.Printable(how))
	if goMemory.MatchString(fault.Words) {
		text = who + " needs more memory than a worker may have"
	}
	return &crashed{text, []byte(stack[:min(len(stack), shownStack)])}
}

// shownStack is how many bytes of a worker's last words are logged: the stacks of many goroutines
// would be more.
const shownStack = 4 << 10

// jsonLine is a value as one line.
func jsonLine(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // what is sent can be written: the journal and StartFile hold the same
	}
	return append(text, '\n')
}

// Work is the other side of Options.Process: it runs jobs for the run that has started this
// process, one a line of in, and writes what came of each to out. It returns when in ends,
// whatever it is doing, or when this process cannot be used again. The process must end then.
func Work(ctx context.Context, in io.Reader, out io.Writer, clock func() time.Time) error {
	lines, ended := make(chan []byte), make(chan error, 2)
	go func() {
		reader := bufio.NewReader(in)
		for {
			line, err := reader.ReadBytes('\n')
			if err != nil { // the run has ended, or its process
				ended <- nil
				return
			}
			lines <- line
		}
	}()
	go func() {
		w := &worker{out: out}
		r, err := w.open(ctx, <-lines, clock)
		said := reply{}
		if err != nil {
			said.End = err.Error()
		}
		if w.say(&said); err != nil {
			ended <- nil // the run has the error
			return
		}
		for err == nil {
			err = w.serve(ctx, r, <-lines)
		}
		ended <- err
	}()
	return <-ended
}

// worker serves jobs.
type worker struct {
	mu  sync.Mutex // guards what follows
	out io.Writer
	err error
}

// say prints a line.
func (w *worker) say(v any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.out.Write(jsonLine(v)); w.err == nil {
		w.err = err
	}
}

// open plans again the run that the line describes, and loads its data.
func (w *worker) open(ctx context.Context, line []byte, clock func() time.Time) (*run, error) {
	var o assignment
	if err := json.Unmarshal(line, &o); err != nil {
		return nil, fmt.Errorf("no assignment: %w", err)
	}
	debug.SetMaxStack(o.MaxStack)
	own, ownErr := os.Stat("/proc/self/exe") // where there is such a thing
	its, itsErr := os.Stat(fmt.Sprintf("/proc/%d/exe", o.Process))
	if ownErr == nil && itsErr == nil && !os.SameFile(own, its) {
		return nil, errors.New("the program has been replaced by another since the run began")
	}
	p, err := o.Start.Plan()
	if err != nil {
		return nil, err
	}
	files := datasets.Files{Dirs: o.DataDirs, Download: o.Download}
	cache, err := load(ctx, p, files)
	if err != nil {
		return nil, err
	}
	for i, set := range cache.sets {
		if of := o.Start.Manifest.Datasets[i]; of.Checksum != set.data.Checksum {
			return nil, fmt.Errorf("dataset %s has changed since the run began", of.Name)
		}
	}
	return newRun(p, Options{Timeout: o.Timeout, WriteReleases: o.WriteReleases,
		Clock: clock, Files: files, Log: func(string) {}}, cache, nil, o.Dir), nil
}

// errLast ends a worker whose process cannot be used again: a job has changed the data, or was left
// behind at its time limit and still runs.
var errLast = errors.New("a job has spoilt this process")

// serve does a job. An error ends the worker.
func (w *worker) serve(ctx context.Context, r *run, line []byte) error {
	var i int
	if err := json.Unmarshal(line, &i); err != nil {
		return err
	}
	said, last := w.job(ctx, r, i)
	w.say(&said)
	return errors.Join(last, w.err)
}

// job runs a job.
func (w *worker) job(ctx context.Context, r *run, i int) (said reply, last error) {
	m, err := r.useData(ctx, i)
	if err != nil {
		return reply{End: err.Error()}, errLast
	}
	defer r.doneWith(m)
	w.say(&reply{Phase: results.PhaseLoad}) // from here on the job's time counts
	// A job that was left behind may still enter some, but no other follows in this process.
	o, running, err := r.attempt(ctx, i, m, func(phase string) { w.say(&reply{Phase: phase}) })
	if running != nil {
		last = errLast
	}
	if err == nil && r.opts.WriteReleases {
		if err := r.writeRelease(ctx, i, m, o.release); err != nil {
			said.Unwritten = err.Error()
		}
	}
	if sumOf(m.data) != m.seal.sum {
		err, last = changed(&r.plan.Jobs[i]), errLast
	}
	said.Entry, said.Stack = r.concluded(i, o, err), stackOf(err)
	return said, last
}
