package experiments

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
	"ppdp/metrics"
)

// dataCache holds the data of a plan: all of those that are drawn once, and of those drawn anew for
// each trial the ones that cells need now.
type dataCache struct {
	facts map[dataKey]*facts
	sets  []loadedSet // in order of first use

	mu    sync.Mutex // guards what follows
	cells map[dataKey]*cellData
}

// dataKey names the data of one trial.
type dataKey struct {
	config *datasetConfig
	trial  int
}

func (c *Cell) dataKey() dataKey { return dataKey{c.Config.data, c.Trial} }

// facts are what stays of data that are let go.
type facts struct {
	datasets.Dataset     // without its table or graph
	nodes, maxDegree int // of a graph
}

// loadedSet is a dataset, of the first trial where it is drawn anew for each.
type loadedSet struct {
	config *datasetConfig
	data   *facts
}

// load reads or generates all the plan's data, and lets go those of a trial that are drawn anew for
// the next. All problems are reported at once.
func (p *Plan) load(ctx context.Context, files datasets.Files) (*dataCache, error) {
	s := &dataCache{facts: make(map[dataKey]*facts), cells: make(map[dataKey]*cellData)}
	sets := p.datasets()
	// What stays for all trials is made side by side, except for the user's own files, which may be
	// large and show how far they are read.
	made, errs := make([]*cellData, len(sets)), make([]error, len(sets))
	var making errgroup.Group
	making.SetLimit(runtime.GOMAXPROCS(0))
	for i, d := range slices.Backward(sets) { // most lists of sizes ascend
		if !d.given && !d.resample {
			making.Go(func() error {
				made[i], errs[i] = p.loadTrial(ctx, files, d, 0, nil)
				return nil
			})
		}
	}
	_ = making.Wait()
	for i, d := range sets {
		m, err := made[i], errs[i]
		for trial := 0; trial < p.Trials && err == nil; trial++ {
			if d.resample {
				m = nil
				s.letGo(nil) // no cell has run
			}
			if trial > 0 || made[i] == nil {
				if m, err = p.loadTrial(ctx, files, d, trial, m); err != nil {
					break
				}
			}
			key := dataKey{d, trial}
			s.facts[key], s.cells[key] = m.facts, m
			if trial == 0 {
				s.sets = append(s.sets, loadedSet{d, m.facts})
				err = p.usable(d, m)
			}
		}
		errs[i] = err
	}
	return s, dataErrors(ctx, errs)
}

// loadTrial returns the data of a trial, whose earlier one shares them unless they are drawn anew.
func (p *Plan) loadTrial(ctx context.Context, files datasets.Files, d *datasetConfig, trial int,
	earlier *cellData) (*cellData, error) {
	m := &cellData{}
	if earlier != nil && !d.resample {
		m.data, m.facts, m.seal, m.truth = earlier.data, earlier.facts, earlier.seal, earlier.truth
	} else {
		var err error
		if m.data, err = p.loadData(ctx, files, d, trial); err != nil {
			return nil, err
		}
		m.seal, m.facts = &seal{sum: sumOf(m.data)}, factsOf(m.data)
	}
	if m.truth == nil || p.Folds > 0 { // trials differ in their folds
		m.truth = nil
		for range max(1, p.Folds) {
			m.truth = append(m.truth, new(metrics.Memo))
		}
	}
	table := m.data.Table
	if table == nil {
		return m, nil
	}
	m.rows = table.AllRows()
	var err error
	if p.Folds > 0 && p.Spec.Protocol == RawTest {
		m.folds, err = p.foldsOf(table, p.foldKey(d, m.data.Checksum, trial))
	} else if p.Spec.Train.set() {
		m.train, err = p.Spec.Train.of(len(m.rows))
	}
	if err != nil {
		return nil, fmt.Errorf("dataset %s: %w", d.label(), err)
	}
	return m, nil
}

func factsOf(data *datasets.Dataset) *facts {
	f := &facts{Dataset: *data}
	f.Table, f.Graph = nil, nil
	if data.Graph != nil {
		f.nodes, f.maxDegree = data.Graph.Nodes(), data.Graph.MaxDegree()
	}
	return f
}

// take returns the data of a cell, and loads them again where they were let go. Whoever has them
// gives them back.
func (r *run) take(ctx context.Context, i int) (*cellData, error) {
	s, c := r.cache, &r.plan.Cells[i]
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.cells[c.dataKey()]
	if m == nil {
		s.letGo(r.opts.Clock) // before there are more
		var err error
		m, err = r.plan.loadTrial(ctx, r.opts.Files, c.Config.data, c.Trial, nil)
		if err == nil && m.data.Checksum != r.checksum(i) {
			err = errOtherData
		}
		if err != nil {
			return nil, r.notAgain(i, err)
		}
		s.cells[c.dataKey()] = m
	}
	m.takers++
	return m, nil
}

func (r *run) giveBack(m *cellData) {
	r.cache.mu.Lock()
	m.takers--
	r.cache.mu.Unlock()
}

// letGo forgets data that are drawn anew for each trial and are not in use. Those of the
// last cell stay until others are loaded: the next cell is most likely of the same trial.
func (s *dataCache) letGo(clock func() time.Time) {
	for key, m := range s.cells { // order-free: each is looked at
		if key.config.resample && m.takers == 0 {
			m.seal.settle(m.data, clock)
			delete(s.cells, key)
		}
	}
}

// byTrial brings cells whose data are drawn anew for each trial together by their data, so that few
// of these are needed at once: first those of the first such cell. All others keep their places.
func (r *run) byTrial(order []int) {
	var places, drawn []int
	first := make(map[dataKey]int)
	for place, i := range order {
		c := &r.plan.Cells[i]
		if !c.Config.data.resample {
			continue
		}
		places, drawn = append(places, place), append(drawn, i)
		if _, seen := first[c.dataKey()]; !seen {
			first[c.dataKey()] = place
		}
	}
	slices.SortStableFunc(drawn, func(a, b int) int {
		return first[r.plan.Cells[a].dataKey()] - first[r.plan.Cells[b].dataKey()]
	})
	for n, place := range places {
		order[place] = drawn[n]
	}
}

var errOtherData = errors.New("they are not what they were when the run began")

// notAgain is why a run ends whose data are not to be had a second time.
func (r *run) notAgain(i int, err error) error {
	return fmt.Errorf("%s: the data cannot be loaded again: %w",
		r.plan.describe(&r.plan.Cells[i]), err)
}

// reload replaces the data of a cell by what they were before somebody changed them. No other cell
// may be running.
func (r *run) reload(ctx context.Context, i int, changed *cellData) error {
	c := &r.plan.Cells[i]
	fresh, err := r.plan.loadData(ctx, r.opts.Files, c.Config.data, c.Trial)
	if err == nil && fresh.Checksum != changed.data.Checksum {
		err = errOtherData
	}
	if err != nil {
		return r.notAgain(i, err)
	}
	*changed.data = *fresh
	changed.seal.changed.Store(false)
	for _, m := range r.cache.cells { // order-free: each gets its own
		if m.seal != changed.seal {
			continue
		}
		m.truth = slices.Clone(m.truth)
		for i := range m.truth {
			m.truth[i] = new(metrics.Memo)
		}
	}
	return nil
}

// seal tells whether data are what they were when they were loaded. It finds mistakes, not attacks.
type seal struct {
	sum     datasets.Sum
	changed atomic.Bool // since when all cells that run have seen changed data

	mu    sync.Mutex // guards what follows
	last  time.Time  // when the last look ended
	cost  time.Duration
	open  []func(intact bool) // what waits for the next look
	timer *time.Timer         // for it
}

// sealShare is how many times as long as a look at the data takes the next one is later: a look at
// a large graph takes longer than to release its degrees.
const sealShare = 200

// vouch calls done when it is known whether the data were intact to the end of a cell that has
// ended now: at once in most cases, and soon in the others.
func (s *seal) vouch(data *datasets.Dataset, clock func() time.Time, done func(intact bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = append(s.open, done)
	if wait := sealShare*s.cost - clock().Sub(s.last); wait <= 0 {
		s.look(data, clock)
	} else if s.timer == nil {
		s.timer = time.AfterFunc(wait, func() { s.settle(data, clock) })
	}
}

// settle calls all that wait.
func (s *seal) settle(data *datasets.Dataset, clock func() time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) > 0 {
		s.look(data, clock)
	}
}

func (s *seal) look(data *datasets.Dataset, clock func() time.Time) {
	begin := clock()
	if !s.changed.Load() && sumOf(data) != s.sum {
		s.changed.Store(true)
	}
	s.last = clock()
	s.cost = s.last.Sub(begin)
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	for _, done := range s.open {
		done(!s.changed.Load())
	}
	s.open = s.open[:0]
}

func sumOf(data *datasets.Dataset) datasets.Sum {
	if data.Graph != nil {
		return data.Graph.Sum()
	}
	return data.Table.Sum()
}

// CheckFiles reads the files that the user has given as data and reports all that is wrong with
// them; the error wraps ErrData. Run would find the same, but only when the plans before it have
// run. Data of the registry are not looked at: their checksums are known.
func (p *Plan) CheckFiles(ctx context.Context, files datasets.Files) error {
	var errs []error
	for _, d := range p.datasets() {
		if d.given {
			m, err := p.loadTrial(ctx, files, d, 0, nil)
			if err == nil {
				err = p.usable(d, m)
			}
			errs = append(errs, err)
		}
	}
	return dataErrors(ctx, errs)
}

// usable reports the algorithms, metrics and classifiers of the spec that a loaded dataset cannot
// serve, by the lines that ask for them.
func (p *Plan) usable(d *datasetConfig, m *cellData) error {
	table := m.data.Table
	if table == nil {
		return nil
	}
	r := strictyaml.NewReader(p.Spec.file)
	reported := make(map[string]bool)
	problem := func(node *strictyaml.Node, err error) {
		if err == nil {
			return
		}
		text := fmt.Sprintf("%v (dataset %s)", err, d.label())
		if key := fmt.Sprint(node.Line, text); !reported[key] {
			reported[key] = true
			r.Problemf(node, "%s", text)
		}
	}
	fewest := len(m.rows)
	for fold := range m.folds {
		train, _ := m.split(fold)
		fewest = min(fewest, len(train))
	}
	if m.train > 0 {
		fewest = m.train
	}
	for _, config := range p.Configs {
		if config.data == d {
			for _, text := range flatten(config.refuses(fewest, table.Schema())) {
				problem(config.node, errors.New(text))
			}
		}
	}
	for _, measure := range p.Spec.measured {
		problem(measure.node, metrics.CheckSchema(measure.Metric, measure.Classifier,
			measure.Params, table.Schema()))
	}
	return r.Err()
}

// dataErrors is the error of reading a plan's data, nil if all could be read.
func dataErrors(ctx context.Context, errs []error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w while its data were read: nothing was run", ErrInterrupted)
	}
	if err := errors.Join(errs...); err != nil {
		return dataError{err}
	}
	return nil
}

// datasets lists the plan's datasets, whose configurations are neighbours.
func (p *Plan) datasets() []*datasetConfig {
	var all []*datasetConfig
	for _, config := range p.Configs {
		if len(all) == 0 || all[len(all)-1] != config.data {
			all = append(all, config.data)
		}
	}
	return all
}

func (p *Plan) loadData(ctx context.Context, files datasets.Files, d *datasetConfig,
	trial int) (*datasets.Dataset, error) {
	set, err := d.source.Load(ctx, datasets.Request{Params: d.params, Files: files,
		Key: p.dataKey(d, trial)})
	if err != nil {
		err = fmt.Errorf("dataset %s: %w", d.label(), err)
	}
	return set, err
}

// logNotes reports what became of the files that the user has given as data: rows or columns left
// out are easily overlooked in a manifest.
func (s *dataCache) logNotes(log func(string)) {
	for _, set := range s.sets {
		if !set.config.given {
			continue
		}
		for _, note := range notesOf(&set.data.Dataset) {
			log(fmt.Sprintf("dataset %s: %s", set.config.label(), note))
		}
	}
}

// notesOf is what a reader of results must know of a dataset.
func notesOf(set *datasets.Dataset) []string {
	notes := slices.Clone(set.Notes)
	if set.Dropped > 0 {
		notes = append(notes, fmt.Sprintf("%d rows with a missing value were left out",
			set.Dropped))
	}
	return notes
}

// of is what is known of a cell's data.
func (s *dataCache) of(c *Cell) *facts { return s.facts[c.dataKey()] }

// cellData is what a cell works on: its dataset and, where the experiment has folds, their
// assignment.
type cellData struct {
	data  *datasets.Dataset
	rows  []int32 // all rows of a table
	folds []classifiers.Fold
	train int // rows released where the others are held out once and for all; 0 without
	// truth is, for each fold (one without folds), what measurements compute from the data alone.
	truth  []*metrics.Memo
	seal   *seal  // shared by the trials that share data
	facts  *facts // of the data
	takers int    // who have not given them back; dataCache.mu guards it
}

// split returns the rows a cell releases and those it is tested on.
func (m *cellData) split(fold int) (train, test []int32) {
	if m.train > 0 {
		return m.rows[:m.train], m.rows[m.train:]
	}
	if fold < 0 {
		return m.rows, m.rows
	}
	return m.folds[fold].Train, m.folds[fold].Test
}

// changed is the failure of a cell that has changed the data.
func changed(c *Cell) error {
	return &failure{results.PhaseRelease, fmt.Errorf("%s, or what measures it, has changed the "+
		"data that all cells share", c.Config.Algorithm)}
}

// settle has all cells vouched for.
func (r *run) settle() {
	for _, m := range r.cache.cells { // order-free: each is looked at
		m.seal.settle(m.data, r.opts.Clock)
	}
}
