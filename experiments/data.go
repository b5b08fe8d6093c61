package experiments

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/internal/strictyaml"
	"ppdp/metrics"
)

// dataCache holds the loaded data of a plan.
type dataCache struct {
	cells map[dataKey]*cellData
	sets  []loadedSet // in order of first use
}

// dataKey names the data of one trial.
type dataKey struct {
	config *datasetConfig
	trial  int
}

// loadedSet is a dataset, of the first trial where it is drawn anew for each.
type loadedSet struct {
	config *datasetConfig
	data   *datasets.Dataset
}

// load reads or generates all the plan's data. All problems are reported at once.
func (p *Plan) load(ctx context.Context, files datasets.Files) (*dataCache, error) {
	s := &dataCache{cells: make(map[dataKey]*cellData)}
	var errs []error
	for _, d := range p.datasets() {
		var m *cellData
		var err error
		for trial := 0; trial < p.Trials && err == nil; trial++ {
			m, err = p.loadTrial(ctx, files, d, trial, m)
			s.cells[dataKey{d, trial}] = m
			if err == nil && trial == 0 {
				s.sets = append(s.sets, loadedSet{d, m.data})
				err = p.usable(d, m)
			}
		}
		errs = append(errs, err)
	}
	return s, dataErrors(ctx, errs)
}

// loadTrial returns the data of a trial, whose earlier one shares them unless they are drawn anew.
func (p *Plan) loadTrial(ctx context.Context, files datasets.Files, d *datasetConfig, trial int,
	earlier *cellData) (*cellData, error) {
	m := &cellData{}
	if earlier != nil && !d.resample {
		m.data, m.truth = earlier.data, earlier.truth
	} else {
		var err error
		if m.data, err = p.loadData(ctx, files, d, trial); err != nil {
			return nil, err
		}
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
		if config.data != d {
			continue
		}
		if anonymous, ok := config.Parameters.(algorithms.Anonymous); ok {
			problem(config.node, algorithms.CheckEnough(fewest, anonymous.Anonymity()))
		}
		if check, ok := config.Implementation.(algorithms.SchemaChecker); ok {
			problem(config.node, check.CheckSchema(table.Schema(), config.Parameters))
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
		for _, note := range notesOf(set.data) {
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

func (s *dataCache) of(c *Cell) *cellData { return s.cells[dataKey{c.Config.data, c.Trial}] }

// cellData is what a cell works on: its dataset and, where the experiment has folds, their
// assignment.
type cellData struct {
	data  *datasets.Dataset
	rows  []int32 // all rows of a table
	folds []classifiers.Fold
	train int // rows released where the others are held out once and for all; 0 without
	// truth is, for each fold (one without folds), what measurements compute from the data alone.
	truth []*metrics.Memo
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
