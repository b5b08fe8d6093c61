package experiments

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sort"

	"ppdp/results"
)

// Build is what a manifest says of the program and the machine beyond what Go itself knows.
type Build struct {
	CommandLine []string
	CPU         string
}

// intervalMethod is how the summary's lo95 and hi95 come about; results.Summarise does it.
const intervalMethod = "Student's t, two-sided 95 %, over trials; folds are averaged within a trial first"

// manifest describes the run.
func (r *run) manifest() results.Manifest {
	p := r.plan
	m := results.Manifest{
		Experiment: p.Spec.Name, Title: p.Spec.Title, Source: p.Spec.Source,
		Spec: string(p.Spec.text), SpecHash: p.specHash(), Overrides: p.overrides(),
		Figures: p.Figures, Seeds: []uint64{p.Seed}, Trials: p.Trials, Folds: p.Folds,
		IntervalMethod: intervalMethod, GoVersion: runtime.Version(), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH,
		CPU: r.opts.Build.CPU, CommandLine: r.opts.Build.CommandLine,
	}
	resampled := make(map[string]bool)
	for _, c := range p.Configs {
		resampled[c.data.label] = c.data.resample
	}
	for i, set := range r.stock.sets {
		info := r.stock.infos[i]
		use := results.DatasetUse{Name: r.stock.labels[i], Checksum: set.Checksum, Resampled: resampled[r.stock.labels[i]], StandIn: info.StandIn,
			Citation: info.Citation, License: info.License, Notes: notesOf(set)}
		m.Datasets = append(m.Datasets, use)
	}
	if len(p.Configs) > 0 {
		for _, measure := range p.Configs[0].Measures { // all configurations have the same
			use := results.MeasureUse{Metric: measure.Name, Revision: measure.Metric.Info().Revision}
			if measure.Classifier != nil {
				use.Classifier, use.ClassifierRevision = measure.Classifier.Info().Name, measure.Classifier.Info().Revision
			}
			m.Measures = append(m.Measures, use)
		}
	}
	series, used := make(map[string]bool), make(map[string]bool)
	for _, c := range p.Configs {
		if !series[c.Series] {
			series[c.Series] = true
			m.SeriesOrder = append(m.SeriesOrder, c.Series)
		}
		g := c.Guarantee
		name := fmt.Sprint(c.Info.Name, g.Variant, g.Unit, g.Relation, g.Status) // a guarantee may depend on parameters
		if used[name] {
			continue
		}
		used[name] = true
		m.Algorithms = append(m.Algorithms, results.AlgorithmUse{Name: c.Info.Name, Variant: string(g.Variant), Title: c.Info.Title,
			Source: c.Info.Source, Guarantee: string(g.Model), Unit: g.Unit, Relation: g.Relation, Status: string(g.Status), Errata: g.Errata, Revision: c.Info.Revision})
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Replace != nil {
				module = module.Replace
			}
			m.Modules = append(m.Modules, results.Module{Path: module.Path, Version: module.Version, Sum: module.Sum})
		}
		sort.Slice(m.Modules, func(i, j int) bool { return m.Modules[i].Path < m.Modules[j].Path })
		for _, setting := range build.Settings {
			switch setting.Key {
			case "GOAMD64":
				m.GOAMD64 = setting.Value
			case "vcs.revision":
				m.Commit = setting.Value
			case "vcs.modified":
				m.Dirty = setting.Value == "true"
			}
		}
	}
	return m
}

// overrides lists what differs from the spec's own numbers.
func (p *Plan) overrides() []string {
	var all []string
	if p.Quick {
		all = append(all, "quick")
	}
	if p.Trials != p.Spec.Trials {
		all = append(all, fmt.Sprintf("trials=%d", p.Trials))
	}
	if p.Folds != p.Spec.Folds {
		all = append(all, fmt.Sprintf("folds=%d", p.Folds))
	}
	if p.Seed != p.Spec.Seed {
		all = append(all, fmt.Sprintf("seed=%d", p.Seed))
	}
	return all
}
