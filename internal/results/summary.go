package results

import (
	"math"
	"slices"
)

// Summary is a run as figures, verdicts and reports need it. Values that are averaged over trials
// are kept one by one, 8 bytes each, in columns: one for each measurement of a setting. Of
// failures, warnings, budgets and times only sums are kept while the records are read, so that a
// run of a million jobs fits into memory.
type Summary struct {
	Dir      string // where it was read from
	Manifest Manifest

	Jobs, Failed int
	Timed        bool       // the run kept timings
	Seconds      float64    // of all jobs, by the timings
	Failures     []*Failure // by what failed and how
	Warnings     []*Warning
	Spending     []*Spending
	// First is the first fold of the first trial of each setting that has it, in the plan's order.
	First []Record

	groups    []*group // in order of first appearance
	bySetting map[*Setting]*group
	failures  map[FailureKind]*Failure
	warnings  map[string]*Warning
	spending  map[spender]*Spending
	originals map[string][]Column // by the dataset's label
}

// Failure is one or more jobs that failed alike.
type Failure struct {
	FailureKind
	Epsilons []string
	Jobs     int
	First    int // number of the first of them, from 0
	Trial    int // of that one, as is the next
	Fold     *int
}

// FailureKind is what failed and how.
type FailureKind struct{ Series, Dataset, Variant, Phase, Error string }

// Warning is a warning of jobs and how many gave it.
type Warning struct {
	Text string
	Jobs int
}

// spender are the releases whose costs are added up together.
type spender struct{ algorithm, label string }

// Spending is the privacy budget of the successful releases of a series that have a ledger.
type Spending struct {
	Label     string
	Releases  int
	Worst     float64 // the largest proven loss that is finite, as a part of the budget
	Unbounded bool    // some mechanism's proven loss has no finite bound
	Purposes  []PurposeSpending
}

// PurposeSpending is what mechanisms of one purpose cost, as parts of the budget, added up over
// releases.
type PurposeSpending struct {
	Purpose         string
	Claimed, Proven float64
}

// group is the records of one setting.
type group struct {
	setting           *Setting
	trials            int   // one more than the last
	folds             []int // in order of first appearance, as those of columns
	measured, derived []*column
	spending          *Spending
	broken            bool
	jobs              int     // with timings
	seconds           float64 // of them
}

// column is one measurement of a setting.
type column struct {
	Measurement
	folds [][]float64 // values by trial; NaN, or too short, where there is none
}

func newSummary(dir string) *Summary {
	return &Summary{Dir: dir, bySetting: make(map[*Setting]*group),
		failures: make(map[FailureKind]*Failure), warnings: make(map[string]*Warning),
		spending: make(map[spender]*Spending), originals: make(map[string][]Column)}
}

// Measured is the summary of samples alone, measured and derived: those that a file keeps or,
// without trials, those of a run before its first job.
func Measured(m Manifest, samples []Sample) *Summary {
	s := newSummary("")
	s.Manifest = m
	for _, x := range samples {
		g := s.group(x.Setting)
		g.folds = []int{noFold}
		g.trials = max(g.trials, len(x.Trials))
		g.measured = append(g.measured, &column{x.Measurement, [][]float64{x.Trials}})
	}
	return s
}

// group returns the records of a setting, empty for a setting that is new.
func (s *Summary) group(of *Setting) *group {
	return listed(&s.groups, s.bySetting, of, group{setting: of})
}

// listed returns a key's element of a list, which the map finds. A new key's element is fresh.
func listed[K comparable, V any](list *[]*V, at map[K]*V, key K, fresh V) *V {
	v := at[key]
	if v == nil {
		made := fresh // on the heap only here
		v = &made
		at[key], *list = v, append(*list, v)
	}
	return v
}

// add adds a record. time is nil where the run kept none.
func (s *Summary) add(c *Record, time *Timing) {
	g := s.group(c.Setting)
	fold := slices.Index(g.folds, c.FoldIndex())
	if fold < 0 {
		fold = len(g.folds)
		g.folds = append(g.folds, c.FoldIndex())
	}
	g.trials = max(g.trials, c.Trial+1)
	g.broken = g.broken || c.Spent != nil && !c.Spent.Proven.Finite()
	if c.Trial == 0 && c.FoldIndex() <= 0 {
		s.First = append(s.First, *c)
	}
	if label := c.Dataset.Label(); c.Original != nil && s.originals[label] == nil {
		s.originals[label] = c.Original
	}
	if time != nil {
		g.jobs++
		g.seconds += time.Release + time.Measure
		s.Seconds += time.Release + time.Measure
	}
	for _, text := range c.Warnings {
		listed(&s.Warnings, s.warnings, text, Warning{Text: text}).Jobs++
	}
	if c.Status == OK {
		for i, v := range c.Values {
			value := math.NaN()
			if v.Value != nil {
				value = *v.Value
			}
			columnOf(&g.measured, i, v.Measurement).set(fold, c.Trial, value)
		}
		g.derive(c, time, fold)
		s.spend(c, g)
	} else {
		s.fail(c)
	}
	s.Jobs++
}

// derive adds the metrics of DerivedMeasures.
func (g *group) derive(c *Record, time *Timing, fold int) {
	i := 0
	add := func(metric string, value float64) {
		columnOf(&g.derived, i, Measurement{Metric: metric}).set(fold, c.Trial, value)
		i++
	}
	if time != nil {
		add(RuntimeMetric, time.Release)
	}
	if s := c.Structure; s != nil {
		add(NodesMetric, float64(s.Nodes))
		add(LeavesMetric, float64(s.Leaves))
		add(DepthMetric, float64(s.Depth))
		add(GapMetric, s.Gap)
	}
	if total, ok := c.Budget(); ok && c.Spent != nil {
		add(SpentMetric, c.Spent.Claimed/total)
		if c.Spent.Proven.Finite() {
			add(LossMetric, float64(c.Spent.Proven)/total)
		}
	}
}

// columnOf is the column of a measurement, most likely the i-th one.
func columnOf(columns *[]*column, i int, m Measurement) *column {
	if i < len(*columns) && (*columns)[i].Measurement == m {
		return (*columns)[i]
	}
	return *Entry(columns, &column{Measurement: m},
		func(c *column) bool { return c.Measurement == m })
}

func (c *column) set(fold, trial int, value float64) {
	for len(c.folds) <= fold {
		c.folds = append(c.folds, nil)
	}
	c.folds[fold] = padded(c.folds[fold], trial+1)
	c.folds[fold][trial] = value
}

// padded makes values at least n long, with NaN.
func padded(values []float64, n int) []float64 {
	for len(values) < n {
		values = append(values, math.NaN())
	}
	return values
}

func (s *Summary) fail(c *Record) {
	s.Failed++
	kind := FailureKind{c.Series, c.Dataset.Label(), c.Variant, c.Phase, c.Error}
	f := listed(&s.Failures, s.failures, kind,
		Failure{FailureKind: kind, First: s.Jobs, Trial: c.Trial, Fold: c.Fold})
	f.Jobs++
	if epsilon := c.EpsilonText(); epsilon != "" {
		f.Epsilons = Union(f.Epsilons, epsilon)
	}
}

// spend adds up a release's ledger.
func (s *Summary) spend(c *Record, g *group) {
	total, ok := c.Budget()
	if len(c.Ledger) == 0 || !ok {
		return
	}
	if g.spending == nil {
		by := spender{c.Algorithm, c.Label()}
		g.spending = listed(&s.Spending, s.spending, by, Spending{Label: by.label})
	}
	all := g.spending
	all.Releases++
	if c.Spent != nil && c.Spent.Proven.Finite() {
		all.Worst = max(all.Worst, float64(c.Spent.Proven)/total)
	}
	for row := range Each(c.Ledger) {
		spent := Entry(&all.Purposes, PurposeSpending{Purpose: row.Purpose},
			func(p PurposeSpending) bool { return p.Purpose == row.Purpose })
		spent.Claimed += row.Cost / total
		spent.Proven += float64(row.Loss) / total
		all.Unbounded = all.Unbounded || !row.Loss.Finite()
	}
}

// Samples returns a sample for each measurement of each setting, in order of first appearance.
// Folds are averaged within a trial. A setting none of whose jobs succeeded has all measurements
// of the others, without values, so that it cannot vanish; where nothing succeeded at all, one
// measurement without a name.
func (s *Summary) Samples() []Sample {
	return s.samples(func(g *group) []*column { return g.measured }, &column{})
}

// Derived returns samples of the metrics of DerivedMeasures.
func (s *Summary) Derived() []Sample {
	return s.samples(func(g *group) []*column { return g.derived })
}

// samples are those of some columns, or, where no setting has any, of the others.
func (s *Summary) samples(of func(g *group) []*column, others ...*column) []Sample {
	var everywhere []*column
	for _, g := range s.groups {
		for _, c := range of(g) {
			columnOf(&everywhere, 0, c.Measurement)
		}
	}
	if len(everywhere) == 0 {
		everywhere = others
	}
	var samples []Sample
	for _, g := range s.groups {
		columns := of(g)
		if len(columns) == 0 {
			columns = everywhere
		}
		for _, c := range columns {
			samples = append(samples, Sample{g.setting, c.Measurement, g.means(c)})
		}
	}
	return samples
}

// means returns the means of a column over the folds of each trial.
func (g *group) means(c *column) []float64 {
	switch {
	case len(c.folds) == 0:
		return padded(nil, g.trials)
	case len(g.folds) == 1 && len(c.folds[0]) == g.trials:
		return c.folds[0]
	case len(g.folds) == 1:
		return padded(slices.Clone(c.folds[0]), g.trials)
	}
	order := Order(len(g.folds), func(a, b int) int { return g.folds[a] - g.folds[b] })
	means, values := make([]float64, g.trials), make([]float64, len(order))
	for trial := range means {
		for i, fold := range order {
			values[i] = math.NaN()
			if fold < len(c.folds) && trial < len(c.folds[fold]) {
				values[i] = c.folds[fold][trial]
			}
		}
		means[trial] = math.NaN()
		if !slices.ContainsFunc(values, math.IsNaN) {
			means[trial] = Mean(values)
		}
	}
	return means
}

// Folds returns what was measured of a setting in each fold of each trial, NaN for no value.
func (s *Summary) Folds(of *Setting, m Measurement) (values []float64) {
	for _, c := range s.bySetting[of].measured {
		if c.Measurement == m {
			return slices.Concat(c.folds...)
		}
	}
	return nil
}

// Rows returns all that can be drawn of the run: measured and derived.
func (s *Summary) Rows() []Row {
	rows := Rows(append(s.Samples(), s.Derived()...))
	for i := range rows {
		g := s.bySetting[rows[i].Setting]
		rows[i].Broken = g.broken && !s.Manifest.declared(g.setting)
	}
	return rows
}

// declared reports whether a setting's guarantee is only stated by a program outside: nothing is
// proven of it, and nothing is known against it.
func (m *Manifest) declared(s *Setting) bool {
	only := false
	for i := range m.Algorithms {
		if use := &m.Algorithms[i]; use.Name == s.Algorithm && use.Variant == s.Variant {
			if use.Status != string(Declared) {
				return false
			}
			only = true
		}
	}
	return only
}

// Times calls each with the number of jobs of every setting that have timings, and the seconds of
// their releases and measurements.
func (s *Summary) Times(each func(setting *Setting, jobs int, seconds float64)) {
	for _, g := range s.groups {
		if g.jobs > 0 {
			each(g.setting, g.jobs, g.seconds)
		}
	}
}

// Original returns the original rows kept of a dataset, nil where there are none.
func (s *Summary) Original(d *Dataset) []Column {
	return s.originals[d.Label()]
}
