// Package experiments turns a YAML spec into cells and cells into records. A spec is decoded
// strictly and checked as a whole before anything runs; a plan lists its cells; a run makes each
// cell's release once, measures all that was asked of it, and writes results/<experiment>/. The
// package draws no figure and judges no claim: that is done later, from the files it leaves.
package experiments

import (
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/internal/spelling"
	"ppdp/internal/strictyaml"
	"ppdp/metrics"
	"ppdp/results"
)

// Protocols of cross-validation.
const (
	// RawTest releases the training folds only and tests on the raw fold held out.
	RawTest = "raw-test"
	// Inside releases all rows and cross-validates inside the released records. It measures the
	// release's self-consistency, not what it tells about new people.
	Inside = "inside"
)

// Spec is one experiment as written down by a researcher.
type Spec struct {
	Name   string `yaml:"name"`   // "rps/fig3": the folder of its results
	Title  string `yaml:"title"`  // one line for people
	Source string `yaml:"source"` // paper and figure it reproduces
	Seed   uint64 `yaml:"seed"`   // master seed of all randomness; 0 is a seed like any other
	Trials int    `yaml:"trials"` // independent repetitions, default 1
	// Folds is the number of cross-validation folds; 0 (the default) measures on the rows released.
	Folds int `yaml:"folds"`
	// Train holds rows out once and for all in place of folds: the first rows are released, the others are the test set.
	Train Train `yaml:"train"`
	// Stratify keeps the class shares equal over the folds (default true; needs a class attribute).
	Stratify bool `yaml:"stratify"`
	// Protocol is raw-test (the default) or inside.
	Protocol   string          `yaml:"protocol"`
	Dataset    []DatasetSpec   `yaml:"dataset,flow-one"`
	Epsilon    []float64       `yaml:"epsilon,flow-one"` // for every algorithm under differential privacy
	Algorithms []AlgorithmSpec `yaml:"algorithms"`
	Measure    []MeasureSpec   `yaml:"measure"`
	Plots      []FigureSpec    `yaml:"plots"`
	Keep       []string        `yaml:"keep,flow-one"` // what a run leaves beyond measurements: regions, rows
	Quick      QuickSpec       `yaml:"quick"`

	file string
	text []byte
	node *strictyaml.Node
}

// QuickSpec is what --quick overrides; zero values override nothing.
type QuickSpec struct {
	Trials  int       `yaml:"trials"`
	Folds   int       `yaml:"folds"`
	Epsilon []float64 `yaml:"epsilon,flow-one"`
	// Dataset takes the place of the spec's, whose sources it must name: with other parameters, such as fewer rows.
	Dataset []DatasetSpec `yaml:"dataset,flow-one"`
}

// DatasetSpec names a dataset; every key beside name and resample is one of its parameters.
type DatasetSpec struct {
	Name string
	// Resample draws generated data anew for every trial; by default all trials see the same data.
	Resample bool
	params   Sweep
	node     *strictyaml.Node
}

// UnmarshalStrict splits the mapping into the dataset's name and its parameters.
func (d *DatasetSpec) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	d.node, d.params.node = n, n
	if n.Kind == strictyaml.ScalarNode { // dataset: adult
		r.Decode(n, &d.Name)
		return
	}
	if n.Kind != strictyaml.MappingNode {
		r.Problemf(n, "must be a name or a mapping such as {name: adult, select: rps}")
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch key, value := n.Content[i], n.Content[i+1]; key.Value {
		case "name":
			r.Decode(value, &d.Name)
		case "resample":
			r.Decode(value, &d.Resample)
		default:
			if key.Value == "csv" && d.Name == "" {
				d.Name = "csv" // {csv: my.csv, schema: my.schema.yaml} needs no name
			}
			d.params.add(r, key, value)
		}
	}
	if d.Name == "" {
		r.Problemf(n, "needs a name, must be one of %s", strings.Join(datasets.Names(), ", "))
	}
}

// AlgorithmSpec is one algorithm with the settings it is run at.
type AlgorithmSpec struct {
	Name    string    `yaml:"name"`
	Variant []string  `yaml:"variant,flow-one"` // default: the algorithm's first
	Series  string    `yaml:"series"`           // the curve's name; {param} is filled in
	Epsilon []float64 `yaml:"epsilon,flow-one"` // instead of the spec's
	// Trials is how many of the experiment's trials the entry takes part in, the first ones; 0 means all. It spares
	// settings that take long.
	Trials int   `yaml:"trials"`
	Params Sweep `yaml:"params"`

	node *strictyaml.Node
}

// algorithmKeys is AlgorithmSpec without its methods, to decode it by its fields.
type algorithmKeys AlgorithmSpec

// UnmarshalStrict remembers where the entry stands.
func (a *AlgorithmSpec) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	r.Decode(n, (*algorithmKeys)(a))
	a.node = n
	if a.Params.node == nil {
		a.Params.node = n
	}
}

// MeasureSpec asks for metrics, each with each of the classifiers and at each of the settings.
type MeasureSpec struct {
	Metric     []string `yaml:"metric,flow-one"`
	Classifier []string `yaml:"classifier,flow-one"`
	Params     Sweep    `yaml:"params"`

	node *strictyaml.Node
}

type measureKeys MeasureSpec

// UnmarshalStrict remembers where the entry stands.
func (m *MeasureSpec) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	r.Decode(n, (*measureKeys)(m))
	m.node = n
	if m.Params.node == nil {
		m.Params.node = n
	}
}

// FigureSpec is a results.Figure with its place in the document.
type FigureSpec struct {
	results.Figure
	node *strictyaml.Node
}

// UnmarshalStrict reads the figure. Values under where are taken by their text, so that 50 and "50" select
// the same records.
func (f *FigureSpec) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	f.node = n
	if n.Kind == strictyaml.MappingNode {
		rest := *n
		rest.Content = nil
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if key.Value != "where" || value.Kind != strictyaml.MappingNode {
				rest.Content = append(rest.Content, key, value)
				continue
			}
			f.Where = make(map[string]string)
			for j := 0; j+1 < len(value.Content); j += 2 {
				if value.Content[j+1].Kind != strictyaml.ScalarNode {
					r.Problemf(value.Content[j+1], "must map names to single values; write a|b for either")
					continue
				}
				f.Where[value.Content[j].Value] = value.Content[j+1].Value
			}
		}
		n = &rest
	}
	r.Decode(n, &f.Figure)
}

// Load reads a spec from a file.
func Load(path string) (*Spec, error) {
	data, err := datasets.ReadFile(path, strictyaml.MaxBytes)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse decodes and checks a spec. The error lists every problem as file:line: what was found, what
// is allowed.
func Parse(file string, data []byte) (*Spec, error) {
	r := strictyaml.NewReader(file)
	spec := &Spec{Trials: 1, Stratify: true, Protocol: RawTest, file: file, text: data}
	if spec.node = r.Document(data); spec.node != nil {
		r.Decode(spec.node, spec)
		spec.check(r)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return spec, nil
}

// nameForm keeps experiment names usable as folders and names of figures usable as files.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$`)

// Bounds that no sensible experiment reaches; beyond them lies a typing error.
const (
	maxTrials = 100_000
	maxFolds  = 1_000
)

// check records everything wrong with a decoded spec that can be said without its data.
func (s *Spec) check(r *strictyaml.Reader) {
	at := func(key string) *strictyaml.Node { return valueOf(s.node, key) }
	if s.Name == "" && at("name") == s.node {
		r.Problemf(s.node, "name: missing, must be words such as rps/fig3: the folder of the results")
	} else if !nameForm.MatchString(s.Name) {
		r.Problemf(at("name"), "%q, must be words of letters, digits, '.', '_' or '-' joined by '/'", s.Name)
	}
	if s.Trials < 1 || s.Trials > maxTrials {
		r.Problemf(at("trials"), "%d, must be between 1 and %d", s.Trials, maxTrials)
	}
	if s.Folds < 0 || s.Folds == 1 || s.Folds > maxFolds {
		r.Problemf(at("folds"), "%d, must be 0 (none) or between 2 and %d", s.Folds, maxFolds)
	}
	if s.Protocol != RawTest && s.Protocol != Inside {
		r.Problemf(at("protocol"), "%q, must be %s or %s", s.Protocol, RawTest, Inside)
	}
	if s.Protocol == Inside && s.Folds == 0 {
		r.Problemf(at("protocol"), "inside cross-validates, so folds must be at least 2")
	}
	checkEpsilon(r, at("epsilon"), s.Epsilon)
	if quick := at("quick"); quick != s.node {
		if s.Quick.Trials < 0 || s.Quick.Trials > maxTrials {
			r.Problemf(valueOf(quick, "trials"), "%d, must be between 1 and %d", s.Quick.Trials, maxTrials)
		}
		if s.Quick.Folds < 0 || s.Quick.Folds == 1 || s.Quick.Folds > maxFolds {
			r.Problemf(valueOf(quick, "folds"), "%d, must be between 2 and %d", s.Quick.Folds, maxFolds)
		}
		checkEpsilon(r, valueOf(quick, "epsilon"), s.Quick.Epsilon)
	}
	if len(s.Dataset) == 0 && at("dataset") == s.node {
		r.Problemf(s.node, "dataset: missing, must name at least one of %s", strings.Join(datasets.Names(), ", "))
	}
	if len(s.Algorithms) == 0 && at("algorithms") == s.node {
		r.Problemf(s.node, "algorithms: missing, must list at least one of %s", strings.Join(algorithms.Names(), ", "))
	}
	if len(s.Measure) == 0 && at("measure") == s.node {
		r.Problemf(s.node, "measure: missing, must list at least one of %s", strings.Join(metrics.Names(), ", "))
	}
	s.checkSize(r)
	s.checkKeep(r)
	s.checkTrain(r)
	measures := s.measures(r)
	s.expandDatasets(r)
	if len(s.Quick.Dataset) > 0 {
		var names []string
		for i := range s.Dataset {
			names = append(names, s.Dataset[i].Name)
		}
		for i := range s.Quick.Dataset {
			if d := &s.Quick.Dataset[i]; d.Name != "" && !slices.Contains(names, d.Name) {
				r.Problemf(d.node, "%s, must be one of the datasets of the experiment, %s", d.Name, strings.Join(names, ", "))
			}
		}
		s.quickened().expandDatasets(r)
	}
	for i := range s.Algorithms {
		s.checkAlgorithm(r, &s.Algorithms[i], measures)
	}
	s.checkFigures(r, measures)
}

// quickened returns the spec with the datasets of quick runs.
func (s *Spec) quickened() *Spec {
	quick := *s
	quick.Dataset = s.Quick.Dataset
	return &quick
}

// valueOf is the value of a key in a mapping, or the mapping itself where the key is not given.
func valueOf(n *strictyaml.Node, key string) *strictyaml.Node {
	if n.Kind == strictyaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				return n.Content[i+1]
			}
		}
	}
	return n
}

func checkEpsilon(r *strictyaml.Reader, at *strictyaml.Node, grid []float64) {
	seen := make(map[float64]bool)
	for i, epsilon := range grid {
		where := at
		if at.Kind == strictyaml.SequenceNode && i < len(at.Content) {
			where = at.Content[i]
		}
		if written, err := strconv.ParseFloat(where.Value, 64); err != nil || written != epsilon {
			continue // not decoded, and said so
		}
		if !(epsilon > 0) || math.IsInf(epsilon, 1) {
			r.Problemf(where, "%v, must be a finite number above 0", epsilon)
		}
		if seen[epsilon] {
			r.Problemf(where, "%v is listed twice", epsilon)
		}
		seen[epsilon] = true
	}
}

// Measure is one metric, with its classifier where it needs one and its parameters where it has some.
type Measure struct {
	Metric     metrics.Metric
	Classifier classifiers.Classifier // nil for metrics that need none
	Params     metrics.Params         // nil for metrics without
	// Name is the metric as recorded: its own name and the parameters that differ from their defaults,
	// "count-error attribute=age".
	Name string

	resolved map[string]string // all parameters
}

// parametersOf returns what makes a metric's default parameters.
func parametersOf(metric metrics.Metric) func() any {
	return func() any {
		if p, ok := metric.(metrics.Parameterised); ok {
			return p.Params()
		}
		return nil
	}
}

// measures resolves the measure section into one entry for each metric, setting and classifier.
func (s *Spec) measures(r *strictyaml.Reader) []Measure {
	var all []Measure
	seen := make(map[[2]string]bool)
	for i := range s.Measure {
		m := &s.Measure[i]
		if len(m.Metric) == 0 {
			r.Problemf(m.node, "needs a metric, must be one of %s", strings.Join(metrics.Names(), ", "))
		}
		for _, name := range m.Metric {
			metric, err := metrics.Lookup(name)
			if err != nil {
				r.Problemf(valueOf(m.node, "metric"), "%v", err)
				continue
			}
			chosen := s.chooseClassifiers(r, m, metric)
			fresh := parametersOf(metric)
			for _, expanded := range m.Params.expand(r, name, fresh) {
				measure := Measure{Metric: metric, Name: name}
				if !isNil(expanded) {
					measure.Params = expanded.(metrics.Params)
					var changed string
					if measure.resolved, changed = resolve(expanded, fresh()); changed != "" {
						measure.Name += " " + changed
					}
				}
				for _, classifier := range chosen {
					measure.Classifier = classifier
					key := [2]string{measure.Name}
					if classifier != nil {
						key[1] = classifier.Info().Name
					}
					if seen[key] {
						r.Problemf(m.node, "%s is asked for twice", strings.TrimSpace(key[0]+" "+key[1]))
						continue
					}
					seen[key] = true
					all = append(all, measure)
				}
			}
		}
	}
	return all
}

// chooseClassifiers lists the classifiers a metric is measured with: one nil for a metric that needs none.
func (s *Spec) chooseClassifiers(r *strictyaml.Reader, m *MeasureSpec, metric metrics.Metric) []classifiers.Classifier {
	name := metric.Info().Name
	if !metric.Info().Classifier {
		if len(m.Classifier) > 0 {
			r.Problemf(valueOf(m.node, "classifier"), "%s takes no classifier", name)
		}
		return []classifiers.Classifier{nil}
	}
	if len(m.Classifier) == 0 {
		r.Problemf(m.node, "%s needs a classifier, must be some of %s", name, strings.Join(classifiers.Names(), ", "))
	}
	var chosen []classifiers.Classifier
	for _, classifierName := range m.Classifier {
		classifier, err := classifiers.Lookup(classifierName)
		if err != nil {
			r.Problemf(valueOf(m.node, "classifier"), "%v", err)
			continue
		}
		chosen = append(chosen, classifier)
	}
	return chosen
}

// datasetConfig is one dataset with one combination of its parameters.
type datasetConfig struct {
	source   datasets.Source
	info     datasets.Info
	params   any
	changed  string            // parameters that differ from their defaults, canonical
	resolved map[string]string // all parameters
	label    string            // "gaussian n=1000"
	resample bool
	spec     *DatasetSpec
}

// expandDatasets resolves the dataset section into one entry for each combination of parameters.
func (s *Spec) expandDatasets(r *strictyaml.Reader) []datasetConfig {
	var all []datasetConfig
	for i := range s.Dataset {
		d := &s.Dataset[i]
		if d.Name == "" {
			continue // said while decoding
		}
		source, err := datasets.Lookup(d.Name)
		if err != nil {
			r.Problemf(valueOf(d.node, "name"), "%v", err)
			continue
		}
		for _, params := range d.params.expand(r, "dataset "+d.Name, source.Params) {
			resolved, changed := resolve(params, source.Params())
			label := d.Name
			if changed != "" {
				label += " " + changed
			}
			all = append(all, datasetConfig{source: source, info: source.Info(), params: params,
				resolved: resolved, changed: changed, label: label, resample: d.Resample, spec: d})
		}
	}
	seen := make(map[string]bool)
	for _, d := range all {
		if d.info.Graph && s.Folds > 0 {
			r.Problemf(valueOf(s.node, "folds"), "%d, but %s is a graph: there are no rows to hold out", s.Folds, d.label)
		}
		if seen[d.label] {
			r.Problemf(d.spec.node, "%s stands twice", d.label)
		}
		seen[d.label] = true
	}
	return all
}

// resolve flattens a parameter struct: all its values, and those that differ from the defaults
// written as "name=value name=value" in alphabetical order. Keys and seeds are made from the latter,
// so that a new parameter whose default changes nothing leaves all old results as they are.
func resolve(params, defaults any) (all map[string]string, changed string) {
	if isNil(params) {
		return nil, ""
	}
	all = strictyaml.Resolved(params)
	usual := strictyaml.Resolved(defaults)
	var words []string
	for _, key := range sortedKeys(all) {
		if all[key] != usual[key] {
			words = append(words, key+"="+all[key])
		}
	}
	return all, strings.Join(words, " ")
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// checkAlgorithm records what is wrong with one entry under algorithms.
func (s *Spec) checkAlgorithm(r *strictyaml.Reader, a *AlgorithmSpec, measures []Measure) {
	if a.node == nil {
		return
	}
	if a.Name == "" {
		r.Problemf(a.node, "needs a name, must be one of %s", strings.Join(algorithms.Names(), ", "))
		return
	}
	algorithm, err := algorithms.Lookup(a.Name)
	if err != nil {
		r.Problemf(valueOf(a.node, "name"), "%v", err)
		return
	}
	info := algorithm.Info()
	checkEpsilon(r, valueOf(a.node, "epsilon"), a.Epsilon)
	if a.Trials < 0 || a.Trials > s.Trials {
		r.Problemf(valueOf(a.node, "trials"), "%d, must be between 1 and the experiment's %d", a.Trials, s.Trials)
	}
	for _, name := range a.Variant {
		guarantee, err := info.Guarantee(algorithms.Variant(name))
		if err != nil {
			r.Problemf(valueOf(a.node, "variant"), "%v", err)
			continue
		}
		s.checkEpsilonUse(r, a, guarantee)
	}
	if len(a.Variant) == 0 {
		s.checkEpsilonUse(r, a, info.Variants[0])
	}
	expanded := a.Params.expand(r, a.Name, func() any { return algorithm.Params() })
	if len(expanded) > 0 {
		known := map[string]bool{"algorithm": true, "variant": true, "unit": true, "neighbours": true, "epsilon": true, "dataset": true}
		if !isNil(expanded[0]) {
			for key := range strictyaml.Resolved(expanded[0]) { // order-free: fills a set
				known[key] = true
			}
		}
		for _, name := range placeholders(a.Series) {
			if !known[name] {
				r.Problemf(valueOf(a.node, "series"), "{%s} names no parameter of %s, must be one of %s", name, a.Name, strings.Join(sortedKeys(known), ", "))
			}
		}
	}
	_, anonymous := algorithm.Params().(algorithms.Anonymous)
	for _, m := range measures {
		if m.Metric.Info().Anonymity && !anonymous {
			r.Problemf(a.node, "metric %s needs the k of a k-anonymous release, which %s has not", m.Metric.Info().Name, a.Name)
		}
		needs := metrics.Needs(m.Metric, info.Input, m.Classifier)
		if s.Protocol == Inside && m.Metric.Info().Classifier && !slices.Contains(needs, algorithms.RecordsProduct) {
			r.Problemf(valueOf(s.node, "measure"), "%s with %s needs regions, and inside the released records there are none", m.Name, m.Classifier.Info().Name)
		}
		for _, product := range needs {
			if !info.Can(product) {
				what := m.Metric.Info().Name
				if _, ok := m.Classifier.(classifiers.RegionClassifier); ok {
					what += " with " + m.Classifier.Info().Name
				}
				r.Problemf(a.node, "metric %s needs %s, which %s does not release", what, product, a.Name)
			}
		}
	}
	for i := range s.Dataset {
		source, err := datasets.Lookup(s.Dataset[i].Name)
		if err != nil {
			continue // said by expandDatasets
		}
		if inputKind(source) != info.Input {
			r.Problemf(a.node, "%s takes a %s, but dataset %s is a %s", a.Name, info.Input, s.Dataset[i].Name, inputKind(source))
		}
	}
}

// inputKind is the kind of data a source loads.
func inputKind(source datasets.Source) algorithms.InputKind {
	if source.Info().Graph {
		return algorithms.GraphInput
	}
	return algorithms.TableInput
}

func (s *Spec) checkEpsilonUse(r *strictyaml.Reader, a *AlgorithmSpec, g algorithms.Guarantee) {
	private := g.Model == algorithms.DifferentialPrivacy
	if private && len(a.Epsilon) == 0 && len(s.Epsilon) == 0 {
		r.Problemf(a.node, "%s needs epsilon, given here or for the whole experiment", a.Name)
	}
	if !private && len(a.Epsilon) > 0 {
		r.Problemf(valueOf(a.node, "epsilon"), "%s gives no differential privacy and takes no epsilon", a.Name)
	}
}

// placeholder is a {name} in a series template.
var placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

func placeholders(template string) []string {
	var names []string
	for _, match := range placeholder.FindAllStringSubmatch(template, -1) {
		names = append(names, match[1])
	}
	return names
}

// checkFigures records what is wrong with the plots section as far as it shows before planning.
func (s *Spec) checkFigures(r *strictyaml.Reader, measures []Measure) {
	measured := make(map[string]bool)
	classified := make(map[string]bool)
	for _, m := range measures {
		measured[m.Name] = true
		if m.Classifier != nil {
			classified[m.Classifier.Info().Name] = true
		}
	}
	measured[results.RuntimeMetric] = true // every run keeps its timings
	parameters := s.parameterNames()
	ran := make(map[string]bool)
	for i := range s.Algorithms {
		ran[s.Algorithms[i].Name] = true
	}
	names := make(map[string]bool)
	for i := range s.Plots {
		f := &s.Plots[i]
		if f.node == nil {
			continue
		}
		bad := func(key, format string, args ...any) {
			r.Problemf(valueOf(f.node, key), format, args...)
		}
		if !nameForm.MatchString(f.Name) || strings.Contains(f.Name, "/") {
			bad("name", "%q, must be letters, digits, '.', '_' or '-'", f.Name)
		}
		if names[f.Name] {
			bad("name", "%q stands twice", f.Name)
		}
		names[f.Name] = true
		switch f.Kind {
		case "":
		case results.RegionsKind:
			s.checkMap(f, bad)
		default:
			bad("kind", "%q, must be %s, or not given for curves", f.Kind, results.RegionsKind)
		}
		if f.Kind == "" && !measured[f.Y] {
			bad("y", "%q is not measured, must be one of %s", f.Y, strings.Join(sortedKeys(measured), ", "))
		}
		if f.Kind == "" && f.X != "epsilon" && !parameters[f.X] {
			bad("x", "%q, must be epsilon or one of %s", f.X, strings.Join(sortedKeys(parameters), ", "))
		}
		if f.X2 != "" && !parameters[f.X2] {
			bad("x2", "%q, must be one of %s", f.X2, strings.Join(sortedKeys(parameters), ", "))
		}
		for _, scale := range [][2]string{{"xscale", f.XScale}, {"yscale", f.YScale}} {
			if v := scale[1]; v != "" && v != "linear" && v != "log" {
				bad(scale[0], "%q, must be linear or log", v)
			}
		}
		checkLimits := func(key string, limits []float64, log bool) {
			switch {
			case limits == nil:
			case len(limits) != 2 || !(limits[0] < limits[1]):
				bad(key, "%v, must be two numbers, the lower first", limits)
			case log && limits[0] <= 0:
				bad(key, "%v on a log axis, must be above 0", limits)
			}
		}
		checkLimits("xlim", f.XLim, f.XScale == "log")
		checkLimits("ylim", f.YLim, f.YScale == "log")
		for _, name := range f.Reference {
			if !ran[name] && !classified[name] {
				bad("reference", "%q is neither an algorithm nor a classifier of this experiment", name)
			}
		}
		for _, key := range sortedKeys(f.Where) {
			switch key {
			case "classifier":
				for _, word := range strings.Split(f.Where[key], "|") {
					if !classified[word] {
						bad("where", "classifier %q%s, must be one of those measured: %s", word, spelling.Hint(word, sortedKeys(classified)), strings.Join(sortedKeys(classified), ", "))
					}
				}
			case "metric", "variant", "dataset", "algorithm", "series", "epsilon":
			default:
				if !parameters[key] {
					bad("where", "%q, must be metric, classifier, variant, dataset, algorithm, series, epsilon or one of %s", key, strings.Join(sortedKeys(parameters), ", "))
				}
			}
		}
	}
}

// checkMap records what is wrong with a figure that maps a release's regions.
func (s *Spec) checkMap(f *FigureSpec, bad func(key, format string, args ...any)) {
	if !slices.Contains(s.Keep, KeepRegions) {
		bad("kind", "%s, but the run does not keep them; write keep: [%s], or keep: [%s, %s] to see the rows as well", f.Kind, KeepRegions, KeepRegions, KeepRows)
	}
	if f.X == "" || f.Y == "" || f.X == f.Y {
		bad("x", "%q and y %q, must be two attributes of the dataset", f.X, f.Y)
	}
	if f.X2 != "" || len(f.Reference) > 0 || f.XScale != "" || f.YScale != "" {
		bad("kind", "%s takes no x2, reference, xscale or yscale", f.Kind)
	}
}

// parameterNames is the set of all parameters of the spec's algorithms and datasets.
func (s *Spec) parameterNames() map[string]bool {
	names := make(map[string]bool)
	add := func(params any) {
		if isNil(params) {
			return
		}
		for key := range strictyaml.Resolved(params) { // order-free: fills a set
			names[key] = true
		}
	}
	for i := range s.Algorithms {
		if a, err := algorithms.Lookup(s.Algorithms[i].Name); err == nil {
			add(a.Params())
		}
	}
	for i := range s.Dataset {
		if d, err := datasets.Lookup(s.Dataset[i].Name); err == nil {
			add(d.Params())
		}
	}
	return names
}

// userFiles are the parameters of a dataset that the user gives as files.
type userFiles interface{ ResolvePaths(base string) }

// resolvePaths makes the paths among a dataset's parameters relative to the folder of the spec.
func (s *Spec) resolvePaths(params any) {
	if p, ok := params.(userFiles); ok {
		p.ResolvePaths(filepath.Dir(s.file))
	}
}
