package report

import (
	"fmt"
	"slices"

	"ppdp/internal/results"
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

func provenanceOf(runs []*results.Summary) (list []*provenance, lists []moduleList) {
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

// failure is one or more jobs that failed alike.
type failure struct {
	*results.Failure
	Experiment, ID string
	First          string // the first of them: "job 17, trial 2, fold 3"
}

// failuresOf gathers failed jobs by what failed and how.
func failuresOf(run *results.Summary) []failure {
	var all []failure
	name := run.Manifest.Experiment
	for _, f := range run.Failures {
		first := fmt.Sprintf("job %d, trial %d", f.First, f.Trial)
		if f.Fold != nil {
			first += fmt.Sprintf(", fold %d", *f.Fold)
		}
		all = append(all, failure{f, name, anchor(name), first})
	}
	return all
}

// note is a warning of a run's jobs.
type note struct {
	*results.Warning
	Experiment, ID string
}

func notesOf(run *results.Summary) []note {
	var all []note
	name := run.Manifest.Experiment
	for _, w := range run.Warnings {
		all = append(all, note{w, name, anchor(name)})
	}
	return all
}
