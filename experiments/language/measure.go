package language

import (
	"maps"
	"slices"
	"strings"

	"ppdp/classifiers"
	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
	"ppdp/metrics"
)

// MeasureSpec asks for metrics, each with each of the classifiers and at each of the settings.
type MeasureSpec struct {
	Metric     []string       `yaml:"metric,flow-one" doc:"what is measured" values:"a name of ppdp list metrics or a list of names"`
	Classifier []string       `yaml:"classifier,flow-one" doc:"what learns, for metrics that need a classifier or a regressor" values:"a name of ppdp list classifiers or a list of names" default:"none"`
	Params     Sweep          `yaml:"params" doc:"parameters of the metrics, each of which must know them all; a list asks for a measurement of each value, recorded under the metric's name with what differs from the defaults" values:"a mapping of names to values or lists of values" default:"the metrics'"`
	Where      results.Filter `yaml:"where" doc:"measures only the settings that have these values" values:"a mapping of names to values; a|b is either" default:"all settings"`

	strictyaml.Place
}

// Measure is one metric, with its classifier where it needs one and its parameters where it has
// some.
type Measure struct {
	Metric     metrics.Metric
	Classifier classifiers.Classifier // nil for metrics that need none
	Params     metrics.Params         // nil for metrics without
	// Name is the metric as recorded: its own name and the parameters that differ from their
	// defaults, "count-error attribute=age".
	Name  string
	Entry int // its place among the spec's entries of measure

	resolved map[string]string // all parameters
	where    results.Filter    // of settings
	node     *strictyaml.Node  // the entry in the spec
}

// Measurement is the measure as records name it.
func (m *Measure) Measurement() results.Measurement {
	name := results.Measurement{Metric: m.Name}
	if m.Classifier != nil {
		name.Classifier = m.Classifier.Info().Name
	}
	return name
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

// measuresOf are those of a setting.
func (p *Plan) measuresOf(s *results.Setting) []Measure {
	all, left := p.Spec.Measures, func(m Measure) bool { return !m.where.Selects(s) }
	if !slices.ContainsFunc(all, left) {
		return all // shared: a plan may have many settings
	}
	return slices.DeleteFunc(slices.Clone(all), left)
}

// checkMeasured refuses measurements that are made of no setting.
func (p *Plan) checkMeasured(r *strictyaml.Reader) {
	for _, m := range p.Spec.Measures {
		if !p.Quick && len(p.Configs) > 0 && !slices.ContainsFunc(p.Configs,
			func(c *Config) bool { return m.where.Selects(c) }) {
			r.Problemf(valueOf(m.node, "where"), "selects none of the experiment's settings, "+
				"such as %s", p.Configs[0].selectable(m.where))
		}
	}
}

// measures resolves the measure section into one entry for each metric, setting and classifier.
func (s *Spec) measures(r *strictyaml.Reader) []Measure {
	var all []Measure
	seen := make(map[results.Measurement]bool)
	for i := range s.Measure {
		m := &s.Measure[i]
		for _, key := range slices.Sorted(maps.Keys(m.Where)) {
			if known := s.parameterNames(); !isFact(key, known) {
				r.Problemf(valueOf(m.Node, "where"), "%q, must be %s or one of %s", key,
					strings.Join(results.SettingFacts, ", "), listed(known))
			}
		}
		if len(m.Metric) == 0 {
			r.Problemf(m.Node, "needs a metric, must be one of %s",
				strings.Join(metrics.Names(), ", "))
		}
		for _, name := range m.Metric {
			metric, err := metrics.Lookup(name)
			if err != nil {
				r.Problemf(valueOf(m.Node, "metric"), "%v", err)
				continue
			}
			chosen, fresh := chooseClassifiers(r, m, metric), parametersOf(metric)
			for _, expanded := range m.Params.expand(r, m.Node, name, fresh) {
				measure := Measure{Metric: metric, Name: name, Entry: i, where: m.Where,
					node: m.Node}
				if !isNil(expanded) {
					measure.Params = expanded
					var changed []string
					if measure.resolved, changed = resolve(expanded, fresh()); changed != nil {
						measure.Name = results.MetricName(name,
							changedText(measure.resolved, changed))
					}
				}
				if metrics.NeedsHeldOut(metric, measure.Params) && s.Folds == 0 &&
					!s.Train.Set() {
					r.Problemf(m.Node, "%s: %v; give folds or train", measure.Name,
						metrics.ErrNoHeldOut)
				}
				for _, classifier := range chosen {
					measure.Classifier = classifier
					key := measure.Measurement()
					if seen[key] {
						r.Problemf(m.Node, "%s is listed twice", key)
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

// chooseClassifiers lists the classifiers a metric is measured with: one nil for a metric that
// needs none.
func chooseClassifiers(r *strictyaml.Reader, m *MeasureSpec,
	metric metrics.Metric) []classifiers.Classifier {
	name := metric.Info().Name
	if !metric.Info().Classifier {
		if len(m.Classifier) > 0 {
			r.Problemf(valueOf(m.Node, "classifier"), "%s takes no classifier", name)
		}
		return []classifiers.Classifier{nil}
	}
	if len(m.Classifier) == 0 {
		r.Problemf(m.Node, "%s needs a classifier, must be some of %s", name,
			strings.Join(classifiers.Names(), ", "))
	}
	var chosen []classifiers.Classifier
	for _, word := range m.Classifier {
		if classifier, err := classifiers.Lookup(word); err != nil {
			r.Problemf(valueOf(m.Node, "classifier"), "%v", err)
		} else {
			chosen = append(chosen, classifier)
		}
	}
	return chosen
}
