package experiments

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
	"ppdp/internal/results"
	"ppdp/metrics"
	"ppdp/privacy"
	"ppdp/random"
)

// failure is an error with the phase it happened in.
type failure struct {
	phase string
	err   error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// grace is how long a cell may take to notice that its time is up, or that the run is ending,
// before it is left behind.
const grace = 2 * time.Second

// guard runs one cell so that nothing it does can end the run: a panic becomes a failure, and a
// cell that does not return when it is told to is left behind; running is then closed when it
// returns after all, and nil otherwise. Clock time decides only whether a cell is abandoned, never
// what it computes.
func guard(ctx context.Context, timeout time.Duration,
	cell func(ctx context.Context, at *phase) (outcome, error)) (o outcome,
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
				result.err = &crashed{fmt.Sprintf("panic: %v", p), debug.Stack()}
			} else if !returned {
				result.err = errors.New("runtime.Goexit ended the cell before it returned")
			}
			if result.err != nil {
				result.err = &failure{at.name(), result.err}
			}
		}()
		result.outcome, result.err = cell(ctx, &at)
		returned = true
	}()
	var expired <-chan time.Time
	if timeout > 0 {
		expired = time.After(timeout)
	}
	select {
	case <-finished:
		return result.outcome, nil, result.err
	case <-ctx.Done(): // an interrupted run waits for its cells: they look at the context
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

// phase is where a cell is; it is read from outside when a cell does not come back.
type phase struct {
	current atomic.Value
	entered func(name string) // is told, unless nil
}

func (p *phase) enter(name string) {
	p.current.Store(name)
	if p.entered != nil {
		p.entered(name)
	}
}

func (p *phase) name() string { return p.current.Load().(string) }

// crashed is a panic caught in a cell, or the end of its process. Its stack differs from run to run
// and therefore goes to the log, not into the record.
type crashed struct {
	text  string
	stack []byte
}

func (c *crashed) Error() string { return c.text }

// outcome is what running a cell gave.
type outcome struct {
	results.CellResult
	timing  results.Timing
	release *algorithms.Release
}

// runCell makes the cell's release and measures it.
func (p *Plan) runCell(ctx context.Context, c *Cell, m *cellData, at *phase,
	clock func() time.Time) (o outcome, err error) {
	config := c.Config
	at.enter(results.PhaseRelease)
	train, test := m.split(c.Fold)
	budget := privacy.NewBudget(0)
	if config.Epsilon != nil {
		budget = privacy.NewApproximate(*config.Epsilon, config.Delta)
	}
	in := algorithms.Input{
		Table: m.data.Table, Graph: m.data.Graph, Rows: slices.Clone(train),
		Params: config.Parameters, Variant: config.Guarantee.Variant, Budget: budget,
		Noise: random.NewStreams(p.noiseKey(c, m.data.Checksum)),
	}
	begin := clock()
	release, err := config.Implementation.Release(ctx, in)
	o.timing.Release = clock().Sub(begin).Seconds()
	if errors.Is(err, privacy.ErrOverspent) || errors.Is(err, privacy.ErrUnit) {
		at.enter(results.PhaseBudget)
	}
	if err != nil {
		return o, err
	}
	if release == nil {
		return o, fmt.Errorf("%s returned neither a release nor an error", config.Algorithm)
	}
	if err := budget.Refused(); err != nil { // swallowed: what was to get noise has none
		at.enter(results.PhaseBudget)
		return o, fmt.Errorf("%w; %s went on all the same", err, config.Algorithm)
	}
	in.Rows = train // the algorithm may have used its own up
	if err := algorithms.CheckRelease(&config.Info, in, release); err != nil {
		return o, err
	}
	o.release, o.Warnings = release, release.Warnings
	if warning := swamped(config, release, len(train)); warning != "" {
		o.Warnings = append(slices.Clip(o.Warnings), warning)
	}
	if s := results.Structure(release.Structure); s != (results.Structure{}) {
		o.Structure = &s
	}
	if p.keeps(c) && release.Regions != nil {
		o.Regions = sides(m.data.Table.Schema(), release.Regions)
	}
	if config.Epsilon != nil {
		claimed, proven := budget.Spent()
		o.Spent = &results.Spent{Claimed: claimed, Proven: results.Bound(proven)}
		if budget.Unit() == privacy.Rho {
			o.Spent.Rho = budget.Total()
			o.Spent.ProvenEpsilon = results.Bound(privacy.EpsilonOf(proven, config.Delta))
		}
		for _, e := range budget.Ledger() {
			o.Ledger = append(o.Ledger, results.LedgerRow{
				Purpose: e.Purpose, Mechanism: e.Mechanism, Composition: e.Composition,
				Claimed: e.Claimed, Proven: results.Bound(e.Proven), Calls: e.Calls,
				Cost: e.Cost, Loss: results.Bound(e.Loss)})
		}
		// Path.charge refuses what would overspend; should it ever not, this does.
		if claimed > budget.Total()*(1+1e-9) {
			at.enter(results.PhaseBudget)
			return o, fmt.Errorf("%w: %g of %g", privacy.ErrOverspent, claimed, budget.Total())
		}
	}
	at.enter(results.PhaseMeasure)
	begin = clock()
	var published metrics.Memo
	for _, measure := range config.Measures {
		value, err := p.measure(ctx, measure, m, train, test, release, &published, c)
		switch {
		case err == nil:
		case ctx.Err() != nil, errors.Is(err, errNotFinite):
			return o, err
		default: // it costs this measurement, not the others of the release
			o.Warnings = append(slices.Clip(o.Warnings), "not measured: "+err.Error())
		}
		o.Values = append(o.Values, value)
	}
	o.timing.Measure = clock().Sub(begin).Seconds()
	return o, nil
}

// swamped warns of a release under differential privacy that publishes so many times the records
// it was made from that most of them are noise, "" for others.
func swamped(config *Config, release *algorithms.Release, rows int) string {
	n, ok := release.RecordCount()
	if !ok || config.Guarantee.Model != algorithms.DifferentialPrivacy ||
		n < results.Swamped*config.Copies()*float64(max(1, rows)) {
		return ""
	}
	return fmt.Sprintf("%s published %.0f records for %d: most are noise; settings of fewer "+
		"cells help (docs/your-table.md, Compare)", config.Label(), n, rows)
}

// errNotFinite is a metric's mistake, not the release's.
var errNotFinite = errors.New("not a finite number")

func (p *Plan) measure(ctx context.Context, measure Measure, m *cellData, train, test []int32,
	release *algorithms.Release, published *metrics.Memo, c *Cell) (results.Value, error) {
	value := results.Value{Measurement: measure.measurement()}
	k := 0
	if anonymous, ok := c.Config.Parameters.(algorithms.Anonymous); ok {
		k = anonymous.Anonymity()
	}
	evaluate := func() (number float64, ok bool, err error) {
		if p.Spec.Protocol == Inside && measure.Metric.Info().Classifier {
			return p.measureInside(ctx, measure, release, p.noiseKey(c, m.data.Checksum))
		}
		return measure.Metric.Measure(ctx, metrics.Case{Table: m.data.Table, Graph: m.data.Graph,
			Train: train, Test: test, Release: release, Classifier: measure.Classifier,
			Params: measure.Params, K: k, Truth: m.truth[max(0, c.Fold)], Published: published})
	}
	number, ok, err := evaluate()
	if err != nil {
		return value, fmt.Errorf("%s: %w", measure.Name, err)
	}
	if !ok {
		return value, nil
	}
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return value, fmt.Errorf("%s: %w: %v", measure.Name, errNotFinite, number)
	}
	value.Value = &number
	return value, nil
}

// measureInside cross-validates a classifier inside the released records and averages over the
// folds.
func (p *Plan) measureInside(ctx context.Context, measure Measure, release *algorithms.Release,
	key random.Key) (float64, bool, error) {
	table, weights, err := release.Records(ctx)
	if err != nil {
		return 0, false, err
	}
	if table.Len() < p.Folds {
		return 0, false, nil
	}
	folds, err := p.foldsOf(table, key.Derive("inside folds"))
	if err != nil {
		return 0, false, err
	}
	inside := cellData{rows: table.AllRows(), folds: folds}
	sum := 0.0
	for fold := range folds {
		train, test := inside.split(fold)
		part := &algorithms.Release{Table: table.Select(train)}
		if weights != nil {
			part.Weights = make([]float64, len(train))
			for i, row := range train {
				part.Weights[i] = weights[row]
			}
		}
		number, ok, err := measure.Metric.Measure(ctx, metrics.Case{Table: table, Train: train,
			Test: test, Release: part, Classifier: measure.Classifier, Params: measure.Params})
		if err != nil || !ok {
			return 0, ok, err
		}
		sum += number
	}
	return sum / float64(len(folds)), true, nil
}

// foldsOf splits a table's rows into the plan's folds.
func (p *Plan) foldsOf(table *datasets.Table, key random.Key) ([]classifiers.Fold, error) {
	class := table.Schema().Class()
	if !p.Spec.Stratify || class < 0 {
		return classifiers.Folds(key, table.Len(), p.Folds)
	}
	labels := make([]uint32, table.Len())
	column := table.Column(class)
	for row := range labels {
		labels[row] = column.At(int32(row))
	}
	return classifiers.Stratified(key, labels, p.Folds)
}
