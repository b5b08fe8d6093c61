package plots

import "strings"

// axisLabels are the axis labels of names that need more than their own text. What is not listed is
// labelled by its name; a spec's xlabel, x2label and ylabel replace either.
var axisLabels = map[string]string{
	"epsilon":  "Privacy budget ε",
	"accuracy": "Classification accuracy",
	"h":        "Specialisations h",
	"n":        "Records",

	"accuracy-published":   "Classification accuracy",
	"accuracy-generalised": "Classification accuracy",
	"w1":                   "Earth mover's distance (W1)",
	"w2":                   "Earth mover's distance (W2)",
	"ks":                   "Kolmogorov-Smirnov distance",
	"purity":               "Region purity",
	"discernibility":       "Discernibility penalty",
	"cavg":                 "Normalised class size (C_AVG)",
	"ncp":                  "Normalised certainty penalty",
	"count-error":          "Error of count queries (records)",
	"match-point":          "Match Point",
	"runtime":              "Run time of a release (s)",
}

func axisLabel(name, given string) string {
	if given != "" {
		return given
	}
	if label, ok := axisLabels[name]; ok {
		return label
	}
	return strings.ReplaceAll(name, "-", " ")
}

// referenceLabels name the benchmarks every such figure has.
var referenceLabels = map[string]string{
	"identity": "Original data",
	"majority": "Majority class",
	"zeros":    "n zeros",
	"perfect":  "True degree sequence",
	"mondrian": "Mondrian",
}

func referenceLabel(name string) string {
	if label, ok := referenceLabels[name]; ok {
		return label
	}
	return name
}
