package engine

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sort"

	"ppdp/algorithms"
	"ppdp/experiments/language"
	"ppdp/internal/results"
	"ppdp/numeric/elementary"
)

// Build is what a manifest says of the program and the machine beyond what Go itself knows.
type Build struct {
	CommandLine []string
	CPU         string
}

// manifest describes the run. guarantee is what a job's algorithm promises.
func (r *run) manifest(guarantee func(i int) algorithms.Guarantee) results.Manifest {
	p := r.plan
	m := results.Manifest{
		Experiment: p.Spec.Name, Title: p.Spec.Title, Source: p.Spec.Source,
		Note: p.Spec.Note,
		Spec: string(p.Spec.Text), SpecHash: p.Hash(), Overrides: overrides(p),
		Figures: p.Figures, Seed: p.Seed, Trials: p.Trials, Folds: p.Folds,
		IntervalMethod: results.IntervalMethod, Arithmetic: elementary.Revision, Code: p.Code(),
		GoVersion: runtime.Version(), GOOS: runtime.GOOS,
		GOARCH: runtime.GOARCH, CPU: r.opts.Build.CPU, CommandLine: r.opts.Build.CommandLine,
	}
	for _, loaded := range r.cache.sets {
		info := loaded.config.Info
		m.Datasets = append(m.Datasets, results.DatasetUse{Name: loaded.config.Label(),
			StandsFor: info.StandsFor, Checksum: loaded.data.Checksum,
			Resampled: loaded.config.Resample, Citation: info.Citation, License: info.License,
			Notes: notesOf(&loaded.data.Dataset)})
	}
	for _, measure := range p.Spec.Measures {
		info := measure.Metric.Info()
		use := results.MeasureUse{Measurement: measure.Measurement(), Title: info.Title,
			Unit: info.Unit, HigherIsBetter: info.HigherIsBetter, Revision: info.Revision}
		if measure.Classifier != nil {
			use.ClassifierRevision = measure.Classifier.Info().Revision
		}
		m.Measures = append(m.Measures, use)
	}
	used := make(map[string]bool)
	for i := range p.Jobs {
		c, g := p.Jobs[i].Config, guarantee(i)
		if !slices.Contains(m.SeriesOrder, c.Label()) {
			m.SeriesOrder = append(m.SeriesOrder, c.Label())
		}
		// a guarantee may depend on parameters and data, and two data may break it in two ways
		name := fmt.Sprint(c.Info.Name, g.Variant, g.Unit, g.Relation, g.Status, g.Errata)
		if used[name] {
			continue
		}
		used[name] = true
		m.Algorithms = append(m.Algorithms, results.AlgorithmUse{Name: c.Info.Name,
			Variant: string(g.Variant), Title: c.Info.Title, Source: c.Info.Source,
			Guarantee: string(g.Model), Unit: g.Unit, Relation: g.Relation,
			Status: string(g.Status), Errata: g.Errata, Revision: c.Info.Revision,
			Program: c.Info.Program})
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Replace != nil {
				module = module.Replace
			}
			m.Modules = append(m.Modules, results.Module{Path: module.Path, Version: module.Version,
				Sum: module.Sum})
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

// overrides are the numbers that differ from the spec's own.
func overrides(p *language.Plan) results.Overrides {
	o := results.Overrides{Quick: p.Quick, Settled: p.Settled != nil}
	if p.Trials != p.Spec.Trials && !o.Settled {
		o.Trials = &p.Trials
	}
	if p.Folds != p.Spec.Folds {
		o.Folds = &p.Folds
	}
	if p.Seed != p.Spec.Seed {
		o.Seed = &p.Seed
	}
	return o
}
