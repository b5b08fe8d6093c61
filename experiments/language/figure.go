package language

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ppdp/datasets"
	"ppdp/internal/declared"
	"ppdp/internal/results"
	"ppdp/internal/spelling"
	"ppdp/internal/strictyaml"
)

// FigureSpec is a results.Figure with its place in the document.
type FigureSpec struct {
	results.Figure `yaml:",inline"`
	strictyaml.Place
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
	for _, derived := range results.DerivedMeasures {
		measured[derived.Metric] = true
	}
	parameters := s.parameterNames()
	ran := make(map[string]bool)
	for i := range s.Algorithms {
		ran[s.Algorithms[i].Name] = true
	}
	names := make(map[string]bool)
	for f := range results.Each(s.Plots) {
		if f.Node == nil {
			continue
		}
		bad := func(key, format string, args ...any) {
			r.Problemf(valueOf(f.Node, key), format, args...)
		}
		if err := results.CheckFigureName(f.Name); err != nil {
			bad("name", "%v", err)
		}
		if names[f.Name] {
			bad("name", "%q is the name of an earlier figure", f.Name)
		}
		names[f.Name] = true
		switch f.Kind {
		case "":
			if !measured[f.Y] {
				bad("y", "%q is not measured, must be one of %s", f.Y, listed(measured))
			}
			if f.X != "epsilon" && !parameters[f.X] {
				bad("x", "%q, must be epsilon or one of %s", f.X, listed(parameters))
			}
		case results.RegionsKind:
			s.checkMap(f, bad)
		}
		if f.X2 != "" && !parameters[f.X2] {
			bad("x2", "%q, must be one of %s", f.X2, listed(parameters))
		}
		if f.Axis == results.SampleEquivalent {
			s.checkSampleAxis(f, bad)
		}
		declared.CheckNode(r, f.Node, &f.Figure)
		checkLimits("xlim", f.XScale, f.XLim, bad)
		checkLimits("ylim", f.YScale, f.YLim, bad)
		for _, name := range f.Reference {
			if !ran[name] && !classified[name] {
				bad("reference", "%q is neither an algorithm nor a classifier of this experiment",
					name)
			} else if f.Axis != "" && !ran[name] {
				bad("reference", "%q is a classifier, whose sample would be by its own curve", name)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(f.Where)) {
			switch key {
			case "classifier":
				for _, word := range strings.Split(f.Where[key], "|") {
					if !classified[word] {
						bad("where", "classifier %q%s, must be one of those measured: %s", word,
							spelling.Hint(word, slices.Sorted(maps.Keys(classified))),
							listed(classified))
					}
				}
			case "metric":
			default:
				if !isFact(key, parameters) {
					bad("where", "%q, must be metric, classifier, %s or one of %s", key,
						strings.Join(results.SettingFacts, ", "), listed(parameters))
				}
			}
		}
	}
}

// checkLimits records limits that no axis can have.
func checkLimits(key, scale string, limits []float64, bad func(key, format string, args ...any)) {
	switch {
	case limits == nil:
	case len(limits) != 2 || !(limits[0] < limits[1]):
		bad(key, "%v, must be two numbers, the lower first", limits)
	case scale == "log" && limits[0] <= 0:
		bad(key, "%v on a log axis, must be above 0", limits)
	}
}

// checkSampleAxis records what keeps a figure from showing samples that are as good.
func (s *Spec) checkSampleAxis(f *FigureSpec, bad func(key, format string, args ...any)) {
	switch {
	case f.Kind != "":
		bad("axis", "%s, but a map of %s has no such axis", f.Axis, f.Kind)
	case f.derived():
		bad("y", "%q cannot be learned from records: no sample is as good", f.Y)
	case !slices.ContainsFunc(s.Algorithms, func(a AlgorithmSpec) bool {
		return a.Name == results.SampleAlgorithm &&
			slices.Contains(a.Params.swept(), results.ShareParam)
	}):
		bad("axis", "%s needs the control %s at two shares at least: add to algorithms "+
			"{name: %[2]s, params: {share: [0.001, 0.01, 0.1, 1]}}", f.Axis,
			results.SampleAlgorithm)
	}
}

// derived reports whether the figure draws what every run has besides its measurements.
func (f *FigureSpec) derived() bool {
	return slices.ContainsFunc(results.DerivedMeasures,
		func(u results.MeasureUse) bool { return u.Metric == f.Y })
}

// checkMap records what is wrong with a figure that maps a release's regions.
func (s *Spec) checkMap(f *FigureSpec, bad func(key, format string, args ...any)) {
	if !slices.Contains(s.Keep, KeepRegions) {
		bad("kind", "%s, but the run does not keep them; write keep: [%s], or keep: [%s, %s] to "+
			"see the rows as well", f.Kind, KeepRegions, KeepRegions, KeepRows)
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
	for i := range s.Algorithms {
		if a := s.Algorithms[i].found; a != nil {
			addNames(names, a.Params())
		}
	}
	for i := range s.Dataset {
		if d, err := datasets.Lookup(s.Dataset[i].Name); err == nil {
			addNames(names, d.Params())
		}
	}
	return names
}

// isFact reports whether a filter may ask for it of settings that have these parameters.
func isFact(key string, parameters map[string]bool) bool {
	return parameters[key] || slices.Contains(results.SettingFacts, key)
}

// addNames adds the names of parameters, if there are any, to a set.
func addNames(names map[string]bool, params any) {
	if !isNil(params) {
		for key := range strictyaml.Resolved(params) { // order-free: fills a set
			names[key] = true
		}
	}
}

// listed joins the names of a set.
func listed(set map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(set)), ", ") }

// seriesTemplate is the entry's own template, or one that names all that is swept and is no axis.
// What a template of the author's leaves out is added where curves could not be distinguished
// otherwise.
func (p *Plan) seriesTemplate(a *AlgorithmSpec) (template string, showVariant bool) {
	template = a.Series
	if template == "" {
		template = a.Name
		for _, key := range a.Params.swept() {
			if !p.isAxis(key) {
				template += ", " + key + " {" + key + "}"
			}
		}
	}
	if own, ends := strings.CutSuffix(template, results.VariantSuffix("{variant}")); ends {
		return own, true
	}
	return template, len(a.Variant) > 1 && !strings.Contains(template, "{variant}")
}

// isAxis reports whether every figure draws a parameter along one of its axes.
func (p *Plan) isAxis(key string) bool {
	return len(p.Figures) > 0 && !slices.ContainsFunc(p.Figures,
		func(f results.Figure) bool { return f.X != key && f.X2 != key })
}

// fill replaces a template's {name} by the configuration's values.
func (c *Config) fill(template string) string {
	return placeholder.ReplaceAllStringFunc(template, func(word string) string {
		switch name := word[1 : len(word)-1]; name {
		case "unit":
			return c.Guarantee.Unit
		case "neighbours":
			return c.Guarantee.Relation
		case "dataset": // the stand-in's own name where one is used
			return c.Dataset.Label()
		default:
			value, _ := c.Fact(name)
			return value
		}
	})
}

// name fills in the template. The delta of a budget that has one is always part of a curve's name,
// and so is that a guarantee is a program's word.
func (c *Config) name(template string) string {
	name := cmp.Or(c.fill(template), c.Info.Name) // a template of an empty parameter
	if delta := c.DeltaText(); delta != "" && !strings.Contains(template, "{delta}") {
		name += ", δ = " + delta
	}
	if status := c.Guarantee.Status; status.Outside() {
		name += " (" + string(status) + ")"
	}
	return name
}

// checkSeries refuses names that cannot be shown, and settings that are listed twice.
func (p *Plan) checkSeries(r *strictyaml.Reader) {
	seen, at := make(map[string]bool), valueOf(p.Spec.node, "algorithms")
	for _, c := range p.Configs {
		if err := results.CheckSeriesName(c.Label()); err != nil {
			r.Problemf(at, "series: %v", err) // each once: the reader leaves out repetitions
		}
		if seen[c.Key()] {
			r.Problemf(at, "series %q: the same algorithm with the same parameters is listed twice",
				c.Label())
		}
		seen[c.Key()] = true
	}
}

// checkAmbiguity refuses figures in which one curve would have two points at one place: their
// configurations differ in something that neither the series' name nor an axis nor the figure's
// filter distinguishes.
func (p *Plan) checkAmbiguity(r *strictyaml.Reader) {
	for f := range results.Each(p.Spec.Plots) {
		where := maps.Clone(f.Where)
		delete(where, "metric") // these two select measurements, not settings
		delete(where, "classifier")
		seen := make(map[string]*Config)
		var shown *Config // by a map
		selected := false
		for _, c := range p.Configs {
			if !where.Selects(c) {
				continue
			}
			selected = true
			if f.Kind == results.RegionsKind {
				if shown != nil {
					r.Problemf(f.Node, "the figure shows one release, where selects several: %s",
						c.difference(shown))
					break
				}
				shown = c
				continue
			}
			axis := f.X
			x, _ := c.Fact(axis)
			if x == "" && f.X2 != "" {
				axis = f.X2
				x, _ = c.Fact(axis)
			}
			at := axis + " " + x
			if x == "" {
				at = "one place, as it has no " + axis
			}
			place := c.Label() + "\x00" + at
			if other, taken := seen[place]; taken {
				r.Problemf(f.Node, "series %q has two points at %s: %s; name the difference "+
					"in series: or choose with where:", c.Label(), at, c.difference(other))
				break
			}
			seen[place] = c
		}
		switch {
		case f.Kind == results.RegionsKind && shown == nil:
			r.Problemf(f.Node, "where selects no release")
		case !selected && !p.Quick && len(p.Configs) > 0: // quick runs leave out settings
			r.Problemf(f.Node, "where selects none of the experiment's curves, such as %s",
				p.Configs[0].selectable(where))
		}
	}
}

// selectable says what a filter would have to ask for to select the configuration.
func (c *Config) selectable(where results.Filter) string {
	var words []string
	for _, key := range slices.Sorted(maps.Keys(where)) {
		value, _ := c.Fact(key)
		words = append(words, key+": "+value)
	}
	return strings.Join(words, ", ")
}

// difference says in what two configurations differ.
func (c *Config) difference(other *Config) string {
	mine := c.Facts()
	for _, key := range slices.Sorted(maps.Keys(mine)) {
		if value, _ := other.Fact(key); mine[key] != value {
			return fmt.Sprintf("%s is %s and %s", key, value, mine[key])
		}
	}
	return "they are the same"
}
