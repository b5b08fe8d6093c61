// Package engine runs plans: it makes each job's release once, measures all that was asked of it,
// and writes results/<experiment>/. A job that fails is a record like any other; finished jobs are
// in a journal at once and are not run again. The package draws no figure and judges no claim:
// that is done later, from the files it leaves.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/semaphore"

	"ppdp/datasets"
	"ppdp/experiments/language"
	"ppdp/internal/results"
	"ppdp/numeric/random"
)

// Run runs every job of the plan that no earlier run has finished and writes the experiment's
// files. A failed job does not end the run: it is a record like any other. The error is for what
// ends a run: data that cannot be loaded, an output folder that cannot be written, an interruption.
//
// A job can end the whole process, by a fatal error or for want of memory. The journal says which
// jobs ran then. The next run begins with these, one at a time. Where the process dies again, the
// run after that records the job as failed, and with it those of its setting that have not run.
func Run(ctx context.Context, p *language.Plan, opts Options) (*Result, error) {
	if opts.Log == nil {
		opts.Log = func(string) {}
	}
	if opts.Slots == nil {
		opts.Slots = semaphore.NewWeighted(int64(opts.Workers))
	}
	cache, err := load(ctx, p, opts.Files)
	if err != nil {
		return nil, err // before there is a folder: nothing was run
	}
	defer closePrograms(p, opts.Log)
	dir := filepath.Join(opts.Out, opts.Shard.Folder(), filepath.FromSlash(p.Spec.Name))
	j, held, err := openJournal(dir, opts.Log)
	if err != nil {
		return nil, err
	}
	defer j.close()
	if opts.sync != nil {
		j.sync = opts.sync
	}
	r := newRun(p, opts, cache, j, dir)
	r.logNotes()
	open := r.open(held)
	if err := r.replay(ctx, slices.Concat(r.suspects, open)); err != nil {
		return nil, err
	}
	err = errors.Join(r.start(r.result.Jobs).write(dir), j.mark(runKey, begun, r.result.Cached))
	if err != nil {
		return nil, err
	}
	if err := r.work(ctx, r.executionOrder(open)); err != nil || opts.Shard.Count > 0 {
		return &r.result, err
	}
	return &r.result, r.write(r.manifest(r.guarantee))
}

// run is a plan being run.
type run struct {
	plan     *language.Plan
	opts     Options
	cache    dataCache
	journal  *journal
	entries  []*entry                // by job; each worker writes its own jobs only
	keys     []string                // of jobs, in the journal
	suspects []int                   // jobs that ran when an earlier run died
	fatal    []int                   // failed: one that ran alone then, and others of its setting
	stop     context.CancelCauseFunc // ends the run

	mu     sync.Mutex // guards what follows
	result Result
	done   int             // jobs that are on disk
	traced map[string]bool // crashes whose stack has been logged
}

// newRun is a run of the plan that writes into the folder dir.
func newRun(p *language.Plan, opts Options, cache dataCache, j *journal, dir string) *run {
	r := &run{plan: p, opts: opts, cache: cache, journal: j, entries: make([]*entry, len(p.Jobs)),
		keys: make([]string, len(p.Jobs)), traced: make(map[string]bool), result: Result{Dir: dir}}
	key := p.CacheKeys()
	for i := range p.Jobs {
		r.keys[i] = key(&p.Jobs[i], r.data(i).data.Checksum)
	}
	return r
}

// open lists the jobs of the shard that no earlier run has finished, apart from suspects and those
// that are fatal, and keeps what it has.
func (r *run) open(held *kept) (open []int) {
	var fatal *language.Config
	if i := slices.Index(r.keys, held.alone); i >= 0 {
		fatal = r.plan.Jobs[i].Config
	}
	for i := range r.plan.Jobs {
		if !r.opts.Shard.has(i) {
			continue
		}
		r.result.Jobs++
		switch e := held.finished(r.keys[i]); {
		case e != nil:
			r.entries[i] = e
			r.result.Cached++
		case r.plan.Jobs[i].Config == fatal, held.fatal[r.keys[i]]:
			r.fatal = append(r.fatal, i)
		case held.running[r.keys[i]]:
			r.suspects = append(r.suspects, i)
		default:
			open = append(open, i)
		}
	}
	if n := len(r.suspects); n > 0 {
		r.opts.Log(fmt.Sprintf("an earlier run died, and a job may have ended it: the %d that ran "+
			"then run first, one at a time", n))
	}
	return open
}

// executionOrder returns the order in which jobs are started. Jobs of one setting are neighbours
// in the plan and cost alike, so a seeded shuffle makes the time still needed proportional to the
// jobs still open.
func (r *run) executionOrder(open []int) []int {
	if r.opts.order != nil {
		return r.opts.order
	}
	stream := random.NewKey(0).Derive("order of execution").Stream()
	stream.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
	return open
}

// work runs the jobs.
func (r *run) work(ctx context.Context, jobs []int) error {
	if r.plan.Timed() {
		// Some releases of large tables would use more processors than those of small ones.
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	}
	ctx, r.stop = context.WithCancelCause(ctx)
	defer r.stop(nil)
	r.journal.start(r.stop)
	r.mu.Lock()
	r.report()
	r.mu.Unlock()
	for _, i := range r.fatal {
		r.conclude(i, outcome{}, &failure{error: errFatal, phase: results.PhaseRelease})
	}
	for _, i := range r.suspects {
		r.job(ctx, i, alone)
	}
	r.pool(ctx, jobs)
	err := r.journal.finish()
	if err != nil {
		return err
	}
	if err := r.journal.check(); err != nil {
		return err
	}
	err = context.Cause(ctx)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %d of %d jobs are finished and kept; the same command goes on "+
			"from there", ErrInterrupted, r.result.Cached+r.done-r.result.Failed, r.result.Jobs)
	}
	return err
}

// pool runs jobs in order, Options.Workers at once. When it returns, the data of all are verified.
func (r *run) pool(ctx context.Context, jobs []int) {
	queue := make(chan int, len(jobs))
	for _, i := range jobs {
		queue <- i
	}
	close(queue)
	var workers sync.WaitGroup
	for range r.plan.Workers(r.opts.Workers) {
		workers.Go(func() {
			for i := range queue {
				r.job(ctx, i, begun)
			}
			r.cache.verify(r.opts.Clock) // no later job of this worker will
		})
	}
	workers.Wait()
}

// errFatal is the failure of a job that has ended the process, and of others of its setting.
var errFatal = errors.New("the process died while this job, or another of its setting, ran alone")

// job runs a job when there is a slot for it. The journal says before that it has begun: state is
// begun or alone, for which no other run has a job at that time.
func (r *run) job(ctx context.Context, i int, state string) {
	slots := int64(1)
	if state == alone {
		slots = int64(r.opts.Workers)
	}
	if r.opts.Slots.Acquire(ctx, slots) != nil { // the run is ending
		return
	}
	defer r.opts.Slots.Release(slots)
	if err := r.journal.mark(r.keys[i], state, 0); err != nil {
		r.stop(err)
		return
	}
	d := r.data(i)
	o, failed := r.attempt(ctx, i, d)
	if failed != nil && ctx.Err() != nil { // the run is ending: the job did not fail
		return
	}
	d.seal.verifyLater(d.data, r.opts.Clock, func(intact bool) {
		if intact {
			r.conclude(i, o, failed)
		} else {
			r.stop(fmt.Errorf("%s, or a job beside it, has changed the data that all jobs share: "+
				"none that ended since the last check is kept", r.describe(i)))
		}
	})
}

// conclude finishes a job that has ended. A failed one publishes nothing: what was measured before
// the failure would look like a result.
func (r *run) conclude(i int, o outcome, failed *failure) {
	e, stack := &entry{mark: mark{Key: r.keys[i]}, Outcome: o.Outcome, Timing: o.timing}, ""
	e.Status = results.OK
	if failed != nil {
		e.Fatal, stack = failed.error == errFatal, failed.stack
		e.Outcome = results.Outcome{Status: results.Failed, Phase: failed.phase,
			Error: failed.Error(), Spent: o.Spent, Ledger: o.Ledger}
	}
	r.finish(i, e, stack)
}

// finish keeps the entry of a job. It is done when it is on disk, a failed one too: it is a record
// of a merged experiment. stack is of a panic.
func (r *run) finish(i int, e *entry, stack string) {
	r.entries[i] = e
	failed := e.Status == results.Failed
	r.journal.add(e, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.done++
		if failed {
			r.fail(i, e.Error, stack)
		}
		r.report()
	})
}

// fail counts a failed job and describes it, if it is one of the first. It is called with the lock
// held.
func (r *run) fail(i int, err, stack string) {
	r.result.Failed++
	if r.result.Failed == failuresShown+1 {
		r.opts.Log("failed: more jobs, which are not listed here; each is a record with its " +
			"phase and error")
	}
	if r.result.Failed > failuresShown {
		return
	}
	message := fmt.Sprintf("%s: %s", r.describe(i), err)
	if stack != "" && !r.traced[err] { // the same mistake once
		r.traced[err] = true
		message += "\n" + stack
	}
	r.opts.Log("failed: " + message)
}

// report passes the progress on. It is called with the lock held.
func (r *run) report() {
	if r.opts.Progress != nil {
		r.opts.Progress(r.result.Cached+r.done, r.result)
	}
}

// describe names a job in messages.
func (r *run) describe(i int) string { return r.plan.Describe(&r.plan.Jobs[i]) }

// write writes the experiment's files, all in the plan's order whatever order the jobs ran in.
func (r *run) write(manifest results.Manifest) error {
	var warned []warning
	keeps := slices.Contains(r.plan.Spec.Keep, language.KeepRows)
	kept := make(map[*language.Dataset]bool) // datasets whose rows a record has
	err := results.Write(r.result.Dir, manifest,
		func(add func(*results.Record, *results.Timing) error) error {
			for i := range r.plan.Jobs {
				e := r.unproved(i, *r.entries[i])
				c := &r.plan.Jobs[i]
				record := results.Record{Setting: c.Config.Setting, Outcome: e.Outcome}
				if record.Trial = c.Trial; c.Fold >= 0 {
					record.Fold = &c.Fold
				}
				if d := c.Config.Data; keeps && !d.Info.Graph && !kept[d] {
					kept[d] = true
					record.Original = columnsOf(r.data(i).data.Table)
				}
				for _, text := range e.Warnings {
					warned = append(warned, warning{c.Config.Label(), text})
				}
				e.Timing.Job = i
				if err := add(&record, &e.Timing); err != nil {
					return err
				}
			}
			return nil
		})
	r.logWarnings(warned)
	if err != nil {
		return fmt.Errorf("finished jobs are kept in %s: %w", JournalFile, err)
	}
	return nil
}

// closePrograms ends the processes of algorithms that are programs outside.
func closePrograms(p *language.Plan, log func(string)) {
	for _, config := range p.Configs {
		if program, ok := config.Implementation.(io.Closer); ok {
			if err := program.Close(); err != nil {
				log(fmt.Sprintf("%s: %v", config.Algorithm, err))
			}
		}
	}
}

// Cached counts the jobs that a run into the folder would take from its journal, and adds up the
// seconds that they took.
func Cached(ctx context.Context, p *language.Plan, out string, files datasets.Files) (cached int,
	seconds float64, err error) {
	held := newKept(func(string) {})
	err = held.readFolder(filepath.Join(out, filepath.FromSlash(p.Spec.Name)))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil || len(held.jobs) == 0 {
		return 0, 0, err
	}
	cache, err := load(ctx, p, files)
	if err != nil {
		return 0, 0, err
	}
	for _, key := range newRun(p, Options{}, cache, nil, "").keys {
		if e := held.finished(key); e != nil {
			cached++
			seconds += e.Timing.Release + e.Timing.Measure
		}
	}
	return cached, seconds, nil
}

// warning is one of a release.
type warning struct{ release, text string }

// logWarnings logs warnings that differ only in numbers once, with how many there are: a search
// that ends at its limit does so in most jobs, each with other numbers. Equal ones count once.
func (r *run) logWarnings(all []warning) {
	for _, alike := range results.Grouped(all,
		func(w warning) string { return withoutNumbers.Replace(w.text) }) {
		first := alike[0]
		text := "warning: " + first.release + ": " + strings.TrimPrefix(strings.TrimPrefix(
			first.text, first.release+" "), first.release+": ")
		each := func(w warning) string { return w.release + ": " + w.text }
		if n := len(results.Grouped(alike, each)); n > 1 {
			text += fmt.Sprintf(" (the first of %d like it)", n)
		}
		r.opts.Log(text)
	}
}

// withoutNumbers drops all digits and points, so that messages that agree elsewhere become equal.
var withoutNumbers = strings.NewReplacer("0", "", "1", "", "2", "", "3", "", "4", "", "5", "",
	"6", "", "7", "", "8", "", "9", "", ".", "")
