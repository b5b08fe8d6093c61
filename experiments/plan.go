package experiments

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ppdp/algorithms"
	"ppdp/internal/strictyaml"
	"ppdp/random"
	"ppdp/results"
)

// Plan is a spec resolved into cells. It holds no data: datasets are loaded by the run.
type Plan struct {
	Spec    *Spec
	Quick   bool
	Seed    uint64
	Trials  int
	Folds   int
	Figures []results.Figure
	Configs []*Config
	Cells   []Cell // in canonical order: by configuration, trial, fold

	standIns bool // take the place of real data
}

// Config is one curve point: everything about a cell but its trial and fold.
type Config struct {
	Series    string
	Algorithm algorithms.Algorithm
	Info      algorithms.Info
	Guarantee algorithms.Guarantee
	Params    algorithms.Params
	Resolved  map[string]string // all parameters, of the algorithm and of the dataset
	Epsilon   *float64          // nil without differential privacy
	Measures  []Measure

	data    datasetConfig
	trials  int    // at most the plan's
	changed string // the algorithm's parameters that differ from the defaults
}

// Dataset is the name of the configuration's dataset with its parameters.
func (c *Config) Dataset() string { return c.data.label }

// Cell is one release and all that is measured on it.
type Cell struct {
	Index  int
	Config *Config
	Trial  int
	Fold   int // -1 without folds
}

// Overrides change a spec's numbers from outside; zero values change nothing.
type Overrides struct {
	Quick  bool
	Trials int
	Seed   *uint64
	// StandIns replaces each named dataset by another: real data that are not at hand by their stand-ins.
	StandIns map[string]string
}

// Bounds that stop plans which could never be run or stored: of cells, and of what a spec's lists multiply to.
const (
	maxCells          = 1 << 22
	maxConfigurations = 1 << 16
)

// checkSize records that the spec's lists multiply to too many configurations, before anybody tries to make them.
func (s *Spec) checkSize(r *strictyaml.Reader) {
	sets, entries := 0, 0
	for i := range s.Dataset {
		sets += s.Dataset[i].params.combinations()
	}
	for i := range s.Algorithms {
		a := &s.Algorithms[i]
		budgets := max(len(s.Epsilon), len(s.Quick.Epsilon), 1)
		if len(a.Epsilon) > 0 {
			budgets = max(len(a.Epsilon), len(s.Quick.Epsilon))
		}
		if a.node != nil {
			entries += a.Params.combinations() * max(1, len(a.Variant)) * budgets
		}
	}
	if sets > maxConfigurations || entries > maxConfigurations || sets*entries > maxConfigurations {
		r.Problemf(s.node, "datasets, algorithms, their parameters and budgets multiply to more than %d configurations", maxConfigurations)
	}
}

// Plan resolves the spec into cells. Problems name the spec's lines.
func (s *Spec) Plan(o Overrides) (*Plan, error) {
	r := strictyaml.NewReader(s.file)
	if o.Quick && len(s.Quick.Dataset) > 0 {
		s = s.quickened()
	}
	if len(o.StandIns) > 0 {
		s = s.standIn(o.StandIns)
	}
	p := &Plan{Spec: s, standIns: len(o.StandIns) > 0, Quick: o.Quick, Seed: s.Seed, Trials: s.Trials, Folds: s.Folds}
	grid := s.Epsilon
	if o.Quick {
		if s.Quick.Trials > 0 {
			p.Trials = s.Quick.Trials
		}
		if s.Quick.Folds > 0 {
			p.Folds = s.Quick.Folds
		}
		if len(s.Quick.Epsilon) > 0 {
			grid = s.Quick.Epsilon
		}
	}
	if o.Trials > maxTrials {
		return nil, fmt.Errorf("%s: %d trials are asked for in place of the spec's, must be between 1 and %d", s.file, o.Trials, maxTrials)
	}
	if o.Trials > 0 {
		p.Trials = o.Trials
	}
	if o.Seed != nil {
		p.Seed = *o.Seed
	}
	for i := range s.Plots {
		p.Figures = append(p.Figures, s.Plots[i].Figure)
	}
	measures := s.measures(r)
	for _, data := range s.expandDatasets(r) {
		s.resolvePaths(data.params)
		for i := range s.Algorithms {
			p.expandAlgorithm(r, data, &s.Algorithms[i], grid, measures)
		}
	}
	p.checkAmbiguity(r)
	folds := max(1, p.Folds)
	if s.Protocol == Inside {
		folds = 1
	}
	total := 0
	for _, config := range p.Configs {
		total += config.trials * folds // of numbers below maxConfigurations, maxTrials and maxFolds, so there is no overflow
	}
	if total > maxCells {
		r.Problemf(s.node, "the experiment has %d cells, must be at most %d", total, maxCells)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	for _, config := range p.Configs {
		for trial := range config.trials {
			if p.Folds == 0 || s.Protocol == Inside {
				p.Cells = append(p.Cells, Cell{len(p.Cells), config, trial, -1})
				continue
			}
			for fold := range p.Folds {
				p.Cells = append(p.Cells, Cell{len(p.Cells), config, trial, fold})
			}
		}
	}
	return p, nil
}

// standIn returns the spec with datasets replaced by name.
func (s *Spec) standIn(replace map[string]string) *Spec {
	replaced := *s
	replaced.Dataset = slices.Clone(s.Dataset)
	for i := range replaced.Dataset {
		if other, ok := replace[replaced.Dataset[i].Name]; ok {
			replaced.Dataset[i].Name = other
		}
	}
	return &replaced
}

// expandAlgorithm adds one configuration for each combination of variant, parameters and epsilon.
func (p *Plan) expandAlgorithm(r *strictyaml.Reader, data datasetConfig, a *AlgorithmSpec, grid []float64, measures []Measure) {
	algorithm, err := algorithms.Lookup(a.Name)
	if err != nil {
		return // said by check
	}
	info := algorithm.Info()
	variants := a.Variant
	if len(variants) == 0 {
		variants = []string{string(info.Variants[0].Variant)}
	}
	if len(a.Epsilon) > 0 {
		grid = a.Epsilon
		if p.Quick && len(p.Spec.Quick.Epsilon) > 0 {
			grid = p.Spec.Quick.Epsilon
		}
	}
	for _, name := range variants {
		guarantee, err := info.Guarantee(algorithms.Variant(name))
		if err != nil {
			return
		}
		for _, expanded := range a.Params.expand(r, a.Name, func() any { return algorithm.Params() }) {
			config := Config{Algorithm: algorithm, Info: info, Guarantee: guarantee, Measures: measures, data: data, trials: p.trialsOf(a)}
			own := map[string]string(nil)
			if !isNil(expanded) {
				config.Params = expanded.(algorithms.Params)
				own, config.changed = resolve(expanded, algorithm.Params())
			}
			if check, ok := algorithm.(algorithms.VariantChecker); ok {
				if err := check.CheckVariant(guarantee.Variant, config.Params); err != nil {
					for _, problem := range flatten(err) {
						r.Problemf(a.node, "%s: %s", a.Name, problem)
					}
					continue
				}
			}
			if config.Guarantee, err = algorithms.GuaranteeOf(algorithm, guarantee.Variant, config.Params); err != nil {
				r.Problemf(a.node, "%s: %v", a.Name, err)
				continue
			}
			config.Resolved = merged(data.resolved, own)
			series := p.seriesTemplate(a, len(variants) > 1)
			for _, epsilon := range epsilons(config.Guarantee, grid) {
				c := config
				c.Epsilon = epsilon
				c.Series = c.fill(series)
				p.Configs = append(p.Configs, &c)
			}
		}
	}
}

// trialsOf is how many of the plan's trials an entry takes part in.
func (p *Plan) trialsOf(a *AlgorithmSpec) int {
	if a.Trials > 0 {
		return min(a.Trials, p.Trials)
	}
	return p.Trials
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

// merged unites a dataset's and an algorithm's parameters. Where both have a name, the dataset's is
// written dataset.name.
func merged(data, own map[string]string) map[string]string {
	all := make(map[string]string, len(data)+len(own))
	for key, value := range own { // order-free: fills a map
		all[key] = value
	}
	for key, value := range data { // order-free: fills a map
		if _, taken := own[key]; taken {
			key = "dataset." + key
		}
		all[key] = value
	}
	return all
}

// seriesTemplate is the entry's own template, or one that names all that is swept and is no axis. What a
// template of the author's leaves out is added where curves could not be told apart otherwise.
func (p *Plan) seriesTemplate(a *AlgorithmSpec, severalVariants bool) string {
	template := a.Series
	if template == "" {
		template = a.Name
		for _, key := range a.Params.swept() {
			if !p.isAxis(key) {
				template += ", " + key + " {" + key + "}"
			}
		}
	}
	if severalVariants && !strings.Contains(template, "{variant}") {
		template += " ({variant})"
	}
	return template
}

// isAxis reports whether every figure draws a parameter along one of its axes.
func (p *Plan) isAxis(key string) bool {
	for _, f := range p.Figures {
		if f.X != key && f.X2 != key {
			return false
		}
	}
	return len(p.Figures) > 0
}

// fill replaces a template's {name} by the configuration's values.
func (c *Config) fill(template string) string {
	return placeholder.ReplaceAllStringFunc(template, func(word string) string {
		switch name := word[1 : len(word)-1]; name {
		case "algorithm":
			return c.Info.Name
		case "variant":
			return string(c.Guarantee.Variant)
		case "unit":
			return c.Guarantee.Unit
		case "neighbours":
			return c.Guarantee.Relation
		case "dataset":
			return c.data.label
		case "epsilon":
			return c.epsilonText()
		default:
			return c.Resolved[name]
		}
	})
}

func (c *Config) epsilonText() string {
	if c.Epsilon == nil {
		return ""
	}
	return strconv.FormatFloat(*c.Epsilon, 'g', -1, 64)
}

// checkAmbiguity refuses figures in which one curve would have two points at one place: their
// configurations differ in something that neither the series' name nor an axis nor the figure's
// filter tells apart.
func (p *Plan) checkAmbiguity(r *strictyaml.Reader) {
	for i := range p.Spec.Plots {
		f := &p.Spec.Plots[i]
		configurations := results.Figure{Where: make(map[string]string)}
		for key, value := range f.Where { // order-free: fills a map
			if key != "metric" && key != "classifier" { // these tell measurements apart, not configurations
				configurations.Where[key] = value
			}
		}
		seen := make(map[string]*Config)
		var shown *Config // by a map
		selected := false
		for _, c := range p.Configs {
			if !configurations.Selects(c.facts()) {
				continue
			}
			selected = true
			if f.Kind == results.RegionsKind {
				if shown != nil {
					r.Problemf(f.node, "the figure shows one release, but where selects several: %s", c.difference(shown))
					break
				}
				shown = c
				continue
			}
			x := c.Resolved[f.X]
			if f.X == "epsilon" {
				x = c.epsilonText()
			}
			if x == "" && f.X2 != "" {
				x = "x2:" + c.Resolved[f.X2]
			}
			place := c.Series + "\x00" + x
			if other, taken := seen[place]; taken {
				r.Problemf(f.node, "series %q has two points at %s %s: %s; name the difference in series: or choose with where:",
					c.Series, f.X, x, c.difference(other))
				break
			}
			seen[place] = c
		}
		switch {
		case f.Kind == results.RegionsKind && shown == nil:
			r.Problemf(f.node, "where selects no release")
		case !selected && !p.Quick && !p.standIns && len(p.Configs) > 0: // these leave out settings or rename data
			r.Problemf(f.node, "where selects none of the experiment's curves, such as %s", p.Configs[0].selectable(configurations.Where))
		}
	}
}

// facts are what a figure's filter may ask of a configuration.
func (c *Config) facts() map[string]string {
	facts := map[string]string{"dataset": c.data.label, "algorithm": c.Info.Name,
		"variant": string(c.Guarantee.Variant), "series": c.Series, "epsilon": c.epsilonText()}
	for key, value := range c.Resolved { // order-free: fills a map
		facts[key] = value
	}
	return facts
}

// selectable says what a filter would have to ask for to select the configuration.
func (c *Config) selectable(where map[string]string) string {
	facts := c.facts()
	var words []string
	for _, key := range sortedKeys(where) {
		words = append(words, key+": "+facts[key])
	}
	return strings.Join(words, ", ")
}

// difference says in what two configurations differ.
func (c *Config) difference(other *Config) string {
	mine, theirs := c.facts(), other.facts()
	for _, key := range sortedKeys(mine) {
		if mine[key] != theirs[key] {
			return fmt.Sprintf("%s is %s and %s", key, theirs[key], mine[key])
		}
	}
	return "they are the same"
}

// Root of all randomness of a plan.
func (p *Plan) key() random.Key { return random.NewKey(p.Seed) }

// dataKey seeds generated data. It leaves the algorithm out, so that all baselines see the same data.
func (p *Plan) dataKey(d *datasetConfig, trial int) random.Key {
	if !d.resample {
		return p.key().Derive("data", d.label)
	}
	return p.key().Derive("data", d.label, "trial", strconv.Itoa(trial))
}

// foldKey seeds the folds of a trial; it leaves the algorithm out for the same reason.
func (p *Plan) foldKey(d *datasetConfig, trial int) random.Key {
	return p.key().Derive("folds", d.label, "trial", strconv.Itoa(trial))
}

// noiseKey seeds a cell's release.
func (p *Plan) noiseKey(c *Cell) random.Key {
	config := c.Config
	return p.key().Derive("cell", config.data.label, config.Info.Name, string(config.Guarantee.Variant), config.changed,
		config.epsilonText(), strconv.Itoa(c.Trial), strconv.Itoa(c.Fold))
}

// cacheKey names everything a cell's outcome depends on, so that a finished cell is reused if and only if it
// would come out the same. checksum is of the cell's loaded data.
func (p *Plan) cacheKey(c *Cell, checksum string) string {
	config := c.Config
	h := sha256.New()
	word := func(values ...any) {
		for _, value := range values {
			text := fmt.Sprint(value)
			fmt.Fprintf(h, "%d:%s,", len(text), text)
		}
	}
	word("ppdp cell 1", p.Seed, config.data.label, config.data.resample, checksum,
		config.Info.Name, config.Info.Revision, config.Guarantee.Variant, config.epsilonText(),
		c.Trial, c.Fold, p.Folds, p.Spec.Stratify, p.Spec.Protocol)
	if p.Spec.Train.set() {
		word("train", p.Spec.Train.text)
	}
	if p.keeps(c) {
		word("keep", KeepRegions)
	}
	for _, key := range sortedKeys(config.Resolved) {
		word(key, config.Resolved[key])
	}
	for _, m := range config.Measures {
		word(m.Name, m.Metric.Info().Revision)
		for _, key := range sortedKeys(m.resolved) {
			word(key, m.resolved[key])
		}
		if m.Classifier != nil {
			word(m.Classifier.Info().Name, m.Classifier.Info().Revision)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

// record is the part of a cell's record that is known before it runs.
func (p *Plan) record(c *Cell) results.Record {
	config := c.Config
	record := results.Record{
		Experiment: p.Spec.Name, Series: config.Series, Dataset: config.data.label, StandIn: config.data.info.StandIn,
		Algorithm: config.Info.Name, Variant: string(config.Guarantee.Variant), Params: config.Resolved,
		Epsilon: config.Epsilon, Trial: c.Trial,
	}
	if c.Fold >= 0 {
		fold := c.Fold
		record.Fold = &fold
	}
	return record
}

// describe names a cell in messages: "rps/fig3: RPS, stop 5 at epsilon 1, trial 2, fold 3".
func (p *Plan) describe(c *Cell) string {
	text := p.Spec.Name + ": " + c.Config.Series
	if c.Config.Epsilon != nil {
		text += " at epsilon " + c.Config.epsilonText()
	}
	text += fmt.Sprintf(", trial %d", c.Trial)
	if c.Fold >= 0 {
		text += fmt.Sprintf(", fold %d", c.Fold)
	}
	return text
}
