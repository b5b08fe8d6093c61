package report

import (
	"fmt"
	"slices"

	"ppdp/results"
)

// provenance is how a run was made.
type provenance struct {
	results.Manifest
	ID       string // of the run on the page
	Platform string
	Command  string
	Modules  int // number of its list of modules, from 1; 0 where it has none
}

// moduleList is the modules of one build, or of several that are alike.
type moduleList struct {
	Number  int
	Modules []results.Module
}

func provenanceOf(runs []*results.Run) (list []*provenance, lists []moduleList) {
	for _, run := range runs {
		m := run.Manifest
		m.Source = m.After()
		m.Algorithms = slices.Clone(m.Algorithms)
		p := &provenance{Manifest: m, ID: anchor(m.Experiment),
			Command: results.CommandText(m.CommandLine)}
		p.Platform = m.GOOS + "/" + m.GOARCH
		for _, detail := range []string{m.GOAMD64, m.CPU} {
			if detail != "" {
				p.Platform += ", " + detail
			}
		}
		if len(m.Modules) > 0 {
			same := func(l moduleList) bool { return slices.Equal(l.Modules, m.Modules) }
			p.Modules = slices.IndexFunc(lists, same) + 1
			if p.Modules == 0 {
				p.Modules = len(lists) + 1
				lists = append(lists, moduleList{p.Modules, m.Modules})
			}
		}
		list = append(list, p)
	}
	return list, lists
}

// failure is one or more cells that failed alike.
type failure struct {
	failureKind
	Epsilons []string
	Cells    int
	First    string // the first of them: "cell 17, trial 2, fold 3"
}

type failureKind struct{ Experiment, ID, Series, Dataset, Variant, Phase, Error string }

// failuresOf gathers failed cells by what failed and how.
func failuresOf(run *results.Run) []failure {
	var all []failure
	name := run.Manifest.Experiment
	for i := range run.Cells {
		c := &run.Cells[i]
		if c.Status == results.OK {
			continue
		}
		kind := failureKind{name, anchor(name), c.Series, c.Dataset.Label(), c.Variant,
			c.Phase, c.Error}
		k := slices.IndexFunc(all, func(f failure) bool { return f.failureKind == kind })
		if k < 0 {
			k = len(all)
			first := fmt.Sprintf("cell %d, trial %d", i, c.Trial)
			if c.Fold != nil {
				first += fmt.Sprintf(", fold %d", *c.Fold)
			}
			all = append(all, failure{failureKind: kind, First: first})
		}
		f := &all[k]
		f.Cells++
		if epsilon := c.EpsilonText(); epsilon != "" && !slices.Contains(f.Epsilons, epsilon) {
			f.Epsilons = append(f.Epsilons, epsilon)
		}
	}
	return all
}

// note is a warning of a run's cells and how many gave it.
type note struct {
	Experiment, ID, Text string
	Cells                int
}

func notesOf(run *results.Run) []note {
	var all []note
	name := run.Manifest.Experiment
	for i := range run.Cells {
		for _, text := range run.Cells[i].Warnings {
			k := slices.IndexFunc(all, func(n note) bool { return n.Text == text })
			if k < 0 {
				k = len(all)
				all = append(all, note{name, anchor(name), text, 0})
			}
			all[k].Cells++
		}
	}
	return all
}
