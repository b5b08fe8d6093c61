package results

import (
	"math"
	"strings"
)

// RegionsKind is the kind of figure that maps a release's regions.
const RegionsKind = "regions"

// Figure describes one plot of a run, as written in a spec under plots.
type Figure struct {
	Name  string `yaml:"name" json:"name"` // file name and panel letter: "a"
	Title string `yaml:"title" json:"title,omitempty"`
	// Kind is empty for curves, or RegionsKind for the map of one release: its regions as
	// rectangles over the original rows, along the attributes X and Y.
	Kind  string `yaml:"kind" json:"kind,omitempty"`
	Where Filter `yaml:"where" json:"where,omitempty"` // keeps rows by their facts
	// "epsilon" or a parameter's name; an attribute of a map
	X string `yaml:"x" json:"x"`
	// a parameter drawn along the top axis, for series that have no x
	X2 string `yaml:"x2" json:"x2,omitempty"`
	Y  string `yaml:"y" json:"y"` // a metric's name; an attribute of a map
	// XLabel, X2Label and YLabel replace the labels made from the names.
	XLabel  string `yaml:"xlabel" json:"xlabel,omitempty"`
	X2Label string `yaml:"x2label" json:"x2label,omitempty"`
	YLabel  string `yaml:"ylabel" json:"ylabel,omitempty"`
	// Axis is SampleEquivalent to draw, in place of the metric's values, how large a sample of the
	// true records is as good, in per cent, on a log axis unless YScale says otherwise. The
	// experiment has to measure the control "sample" at several shares.
	Axis string `yaml:"axis" json:"axis,omitempty"`
	// XScale and YScale are "linear" (the default) or "log".
	XScale string `yaml:"xscale" json:"xscale,omitempty"`
	YScale string `yaml:"yscale" json:"yscale,omitempty"`
	// XLim and YLim fix the axes' ranges; nil fits them to the data.
	XLim []float64 `yaml:"xlim" json:"xlim,omitempty"`
	YLim []float64 `yaml:"ylim" json:"ylim,omitempty"`
	// Reference draws a horizontal line at the mean of each named algorithm (identity: no privacy)
	// or classifier (majority) of the experiment.
	Reference []string `yaml:"reference" json:"reference,omitempty"`
}

// Check calls bad, with the key in a spec, for what is wrong whatever the run has: a kind, an axis
// or a scale that does not exist, and limits that no axis can have.
func (f *Figure) Check(bad func(key, format string, args ...any)) {
	if f.Kind != "" && f.Kind != RegionsKind {
		bad("kind", "%q, must be %s, or not given for curves", f.Kind, RegionsKind)
	}
	if f.Axis != "" && f.Axis != SampleEquivalent {
		bad("axis", "%q, must be %s, or not given for the metric's own values", f.Axis,
			SampleEquivalent)
	}
	check := func(axis, scale string, limits []float64) {
		if scale != "" && scale != "linear" && scale != "log" {
			bad(axis+"scale", "%q, must be linear or log", scale)
		}
		switch {
		case limits == nil:
		case len(limits) != 2 || !(limits[0] < limits[1]) ||
			math.IsInf(limits[0], 0) || math.IsInf(limits[1], 0):
			bad(axis+"lim", "%v, must be two numbers, the lower first", limits)
		case scale == "log" && limits[0] <= 0:
			bad(axis+"lim", "%v on a log axis, must be above 0", limits)
		}
	}
	check("x", f.XScale, f.XLim)
	check("y", f.YScale, f.YLim)
}

// Panel is what the names of figures that belong together begin with: a, of a and of a-Caltech36.
func (f *Figure) Panel() string {
	panel, _, _ := strings.Cut(f.Name, "-")
	return panel
}

// Letter is the letter of the paper's panel that the figure is, "" where Panel is a word.
func (f *Figure) Letter() string {
	if panel := f.Panel(); len(panel) == 1 {
		return panel
	}
	return ""
}
