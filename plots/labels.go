package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ppdp/internal/results"
)

// notPrivate is said of releases whose guarantee is broken.
const notPrivate = "not private"

// label is what a figure says of a curve, in fields. String puts it into words, which nothing reads
// back: to say it in other words is to change this file.
type label struct {
	setting  string         // what the curve is called beside its variant
	variants []shownVariant // of the setting, behind it
}

// shownVariant is a variant of a setting. Without a name it is the setting itself.
type shownVariant struct {
	name   string
	broken bool   // the guarantee of one of its releases is broken
	panels string // in which it is; "" for all that show it
}

// String is "RPS, depth 5 (published, not private; strict)". The note on a variant is beside it,
// but comes last where that is the only one and the note names panels: "RPS (strict), not private
// in b".
func (l label) String() string {
	said := results.Says(l.setting, notPrivate) // by the spec's author
	separator, last := ", ", ""
	var inside []string
	for _, v := range l.variants {
		note := ""
		if v.broken && !said {
			note = ", " + notPrivate
			if v.panels != "" {
				note += " in " + v.panels
			}
		}
		switch {
		case v.name == "":
			last += note
		case len(l.variants) == 1 && v.panels != "":
			inside, last = append(inside, v.name), note
		default:
			inside = append(inside, v.name+note)
			if note != "" {
				separator = "; "
			}
		}
	}
	if inside == nil {
		return l.setting + last
	}
	return l.setting + results.VariantSuffix(strings.Join(inside, separator)) + last
}

// legendText is a curve's label with the axis it is read against, where that is not the bottom one,
// and with a note where a search for the least cost was ended by its limit. Where panels of several
// variants share styles, it names all variants of the curve.
func legendText(cv curve, p *panel, panels []*panel) string {
	l := label{setting: cv.setting}
	shown, broken := make(map[string][]*panel), make(map[string][]*panel) // by variant
	for _, q := range panels {
		for _, other := range q.curves {
			if p.styles.name(other) != p.styles.name(cv) || q.onTop(other) != p.onTop(cv) {
				continue
			}
			if shown[other.variant] == nil {
				l.variants = append(l.variants, shownVariant{name: other.variant})
			}
			shown[other.variant] = append(shown[other.variant], q)
			if other.broken {
				broken[other.variant] = append(broken[other.variant], q)
			}
		}
	}
	for v := range results.Each(l.variants) {
		v.broken = broken[v.name] != nil
		if len(broken[v.name]) < len(shown[v.name]) || v.name == "" && len(l.variants) > 1 {
			v.panels = panelNames(broken[v.name], panels)
		}
	}
	text := l.String()
	if p.onTop(cv) {
		text += " (top axis)"
	}
	return text + gapText(cv.gaps[0], cv.gaps[1])
}

// gapText says that costs are the least found, and how much of them is not proven necessary.
func gapText(least, most float64) string {
	if most == 0 {
		return ""
	}
	low, high := fmt.Sprintf("%.1f", 100*least), fmt.Sprintf("%.1f", 100*most)
	if low == high {
		return fmt.Sprintf(", best found (gap %s %%)", high)
	}
	return fmt.Sprintf(", best found (gap %s to %s %%)", low, high)
}

// panelNames names some panels of a page: "a, b", or "a" for all of a-Caltech, a-Enron and so on.
func panelNames(some, all []*panel) string {
	var names []string
	for _, p := range some {
		missing := func(q *panel) bool {
			return q.figure.Panel() == p.figure.Panel() && !slices.Contains(some, q)
		}
		name := p.figure.Name
		if !slices.ContainsFunc(all, missing) {
			name = p.figure.Panel()
		}
		names = results.Union(names, name)
	}
	return strings.Join(names, ", ")
}

// parameterLabels are the axis labels of parameters that need more than their names.
var parameterLabels = map[string]string{
	epsilonName: "Privacy budget ε",
	"h":         "Specialisations h",
	"n":         "Records",
}

// parameterLabel is the label of an axis along a parameter: the one given in the spec, if any.
func parameterLabel(name, given string) string {
	return cmp.Or(given, parameterLabels[name], strings.ReplaceAll(name, "-", " "))
}

// besideEpsilon is what an axis along epsilon says of the deltas of its points: nothing where all
// are pure. The curves' names have each.
func besideEpsilon(rows []*results.Row) string {
	var deltas []string
	for _, r := range rows {
		if text := r.DeltaText(); r.Epsilon != nil && !slices.Contains(deltas, text) {
			deltas = append(deltas, text)
		}
	}
	switch {
	case len(deltas) > 1:
		return ", at the δ named"
	case len(deltas) == 1 && deltas[0] != "":
		return ", δ = " + deltas[0]
	}
	return ""
}

// measureLabel is the label of an axis along a metric: its title, with its unit in brackets.
func measureLabel(m results.MeasureUse) string {
	label := cmp.Or(m.Title, m.Metric)
	if m.Unit != "" && m.Unit != "fraction" {
		label += " (" + m.Unit + ")"
	}
	return label
}

// referenceLabels name the benchmarks that many figures have.
var referenceLabels = map[string]string{
	"identity": "Original data",
	"majority": "Majority class",
	"zeros":    "n zeros",
	"perfect":  "True degree sequence",
	"mondrian": "Mondrian",
}

// referenceLabel is the label of a benchmark line; averaged is how many rows of different values it
// is the mean of, 0 where it is no mean.
func referenceLabel(name string, averaged int) string {
	text := cmp.Or(referenceLabels[name], name)
	if averaged > 0 {
		text += fmt.Sprintf(", mean of %d", averaged)
	}
	return text
}

// offScale notes the values of a benchmark line that fixed limits, or a log axis, keep out of some
// panels. shown reports whether any panel has the line.
func offScale(label string, panels []*panel) (note string, shown bool) {
	var values, named []string
	unplaceable := true // all are 0 or below, on log axes
	for _, p := range panels {
		for _, r := range p.references {
			v := r.level()
			switch {
			case r.Label != label:
			case p.y.contains(v):
				shown = true
			default:
				unplaceable = unplaceable && p.y.unplaceable(v)
				value := strings.Replace(strconv.FormatFloat(v, 'g', 4, 64), "-", "−", 1)
				values, named = append(values, value), append(named, p.figure.Name+": "+value)
			}
		}
	}
	if len(values) == 0 {
		return "", shown
	}
	where := strings.Join(named, ", ")
	if slices.Sort(values); values[0] == values[len(values)-1] {
		if unplaceable {
			return ": " + values[0] + ", not on a log axis", shown
		}
		if len(values) == len(panels) { // the same everywhere
			where = values[0]
		}
	}
	return " (off scale: " + where + ")", shown
}

// measureText is a metric's title with its unit and, for measured metrics, which way is better.
func measureText(m *results.Manifest, measure results.MeasureUse) string {
	measured := func(u results.MeasureUse) bool { return u.Metric == measure.Metric }
	switch {
	case !slices.ContainsFunc(m.Measures, measured):
		return measureLabel(measure)
	case measure.HigherIsBetter:
		return measureLabel(measure) + ", higher is better"
	}
	return measureLabel(measure) + ", lower is better"
}
