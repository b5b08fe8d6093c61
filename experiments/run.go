package experiments

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"ppdp/algorithms"
	"ppdp/audit"
	"ppdp/datasets"
	"ppdp/internal/process"
	"ppdp/internal/results"
	"ppdp/random"
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
	// Isolation, unless nil, has cells and audits run in processes of their own, so that one which
	// ends its process or uses up its memory is a failed record at once.
	Isolation *Isolation
	// Retry runs cells again that were running when two processes died, see Run.
	Retry bool
	order []int                // the order cells are started in; nil means shuffled
	sync  func(*os.File) error // in place of the journal's
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

// deadly is how many processes may die while a cell runs: it runs alone after the first, and after
// the last it is a failed record.
const deadly = 2

// errDeadly is what a failed record says of such a cell.
var errDeadly = fmt.Errorf("%d processes ended without a word while this cell ran, the last time "+
	"alone; should something else have killed them, run again with --retry", deadly)

// Run runs every cell of the plan that no earlier run has finished and writes the experiment's
// files. A failed cell does not end the run: it is a record of its own. The error is for what ends
// a run: data that cannot be loaded, an output folder that cannot be written, an interruption.
//
// Cells that were running when an earlier process died may have killed it. They are run after the
// others and one at a time; those for which that has happened twice are failed records at once.
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
	j, held, err := openJournal(dir, opts.Log)
	if err != nil {
		return nil, err
	}
	defer j.close()
	if opts.sync != nil {
		j.sync = opts.sync
	}
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
		deaths := held.deaths[run.keys[i]]
		o, ok := held.finished[run.keys[i]]
		switch {
		case ok && (!opts.WriteReleases || run.written(i)):
			run.keep(i, &o)
			run.result.Cached++
		case run.isolated(p.Cells[i].Config): // it ends no process but its own
			open = append(open, i)
		case deaths >= deadly && !opts.Retry:
			run.dead = append(run.dead, i)
		case deaths > 0:
			run.apart = append(run.apart, i)
		default:
			open = append(open, i)
		}
	}
	if n := len(run.apart); n > 0 {
		opts.Log(fmt.Sprintf("%d cells were running when an earlier run died: they run last, one "+
			"at a time", n))
	}
	run.result.Cells -= run.result.OtherShards
	start := run.start(run.result.Cells)
	if err := start.write(dir); err != nil {
		return nil, err
	}
	if opts.Isolation != nil {
		run.workers = run.newWorkers(start)
		defer run.workers.Close()
	}
	open = run.executionOrder(open)
	if opts.Audit != nil {
		audits, err := run.openAudits(held.finished)
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
		entries: make([]*entry, len(p.Cells)), proofs: make([]proof, len(p.Cells)),
		keys: make([]string, len(p.Cells)), traced: make(map[string]bool),
		left:   make(map[int]<-chan struct{}),
		result: Result{Dir: dir, Cells: len(p.Cells)}}
	run.opts.Jobs = p.Workers(opts.Jobs)
	run.finished = func(i int) (entry, error) { return *run.entries[i], nil }
	key := p.cacheKeys()
	for i := range p.Cells {
		run.keys[i] = key(&p.Cells[i], run.checksum(i))
	}
	return run
}

// Cached counts the cells that a run into the folder would take from its journal.
func (p *Plan) Cached(ctx context.Context, out string, files datasets.Files) (cached int,
	seconds []float64, err error) {
	held, err := peekJournal(filepath.Join(out, filepath.FromSlash(p.Spec.Name)))
	if err != nil || len(held.finished) == 0 {
		return 0, nil, err
	}
	cache, err := p.load(ctx, files)
	if err != nil {
		return 0, nil, err
	}
	key := p.cacheKeys()
	for i := range p.Cells {
		c := &p.Cells[i]
		if o, ok := held.finished[key(c, cache.of(c).Checksum)]; ok {
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
	proofs  []proof  // by cell, as entries
	keys    []string // of cells, in the journal
	// finished is the entry of a finished cell.
	finished func(i int) (entry, error)
	audits   []*audited
	dead     []int         // cells that are not run any more
	workers  *process.Pool // of Options.Isolation, or nil

	mu     sync.Mutex              // guards what follows
	done   int                     // cells that are on disk
	traced map[string]bool         // crashes whose stack has been logged
	apart  []int                   // cells to be run alone, after the others
	left   map[int]<-chan struct{} // cells left behind, and when they end after all
	result Result
}

// executionOrder returns the order in which cells are started. Cells of one setting are neighbours
// together in the plan and cost alike, so a seeded shuffle makes the time still needed proportional
// to the cells still open. Cells whose data are drawn anew come trial by trial.
func (r *run) executionOrder(open []int) []int {
	if r.opts.order != nil {
		return r.opts.order
	}
	stream := random.NewKey(0).Derive("order of execution").Stream()
	stream.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
	r.byTrial(open)
	return open
}

// cells runs the given cells on the workers, and for -1, -2, ... the audits from the first on.
func (r *run) cells(ctx context.Context, order []int) error {
	if r.plan.timed() {
		// Some releases of large tables would use more processors than those of small ones.
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.journal.start(func(err error) { cancel(err) })
	r.mu.Lock()
	r.report()
	r.mu.Unlock()
	for _, i := range r.dead {
		r.finish(i, outcome{}, &failure{results.PhaseRelease, errDeadly}, cancel)
	}
	r.pool(ctx, order, r.opts.Jobs, func(i int) {
		if i < 0 {
			r.audit(ctx, -1-i, cancel)
		} else if r.isolated(r.plan.Cells[i].Config) {
			r.askCell(ctx, i, cancel)
		} else {
			r.cell(ctx, i, false, cancel)
		}
	})
	r.settle()
	// No cell is put apart while those that are run: this list is complete.
	apart := slices.Clone(r.apart)
	r.byTrial(apart)
	r.pool(ctx, apart, 1, func(i int) {
		r.journal.flush(ctx) // should the cell end the process, no other one is in flight
		r.cell(ctx, i, true, cancel)
	})
	kept := r.journal.finish()
	r.nameLeft()
	if kept != nil {
		return kept
	}
	if err := r.journal.check(); err != nil {
		return err
	}
	err := context.Cause(ctx)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %d of %d cells are finished and kept; the same command goes on "+
			"from there", ErrInterrupted, r.result.Cached+r.done-r.result.Failed, r.result.Cells)
	}
	return err
}

// pool runs cells in order, so many at once.
func (r *run) pool(ctx context.Context, order []int, jobs int, cell func(i int)) {
	queue := make(chan int)
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for i := range queue {
				cell(i)
			}
		})
	}
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
}

// nameLeft says which cells were left behind and still run: they take time from others, and only
// the end of the process ends them.
func (r *run) nameLeft() {
	var names []string
	for _, i := range slices.Sorted(maps.Keys(r.left)) {
		select {
		case <-r.left[i]:
		default:
			names = append(names, r.plan.describe(&r.plan.Cells[i]))
		}
		r.mark(i, ended, nil) // the process outlived it so far
	}
	if n := len(names); n > failuresShown {
		names = append(names[:failuresShown], fmt.Sprintf("and %d more", n-failuresShown))
	}
	if len(names) > 0 {
		r.opts.Log("cells that did not end when they were told to, and run until this process " +
			"ends: " + strings.Join(names, "; "))
	}
}

// mark notes a cell's state in the journal. An error ends the run.
func (r *run) mark(i int, state string, cancel context.CancelCauseFunc) {
	if err := r.journal.mark(r.keys[i], state); err != nil && cancel != nil {
		cancel(err)
	}
}

// errFailFast ends a run after its first failed cell.
var errFailFast = errors.New("stopped at the first failed cell")

// cell runs one cell and keeps its outcome.
func (r *run) cell(ctx context.Context, i int, alone bool, cancel context.CancelCauseFunc) {
	c := &r.plan.Cells[i]
	m, err := r.take(ctx, i)
	if err != nil {
		cancel(err)
		return
	}
	defer r.giveBack(m)
	if m.seal.changed.Load() {
		if !alone {
			r.setApart(i)
			return
		}
		if err := r.reload(ctx, i, m); err != nil {
			cancel(err)
			return
		}
	}
	r.mark(i, begun, cancel)
	o, running, err := r.attempt(ctx, i, m, nil)
	if running != nil {
		r.mu.Lock()
		r.left[i] = running
		r.mu.Unlock()
	}
	unfinished := func() {
		if running == nil {
			r.mark(i, ended, cancel)
		}
	}
	if err != nil && ctx.Err() != nil {
		unfinished() // the run is ending: the cell did not fail
		return
	}
	if err == nil && r.opts.WriteReleases && !r.publish(ctx, i, m, o.release) {
		unfinished()
		return
	}
	o.release = nil // it may be large, and the cell may wait for others
	m.seal.vouch(m.data, r.opts.Clock, func(intact bool) {
		if !intact && r.opts.WriteReleases {
			r.unwrite(i)
		}
		if !intact && !alone { // so that it will be known which one it was
			unfinished()
			r.setApart(i)
			return
		}
		if !intact {
			err = changed(c)
		}
		if err != nil {
			unfinished()
		}
		r.finish(i, o, err, cancel)
	})
	if alone {
		m.seal.settle(m.data, r.opts.Clock)
	}
}

// attempt runs a cell. entered, unless nil, is told the phases that it enters.
func (r *run) attempt(ctx context.Context, i int, m *cellData, entered func(phase string)) (
	outcome, <-chan struct{}, error) {
	c := &r.plan.Cells[i]
	return guard(ctx, r.opts.Timeout, func(ctx context.Context, at *phase) (outcome, error) {
		at.entered = entered
		o, err := r.plan.runCell(ctx, c, m, at, r.opts.Clock)
		// records that no metric asked for are drawn where a failure is the cell's own
		if err == nil && r.opts.WriteReleases {
			at.enter(results.PhaseRelease)
			_, _, err = o.release.Records(ctx)
		}
		return o, err
	})
}

// publish writes a cell's release and reports whether the cell is done with that.
func (r *run) publish(ctx context.Context, i int, m *cellData, release *algorithms.Release) bool {
	if err := r.writeRelease(ctx, i, m, release); err != nil {
		if ctx.Err() != nil {
			return false
		}
		r.unwritten(i, err.Error())
	}
	return true
}

// unwritten notes that a cell's release could not be written.
func (r *run) unwritten(i int, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Unwritten++
	r.opts.Log(fmt.Sprintf("%s: its release is not written: %s",
		r.plan.describe(&r.plan.Cells[i]), why))
}

// setApart has a cell run alone, after the others.
func (r *run) setApart(i int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.apart = append(r.apart, i)
}

// finish keeps the outcome of a cell. It is done when it is on disk, a failed one too: it is a
// record of a merged experiment.
func (r *run) finish(i int, o outcome, err error, cancel context.CancelCauseFunc) {
	c := &r.plan.Cells[i]
	o.Status = results.OK
	if err != nil {
		var f *failure
		phase := results.PhaseRelease
		if errors.As(err, &f) {
			phase = f.phase
		}
		// A failed cell publishes nothing: numbers measured before the failure would look like a
		// result.
		o.CellResult = results.CellResult{Status: results.Failed, Phase: phase, Error: err.Error(),
			Spent: o.Spent, Ledger: o.Ledger}
	}
	e := entry{mark: mark{Key: r.keys[i]}, CellResult: o.CellResult, Timing: o.timing}
	r.keep(i, &e)
	r.journal.add(&e, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.done++
		if err != nil {
			r.fail(c, err)
		}
		r.report()
	})
	if err != nil && r.opts.FailFast {
		cancel(fmt.Errorf("%w: %s: %w", errFailFast, r.plan.describe(c), err))
	}
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
	var crash *crashed
	if errors.As(err, &crash) && !r.traced[crash.text] { // the same mistake once
		r.traced[crash.text] = true
		message += "\n" + string(crash.stack)
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
func (r *run) checksum(i int) string { return r.cache.of(&r.plan.Cells[i]).Checksum }

// write writes the experiment's files, all in the plan's order whatever order the cells ran in.
func (r *run) write(manifest results.Manifest) error {
	p := r.plan
	kept := make(map[*datasetConfig]bool) // datasets whose rows a cell has
	var warned warnings
	err := results.Write(r.result.Dir, manifest, r.foundAudits(),
		func(add func(*results.Cell, *results.Timing) error) error {
			for i := range p.Cells {
				e, err := r.finished(i)
				if err != nil {
					return err
				}
				e = r.unproved(i, e)
				c := &p.Cells[i]
				cell := results.Cell{Setting: c.Config.Setting, CellResult: e.CellResult}
				cell.Trial, cell.Fold = c.Trial, nil
				if c.Fold >= 0 {
					cell.Fold = &c.Fold
				}
				d := c.Config.data
				if slices.Contains(p.Spec.Keep, KeepRows) && !kept[d] && !d.info.Graph {
					m, err := r.take(context.Background(), i) // all cells are there
					if err == nil && m.seal.changed.Load() {
						err = r.reload(context.Background(), i, m)
					}
					if err != nil {
						return err
					}
					kept[d], cell.Original = true, original(m.data.Table)
					r.giveBack(m)
				}
				for _, warning := range e.Warnings {
					warned.add(warning)
				}
				e.Timing.Cell = i
				if err := add(&cell, &e.Timing); err != nil {
					return err
				}
			}
			return nil
		})
	warned.log(r.opts.Log)
	if err != nil {
		return fmt.Errorf("finished cells are kept in %s: %w", JournalFile, err)
	}
	if r.opts.WriteReleases {
		return r.writeReleaseIndex()
	}
	return nil
}
