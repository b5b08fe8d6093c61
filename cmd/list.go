package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/experiments"
	"ppdp/metrics"
)

// listCommand is "ppdp list".
type listCommand struct {
	What string `arg:"" enum:"algorithms,datasets,classifiers,metrics,experiments" help:"One of ${enum}."`
	JSON bool   `name:"json" help:"Write JSON instead of a table."`
}

// Help is the second part of the verb's help text.
func (listCommand) Help() string {
	return `Algorithms are listed with what each variant guarantees, under which neighbour relation,
and whether that guarantee holds, is short by a factor or is broken. The ids are those of
docs/errata.md.

Examples:

  ppdp list algorithms

  ppdp list datasets --json`
}

// Run lists.
func (c listCommand) Run(con *console) error {
	switch c.What {
	case "algorithms":
		return writeList(con.stdout, c.JSON, listAlgorithms())
	case "datasets":
		return writeList(con.stdout, c.JSON, listDatasets())
	case "classifiers":
		return writeList(con.stdout, c.JSON, listClassifiers())
	case "metrics":
		return writeList(con.stdout, c.JSON, listMetrics())
	default:
		lines, err := listExperiments()
		if err != nil {
			return err
		}
		return writeList(con.stdout, c.JSON, lines)
	}
}

// listed is one line of a list.
type listed interface {
	// header names the columns, cells fills them; a line of JSON holds more than the columns.
	header() []string
	cells() []string
}

// writeList writes lines as an aligned table or as a JSON array.
func writeList[T listed](w io.Writer, asJSON bool, lines []T) error {
	if asJSON {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(lines)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	var columns T
	fmt.Fprintln(table, strings.Join(columns.header(), "\t"))
	for _, line := range lines {
		cells := line.cells()
		for i, cell := range cells {
			if cell == "" {
				cells[i] = "-"
			}
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	return table.Flush()
}

// algorithmLine is one variant of one algorithm.
type algorithmLine struct {
	Name     string   `json:"name"`
	Variant  string   `json:"variant"`
	Default  bool     `json:"default"`
	Input    string   `json:"input"`
	Model    string   `json:"model"`
	Unit     string   `json:"unit,omitempty"`
	Relation string   `json:"relation,omitempty"`
	Status   string   `json:"status"`
	Errata   []string `json:"errata,omitempty"`
	Note     string   `json:"note,omitempty"`
	Title    string   `json:"title"`
	Source   string   `json:"source"`
	Produces []string `json:"produces"`
	Revision int      `json:"revision"`
}

func (algorithmLine) header() []string {
	return []string{"NAME", "VARIANT", "INPUT", "GUARANTEE", "NEIGHBOURS", "STATUS", "ERRATA",
		"TITLE"}
}

func (l algorithmLine) cells() []string {
	guarantee, status := l.Model, l.Status
	if l.Model == string(algorithms.NoPrivacy) {
		guarantee, status = "", ""
	}
	return []string{l.Name, l.Variant, l.Input, guarantee, l.Relation, status,
		strings.Join(l.Errata, " "), l.Title}
}

func listAlgorithms() []algorithmLine {
	lines := []algorithmLine{}
	for _, name := range algorithms.Names() {
		algorithm, err := algorithms.Lookup(name)
		if err != nil {
			panic(err) // Names lists only what Lookup finds
		}
		info := algorithm.Info()
		produces := make([]string, len(info.Produces))
		for i, product := range info.Produces {
			produces[i] = string(product)
		}
		for i, g := range info.Variants {
			lines = append(lines, algorithmLine{
				Name: info.Name, Variant: string(g.Variant), Default: i == 0,
				Input: string(info.Input),
				Model: string(g.Model), Unit: g.Unit, Relation: g.Relation,
				Status: string(g.Status), Errata: g.Errata, Note: g.Note,
				Title: info.Title, Source: info.Source, Produces: produces, Revision: info.Revision,
			})
		}
	}
	return lines
}

// datasetLine is one dataset.
type datasetLine struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Kind     string   `json:"kind"`
	Origin   string   `json:"origin"` // "files", "generated" or "stand-in"
	Files    []string `json:"files,omitempty"`
	License  string   `json:"license,omitempty"`
	Citation string   `json:"citation,omitempty"`
}

func (datasetLine) header() []string {
	return []string{"NAME", "KIND", "ORIGIN", "LICENSE",
		"TITLE"}
}

func (l datasetLine) cells() []string {
	return []string{l.Name, l.Kind, l.Origin, l.License, l.Title}
}

func listDatasets() []datasetLine {
	lines := []datasetLine{}
	for _, name := range datasets.Names() {
		source, err := datasets.Lookup(name)
		if err != nil {
			panic(err)
		}
		info := source.Info()
		line := datasetLine{Name: info.Name, Title: info.Title, Kind: "table", Origin: "generated",
			License: info.License, Citation: info.Citation}
		if info.Graph {
			line.Kind = "graph"
		}
		switch {
		case info.StandsFor != "":
			line.Origin = "stand-in"
		case len(info.Files) > 0:
			line.Origin = "files"
		}
		for _, file := range info.Files {
			line.Files = append(line.Files, file.Path)
		}
		lines = append(lines, line)
	}
	return lines
}

// classifierLine is one classifier.
type classifierLine struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Source   string `json:"source"`
	Revision int    `json:"revision"`
}

func (classifierLine) header() []string  { return []string{"NAME", "TITLE", "SOURCE"} }
func (l classifierLine) cells() []string { return []string{l.Name, l.Title, l.Source} }

func listClassifiers() []classifierLine {
	lines := []classifierLine{}
	for _, name := range classifiers.Names() {
		classifier, err := classifiers.Lookup(name)
		if err != nil {
			panic(err)
		}
		info := classifier.Info()
		lines = append(lines, classifierLine{Name: info.Name, Title: info.Title,
			Source: info.Source, Revision: info.Revision})
	}
	return lines
}

// metricLine is one metric.
type metricLine struct {
	Name           string   `json:"name"`
	Title          string   `json:"title"`
	Source         string   `json:"source"`
	Unit           string   `json:"unit,omitempty"`
	Needs          []string `json:"needs"`
	GraphNeeds     []string `json:"graphNeeds,omitempty"`
	Classifier     bool     `json:"classifier"`
	Anonymity      bool     `json:"anonymity"`
	HigherIsBetter bool     `json:"higherIsBetter"`
	Revision       int      `json:"revision"`
}

func (metricLine) header() []string {
	return []string{"NAME", "NEEDS", "BETTER", "UNIT", "TITLE", "SOURCE"}
}

func (l metricLine) cells() []string {
	needs, better := strings.Join(l.Needs, ", "), "lower"
	if len(l.GraphNeeds) > 0 {
		needs += " or " + strings.Join(l.GraphNeeds, ", ")
	}
	if l.Classifier {
		needs = strings.TrimPrefix(needs+", classifier", ", ")
	}
	if l.Anonymity {
		needs = strings.TrimPrefix(needs+", k", ", ")
	}
	if l.HigherIsBetter {
		better = "higher"
	}
	return []string{l.Name, needs, better, l.Unit, l.Title, l.Source}
}

func listMetrics() []metricLine {
	lines := []metricLine{}
	for _, name := range metrics.Names() {
		metric, err := metrics.Lookup(name)
		if err != nil {
			panic(err)
		}
		info := metric.Info()
		needs, graphNeeds := make([]string, len(info.Needs)), make([]string, len(info.GraphNeeds))
		for i, product := range info.Needs {
			needs[i] = string(product)
		}
		for i, product := range info.GraphNeeds {
			graphNeeds[i] = string(product)
		}
		lines = append(lines, metricLine{Name: info.Name, Title: info.Title, Source: info.Source,
			Unit:  info.Unit,
			Needs: needs, GraphNeeds: graphNeeds, Classifier: info.Classifier,
			Anonymity: info.Anonymity, HigherIsBetter: info.HigherIsBetter,
			Revision: info.Revision})
	}
	return lines
}

// experimentLine is one embedded experiment.
type experimentLine struct {
	Name   string `json:"name"`
	Title  string `json:"title"`
	Source string `json:"source"`
}

func (experimentLine) header() []string  { return []string{"NAME", "SOURCE", "TITLE"} }
func (l experimentLine) cells() []string { return []string{l.Name, l.Source, l.Title} }

func listExperiments() ([]experimentLine, error) {
	lines := []experimentLine{}
	for _, name := range experiments.Names() {
		spec, err := experiments.Embedded(name)
		if err != nil {
			return nil, err
		}
		lines = append(lines, experimentLine{Name: spec.Name, Title: spec.Title,
			Source: spec.Source})
	}
	return lines, nil
}
