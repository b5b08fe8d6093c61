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
	"ppdp/internal/must"
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
	var lines []object
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
	lines   []object
	params  []any // the default parameters, nil without any
}

// object is a line in JSON.
type object = map[string]any

func (l *listed) add(line object, params any, row ...string) {
	l.lines, l.params, l.rows = append(l.lines, line), append(l.params, params), append(l.rows, row)
}

func joined[T ~string](words []T) string {
	return strings.Join(results.Mapped(words, func(word T) string { return string(word) }), ", ")
}

func listAlgorithms() (listed, error) {
	list := listed{columns: []string{"NAME", "VARIANT", "INPUT", "GUARANTEE", "NEIGHBOURS",
		"STATUS", "CLAIMED", "PROVEN", "SEEN", "CERTIFIED", "ERRATA", "TITLE"}}
	audits, err := results.ReadAudits(strings.NewReader(docs.Audits), "docs/generated/audits.jsonl")
	if err != nil {
		return list, err
	}
	for _, name := range algorithms.Names() {
		algorithm := must.Get(algorithms.Lookup(name))
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
			list.add(object{
				"name": info.Name, "variant": g.Variant, "default": i == 0, "audit": audit,
				"input": info.Input, "model": g.Model, "unit": g.Unit, "relation": g.Relation,
				"delta": g.Approximate, "status": g.Status, "errata": g.Errata, "note": g.Note,
				"title": info.Title, "source": info.Source, "produces": info.Produces,
				"revision": info.Revision,
			}, algorithm.Params(), info.Name, string(g.Variant), string(info.Input), guarantee,
				g.Relation, status, losses[0], losses[1], losses[2], losses[3],
				strings.Join(g.Errata, " "), info.Title)
		}
	}
	return list, nil
}

func listDatasets() (listed, error) {
	list := listed{columns: []string{"NAME", "KIND", "ORIGIN", "LICENSE", "TITLE"}}
	for _, name := range datasets.Names() {
		source := must.Get(datasets.Lookup(name))
		info := source.Info()
		kind, origin := "table", "generated"
		if info.Graph {
			kind = "graph"
		}
		switch {
		case info.StandsFor != "":
			origin = "stand-in"
		case info.License == datasets.Own:
			origin = "yours"
		case len(info.Files) > 0:
			origin = "files"
		}
		files := results.Mapped(info.Files, func(file datasets.File) string { return file.Path })
		list.add(object{"name": info.Name, "title": info.Title, "kind": kind, "origin": origin,
			"files": files, "license": info.License, "citation": info.Citation},
			source.Params(), info.Name, kind, origin, info.License, info.Title)
	}
	return list, nil
}

func listClassifiers[C interface{ Info() classifiers.Info }](names []string,
	find func(string) (C, error)) listed {
	list := listed{columns: []string{"NAME", "TITLE", "SOURCE"}}
	for _, name := range names {
		classifier := must.Get(find(name))
		info := classifier.Info()
		list.add(object{"name": info.Name, "title": info.Title, "source": info.Source,
			"revision": info.Revision}, nil, info.Name, info.Title, info.Source)
	}
	return list
}

func listMetrics() (listed, error) {
	list := listed{columns: []string{"NAME", "NEEDS", "BETTER", "UNIT", "TITLE", "SOURCE"}}
	for _, name := range metrics.Names() {
		metric := must.Get(metrics.Lookup(name))
		info := metric.Info()
		line := object{"name": info.Name, "title": info.Title, "source": info.Source,
			"unit": info.Unit, "needs": info.Needs, "graphNeeds": info.GraphNeeds,
			"classifier": info.Classifier, "anonymity": info.Anonymity,
			"higherIsBetter": info.HigherIsBetter, "revision": info.Revision}
		needs, better := joined(info.Needs), "lower"
		if len(info.GraphNeeds) > 0 {
			needs += " or " + joined(info.GraphNeeds)
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
		list.add(object{"name": s.Name, "title": s.Title, "source": s.Source}, nil, s.Name,
			s.Source, s.Title)
	}
	return list, nil
}
