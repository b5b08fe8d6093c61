package language

import (
	"cmp"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ppdp/algorithms"
	"ppdp/algorithms/external"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/internal/declared"
	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
	"ppdp/metrics"
)

// AlgorithmSpec is one algorithm with the settings it is run at.
type AlgorithmSpec struct {
	Name    string    `yaml:"name" doc:"the algorithm" values:"a name of ppdp list algorithms" default:"given by from"`
	From    string    `yaml:"from" doc:"in place of name, relative to the spec: the descriptor (*.baseline.yaml) of a program of your own, or a release of any program, a CSV file or a folder of ppdp release" values:"a path" default:"none"`
	Variant []string  `yaml:"variant,flow-one" doc:"readings of the paper" values:"published, strict or refcode, or a list of these" default:"the algorithm's first"`
	Series  string    `yaml:"series" doc:"the name of its curves; {k}, {variant}, {epsilon}, {dataset} and their like are filled in" values:"a text" default:"the name and what is swept"`
	Epsilon []float64 `yaml:"epsilon,flow-one" doc:"budgets in place of the experiment's" above:"0" values:"a number above 0 or a list of such numbers" default:"the experiment's"`
	Delta   []float64 `yaml:"delta,flow-one" doc:"makes the guarantee (epsilon, delta), accounted in zCDP" min:"0" below:"1" values:"a number from 1e-300 to below 1, 0 for pure epsilon, or a list of such numbers" default:"0"`
	Trials  int       `yaml:"trials" doc:"how many of the experiment's trials it takes part in, the first ones; spares settings that take long" min:"1" max:"100000" default:"all"`
	Params  Sweep     `yaml:"params" doc:"the algorithm's parameters; a list is swept, and lists multiply" values:"a mapping of names to values or lists of values" default:"the algorithm's"`

	strictyaml.Place
	expanded []any                // the valid combinations of Params
	found    algorithms.Algorithm // what Name or From means; nil where it means nothing
}

// findAlgorithms looks up what the entries under algorithms name. A descriptor that several entries
// name is one program.
func (s *Spec) findAlgorithms(r *strictyaml.Reader) {
	programs := make(map[string]algorithms.Algorithm)
	names := make(map[string]string) // of programs, with their descriptors
	for a := range results.Each(s.Algorithms) {
		switch {
		case a.Node == nil: // not decoded, which is reported
		case a.From == "" && a.Name == "":
			r.Problemf(a.Node, "needs a name, must be one of %s, or from, "+
				"a descriptor's file or a release's", strings.Join(algorithms.Names(), ", "))
		case a.From != "" && a.Name != "":
			r.Problemf(a.Node, "name and from: both given, must be one of them")
		case a.From == "":
			algorithm, err := algorithms.Lookup(a.Name)
			if err != nil {
				r.Problemf(valueOf(a.Node, "name"), "%v", err)
				continue
			}
			a.found = algorithm
		default:
			path := filepath.FromSlash(a.From)
			if !filepath.IsAbs(path) {
				path = filepath.Join(filepath.Dir(s.File), path)
			}
			program := programs[path]
			if program == nil {
				var err error
				if program, err = external.Find(path); err != nil {
					for _, problem := range flatten(err) {
						r.Problemf(valueOf(a.Node, "from"), "%s", problem)
					}
					continue
				}
				programs[path] = program
			}
			a.found, a.Name = program, program.Info().Name
			if a.Name == external.FileAlgorithm {
				a.Series = cmp.Or(a.Series, filepath.Base(path))
				continue
			}
			if other := names[a.Name]; other != "" && other != path {
				r.Problemf(valueOf(a.Node, "from"), "%s is the name of %s already", a.Name, other)
			}
			names[a.Name] = path
		}
	}
}

// checkAlgorithm records what is wrong with one entry under algorithms.
func (s *Spec) checkAlgorithm(r *strictyaml.Reader, a *AlgorithmSpec, measures []Measure) {
	if a.found == nil {
		return // which findAlgorithms has reported
	}
	algorithm := a.found
	info := algorithm.Info()
	declared.CheckNode(r, a.Node, a)
	if a.Trials > s.Trials {
		r.Problemf(valueOf(a.Node, "trials"), "%d, must be at most the experiment's %d", a.Trials,
			s.Trials)
	}
	if i := slices.IndexFunc(a.Delta, func(x float64) bool { return x > 0 && x < 1e-300 }); i >= 0 {
		r.Problemf(valueOf(a.Node, "delta"), "%v, must be at least 1e-300, or 0 for pure epsilon",
			a.Delta[i])
	}
	if len(a.Variant) == 0 {
		a.Variant = []string{string(info.Variants[0].Variant)}
	}
	if len(a.Delta) == 0 {
		a.Delta = []float64{0} // pure epsilon
	}
	for _, name := range a.Variant {
		guarantee, err := info.Guarantee(algorithms.Variant(name))
		private := guarantee.Model == algorithms.DifferentialPrivacy
		switch {
		case err != nil:
			r.Problemf(valueOf(a.Node, "variant"), "%v", err)
		case private && len(a.Epsilon) == 0 && len(s.Epsilon) == 0:
			r.Problemf(a.Node, "%s needs epsilon, given here or for the whole experiment", a.Name)
		case !private && len(a.Epsilon) > 0:
			r.Problemf(valueOf(a.Node, "epsilon"),
				"%s gives no differential privacy and takes no epsilon", a.Name)
		case !guarantee.Approximate && slices.Max(a.Delta) > 0:
			r.Problemf(valueOf(a.Node, "delta"),
				"%s (%s) is accounted in pure epsilon and takes no delta", a.Name, name)
		}
	}
	a.expanded = a.Params.expand(r, a.Node, a.Name, func() any { return algorithm.Params() })
	if len(a.expanded) > 0 {
		known := map[string]bool{"algorithm": true, "variant": true, "unit": true,
			"neighbours": true, "epsilon": true, "delta": true, "dataset": true}
		addNames(known, a.expanded[0])
		for _, match := range placeholder.FindAllStringSubmatch(a.Series, -1) {
			if name := match[1]; !known[name] {
				r.Problemf(valueOf(a.Node, "series"),
					"{%s} names no parameter of %s, must be one of %s", name, a.Name, listed(known))
			}
		}
	}
	_, anonymous := algorithm.Params().(algorithms.Anonymous)
	for _, m := range measures {
		if !m.where.Only("algorithm").Selects(&results.Setting{Algorithm: info.Name}) {
			continue
		}
		if m.Metric.Info().Anonymity && !anonymous {
			r.Problemf(a.Node, "metric %s needs the k of a k-anonymous release, which %s has not",
				m.Metric.Info().Name, a.Name)
		}
		for _, product := range metrics.Needs(m.Metric, info.Input, m.Classifier) {
			if !info.Can(product) {
				what := m.Metric.Info().Name
				if _, ok := m.Classifier.(classifiers.RegionClassifier); ok {
					what += " with " + m.Classifier.Info().Name
				}
				r.Problemf(a.Node, "metric %s needs %s, which %s does not release", what, product,
					a.Name)
			}
		}
	}
	for i := range s.Dataset {
		name, kind := s.Dataset[i].Name, algorithms.TableInput
		source, err := datasets.Lookup(name)
		if err != nil {
			continue // reported by expandDatasets
		}
		if source.Info().Graph {
			kind = algorithms.GraphInput
		}
		if kind != info.Input {
			r.Problemf(a.Node, "%s takes a %s, but dataset %s is a %s", a.Name, info.Input, name,
				kind)
		}
	}
}

// placeholder is a {name} in a series template.
var placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

// Refuses reports what keeps a configuration from releasing n rows or more of a table; one error
// for each reason.
func (c *Config) Refuses(n int, schema *datasets.Schema) []error {
	var reasons []error
	if anonymous, ok := c.Parameters.(algorithms.Anonymous); ok {
		reasons = append(reasons, algorithms.CheckEnough(n, anonymous.Anonymity()))
	}
	if check, ok := c.Parameters.(algorithms.SchemaChecker); ok {
		reasons = append(reasons, check.CheckSchema(schema))
	}
	return results.Mapped(flatten(errors.Join(reasons...)), errors.New)
}

// CheckTable reports the algorithms, metrics and classifiers of the spec that a loaded table cannot
// serve when n of its rows are released, by the lines that ask for them.
func (p *Plan) CheckTable(d *Dataset, n int, schema *datasets.Schema) error {
	r := strictyaml.NewReader(p.Spec.File)
	problem := func(node *strictyaml.Node, err error) { // each once: the reader sees to that
		if err != nil {
			r.Problemf(node, "%v (dataset %s)", err, d.Label())
		}
	}
	for _, config := range p.Configs {
		if config.Data == d {
			for _, err := range config.Refuses(n, schema) {
				problem(config.node, err)
			}
		}
	}
	for _, measure := range p.Spec.Measures {
		problem(measure.node, metrics.CheckSchema(measure.Metric, measure.Classifier,
			measure.Params, schema))
	}
	return r.Err()
}
