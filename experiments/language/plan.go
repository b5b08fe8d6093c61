package language

import (
	"cmp"
	"fmt"
	"slices"

	"ppdp/algorithms"
	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
)

// Plan is a spec resolved into jobs. It holds no data: datasets are loaded by the run.
type Plan struct {
	Spec    *Spec
	Quick   bool
	Seed    uint64
	Trials  int
	Folds   int
	Train   Train
	Figures []results.Figure
	Configs []*Config
	Jobs    []Job // in canonical order: by configuration, trial, fold

	// StandIns is as in Overrides.
	StandIns map[string]string
	Settled  map[string]int // as given to WithTrials, nil for a plan of the whole spec
}

// Config is one setting and what it takes to run it: everything about a job but its trial and
// fold.
type Config struct {
	*results.Setting
	Implementation algorithms.Algorithm
	Info           algorithms.Info
	Guarantee      algorithms.Guarantee
	Parameters     algorithms.Params
	Measures       []Measure

	// Data is what the algorithm releases.
	Data *Dataset

	node    *strictyaml.Node // the algorithm's entry in the spec
	trials  int              // at most the plan's
	changed string           // the algorithm's parameters that differ from the defaults
}

// Job is one release and all that is measured on it.
type Job struct {
	Config *Config
	Trial  int
	Fold   int // -1 without folds
}

// Overrides change a spec's numbers from outside; zero values change nothing.
type Overrides struct {
	Quick  bool
	Trials int
	Seed   *uint64
	// StandIns replaces each named dataset by another: real data that are not available by
	// their stand-ins.
	StandIns map[string]string
}

// Bounds that stop plans which could never be run or stored: of jobs, and of what a spec's lists
// multiply to.
const (
	maxTrials         = 100_000 // as the key trials declares
	maxJobs           = 1 << 22
	maxConfigurations = 1 << 16
)

// Plan resolves the spec into jobs. Problems name the spec's lines.
func (s *Spec) Plan(o Overrides) (*Plan, error) {
	r := strictyaml.NewReader(s.File)
	section, sets := s.Dataset, s.sets
	if o.Quick && len(s.Quick.Dataset) > 0 {
		section, sets = s.Quick.Dataset, s.quickSets
	}
	if len(o.StandIns) > 0 {
		section = slices.Clone(section)
		for i := range section {
			section[i].Name = cmp.Or(o.StandIns[section[i].Name], section[i].Name)
		}
		sets = s.expandDatasets(r, section)
	}
	p := &Plan{Spec: s, Quick: o.Quick, Seed: s.Seed, Trials: s.Trials, Folds: s.Folds,
		Train: s.Train, StandIns: o.StandIns}
	grid := s.Epsilon
	if o.Quick {
		p.Trials = cmp.Or(s.Quick.Trials, p.Trials)
		p.Folds = cmp.Or(s.Quick.Folds, p.Folds)
		p.Train = cmp.Or(s.Quick.Train, p.Train)
		if len(s.Quick.Epsilon) > 0 {
			grid = s.Quick.Epsilon
		}
	}
	if o.Trials > maxTrials {
		return nil, fmt.Errorf("%s: %d trials are asked for in place of the spec's, must be "+
			"between 1 and %d", s.File, o.Trials, maxTrials)
	}
	p.Trials = cmp.Or(max(0, o.Trials), p.Trials)
	if o.Seed != nil {
		p.Seed = *o.Seed
	}
	p.Figures = results.Mapped(s.Plots, func(f FigureSpec) results.Figure { return f.Figure })
	for i := range sets {
		for k := range s.Algorithms {
			p.expandAlgorithm(r, &sets[i], &s.Algorithms[k], grid)
		}
	}
	if len(p.Configs) > maxConfigurations {
		r.Problemf(s.node, "datasets, algorithms, their parameters and budgets multiply to more "+
			"than %d configurations", maxConfigurations)
		return nil, r.Err()
	}
	p.checkSeries(r)
	p.checkMeasured(r)
	p.checkAmbiguity(r)
	first, end := 0, p.Folds
	if p.Folds == 0 {
		first, end = -1, 0 // one job without a fold
	}
	total := 0
	for _, config := range p.Configs {
		// maxConfigurations, maxTrials and the most folds are too few for an overflow
		total += config.trials * (end - first)
	}
	if total > maxJobs {
		r.Problemf(s.node, "the experiment has %d jobs, must be at most %d", total, maxJobs)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	p.makeJobs(first, end)
	return p, nil
}

// makeJobs lists the jobs, with folds from first to below end.
func (p *Plan) makeJobs(first, end int) {
	for _, config := range p.Configs {
		for trial := range config.trials {
			for fold := first; fold < end; fold++ {
				p.Jobs = append(p.Jobs, Job{config, trial, fold})
			}
		}
	}
}

// WithTrials returns the plan with other numbers of trials for each setting, by its key, at most
// those that it has; settings with none are left out. The jobs that remain are the same, with the
// same noise.
func (p *Plan) WithTrials(trials map[string]int) *Plan {
	q := *p
	q.Configs, q.Jobs, q.Trials, q.Settled = nil, nil, 0, trials
	for _, config := range p.Configs {
		own := *config
		if own.trials = min(config.trials, trials[config.Key()]); own.trials > 0 {
			q.Configs = append(q.Configs, &own)
			q.Trials = max(q.Trials, own.trials)
		}
	}
	q.makeJobs(p.Jobs[0].Fold, p.Jobs[len(p.Jobs)-1].Fold+1)
	return &q
}

// expandAlgorithm adds one configuration for each combination of variant, parameters and epsilon.
func (p *Plan) expandAlgorithm(r *strictyaml.Reader, data *Dataset, a *AlgorithmSpec,
	grid []float64) {
	algorithm := a.found
	info := algorithm.Info()
	if len(a.Epsilon) > 0 {
		grid = a.Epsilon
		if p.Quick && len(p.Spec.Quick.Epsilon) > 0 {
			grid = p.Spec.Quick.Epsilon
		}
	}
	for _, name := range a.Variant {
		guarantee, err := info.Guarantee(algorithms.Variant(name))
		if err != nil {
			return
		}
		for _, expanded := range a.expanded {
			config := Config{Implementation: algorithm, Info: info, Data: data,
				node: a.Node, trials: min(p.Trials, cmp.Or(a.Trials, p.Trials))}
			setting := results.Setting{Dataset: data.use, Algorithm: info.Name, Variant: name}
			if !isNil(expanded) {
				config.Parameters = expanded
				var changed []string
				setting.Params, changed = resolve(expanded, algorithm.Params())
				config.changed = changedText(setting.Params, changed)
			}
			if check, ok := config.Parameters.(algorithms.VariantChecker); ok {
				if err := check.CheckVariant(guarantee.Variant); err != nil {
					for _, problem := range flatten(err) {
						r.Problemf(a.Node, "%s: %s", a.Name, problem)
					}
					continue
				}
			}
			if config.Guarantee, err = algorithms.GuaranteeOf(algorithm, guarantee.Variant,
				config.Parameters); err != nil {
				r.Problemf(a.Node, "%s: %v", a.Name, err)
				continue
			}
			template, showVariant := p.seriesTemplate(a)
			for _, delta := range a.Delta {
				for _, epsilon := range epsilons(config.Guarantee, grid) {
					if len(p.Configs) > maxConfigurations {
						return // which Plan reports
					}
					own, c := setting, config
					own.Epsilon, own.Delta, own.ShowVariant = epsilon, delta, showVariant
					c.Setting = &own
					own.Series = c.name(template)
					own.Interned()
					c.Measures = p.measuresOf(&own)
					p.Configs = append(p.Configs, &c)
				}
			}
		}
	}
}

func epsilons(g algorithms.Guarantee, grid []float64) []*float64 {
	if g.Model != algorithms.DifferentialPrivacy {
		return []*float64{nil}
	}
	all := make([]*float64, len(grid))
	for i := range grid {
		all[i] = &grid[i]
	}
	return all
}

// Describe names a job in messages: "rps/fig3: RPS, stop 5 at epsilon 1, trial 2, fold 3".
func (p *Plan) Describe(c *Job) string {
	text := p.Spec.Name + ": " + c.Config.Label()
	if c.Config.Epsilon != nil {
		text += " at " + c.Config.BudgetText()
	}
	if c.Fold < 0 {
		return fmt.Sprintf("%s, trial %d", text, c.Trial)
	}
	return fmt.Sprintf("%s, trial %d, fold %d", text, c.Trial, c.Fold)
}

// Datasets lists the plan's datasets, whose configurations are neighbours.
func (p *Plan) Datasets() []*Dataset {
	var all []*Dataset
	for _, config := range p.Configs {
		if len(all) == 0 || all[len(all)-1] != config.Data {
			all = append(all, config.Data)
		}
	}
	return all
}

// Workers returns how many of the plan's jobs are run at once when jobs are allowed: where a
// figure draws the time of a release, one, because parallel releases slow each other down.
func (p *Plan) Workers(jobs int) int {
	if p.Timed() {
		return 1
	}
	return max(1, jobs)
}

// Timed reports whether a figure draws the time of a release. No run is timed that is quick: its
// figures show that the program works, and nobody compares its times.
func (p *Plan) Timed() bool {
	return !p.Quick && slices.ContainsFunc(p.Figures,
		func(f results.Figure) bool { return f.Y == results.RuntimeMetric })
}
