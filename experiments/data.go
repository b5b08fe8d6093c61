package experiments

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ppdp/classifiers"
	"ppdp/datasets"
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
	loaded := make(map[*datasetConfig]bool)
	var errs []error
	for _, config := range p.Configs {
		d := config.data
		if loaded[d] {
			continue
		}
		loaded[d] = true
		var set *datasets.Dataset
		var truth []*metrics.Memo
		for trial := range p.Trials {
			var err error
			if set == nil || d.resample {
				set, err = d.source.Load(ctx, datasets.Request{Params: d.params, Files: files,
					Key: p.dataKey(d, trial)})
				truth = nil
			}
			if truth == nil || p.Folds > 0 { // trials differ in their folds
				truth = nil
				for range max(1, p.Folds) {
					truth = append(truth, new(metrics.Memo))
				}
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("dataset %s: %w", d.label(), err))
				break
			}
			m := &cellData{data: set, truth: truth}
			if set.Table != nil {
				m.rows = set.Table.AllRows()
				if p.Folds > 0 && p.Spec.Protocol == RawTest {
					m.folds, err = p.foldsOf(set.Table, p.foldKey(d, set.Checksum, trial))
				}
				if p.Spec.Train.set() {
					m.train, err = p.Spec.Train.of(len(m.rows))
				}
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("dataset %s: %w", d.label(), err))
				break
			}
			s.cells[dataKey{d, trial}] = m
			if trial == 0 {
				s.sets = append(s.sets, loadedSet{d, set})
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

// CheckFiles reads the files that the user has given as data and reports all that is wrong with
// them; the error wraps ErrData. Run would find the same, but only when the plans before it have
// run. Data of the registry are not looked at: their checksums are known.
func (p *Plan) CheckFiles(ctx context.Context, files datasets.Files) error {
	var errs []error
	checked := make(map[*datasetConfig]bool)
	for _, config := range p.Configs {
		d := config.data
		if !d.given || checked[d] {
			continue
		}
		checked[d] = true
		if _, err := d.source.Load(ctx, datasets.Request{Params: d.params, Files: files,
			Key: p.dataKey(d, 0)}); err != nil {
			errs = append(errs, fmt.Errorf("dataset %s: %w", d.label(), err))
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
