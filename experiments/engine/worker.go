package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"ppdp/datasets"
	"ppdp/internal/results"
)

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
		said := ready{}
		if err != nil {
			said.Error = err.Error()
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
	var q request
	if err := json.Unmarshal(line, &q); err != nil {
		return err
	}
	said, last := w.job(ctx, r, q.Job)
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
