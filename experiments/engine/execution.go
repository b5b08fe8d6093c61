package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/experiments/language"
	"ppdp/internal/process"
	"ppdp/internal/results"
	"ppdp/metrics"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// execution is a job being run.
type execution struct {
	plan        *language.Plan
	job         *language.Job
	data        *trialData
	train, test []int32 // rows
	at          *phase
	clock       func() time.Time
	release     *algorithms.Release
	published   metrics.Memo // results about the release that measurements share
	outcome
}

// run makes the job's release and measures it.
func (e *execution) run(ctx context.Context) error {
	e.at.enter(results.PhaseRelease)
	budget := e.budget()
	err := e.make(ctx, budget)
	if err == nil {
		err = e.check(budget)
	}
	if errors.Is(err, privacy.ErrOverspent) || errors.Is(err, privacy.ErrUnit) {
		e.at.enter(results.PhaseBudget)
	}
	if err != nil {
		return err
	}
	e.at.enter(results.PhaseMeasure)
	begin := e.clock()
	for _, measure := range e.job.Config.Measures {
		value, err := e.measure(ctx, measure)
		switch {
		case err == nil:
		case ctx.Err() != nil, errors.Is(err, errNotFinite):
			return err
		default: // it costs this measurement, not the others of the release
			e.warn("not measured: " + err.Error())
		}
		e.Values = append(e.Values, value)
	}
	e.timing.Measure = e.clock().Sub(begin).Seconds()
	return nil
}

// budget is what the job's release may spend.
func (e *execution) budget() *privacy.Budget {
	config := e.job.Config
	if config.Epsilon == nil {
		return privacy.NewBudget(0)
	}
	budget := privacy.NewApproximate(*config.Epsilon, config.Delta)
	if table := e.data.data.Table; table != nil {
		budget.Group(table.Schema().Contributions)
	}
	return budget
}

// input is what the job's algorithm gets.
func (e *execution) input(budget *privacy.Budget) algorithms.Input {
	config, data := e.job.Config, e.data.data
	return algorithms.Input{Table: data.Table, Graph: data.Graph, Rows: slices.Clone(e.train),
		Params: config.Parameters, Variant: config.Guarantee.Variant, Budget: budget,
		Noise: random.NewStreams(e.plan.NoiseKey(e.job, data.Checksum))}
}

// Short releases of a single trial are timed timings times.
const (
	short   = 0.1 // seconds
	timings = 20
)

// make makes the release. Where a figure draws the time of a single release that is short, it is
// made again, the same, and the least time counts: a busy moment of the machine has lasted longer
// than five releases of 6 ms. Several trials tell that by themselves, and quick runs claim nothing.
func (e *execution) make(ctx context.Context, budget *privacy.Budget) (err error) {
	e.release, e.timing.Release, err = e.timed(ctx, budget)
	if e.plan.Timed() && e.plan.Trials == 1 {
		for again := 1; again < timings && err == nil && e.timing.Release < short; again++ {
			var seconds float64
			_, seconds, err = e.timed(ctx, e.budget())
			e.timing.Release = min(e.timing.Release, seconds)
		}
	}
	return err
}

// timed makes the release and measures how long that takes.
func (e *execution) timed(ctx context.Context, budget *privacy.Budget) (*algorithms.Release,
	float64, error) {
	config, in := e.job.Config, e.input(budget)
	begin := e.clock()
	release, err := config.Implementation.Release(ctx, in)
	seconds := e.clock().Sub(begin).Seconds()
	if err == nil && release == nil {
		err = fmt.Errorf("%s returned neither a release nor an error", config.Algorithm)
	}
	return release, seconds, err
}

// check refuses a release that is not what its algorithm says it is, and records what it cost.
func (e *execution) check(budget *privacy.Budget) error {
	config, release := e.job.Config, e.release
	if err := budget.Refused(); err != nil { // the algorithm ignored the error
		return fmt.Errorf("%w; %s went on all the same", err, config.Algorithm)
	}
	if err := algorithms.CheckRelease(&config.Info, e.input(budget), release); err != nil {
		return err
	}
	for _, warning := range release.Warnings {
		e.warn(warning)
	}
	if warning := swamped(config, release, len(e.train)); warning != "" {
		e.warn(warning)
	}
	if s := results.Structure(release.Structure); s != (results.Structure{}) {
		e.Structure = &s
	}
	if e.plan.KeepsRegions(e.job) && release.Regions != nil {
		e.Regions = sides(e.data.data.Table.Schema(), release.Regions)
	}
	if config.Epsilon == nil {
		return nil
	}
	claimed, proven := budget.Spent()
	e.Spent = &results.Spent{Claimed: claimed, Proven: results.Bound(proven)}
	if budget.Unit() == privacy.Rho {
		e.Spent.Rho = privacy.RhoOf(*config.Epsilon, config.Delta)
		e.Spent.ProvenEpsilon = results.Bound(privacy.EpsilonOf(proven, config.Delta))
	}
	e.Ledger = budget.Ledger()
	return nil
}

// maxWarnings bounds those of a record.
const maxWarnings = 100

func (e *execution) warn(text string) {
	if len(e.Warnings) == maxWarnings {
		text = "more warnings are left out"
	}
	if len(e.Warnings) <= maxWarnings {
		e.Warnings = append(e.Warnings, process.Printable(text))
	}
}

// swamped is the warning for a release under differential privacy that publishes results.Swamped
// times the records it was made from, or more: most of them are noise. It is "" for others.
func swamped(config *language.Config, release *algorithms.Release, rows int) string {
	n, ok := release.RecordCount()
	if !ok || config.Guarantee.Model != algorithms.DifferentialPrivacy ||
		n < results.Swamped*config.Copies()*float64(max(1, rows)) {
		return ""
	}
	return fmt.Sprintf("%s published %.0f records for %d: most are noise; settings of fewer "+
		"cells help (docs/your-table.md, Compare)", config.Label(), n, rows)
}

// errNotFinite fails a job: a metric that gives such a number has a mistake.
var errNotFinite = errors.New("not a finite number")

// measure takes one measurement.
func (e *execution) measure(ctx context.Context, measure language.Measure) (results.Value, error) {
	value, k := results.Value{Measurement: measure.Measurement()}, 0
	if anonymous, ok := e.job.Config.Parameters.(algorithms.Anonymous); ok {
		k = anonymous.Anonymity()
	}
	defer func() { // of the many measurements of a job it is this one
		if p := recover(); p != nil {
			panic(fmt.Sprintf("%s: %v", value.Measurement, p))
		}
	}()
	number, ok, err := measure.Metric.Measure(ctx, metrics.Case{Table: e.data.data.Table,
		Graph: e.data.data.Graph, Train: e.train, Test: e.test, Release: e.release,
		Classifier: measure.Classifier, Params: measure.Params, K: k,
		Truth: e.data.truth[max(0, e.job.Fold)], Published: &e.published})
	switch {
	case err != nil:
		return value, fmt.Errorf("%s: %w", measure.Name, err)
	case ok && (math.IsNaN(number) || math.IsInf(number, 0)):
		return value, fmt.Errorf("%s: %w: %v", measure.Name, errNotFinite, number)
	case ok:
		value.Value = &number
	}
	return value, nil
}

// foldsOf splits a table's rows into the plan's folds, or its persons where these have several
// rows: nobody is learned from and tested on.
func foldsOf(p *language.Plan, table *datasets.Table, key random.Key) ([]classifiers.Fold, error) {
	if table.Schema().Contributions > 1 {
		return foldsOfPersons(p, table, key)
	}
	class := table.Schema().Class()
	if class < 0 {
		return classifiers.Folds(key, table.Len(), p.Folds)
	}
	labels := make([]uint32, table.Len())
	column := table.Column(class)
	for row := range labels {
		labels[row] = column.At(int32(row))
	}
	return classifiers.Stratified(key, labels, p.Folds)
}

// foldsOfPersons splits by persons, whatever the classes of their rows.
func foldsOfPersons(p *language.Plan, table *datasets.Table, key random.Key) ([]classifiers.Fold,
	error) {
	numbers, persons := make(map[int32]int32), make([]int32, table.Len())
	for row := range persons {
		number, met := numbers[table.Person(int32(row))]
		if !met {
			number = int32(len(numbers))
			numbers[table.Person(int32(row))] = number
		}
		persons[row] = number
	}
	if len(numbers) < p.Folds {
		return nil, fmt.Errorf("%d folds of %d persons, must be at most the number of persons",
			p.Folds, len(numbers))
	}
	folds, err := classifiers.Folds(key, len(numbers), p.Folds)
	for f, fold := range folds {
		folds[f] = classifiers.Fold{}
		for row, person := range persons {
			part := &folds[f].Train
			if _, tested := slices.BinarySearch(fold.Test, person); tested { // it ascends
				part = &folds[f].Test
			}
			*part = append(*part, int32(row))
		}
	}
	return folds, err
}

// failure is an error with the phase it happened in. The stack of a panic differs from run to run
// and therefore goes to the log, not into the record.
type failure struct {
	error
	phase, stack string
}

// grace is how long a job may take to notice that its time is up, or that the run is ending,
// before it is left behind.
const grace = 2 * time.Second

// guard calls job so that nothing it does can end the run. A panic becomes a failure. A job that
// goes on after its time limit, or after ctx has ended, is left behind: it takes time from others,
// and only the end of the process ends it. Clock time decides only whether a job is left behind,
// never what it computes.
func guard(ctx context.Context, timeout time.Duration,
	job func(ctx context.Context, at *phase) (outcome, error)) (outcome, *failure) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var at phase
	at.enter(results.PhaseLoad)
	var result outcome
	var failed *failure
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		err, stack := errors.New("runtime.Goexit ended the job before it returned"), ""
		defer func() {
			if p := recover(); p != nil {
				err = errors.New(process.Printable(fmt.Sprintf("panic: %v", p)))
				stack = string(debug.Stack())
			}
			if err != nil {
				failed = &failure{err, at.name(), stack}
			}
		}()
		o, wrong := job(ctx, &at)
		if wrong != nil { // what makes its text may panic, or hang, or be without end
			wrong = errors.New(process.Printable(wrong.Error()))
		}
		result, err = o, wrong
	}()
	var expired <-chan time.Time
	if timeout > 0 {
		expired = time.After(timeout)
	}
	var err error
	select {
	case <-finished:
		return result, failed
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
			return result, failed
		}
	case <-time.After(grace):
	}
	return outcome{}, &failure{err, at.name(), ""}
}

// phase is the phase that a job is in. The run reads it when a job is out of time.
type phase struct{ current atomic.Value }

func (p *phase) enter(name string) { p.current.Store(name) }
func (p *phase) name() string      { return p.current.Load().(string) }

// outcome is what running a job gave.
type outcome struct {
	results.Outcome
	timing results.Timing
}

// attempt runs a job and makes whatever ends it a failure.
func (r *run) attempt(ctx context.Context, i int, d *trialData) (outcome, *failure) {
	return guard(ctx, r.opts.Timeout, func(ctx context.Context, at *phase) (outcome, error) {
		e := execution{plan: r.plan, job: &r.plan.Jobs[i], data: d, at: at, clock: r.opts.Clock}
		e.train, e.test = d.split(e.job.Fold)
		err := e.run(ctx)
		return e.outcome, err
	})
}

// sides lists the extents of a release's regions, in the attributes' units. Attributes that a
// release generalises along a taxonomy are left out: their regions are sets of values, not
// intervals.
func sides(schema *datasets.Schema, regions *algorithms.Regions) []results.RegionSide {
	var all []results.RegionSide
	for region := range regions.Len() {
		low, high := regions.Box(region)
		records := 0.0
		for _, n := range regions.Count(region) {
			records += n
		}
		for d, attribute := range regions.Attributes {
			if regions.Axes != nil && regions.Axes[d] != nil {
				continue
			}
			a := &schema.Attributes[attribute]
			all = append(all, results.RegionSide{Region: region, Records: records,
				Attribute: a.Name, Low: edge(a, low[d]), High: edge(a, high[d])})
		}
	}
	return all
}

// edge is where a code begins: halfway from the value before, or at the lower end of a continuous
// attribute's cell.
func edge(a *datasets.Attribute, code uint32) float64 {
	switch {
	case a.Kind == datasets.Categorical:
		return float64(code) - 0.5
	case a.Continuous:
		return math.Min(a.Low+float64(float64(code)*a.Step), a.High)
	}
	return a.Low + float64((float64(code)-0.5)*a.Step)
}

// columnsOf returns the quasi-identifiers of a table, column by column. A missing number is just
// above all others.
func columnsOf(table *datasets.Table) []results.Column {
	schema := table.Schema()
	var columns []results.Column
	for _, attribute := range schema.QuasiIdentifiers() {
		a := &schema.Attributes[attribute]
		column := results.Column{Attribute: a.Name, Values: make([]float64, table.Len())}
		for row := range column.Values {
			if a.Kind != datasets.Numeric {
				column.Values[row] = float64(table.Column(attribute).At(int32(row)))
			} else if x := table.Number(int32(row), attribute); math.IsNaN(x) {
				column.Values[row] = a.High
			} else {
				column.Values[row] = x
			}
		}
		columns = append(columns, column)
	}
	return columns
}
