package experiments

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

	"ppdp/audit"
	"ppdp/internal/process"
	"ppdp/internal/results"
)

// Isolation has cells run in worker processes, up to Options.Jobs at once. A baseline, metric or
// classifier that ends its process, or needs more memory than a worker may have, costs its cell and
// no other one. A worker has data of its own; one that a cell has ended is replaced. Nothing that
// is recorded differs from a run without, but for what would have ended that.
//
// Cells of baselines in other languages are not run in workers: those have processes already.
type Isolation struct {
	// Command starts a program that calls Work with its standard input and output.
	Command []string
	// Memory is how many bytes of data a worker may have, 0 for any.
	Memory int64
}

// order is the first line to a worker: what it is to serve. All that a cell depends on is in Start
// and in the data.
type order struct {
	Process       int            `json:"process"` // the run's
	Start         *Start         `json:"start"`
	Dir           string         `json:"dir"` // of the experiment's results
	DataDirs      []string       `json:"dataDirs"`
	Download      string         `json:"download"`
	Timeout       time.Duration  `json:"timeout"` // nanoseconds
	WriteReleases bool           `json:"writeReleases"`
	Audit         *audit.Options `json:"audit,omitempty"`
	MaxStack      int            `json:"maxStack"` // bytes of a goroutine's stack
}

// ready is the first line of a worker: that it has loaded the data, or why it could not.
type ready struct {
	Error string `json:"error,omitempty"`
}

// job is a line to a worker: the cell to run, or the audit to make.
type job struct {
	Cell  *int `json:"cell,omitempty"`
	Audit *int `json:"audit,omitempty"`
}

// done is a line of a worker. One with a Phase alone says that the cell has entered it, and more
// will come.
type done struct {
	Phase     string              `json:"phase,omitempty"`
	Cell      *results.CellResult `json:"cell,omitempty"`
	Timing    results.Timing      `json:"timing,omitzero"`
	Failure   *failed             `json:"failure,omitempty"`
	Unwritten string              `json:"unwritten,omitempty"` // why its release is not
	Audit     *results.Audit      `json:"audit,omitempty"`
	End       string              `json:"end,omitempty"` // why the run has to end
}

// failed is a failure in a worker.
type failed struct {
	Phase string `json:"phase"`
	Error string `json:"error"`
	Stack string `json:"stack,omitempty"` // of a panic
}

// Bounds of what a worker prints.
const (
	maxWorkerLine  = 1 << 30  // a cell may keep the regions of its release
	maxWorkerWords = 64 << 10 // with a stack or two
)

// hardGrace is how long after its time limit a worker may take to say so.
const hardGrace = grace + 10*time.Second

// maxWorkerStack bounds a goroutine's stack in a worker: far more than any recursion needs, and
// little enough that one without end is not taken for a lack of memory. Of less memory the stack
// has at most the given part: it is copied as it grows.
const (
	maxWorkerStack  = 256 << 20
	workerStackPart = 8
)

// isolated reports whether cells of a configuration run in workers.
func (r *run) isolated(config *Config) bool {
	_, outside := config.Implementation.(io.Closer) // in a process of its own
	return r.opts.Isolation != nil && !outside
}

// newWorkers is a pool of workers for the run.
func (r *run) newWorkers(start *Start) *process.Pool {
	o := order{Process: os.Getpid(), Start: start, Dir: r.result.Dir, DataDirs: r.opts.Files.Dirs,
		Download: r.opts.Files.Download, Timeout: r.opts.Timeout,
		WriteReleases: r.opts.WriteReleases, Audit: r.opts.Audit, MaxStack: maxWorkerStack}
	if memory := r.opts.Isolation.Memory; memory > 0 {
		o.MaxStack = int(min(maxWorkerStack, memory/workerStackPart))
	}
	program := process.Program{Command: r.opts.Isolation.Command, Greeting: jsonLine(&o),
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
		// data that have to be loaded again take none of the cell's time
		Begins: bytes.TrimSpace(jsonLine(&done{Phase: results.PhaseLoad})),
		Memory: r.opts.Isolation.Memory, Line: maxWorkerLine, Words: maxWorkerWords,
		Env: os.Environ()}
	if program.Memory > 0 { // garbage is collected before the limit ends the process
		program.Env = append(program.Env, fmt.Sprintf("GOMEMLIMIT=%d", program.Memory/10*9))
	}
	if r.plan.timed() {
		program.Env = append(program.Env, "GOMAXPROCS=1") // as in this process
	}
	return &process.Pool{Program: program}
}

// ask has a worker do a job within a limit of time, 0 for none. phase is the last one that a cell
// entered.
func (r *run) ask(ctx context.Context, j job, limit time.Duration) (said done, phase string,
	err error) {
	err = r.workers.Ask(ctx, jsonLine(&j), limit, func(line []byte) (bool, error) {
		said = done{}
		if err := json.Unmarshal(line, &said); err != nil {
			return true, fmt.Errorf("its process printed %s", process.Shown(line))
		}
		if said.Phase != "" {
			phase = said.Phase
		}
		return said.Phase == "", nil
	})
	return said, phase, err
}

// askCell has a worker run a cell, and keeps the outcome.
func (r *run) askCell(ctx context.Context, i int, cancel context.CancelCauseFunc) {
	limit := r.opts.Timeout
	if limit > 0 {
		limit += hardGrace
	}
	said, phase, err := r.ask(ctx, job{Cell: &i}, limit)
	var start *process.StartError
	switch {
	case err != nil && ctx.Err() != nil:
		return // the run is ending: the cell did not fail
	case errors.As(err, &start):
		cancel(deathOf("a worker", err))
		return
	case errors.Is(err, process.ErrTime):
		err = fmt.Errorf("timed out after %v", r.opts.Timeout)
	case err != nil:
		what := r.plan.Cells[i].Config.Algorithm
		if phase == results.PhaseMeasure {
			what = "what measures " + what
		}
		err = deathOf(what, err)
	case said.End != "":
		cancel(errors.New(said.End))
		return
	case said.Failure != nil:
		phase, err = said.Failure.Phase, errors.New(said.Failure.Error)
		if said.Failure.Stack != "" {
			err = &crashed{said.Failure.Error, []byte(said.Failure.Stack)}
		}
	}
	if err != nil {
		err = &failure{cmp.Or(phase, results.PhaseLoad), err}
	}
	if said.Unwritten != "" {
		r.unwritten(i, said.Unwritten)
	}
	o := outcome{timing: said.Timing}
	if said.Cell != nil {
		o.CellResult = *said.Cell
	}
	r.finish(i, o, err, cancel)
}

// askAudit has a worker make the numbered audit. One that ends its worker could not be made.
func (r *run) askAudit(ctx context.Context, i int) (results.Audit, error) {
	said, _, err := r.ask(ctx, job{Audit: &i}, 0)
	var start *process.StartError
	switch {
	case err != nil && (ctx.Err() != nil || errors.As(err, &start)):
		return results.Audit{}, deathOf("a worker", err)
	case err != nil:
		a := r.audits[i]
		return a.Failed(deathOf(a.config.Algorithm, err)), nil
	case said.Audit == nil:
		return results.Audit{}, errors.New(said.End)
	}
	return *said.Audit, nil
}

// What Go says last when it ends a process, and where there is no more memory.
var (
	goDeath  = regexp.MustCompile(`(?m)^(?:panic|fatal error): .*`)
	goMemory = regexp.MustCompile(`(?m)^(?:fatal error: .*(?:out of|cannot allocate) memory|` +
		`runtime/cgo: pthread_create failed)`) // for a thread's stack
)

// deathOf says what ended a worker, and who did it. The stack goes to the log.
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
	text := fmt.Sprintf("%s ended its process: %s", who, how)
	if goMemory.MatchString(fault.Words) {
		text = who + " needs more memory than a worker may have"
	}
	return &crashed{text, []byte(stack[:min(len(stack), shownStack)])}
}

// shownStack is how many bytes of a worker's last words are for people: those of many goroutines
// come to more.
const shownStack = 4 << 10

// jsonLine is a value as one line.
func jsonLine(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // what is sent can be written: the journal and StartFile hold the same
	}
	return append(text, '\n')
}
