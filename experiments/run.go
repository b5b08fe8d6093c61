package experiments

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ppdp/audit"
	"ppdp/datasets"
	"ppdp/random"
	"ppdp/results"
)

// Options are how a plan is run. None of them changes what a cell computes.
type Options struct {
	Out      string        // folder below which results/<experiment>/ lies
	Jobs     int           // cells run at once, at least 1; see Plan.Workers
	Timeout  time.Duration // for one cell; 0 means none
	FailFast bool          // end the run at the first failed cell
	// Shard is the part of the cells to run; the zero value is all of them. A shard's journal is
	// kept in a folder of its own inside Out, and Merge makes the experiment's files of them.
	Shard Shard
	Costs Costs // what the shards are divided by; all shards of a run must have the same
	// WriteReleases writes what each cell publishes below the experiment's folder, see
	// ReleasesFolder. Cells of an earlier run whose release is not there are run again.
	WriteReleases bool
	// Audit, unless nil, says how the guarantee of each of the plan's settings is audited. The seed
	// is the plan's.
	Audit    *audit.Options
	Files    datasets.Files // where data files are looked for
	Clock    func() time.Time
	Progress func(Progress)       // called after each cell, never concurrently; may be nil
	Log      func(message string) // statistical and operational warnings; may be nil
	Build    Build                // what the manifest says of the program
	order    []int                // the order cells are started in; nil means shuffled
}

// shardCosts are the costs of the plan's configurations, nil where there are no shards or nothing
// is known of them.
func (o *Options) shardCosts(p *Plan) []float64 {
	costs := p.costs(o.Costs)
	if o.Shard.Count == 0 ||
		!slices.ContainsFunc(costs, func(cost float64) bool { return cost > 0 }) {
		return nil
	}
	return costs
}

// Progress is how far a run has come.
type Progress struct {
	Done, Total, Cached, Failed int
}

// Result is how a run ended.
type Result struct {
	Dir      string
	Cells    int      // of this shard
	Cached   int      // taken from the journal of an earlier run
	Failed   int      // failed cells are in the records, with their phase and error
	Failures []string // the first few, for people
	// Unwritten counts releases that were to be written and could not be; the log says why.
	Unwritten int
	// Refuted are the guarantees that are said to hold and do not, in words.
	Refuted []string
	// OtherShards counts the cells of other shards. The experiment's files are not written.
	OtherShards int
}

// ErrInterrupted says that a run ended before all its cells had; what had finished is kept and the
// next run goes on from there.
var ErrInterrupted = errors.New("interrupted")

// ErrData is wrapped by what is wrong with a plan's data. Nothing was run.
var ErrData = errors.New("data")

// dataError is an error that wraps ErrData without saying so.
type dataError struct{ error }

func (e dataError) Unwrap() error     { return e.error }
func (e dataError) Is(err error) bool { return err == ErrData }

// failuresShown is how many failed cells a Result describes.
const failuresShown = 10

// Run runs every cell of the plan that no earlier run has finished and writes the experiment's
// files. A failed cell does not end the run: it is a record of its own. The error is for what ends
// a run: data that cannot be loaded, an output folder that cannot be written, an interruption.
func (p *Plan) Run(ctx context.Context, opts Options) (*Result, error) {
	if opts.Log == nil {
		opts.Log = func(string) {}
	}
	cache, err := p.load(ctx, opts.Files)
	if err != nil {
		return nil, err // before there is a folder: nothing was run
	}
	defer p.closePrograms(opts.Log)
	dir := filepath.Join(opts.Out, opts.Shard.Folder(), filepath.FromSlash(p.Spec.Name))
	j, finished, err := openJournal(dir, opts.Log)
	if err != nil {
		return nil, err
	}
	defer j.close()
	cache.logNotes(opts.Log)
	run := p.newRun(opts, cache, j, dir)
	var parts []int32
	if opts.Shard.Count > 0 {
		parts = p.shards(opts.Shard.Count, opts.shardCosts(p))
	}
	var open []int
	for i := range p.Cells {
		if parts != nil && int(parts[i]) != opts.Shard.Index {
			run.result.OtherShards++
			continue
		}
		o, ok := finished[p.cacheKey(&p.Cells[i], run.checksum(i))]
		if ok && (!opts.WriteReleases || run.written(i)) {
			run.entries[i] = &o
			run.result.Cached++
		} else {
			open = append(open, i)
		}
	}
	run.result.Cells -= run.result.OtherShards
	if err := run.start(run.result.Cells).write(dir); err != nil {
		return nil, err
	}
	open = run.executionOrder(open)
	if opts.Audit != nil {
		audits, err := run.openAudits(finished)
		if err != nil {
			return &run.result, err
		}
		open = append(audits, open...)
	}
	if err := run.cells(ctx, open); err != nil {
		return &run.result, err
	}
	if opts.Shard.Count > 0 {
		return &run.result, nil
	}
	return &run.result, run.write(run.manifest(run.guarantee))
}

// closePrograms ends the processes of algorithms that are programs outside.
func (p *Plan) closePrograms(log func(string)) {
	for _, config := range p.Configs {
		if program, ok := config.Implementation.(io.Closer); ok {
			if err := program.Close(); err != nil {
				log(fmt.Sprintf("%s: %v", config.Algorithm, err))
			}
		}
	}
}

// newRun is a run of the plan that writes into the folder dir.
func (p *Plan) newRun(opts Options, cache *dataCache, j *journal, dir string) *run {
	run := &run{plan: p, opts: opts, cache: cache, journal: j,
		entries: make([]*entry, len(p.Cells)), traced: make(map[string]bool),
		result: Result{Dir: dir, Cells: len(p.Cells)}}
	run.opts.Jobs = p.Workers(opts.Jobs)
	return run
}

// Workers returns how many of the plan's cells are run at once when jobs are allowed: where a
// figure draws the time of a release, one, because parallel releases slow each other down.
func (p *Plan) Workers(jobs int) int {
	if slices.ContainsFunc(p.Figures,
		func(f results.Figure) bool { return f.Y == results.RuntimeMetric }) {
		return 1
	}
	return max(1, jobs)
}

// Cached counts the cells that a run into the folder would take from its journal.
func (p *Plan) Cached(ctx context.Context, out string, files datasets.Files) (cached int,
	seconds []float64, err error) {
	finished, err := peekJournal(filepath.Join(out, filepath.FromSlash(p.Spec.Name)))
	if err != nil || len(finished) == 0 {
		return 0, nil, err
	}
	cache, err := p.load(ctx, files)
	if err != nil {
		return 0, nil, err
	}
	for i := range p.Cells {
		c := &p.Cells[i]
		if o, ok := finished[p.cacheKey(c, cache.of(c).data.Checksum)]; ok {
			cached++
			seconds = append(seconds, o.Timing.Release+o.Timing.Measure)
		}
	}
	return cached, seconds, nil
}

// run is a plan being run.
type run struct {
	plan    *Plan
	opts    Options
	cache   *dataCache
	journal *journal
	entries []*entry // by cell; each worker writes its own cells only
	audits  []*audited

	mu     sync.Mutex // guards what follows
	done   int
	traced map[string]bool // panics whose stack has been logged
	result Result
}

// executionOrder returns the order in which cells are started. Cells of one setting are neighbours
// together in the plan and cost alike, so a seeded shuffle makes the time still needed proportional
// to the cells still open.
func (r *run) executionOrder(open []int) []int {
	if r.opts.order != nil {
		return r.opts.order
	}
	stream := random.NewKey(0).Derive("order of execution").Stream()
	stream.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
	return open
}

// cells runs the given cells on the workers, and for -1, -2, ... the audits from the first on.
func (r *run) cells(ctx context.Context, order []int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.journal.start(func(err error) { cancel(err) })
	queue := make(chan int)
	var workers sync.WaitGroup
	for range r.opts.Jobs {
		workers.Go(func() {
			for i := range queue {
				if i < 0 {
					r.audit(ctx, -1-i, cancel)
				} else {
					r.cell(ctx, i, cancel)
				}
			}
		})
	}
	r.mu.Lock()
	r.report()
	r.mu.Unlock()
feed:
	for _, i := range order {
		select {
		case queue <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(queue)
	workers.Wait()
	if err := r.journal.finish(); err != nil {
		return err
	}
	if err := r.journal.check(); err != nil {
		return err
	}
	err := context.Cause(ctx)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %d of %d cells are finished and kept; the same command goes on "+
			"from there", ErrInterrupted, r.result.Cached+r.done, r.result.Cells)
	}
	return err
}

// errFailFast ends a run after its first failed cell.
var errFailFast = errors.New("stopped at the first failed cell")

// cell runs one cell and keeps its outcome.
func (r *run) cell(ctx context.Context, i int, cancel context.CancelCauseFunc) {
	c := &r.plan.Cells[i]
	m := r.cache.of(c)
	o, err := guard(ctx, r.opts.Timeout, func(ctx context.Context, at *phase) (outcome, error) {
		o, err := r.plan.runCell(ctx, c, m, at, r.opts.Clock)
		// records that no metric asked for are drawn where a failure is the cell's own
		if err == nil && r.opts.WriteReleases {
			at.enter(results.PhaseRelease)
			_, _, err = o.release.Records(ctx)
		}
		return o, err
	})
	if err != nil && ctx.Err() != nil {
		return // the run is ending: the cell did not fail, it was not finished
	}
	o.Status = results.OK
	if err == nil && r.opts.WriteReleases {
		if unwritten := r.writeRelease(ctx, i, o.release); unwritten != nil {
			if ctx.Err() != nil {
				return
			}
			r.mu.Lock()
			r.result.Unwritten++
			r.opts.Log(fmt.Sprintf("%s: its release is not written: %v", r.plan.describe(c),
				unwritten))
			r.mu.Unlock()
		}
	}
	e := &entry{CellResult: o.CellResult, Timing: o.timing}
	if err != nil {
		var f *failure
		phase := results.PhaseRelease
		if errors.As(err, &f) {
			phase = f.phase
		}
		// A failed cell publishes nothing: numbers measured before the failure would look like a
		// result.
		e.CellResult = results.CellResult{Status: results.Failed, Phase: phase, Error: err.Error(),
			Spent: o.Spent, Ledger: o.Ledger}
	}
	e.Key = r.plan.cacheKey(c, m.data.Checksum)
	r.entries[i] = e
	r.journal.add(*e) // a failed one too: it is a record of a merged experiment
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	if err != nil {
		r.fail(c, err)
		if r.opts.FailFast {
			cancel(fmt.Errorf("%w: %s", errFailFast, r.result.Failures[0]))
		}
	}
	r.report()
}

func (r *run) fail(c *Cell, err error) {
	r.result.Failed++
	message := fmt.Sprintf("%s: %v", r.plan.describe(c), err)
	if r.result.Failed > failuresShown {
		if r.result.Failed == failuresShown+1 {
			r.opts.Log("failed: more cells, which are not listed here; each is a record with " +
				"its phase and error")
		}
		return
	}
	r.result.Failures = append(r.result.Failures, message)
	var p *panicked
	if errors.As(err, &p) && !r.traced[p.Error()] { // the same mistake once
		r.traced[p.Error()] = true
		message += "\n" + string(p.stack)
	}
	r.opts.Log("failed: " + message)
}

// report passes the progress on. It is called with the lock held.
func (r *run) report() {
	if r.opts.Progress != nil {
		r.opts.Progress(Progress{Done: r.result.Cached + r.done, Total: r.result.Cells,
			Cached: r.result.Cached, Failed: r.result.Failed})
	}
}

// checksum is of a cell's data.
func (r *run) checksum(i int) string { return r.cache.of(&r.plan.Cells[i]).data.Checksum }

// write writes the experiment's files, all in the plan's order whatever order the cells ran in.
func (r *run) write(manifest results.Manifest) error {
	p := r.plan
	finished := results.Run{Manifest: manifest, Cells: make([]results.Cell, len(p.Cells)),
		Timings: make([]results.Timing, len(p.Cells))}
	kept := make(map[*datasetConfig]bool) // datasets whose rows a cell has
	var warned warnings
	for i := range p.Cells {
		r.unprove(i)
		c, e := &p.Cells[i], r.entries[i]
		cell := results.Cell{Setting: c.Config.Setting, CellResult: e.CellResult}
		cell.Trial, cell.Fold = c.Trial, nil
		if c.Fold >= 0 {
			cell.Fold = &c.Fold
		}
		d := c.Config.data
		table := r.cache.of(c).data.Table
		if slices.Contains(p.Spec.Keep, KeepRows) && !kept[d] && table != nil {
			kept[d] = true
			cell.Original = original(table)
		}
		finished.Cells[i] = cell
		finished.Timings[i] = e.Timing
		finished.Timings[i].Cell = i
		for _, warning := range e.Warnings {
			warned.add(warning)
		}
	}
	warned.log(r.opts.Log)
	finished.Audits = r.foundAudits()
	if err := finished.Write(r.result.Dir); err != nil {
		return fmt.Errorf("finished cells are kept in %s: %w", JournalFile, err)
	}
	if r.opts.WriteReleases {
		return r.writeReleaseIndex()
	}
	return nil
}
