package experiments

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ppdp/datasets"
	"ppdp/metrics"
	"ppdp/random"
	"ppdp/results"
)

// Options are how a plan is run. None of them changes what a cell computes.
type Options struct {
	Out      string        // folder below which results/<experiment>/ lies
	Jobs     int           // cells run at once, at least 1; see Plan.Workers
	Timeout  time.Duration // for one cell; 0 means none
	FailFast bool          // end the run at the first failed cell
	Shard    Shard         // the part of the cells to run; the zero value is all of them
	// WriteReleases writes what each cell publishes below the experiment's folder, see ReleasesFolder. Cells of an earlier run whose
	// release is not there are run again.
	WriteReleases bool
	Files         datasets.Files // where data files are looked for
	Clock         func() time.Time
	Progress      func(Progress)       // called after each cell, never concurrently; may be nil
	Log           func(message string) // statistical and operational warnings; may be nil
	Build         Build                // what the manifest says of the program
	order         []int                // the order cells are started in; nil means shuffled
}

// Shard is one part of an experiment's cells when they are divided between machines: those whose number leaves the remainder Index
// by Count, 0 ≤ Index < Count. A count of 0 is no division.
type Shard struct{ Index, Count int }

func (s Shard) has(cell int) bool { return s.Count == 0 || cell%s.Count == s.Index }

// Progress is how far a run has come.
type Progress struct {
	Done, Total, Cached, Failed int
}

// Result is how a run ended.
type Result struct {
	Dir      string
	Cells    int      // of this shard, and those of others that are in the journal
	Cached   int      // taken from the journal of an earlier run
	Failed   int      // failed cells are in the records, with their phase and error
	Failures []string // the first few, for people
	// Unwritten counts releases that were to be written and could not be; the log says why.
	Unwritten int
	// Elsewhere counts the cells of other shards that are not in the journal. The experiment's files are not written without them.
	Elsewhere int
}

// ErrInterrupted says that a run ended before all its cells had; what had finished is kept and the next run
// goes on from there.
var ErrInterrupted = errors.New("interrupted")

// ErrData is wrapped by what is wrong with a plan's data. Nothing was run.
var ErrData = errors.New("data")

// dataError is an error that wraps ErrData without saying so.
type dataError struct{ error }

func (e dataError) Unwrap() error     { return e.error }
func (e dataError) Is(err error) bool { return err == ErrData }

// failuresShown is how many failed cells a Result describes.
const failuresShown = 10

// Run runs every cell of the plan that no earlier run has finished and writes the experiment's files. A failed
// cell does not end the run: it is a record of its own. The error is for what ends a run: data that cannot be
// loaded, an output folder that cannot be written, an interruption.
func (p *Plan) Run(ctx context.Context, opts Options) (*Result, error) {
	if opts.Log == nil {
		opts.Log = func(string) {}
	}
	stock, err := p.load(ctx, opts.Files)
	if err != nil {
		return nil, err // before there is a folder: nothing was run
	}
	dir := filepath.Join(opts.Out, filepath.FromSlash(p.Spec.Name))
	j, finished, err := openJournal(dir, opts.Log)
	if err != nil {
		return nil, err
	}
	defer j.close()
	stock.tell(opts.Log)
	run := &run{plan: p, opts: opts, stock: stock, journal: j,
		outcomes: make([]*outcome, len(p.Cells)), result: Result{Dir: dir, Cells: len(p.Cells)}}
	run.opts.Jobs = p.Workers(opts.Jobs)
	var open []int
	for i := range p.Cells {
		c := &p.Cells[i]
		if o, ok := finished[p.cacheKey(c, stock.of(c).data.Checksum)]; ok && (!opts.WriteReleases || run.written(i)) {
			run.outcomes[i] = &o
			run.result.Cached++
		} else if opts.Shard.has(i) {
			open = append(open, i)
		} else {
			run.result.Elsewhere++
		}
	}
	run.result.Cells -= run.result.Elsewhere
	if err := run.cells(ctx, run.arrange(open)); err != nil {
		return &run.result, err
	}
	if run.result.Elsewhere > 0 {
		return &run.result, nil
	}
	if err := run.write(); err != nil {
		return &run.result, err
	}
	return &run.result, nil
}

// Workers returns how many of the plan's cells are run at once when jobs are allowed: where a figure draws the time of a release, one,
// because releases beside each other slow each other down.
func (p *Plan) Workers(jobs int) int {
	for i := range p.Figures {
		if p.Figures[i].Y == results.RuntimeMetric {
			return 1
		}
	}
	return max(1, jobs)
}

// Cached counts the cells that a run into the folder would take from its journal.
func (p *Plan) Cached(ctx context.Context, out string, files datasets.Files) (cached int, seconds []float64, err error) {
	finished, err := peekJournal(filepath.Join(out, filepath.FromSlash(p.Spec.Name)))
	if err != nil || len(finished) == 0 {
		return 0, nil, err
	}
	stock, err := p.load(ctx, files)
	if err != nil {
		return 0, nil, err
	}
	for i := range p.Cells {
		c := &p.Cells[i]
		if o, ok := finished[p.cacheKey(c, stock.of(c).data.Checksum)]; ok {
			cached++
			seconds = append(seconds, o.Timing.Release+o.Timing.Measure)
		}
	}
	return cached, seconds, nil
}

// stock holds the loaded data of a plan, by dataset and, where it is drawn anew for each trial, by trial.
type stock struct {
	materials map[string]*material
	sets      []*datasets.Dataset // one for each configuration of a dataset, in order of first use
	infos     []datasets.Info
	labels    []string
	given     []bool // the user's own files
}

func materialName(d *datasetConfig, trial int) string {
	return d.label + "\x00" + strconv.Itoa(trial)
}

// load reads or generates all the plan's data. All problems are reported at once.
func (p *Plan) load(ctx context.Context, files datasets.Files) (*stock, error) {
	s := &stock{materials: make(map[string]*material)}
	loaded := make(map[string]bool)
	var errs []error
	for _, config := range p.Configs {
		d := &config.data
		if loaded[d.label] {
			continue
		}
		loaded[d.label] = true
		var set *datasets.Dataset
		var truth []*metrics.Memo
		for trial := range p.Trials {
			var err error
			if set == nil || d.resample {
				set, err = d.source.Load(ctx, datasets.Request{Params: d.params, Files: files, Key: p.dataKey(d, trial)})
				truth = nil
			}
			if truth == nil || p.Folds > 0 { // trials differ in their folds
				truth = nil
				for range max(1, p.Folds) {
					truth = append(truth, new(metrics.Memo))
				}
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("dataset %s: %w", d.label, err))
				break
			}
			m := &material{data: set, truth: truth}
			if set.Table != nil {
				m.rows = set.Table.AllRows()
				if p.Folds > 0 && p.Spec.Protocol == RawTest {
					m.folds, err = p.foldsOf(set.Table, p.foldKey(d, trial))
				}
				if p.Spec.Train.set() {
					m.train, err = p.Spec.Train.of(len(m.rows))
				}
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("dataset %s: %w", d.label, err))
				break
			}
			s.materials[materialName(d, trial)] = m
			if trial == 0 {
				s.sets = append(s.sets, set)
				s.infos = append(s.infos, d.info)
				s.labels = append(s.labels, d.label)
				_, given := d.params.(userFiles)
				s.given = append(s.given, given)
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w while its data were loaded: nothing was run", ErrInterrupted)
	}
	if len(errs) > 0 {
		return nil, dataError{errors.Join(errs...)}
	}
	return s, nil
}

// CheckFiles reads the files that the user has given as data and reports all that is wrong with them; the error wraps ErrData. Run
// would find the same, but only when the plans before it have run. Data of the registry are not looked at: their checksums are known.
func (p *Plan) CheckFiles(ctx context.Context, files datasets.Files) error {
	var errs []error
	checked := make(map[string]bool)
	for _, config := range p.Configs {
		d := &config.data
		if _, given := d.params.(userFiles); !given || checked[d.label] {
			continue
		}
		checked[d.label] = true
		if _, err := d.source.Load(ctx, datasets.Request{Params: d.params, Files: files, Key: p.dataKey(d, 0)}); err != nil {
			errs = append(errs, fmt.Errorf("dataset %s: %w", d.label, err))
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w while its data were read: nothing was run", ErrInterrupted)
	}
	if len(errs) > 0 {
		return dataError{errors.Join(errs...)}
	}
	return nil
}

// tell says what became of the files that the user has given as data: rows or columns left out are easily overlooked in a manifest.
func (s *stock) tell(log func(string)) {
	for i, set := range s.sets {
		if !s.given[i] {
			continue
		}
		for _, note := range notesOf(set) {
			log(fmt.Sprintf("dataset %s: %s", s.labels[i], note))
		}
	}
}

// notesOf is what a reader of results must know of a dataset.
func notesOf(set *datasets.Dataset) []string {
	notes := slices.Clone(set.Notes)
	if set.Dropped > 0 {
		notes = append(notes, fmt.Sprintf("%d rows with a missing value were left out", set.Dropped))
	}
	return notes
}

func (s *stock) of(c *Cell) *material { return s.materials[materialName(&c.Config.data, c.Trial)] }

// run is a plan being run.
type run struct {
	plan     *Plan
	opts     Options
	stock    *stock
	journal  *journal
	outcomes []*outcome // by cell; each worker writes its own cells only

	mu     sync.Mutex // guards what follows
	done   int
	traced map[string]bool // panics whose stack has been told
	result Result
}

// arrange returns the order in which cells are started. Cells of one configuration stand together in the plan
// and cost alike, so a seeded shuffle makes the time still needed proportional to the cells still open.
func (r *run) arrange(open []int) []int {
	if r.opts.order != nil {
		return r.opts.order
	}
	stream := random.NewKey(0).Derive("order of execution").Stream()
	stream.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
	return open
}

// cells runs the given cells on the workers.
func (r *run) cells(ctx context.Context, order []int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.journal.start(func(err error) { cancel(err) })
	queue := make(chan int)
	var workers sync.WaitGroup
	for range r.opts.Jobs {
		workers.Go(func() {
			for i := range queue {
				r.cell(ctx, i, cancel)
			}
		})
	}
	r.report()
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
	if err := context.Cause(ctx); err != nil {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("%w: %d of %d cells are finished and kept; the same command goes on from there",
				ErrInterrupted, r.result.Cached+r.done, r.result.Cells)
		}
		return err
	}
	return nil
}

// errFailFast ends a run after its first failed cell.
var errFailFast = errors.New("stopped at the first failed cell")

// cell runs one cell and keeps its outcome.
func (r *run) cell(ctx context.Context, i int, cancel context.CancelCauseFunc) {
	c := &r.plan.Cells[i]
	m := r.stock.of(c)
	o, err := guard(ctx, r.opts.Timeout, func(ctx context.Context, at *phase) (outcome, error) {
		o, err := r.plan.runCell(ctx, c, m, at, r.opts.Clock)
		if err == nil && r.opts.WriteReleases { // records that no metric asked for are drawn where a failure is the cell's own
			at.enter(results.PhaseRelease)
			_, _, err = o.release.Records(ctx)
		}
		return o, err
	})
	if err != nil && ctx.Err() != nil {
		return // the run is ending: the cell did not fail, it was not finished
	}
	o.Status = results.OK
	release := o.release
	o.release = nil
	if err == nil && r.opts.WriteReleases {
		if unwritten := r.writeRelease(ctx, i, release); unwritten != nil {
			if ctx.Err() != nil {
				return
			}
			r.mu.Lock()
			r.result.Unwritten++
			r.opts.Log(fmt.Sprintf("%s: its release is not written: %v", r.plan.describe(c), unwritten))
			r.mu.Unlock()
		}
	}
	if err != nil {
		var f *failure
		phase := results.PhaseRelease
		if errors.As(err, &f) {
			phase = f.phase
		}
		// A failed cell publishes nothing: numbers measured before the failure would look like a result.
		o = outcome{Status: results.Failed, Phase: phase, Error: err.Error(), Spent: o.Spent, Ledger: o.Ledger, Timing: o.Timing}
	}
	r.outcomes[i] = &o
	if o.Status == results.OK {
		kept := o
		kept.Key = r.plan.cacheKey(c, m.data.Checksum)
		r.journal.add(kept)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	if err != nil {
		r.fail(c, err)
		if r.opts.FailFast {
			cancel(fmt.Errorf("%w: %s", errFailFast, r.result.Failures[0]))
		}
	}
	r.reportLocked()
}

func (r *run) fail(c *Cell, err error) {
	r.result.Failed++
	message := fmt.Sprintf("%s: %v", r.plan.describe(c), err)
	if len(r.result.Failures) < failuresShown {
		r.result.Failures = append(r.result.Failures, message)
	}
	if r.result.Failed > failuresShown {
		if r.result.Failed == failuresShown+1 {
			r.opts.Log("failed: more cells, which are not listed here; each is a record with its phase and error")
		}
		return
	}
	var p *panicked
	if errors.As(err, &p) && !r.traced[p.Error()] { // the same mistake once
		if r.traced == nil {
			r.traced = make(map[string]bool)
		}
		r.traced[p.Error()] = true
		message += "\n" + string(p.stack)
	}
	r.opts.Log("failed: " + message)
}

func (r *run) report() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reportLocked()
}

func (r *run) reportLocked() {
	if r.opts.Progress != nil {
		r.opts.Progress(Progress{Done: r.result.Cached + r.done, Total: r.result.Cells, Cached: r.result.Cached, Failed: r.result.Failed})
	}
}

// write writes the experiment's files, all in the plan's order whatever order the cells ran in.
func (r *run) write() error {
	p := r.plan
	records := make([]results.Record, len(p.Cells))
	timings := make([]results.Timing, len(p.Cells))
	var ledger []results.LedgerRow
	var regions []results.RegionSide
	var warned warnings
	for i := range p.Cells {
		o := r.outcomes[i]
		record := p.record(&p.Cells[i])
		record.Status, record.Phase, record.Error = o.Status, o.Phase, o.Error
		record.Values, record.Structure, record.Spent, record.Warnings = o.Values, o.Structure, unboundedSpent(o.Spent), o.Warnings
		records[i] = record
		timings[i] = o.Timing
		timings[i].Cell = i
		for _, row := range o.Ledger {
			row.Cell = i
			row.Proven, row.Loss = unbounded(row.Proven), unbounded(row.Loss)
			ledger = append(ledger, row)
		}
		for _, side := range o.Regions {
			side.Cell = i
			regions = append(regions, side)
		}
		for _, warning := range o.Warnings {
			warned.add(warning)
		}
	}
	warned.log(r.opts.Log)
	manifest := r.manifest()
	type file struct {
		name  string
		write func(io.Writer) error
	}
	files := []file{
		{results.RecordsFile, func(w io.Writer) error { return results.WriteRecords(w, records) }},
		{results.TimingsFile, func(w io.Writer) error { return results.WriteTimings(w, timings) }},
		{results.LedgerFile, func(w io.Writer) error { return results.WriteLedger(w, ledger) }},
		{results.SummaryFile, func(w io.Writer) error { return results.WriteSummary(w, results.Summarise(records)) }},
		{results.ManifestFile, func(w io.Writer) error { return results.WriteManifest(w, manifest) }},
	}
	for _, kept := range []struct {
		word string
		file file
	}{
		{KeepRegions, file{results.RegionsFile, func(w io.Writer) error { return results.WriteRegions(w, regions) }}},
		{KeepRows, file{results.RowsFile, func(w io.Writer) error { return results.WriteRows(w, r.stock.rowValues(p)) }}},
	} {
		if slices.Contains(p.Spec.Keep, kept.word) {
			files = append(files, kept.file)
		} else if err := os.Remove(filepath.Join(r.result.Dir, kept.file.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("what an earlier run kept is in the way: %w", err) // it would be read as this run's
		}
	}
	for _, file := range files {
		if err := results.WriteFile(filepath.Join(r.result.Dir, file.name), file.write); err != nil {
			return fmt.Errorf("finished cells are kept in %s: %w", JournalFile, err)
		}
	}
	if r.opts.WriteReleases {
		return r.writeReleaseIndex()
	}
	return nil
}

// unbounded undoes finite.
func unbounded(x float64) float64 {
	if x == math.MaxFloat64 {
		return math.Inf(1)
	}
	return x
}

func unboundedSpent(s *results.Spent) *results.Spent {
	if s == nil {
		return nil
	}
	return &results.Spent{Claimed: s.Claimed, Proven: unbounded(s.Proven)}
}

// specHash is of the spec's meaning: comments, white space and the order of keys do not change it.
func (p *Plan) specHash() string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %d %v %s\n", p.Seed, p.Trials, p.Folds, p.Spec.Stratify, p.Spec.Protocol)
	for i := range p.Configs {
		c := p.Configs[i]
		if c.trials != p.Trials {
			fmt.Fprintf(h, "%d trials of ", c.trials)
		}
		fmt.Fprintf(h, "%s|%s|%s|%s|%s|%s\n", c.Series, c.data.label, c.Info.Name, c.Guarantee.Variant, c.epsilonText(), results.FormatParams(c.Resolved))
		for _, m := range c.Measures {
			fmt.Fprintf(h, " %s", m.Name)
			if m.Classifier != nil {
				fmt.Fprintf(h, "/%s", m.Classifier.Info().Name)
			}
		}
	}
	fmt.Fprintf(h, "%s", strings.Join(p.Spec.Keep, " "))
	fmt.Fprintf(h, "%s", p.Spec.Train.text)
	for i := range p.Figures {
		fmt.Fprintf(h, "\n%+v", p.Figures[i]) // fmt prints maps in key order
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
