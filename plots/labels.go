package plots

import (
	"cmp"
	"strings"

	"ppdp/results"
)

// parameterLabels are the axis labels of parameters that need more than their names. A spec's xlabel and
// x2label replace them.
var parameterLabels = map[string]string{
	epsilonName: "Privacy budget ε",
	"h":         "Specialisations h",
	"n":         "Records",
}

// parameterLabel is the label of an axis along a parameter.
func parameterLabel(name, given string) string {
	return cmp.Or(given, parameterLabels[name], strings.ReplaceAll(name, "-", " "))
}

// measureLabel is the label of an axis along a metric: its title, with its unit in brackets.
func measureLabel(m results.MeasureUse, given string) string {
	label := cmp.Or(m.Title, m.Metric)
	if m.Unit != "" && m.Unit != "fraction" {
		label += " (" + m.Unit + ")"
	}
	return cmp.Or(given, label)
}

// referenceLabels name the benchmarks every such figure has.
var referenceLabels = map[string]string{
	"identity": "Original data",
	"majority": "Majority class",
	"zeros":    "n zeros",
	"perfect":  "True degree sequence",
	"mondrian": "Mondrian",
}

func referenceLabel(name string) string { return cmp.Or(referenceLabels[name], name) }
