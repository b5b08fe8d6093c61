package report

import (
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

// failure is one or more jobs of a run that failed alike.
type failure struct {
	*results.Failure
	Run *experimentView
}

// note is a warning of a run's jobs.
type note struct {
	*results.Warning
	Run *experimentView
}
