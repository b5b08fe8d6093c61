package plots

import (
	"cmp"
	"slices"
	"strings"

	"ppdp/internal/results"
)

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
