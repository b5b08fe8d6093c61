package report

import (
	"fmt"
	"slices"
	"strings"

	"ppdp/results"
)

// provenance is how a run came about.
type provenance struct {
	results.Manifest
	ID       string // the run's on the page
	Platform string
	Command  string
	Modules  int // number of its list of modules, from 1; 0 when it named none
}

// moduleList is the modules of one build or several alike.
type moduleList struct {
	Number  int
	Modules []results.Module
}

func provenanceOf(runs []*results.Run) (list []*provenance, lists []moduleList) {
	for _, o := range runs {
		m := o.Manifest
		m.Algorithms = slices.Clone(m.Algorithms)
		p := &provenance{Manifest: m, ID: anchor(m.Experiment), Command: commandLine(m.CommandLine)}
		p.Platform = strings.Join(slices.DeleteFunc([]string{m.GOOS + "/" + m.GOARCH, m.GOAMD64, m.CPU}, func(s string) bool { return s == "" }), ", ")
		if len(m.Modules) > 0 {
			at := slices.IndexFunc(lists, func(l moduleList) bool { return slices.Equal(l.Modules, m.Modules) })
			if at < 0 {
				at = len(lists)
				lists = append(lists, moduleList{at + 1, m.Modules})
			}
			p.Modules = at + 1
		}
		list = append(list, p)
	}
	return list, lists
}

// commandLine joins arguments as a shell would read them.
func commandLine(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = arg
		if arg == "" || strings.ContainsAny(arg, " \t\n\"'\\$*?[]{}()<>|&;`!#~") {
			quoted[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// failure is one or more cells that failed alike.
type failure struct {
	Experiment, ID, Series, Dataset, Variant, Phase, Error string
	Epsilons                                               []string
	Cells                                                  int
	First                                                  string // the first of them: "cell 17, trial 2, fold 3"
}

// failuresOf gathers failed cells by what failed and how.
func failuresOf(o *results.Run) []failure {
	var all []failure
	at := make(map[string]int)
	for i := range o.Cells {
		r := &o.Cells[i]
		if r.Status == results.OK {
			continue
		}
		key := strings.Join([]string{r.Label(), r.Dataset.Label(), r.Variant, r.Phase, r.Error}, "\x00")
		k, known := at[key]
		if !known {
			k = len(all)
			at[key] = k
			first := fmt.Sprintf("cell %d, trial %d", i, r.Trial)
			if r.Fold != nil {
				first += fmt.Sprintf(", fold %d", *r.Fold)
			}
			all = append(all, failure{Experiment: o.Manifest.Experiment, ID: anchor(o.Manifest.Experiment), Series: r.Label(), Dataset: r.Dataset.Label(),
				Variant: r.Variant, Phase: r.Phase, Error: r.Error, First: first})
		}
		f := &all[k]
		f.Cells++
		if epsilon := r.EpsilonText(); epsilon != "" && !slices.Contains(f.Epsilons, epsilon) {
			f.Epsilons = append(f.Epsilons, epsilon)
		}
	}
	return all
}

// note is a warning that cells of a run gave, with how many did.
type note struct {
	Experiment, ID, Text string
	Cells                int
}

func notesOf(o *results.Run) []note {
	var all []note
	at := make(map[string]int)
	for i := range o.Cells {
		for _, text := range o.Cells[i].Warnings {
			k, known := at[text]
			if !known {
				k = len(all)
				at[text] = k
				all = append(all, note{o.Manifest.Experiment, anchor(o.Manifest.Experiment), text, 0})
			}
			all[k].Cells++
		}
	}
	return all
}
