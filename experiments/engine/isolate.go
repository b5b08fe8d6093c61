package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"

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

// ready is a worker's answer to its assignment: it has loaded the data, or could not.
type ready struct {
	Error string `json:"error,omitempty"`
}

// request is a line to a worker: the job to run.
type request struct {
	Job int `json:"job"`
}

// reply is a line of a worker. One with a Phase says that the job has entered it, and more lines
// will come; one without is the last of its request.
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
			var said ready
			if err := json.Unmarshal(line, &said); err != nil {
				return fmt.Errorf("it printed %s", process.Shown(line))
			}
			if said.Error != "" {
				return errors.New(said.Error)
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
	err := r.processes.Ask(ctx, jsonLine(&request{i}), limit,
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
