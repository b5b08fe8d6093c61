package cmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/docs"
	"ppdp/experiments"
	"ppdp/experiments/language"
	"ppdp/internal/declared"
	"ppdp/internal/results"
	"ppdp/internal/spelling"
	"ppdp/internal/terminal"
	"ppdp/metrics"
)

// listCommand is "ppdp list".
type listCommand struct {
	What string `arg:"" enum:"algorithms,datasets,classifiers,regressors,metrics,experiments" help:"One of ${enum}."`
	Name string `arg:"" optional:"" help:"One of them, with the parameters it takes."`
	JSON bool   `name:"json" help:"Write JSON instead of a table."`
}

// Help is the second part of the verb's help text.
func (listCommand) Help() string {
	return `Algorithms are listed with what each variant guarantees, under which neighbour relation,
and whether that guarantee holds, is short by a factor or is broken. The ids are those of
docs/generated/errata.md. CLAIMED, PROVEN, SEEN and CERTIFIED are privacy losses at an epsilon of 1: what is
claimed, what the ledger adds up, the largest that a replay has seen, and the largest that a black
box has certified. They are of the audits that come with ppdp, on small neighbouring inputs and with
default parameters; "ppdp audit" makes them again.

Examples:

  ppdp list algorithms

  ppdp list algorithms mondrian

  ppdp list datasets --json`
}

// Run lists.
func (c listCommand) Run(con *console) error {
	list, err := map[string]func() (listed, error){
		"algorithms": listAlgorithms, "datasets": listDatasets, "metrics": listMetrics,
		"experiments": listExperiments,
		"classifiers": func() (listed, error) {
			return listClassifiers(classifiers.Names(), classifiers.Lookup), nil
		},
		"regressors": func() (listed, error) {
			return listClassifiers(classifiers.Regressors(), classifiers.LookupRegressor), nil
		},
	}[c.What]()
	switch {
	case err != nil:
		return err
	case c.Name != "":
		return c.one(con, list)
	case c.JSON:
		return results.WriteJSON(con.stdout, list.lines)
	}
	table := terminal.NewTable(con.stdout, list.columns...)
	for _, row := range list.rows {
		table.Row(terminal.Dashed(row)...)
	}
	return table.Flush()
}

// one shows the lines of one name, a value a line, and its parameters.
func (c listCommand) one(con *console, list listed) error {
	var names []string
	var lines []any
	var parameters []declared.Parameter
	facts := terminal.Table{Writer: tabwriter.NewWriter(con.stdout, 0, 0, 2, ' ', 0)}
	for i, row := range list.rows {
		names = append(names, row[0])
		if row[0] != c.Name {
			continue
		}
		lines, parameters = append(lines, list.lines[i]), declared.Of(list.params[i])
		for k, column := range list.columns {
			if row[k] != "" {
				facts.Row(strings.ToLower(column), row[k])
			}
		}
	}
	if lines == nil {
		names = slices.Compact(names)
		return terminal.InputError(fmt.Errorf("list %s: %q%s, must be one of %s", c.What, c.Name,
			spelling.Hint(c.Name, names), strings.Join(names, ", ")))
	}
	if c.JSON {
		return results.WriteJSON(con.stdout,
			map[string]any{c.What: lines, "parameters": parameters})
	}
	if err := facts.Flush(); err != nil {
		return err
	}
	if len(parameters) == 0 {
		fmt.Fprintln(con.stdout, "\nno parameters")
		return nil
	}
	fmt.Fprintln(con.stdout, "\nparameters:")
	for _, p := range parameters {
		fmt.Fprintf(con.stdout, "  %s (default %s)\n      %s\n      %s\n", p.Name,
			cmp.Or(p.Default, "none"), p.Meaning, p.Allowed)
	}
	return nil
}

// listed is a list: a table for people and, for JSON, lines that hold more than its rows.
type listed struct {
	columns []string
	rows    [][]string
	lines   []any
	params  []any // the default parameters, nil without any
}

func (l *listed) add(line, params any, row ...string) {
	l.lines, l.params, l.rows = append(l.lines, line), append(l.params, params),
		append(l.rows, row)
}

// lookUp returns everything registered of one kind.
func lookUp[T any](names []string, lookup func(string) (T, error)) []T {
	all := make([]T, len(names))
	for i, name := range names {
		var err error
		if all[i], err = lookup(name); err != nil {
			panic(err) // the names are those that lookup knows
		}
	}
	return all
}

func texts[T ~string](words []T) []string {
	return results.Mapped(words, func(word T) string { return string(word) })
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
	Delta    bool     `json:"delta,omitempty"` // whether (epsilon, delta) may be asked for
	Status   string   `json:"status"`
	Errata   []string `json:"errata,omitempty"`
	Note     string   `json:"note,omitempty"`
	Title    string   `json:"title"`
	Source   string   `json:"source"`
	Produces []string `json:"produces"`
	Revision int      `json:"revision"`
	// Audit is nil without differential privacy.
	Audit *results.Audit `json:"audit,omitempty"`
}

func listAlgorithms() (listed, error) {
	list := listed{columns: []string{"NAME", "VARIANT", "INPUT", "GUARANTEE", "NEIGHBOURS",
		"STATUS", "CLAIMED", "PROVEN", "SEEN", "CERTIFIED", "ERRATA", "TITLE"}}
	audits, err := results.ReadAudits(strings.NewReader(docs.Audits), "docs/generated/audits.jsonl")
	if err != nil {
		return list, err
	}
	for _, algorithm := range lookUp(algorithms.Names(), algorithms.Lookup) {
		info := algorithm.Info()
		for i, g := range info.Variants {
			guarantee, status := string(g.Model), string(g.Status)
			if g.Model == algorithms.NoPrivacy {
				guarantee, status = "", ""
			}
			if g.Approximate {
				guarantee += ", pure or (ε, δ)"
			}
			var losses [4]string
			var audit *results.Audit
			for a := range results.Each(audits) {
				if a.Algorithm != info.Name || a.Variant != string(g.Variant) {
					continue
				}
				audit, losses = a, [4]string{short(results.Bound(a.Epsilon)), short(a.Proven),
					short(a.Seen)}
				if b := a.BlackBox; b != nil {
					losses[3] = short(results.Bound(b.Bound))
				}
				break // later ones are of publications
			}
			list.add(algorithmLine{
				Name: info.Name, Variant: string(g.Variant), Default: i == 0, Audit: audit,
				Input: string(info.Input), Model: string(g.Model), Unit: g.Unit,
				Relation: g.Relation, Delta: g.Approximate, Status: string(g.Status),
				Errata: g.Errata, Note: g.Note,
				Title: info.Title, Source: info.Source, Produces: texts(info.Produces),
				Revision: info.Revision,
			}, algorithm.Params(), info.Name, string(g.Variant), string(info.Input), guarantee,
				g.Relation, status, losses[0], losses[1], losses[2], losses[3],
				strings.Join(g.Errata, " "), info.Title)
		}
	}
	return list, nil
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

func listDatasets() (listed, error) {
	list := listed{columns: []string{"NAME", "KIND", "ORIGIN", "LICENSE", "TITLE"}}
	for _, source := range lookUp(datasets.Names(), datasets.Lookup) {
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
		list.add(line, source.Params(), line.Name, line.Kind, line.Origin, line.License,
			line.Title)
	}
	return list, nil
}

// plainLine is a classifier, a regressor or an experiment.
type plainLine struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Source   string `json:"source"`
	Revision int    `json:"revision,omitempty"`
}

func listClassifiers[C interface{ Info() classifiers.Info }](names []string,
	find func(string) (C, error)) listed {
	list := listed{columns: []string{"NAME", "TITLE", "SOURCE"}}
	for _, classifier := range lookUp(names, find) {
		info := classifier.Info()
		list.add(plainLine{info.Name, info.Title, info.Source, info.Revision}, nil,
			info.Name, info.Title, info.Source)
	}
	return list
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

func listMetrics() (listed, error) {
	list := listed{columns: []string{"NAME", "NEEDS", "BETTER", "UNIT", "TITLE", "SOURCE"}}
	for _, metric := range lookUp(metrics.Names(), metrics.Lookup) {
		info := metric.Info()
		line := metricLine{Name: info.Name, Title: info.Title, Source: info.Source,
			Unit: info.Unit, Needs: texts(info.Needs), GraphNeeds: texts(info.GraphNeeds),
			Classifier: info.Classifier, Anonymity: info.Anonymity,
			HigherIsBetter: info.HigherIsBetter, Revision: info.Revision}
		needs, better := strings.Join(line.Needs, ", "), "lower"
		if len(line.GraphNeeds) > 0 {
			needs += " or " + strings.Join(line.GraphNeeds, ", ")
		}
		if info.Classifier {
			needs = strings.TrimPrefix(needs+", classifier", ", ")
		}
		if info.Anonymity {
			needs = strings.TrimPrefix(needs+", k", ", ")
		}
		if info.HigherIsBetter {
			better = "higher"
		}
		var params any
		if own, ok := metric.(metrics.Parameterised); ok {
			params = own.Params()
		}
		list.add(line, params, info.Name, needs, better, info.Unit, info.Title, info.Source)
	}
	return list, nil
}

func listExperiments() (listed, error) {
	list := listed{columns: []string{"NAME", "SOURCE", "TITLE"}}
	for _, name := range experiments.Names() {
		s, err := language.Embedded(name)
		if err != nil {
			return list, err
		}
		list.add(plainLine{s.Name, s.Title, s.Source, 0}, nil, s.Name, s.Source, s.Title)
	}
	return list, nil
}
