package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"ppdp/algorithms"
	"ppdp/internal/process"
	"ppdp/internal/results"
)

// failure is an error with the phase it happened in.
type failure struct {
	phase string
	err   error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// grace is how long a job may take to notice that its time is up, or that the run is ending,
// before it is left behind.
const grace = 2 * time.Second

// guard calls job so that nothing it does can end the run. A panic becomes a failure. A job that
// goes on after its time limit, or after ctx has ended, is left behind: running is then closed when
// it returns, and nil for all others. Clock time decides only whether a job is left behind, never
// what it computes.
func guard(ctx context.Context, timeout time.Duration,
	job func(ctx context.Context, at *phase) (outcome, error)) (o outcome,
	running <-chan struct{}, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var at phase
	at.enter(results.PhaseLoad)
	var result struct {
		outcome outcome
		err     error
	}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		returned := false
		defer func() {
			if p := recover(); p != nil {
				text := process.Printable(fmt.Sprintf("panic: %v", p))
				result.err = &crashed{text, debug.Stack()}
			} else if !returned {
				result.err = errors.New("runtime.Goexit ended the job before it returned")
			}
			if result.err != nil {
				result.err = &failure{at.name(), result.err}
			}
		}()
		result.outcome, result.err = job(ctx, &at)
		if result.err != nil { // what makes its text may panic, or hang, or be without end
			result.err = errors.New(process.Printable(result.err.Error()))
		}
		returned = true
	}()
	var expired <-chan time.Time
	if timeout > 0 {
		expired = time.After(timeout)
	}
	select {
	case <-finished:
		return result.outcome, nil, result.err
	case <-ctx.Done(): // an interrupted run waits for its jobs, which watch the context
		err = ctx.Err()
	case <-expired:
		err = fmt.Errorf("timed out after %v", timeout)
	}
	interrupted := ctx.Err() != nil
	cancel()
	select {
	case <-finished:
		if interrupted {
			return result.outcome, nil, result.err
		}
	case <-time.After(grace):
		running = finished
	}
	return outcome{}, running, &failure{at.name(), err}
}

// phase is the phase that a job is in. The run reads it when a job is out of time.
type phase struct {
	current atomic.Value
	entered func(name string) // called with each phase, unless nil
}

func (p *phase) enter(name string) {
	p.current.Store(name)
	if p.entered != nil {
		p.entered(name)
	}
}

func (p *phase) name() string { return p.current.Load().(string) }

// crashed is a panic caught in a job, or the end of its process. Its stack differs from run to run
// and therefore goes to the log, not into the record.
type crashed struct {
	text  string
	stack []byte
}

func (c *crashed) Error() string { return c.text }

// stackOf is the stack of an error that is a crash, "" of others.
func stackOf(err error) string {
	if crash, ok := errors.AsType[*crashed](err); ok {
		return string(crash.stack)
	}
	return ""
}

// outcome is what running a job gave.
type outcome struct {
	results.Outcome
	timing  results.Timing
	release *algorithms.Release
}

// attempt runs a job and makes whatever ends it a failure. entered, unless nil, is called with each
// phase that it enters. running is not nil where the job was left behind, see guard.
func (r *run) attempt(ctx context.Context, i int, d *trialData, entered func(phase string)) (
	o outcome, running <-chan struct{}, err error) {
	return guard(ctx, r.opts.Timeout, func(ctx context.Context, at *phase) (outcome, error) {
		at.entered = entered
		e := execution{plan: r.plan, job: &r.plan.Jobs[i], data: d, at: at, clock: r.opts.Clock}
		e.train, e.test = d.split(e.job.Fold)
		err := e.run(ctx)
		// records that no metric asked for are drawn where a failure is the job's own
		if err == nil && r.opts.WriteReleases {
			at.enter(results.PhaseRelease)
			_, _, err = e.release.Records(ctx)
		}
		return e.outcome, err
	})
}
