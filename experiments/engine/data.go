package engine

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/experiments/language"
	"ppdp/internal/terminal"
	"ppdp/metrics"
)

// dataCache is the data of a plan, of all its trials.
type dataCache map[dataKey]*trialData

// dataKey names the data of one trial.
type dataKey struct {
	config *language.Dataset
	trial  int
}

// load reads or generates all the plan's data. All problems are reported at once.
func load(ctx context.Context, p *language.Plan, files datasets.Files) (dataCache, error) {
	cache, sets := make(dataCache), p.Datasets()
	// What stays for all trials is made side by side, except for the user's own files, which may be
	// large and show how far they are read.
	made, errs := make([]*trialData, len(sets)), make([]error, len(sets))
	var making errgroup.Group
	making.SetLimit(runtime.GOMAXPROCS(0))
	for i, d := range slices.Backward(sets) { // most lists of sizes ascend
		if !d.Given && !d.Resample {
			making.Go(func() error {
				made[i], errs[i] = loadTrial(ctx, p, files, d, 0, nil)
				return nil
			})
		}
	}
	_ = making.Wait()
	for i, d := range sets {
		m, err := made[i], errs[i]
		for trial := 0; trial < p.Trials && err == nil; trial++ {
			if trial > 0 || m == nil {
				m, err = loadTrial(ctx, p, files, d, trial, m)
			}
			cache[dataKey{d, trial}] = m
		}
		errs[i] = err
	}
	return cache, dataErrors(ctx, errs)
}

// loadTrial returns the data of a trial, whose earlier one shares them unless they are drawn anew.
func loadTrial(ctx context.Context, p *language.Plan, files datasets.Files, d *language.Dataset,
	trial int, earlier *trialData) (*trialData, error) {
	m := &trialData{}
	if earlier != nil && !d.Resample {
		*m = *earlier
	} else {
		var err error
		if m.data, err = p.Load(ctx, files, d, trial); err != nil {
			return nil, err
		}
		m.seal = &seal{sum: sumOf(m.data)}
		if m.data.Graph != nil {
			m.maxDegree = m.data.Graph.MaxDegree()
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
	if p.Folds > 0 {
		m.folds, err = foldsOf(p, table, p.FoldKey(d, m.data.Checksum, trial))
	} else if p.Train.Set() {
		m.train, err = p.Train.Of(len(m.rows))
		if note := unlike(table, m.train); note != "" && d.Given && earlier == nil && err == nil {
			own := *m.data
			own.Notes = append(slices.Clone(own.Notes), note)
			m.data = &own
		}
	}
	if err != nil {
		return nil, fmt.Errorf("dataset %s: %w", d.Label(), err)
	}
	if earlier == nil {
		err = usable(p, d, m)
	}
	return m, err
}

// unlike says that the shares of classes among the first rows of a table and those after them
// differ by more than chance: by the chi-squared test, at a level of about 1 in 10,000, of classes
// of which 10 rows are expected on either side. The records of a person may all be of one class,
// which makes the statistic as much larger as there are of them at most.
func unlike(table *datasets.Table, first int) string {
	class := table.Schema().Class()
	if class < 0 || first < 1 || first >= table.Len() {
		return ""
	}
	counts := make([][2]float64, table.Schema().Classes())
	for row := range int32(table.Len()) {
		part := 0
		if int(row) >= first {
			part = 1
		}
		counts[table.Column(class).At(row)][part]++
	}
	share, after := float64(first)/float64(table.Len()), table.Len()-first
	statistic, classes, widest, worst := 0.0, 0, 0.0, 0
	for label, c := range counts {
		if all := c[0] + c[1]; all*min(share, 1-share) >= 10 {
			off := math.Abs(c[0] - float64(all*share))
			statistic += off * off / (all * share * (1 - share)) // off²/expected, both parts
			classes++
			if off > widest {
				widest, worst = off, label
			}
		}
	}
	classes = max(2, classes) // rarer ones count as one
	statistic /= float64(max(1, table.Schema().Contributions))
	spread := 2 / float64(9*(classes-1)) // Wilson & Hilferty 1931: the limit is cubic in a normal's
	root := 1 - spread + float64(3.719*math.Sqrt(spread))
	if statistic <= float64(classes-1)*root*root*root {
		return ""
	}
	attribute := &table.Schema().Attributes[class]
	return fmt.Sprintf("%s is %s in %.1f %% of the %d rows released and %.1f %% of the %d tested, "+
		"which chance does not explain: leave out shuffled: false or, with a holdout, see whether "+
		"it is of the same population", attribute.Name, attribute.Named(uint32(worst)),
		100*counts[worst][0]/float64(first), first, 100*counts[worst][1]/float64(after), after)
}

// data are those of a job.
func (r *run) data(i int) *trialData {
	c := &r.plan.Jobs[i]
	return r.cache[dataKey{c.Config.Data, c.Trial}]
}

// seal finds out whether a job has changed the data that all jobs share, by comparing their
// checksum with that of the time when they were loaded. It finds mistakes, not attacks. The
// checksum of a large graph can take longer than a job, so one check serves all jobs that have
// ended since the last: their results are kept only after it. If it fails, the run ends.
type seal struct {
	sum datasets.Sum

	mu     sync.Mutex // guards what follows
	broken bool
	next   time.Time           // the earliest time of the next check
	ended  []func(intact bool) // called after it, one for each job that has ended since the last
}

// sealShare is the pause between checks, in times that a check takes: checks cost at most 0.5 % of
// the time.
const sealShare = 200

// verifyLater is called when a job has ended. It calls done once a check has shown whether the data
// are intact: at once if the last check is long enough ago, else when a later job ends, or the run.
func (s *seal) verifyLater(data *datasets.Dataset, clock func() time.Time, done func(intact bool)) {
	s.mu.Lock()
	s.ended = append(s.ended, done)
	due := !clock().Before(s.next)
	s.mu.Unlock()
	if due {
		s.verify(data, clock)
	}
}

// verify makes a check now if a job waits for one.
func (s *seal) verify(data *datasets.Dataset, clock func() time.Time) {
	s.mu.Lock()
	waited := s.ended
	if s.ended = nil; len(waited) > 0 {
		begin := clock()
		s.broken = s.broken || sumOf(data) != s.sum
		end := clock()
		s.next = end.Add(sealShare * end.Sub(begin))
	}
	intact := !s.broken
	s.mu.Unlock()
	for _, done := range waited {
		done(intact)
	}
}

func sumOf(data *datasets.Dataset) datasets.Sum {
	if data.Graph != nil {
		return data.Graph.Sum()
	}
	return data.Table.Sum()
}

// CheckFiles reads the files that the user has given as data and reports all that is wrong with
// them. Run would find the same, but only when the plans before it have run. Data of the registry
// are not read: their checksums are known.
func CheckFiles(ctx context.Context, p *language.Plan, files datasets.Files) error {
	var errs []error
	for _, d := range p.Datasets() {
		if d.Given {
			_, err := loadTrial(ctx, p, files, d, 0, nil)
			errs = append(errs, err)
		}
	}
	return dataErrors(ctx, errs)
}

// usable reports the algorithms, metrics and classifiers of the spec that a loaded table cannot
// serve, by the lines that ask for them.
func usable(p *language.Plan, d *language.Dataset, m *trialData) error {
	fewest := len(m.rows)
	for fold := range m.folds {
		train, _ := m.split(fold)
		fewest = min(fewest, len(train))
	}
	if m.train > 0 {
		fewest = m.train
	}
	return p.CheckTable(d, fewest, m.data.Table.Schema())
}

// dataErrors is the error of reading a plan's data, nil if all could be read: the user's, for
// nothing was run.
func dataErrors(ctx context.Context, errs []error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w while its data were read: nothing was run", ErrInterrupted)
	}
	return terminal.InputError(errs...)
}

// logNotes reports what became of the files that the user has given as data: rows or columns left
// out are easily overlooked in a manifest.
func (r *run) logNotes() {
	for _, d := range r.plan.Datasets() {
		if !d.Given {
			continue
		}
		for _, note := range notesOf(r.cache[dataKey{d, 0}].data) {
			r.opts.Log(fmt.Sprintf("dataset %s: %s", d.Label(), note))
		}
	}
}

// notesOf is what a reader of results must know of a dataset.
func notesOf(set *datasets.Dataset) []string {
	notes := slices.Clone(set.Notes)
	if set.Lost != "" {
		notes = append(notes, set.Lost)
	} else if set.Dropped > 0 {
		notes = append(notes, fmt.Sprintf("%d rows with a missing value were left out",
			set.Dropped))
	}
	return notes
}

// trialData is what a job works on: its dataset and, where the experiment has folds, their
// assignment.
type trialData struct {
	data  *datasets.Dataset
	rows  []int32 // all rows of a table
	folds []classifiers.Fold
	train int // rows released where the others are held out once and for all; 0 without
	// truth is, for each fold (one without folds), what measurements compute from the data alone.
	truth []*metrics.Memo
	seal  *seal // shared by the trials that share data
	// maxDegree is the largest degree of a graph.
	maxDegree int
}

// split returns the rows a job releases and those it is tested on.
func (m *trialData) split(fold int) (train, test []int32) {
	if m.train > 0 {
		return m.rows[:m.train], m.rows[m.train:]
	}
	if fold < 0 {
		return m.rows, m.rows
	}
	return m.folds[fold].Train, m.folds[fold].Test
}

// verify checks all data that a job waits for to be checked.
func (s dataCache) verify(clock func() time.Time) {
	for _, m := range s { // order-free: each is checked
		m.seal.verify(m.data, clock)
	}
}

// schema is the table's, nil for a graph.
func (m *trialData) schema() *datasets.Schema {
	if m.data.Table == nil {
		return nil
	}
	return m.data.Table.Schema()
}
