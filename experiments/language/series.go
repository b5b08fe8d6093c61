package language

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
)

// seriesTemplate is the entry's own template, or one that names all that is swept and is no axis.
// What a template of the author's leaves out is added where curves could not be distinguished
// otherwise.
func (p *Plan) seriesTemplate(a *AlgorithmSpec, severalVariants bool) (template string,
	showVariant bool) {
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
	return template, severalVariants && !strings.Contains(template, "{variant}")
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
					r.Problemf(f.node, "the figure shows one release, where selects several: %s",
						c.difference(shown))
					break
				}
				shown = c
				continue
			}
			x, _ := c.Fact(f.X)
			if x == "" && f.X2 != "" {
				x2, _ := c.Fact(f.X2)
				x = "x2:" + x2
			}
			place := c.Label() + "\x00" + x
			if other, taken := seen[place]; taken {
				r.Problemf(f.node, "series %q has two points at %s %s: %s; name the difference "+
					"in series: or choose with where:", c.Label(), f.X, x, c.difference(other))
				break
			}
			seen[place] = c
		}
		switch {
		case f.Kind == results.RegionsKind && shown == nil:
			r.Problemf(f.node, "where selects no release")
		case !selected && !p.Quick && len(p.Configs) > 0: // quick runs leave out settings
			r.Problemf(f.node, "where selects none of the experiment's curves, such as %s",
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
