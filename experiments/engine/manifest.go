package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"sort"

	"ppdp/algorithms"
	"ppdp/audit"
	"ppdp/datasets"
	"ppdp/experiments/language"
	"ppdp/internal/problem"
	"ppdp/internal/results"
	"ppdp/numeric/elementary"
	"ppdp/privacy"
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
	for _, d := range p.Datasets() {
		info, data := d.Info, r.cache[dataKey{d, 0}].data // of the first trial
		m.Datasets = append(m.Datasets, results.DatasetUse{Name: d.Label(),
			StandsFor: info.StandsFor, Checksum: data.Checksum, Resampled: d.Resample,
			Citation: info.Citation, License: info.License, Notes: notesOf(data)})
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
		m.SeriesOrder = results.Union(m.SeriesOrder, c.Label())
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

// StartFile is the file of an experiment's folder that says what its journal is of.
const StartFile = "run.json"

// Start is what a run leaves before its first job: all that it takes to plan it again, and what a
// run that shares its jobs must agree with.
type Start struct {
	// Manifest lacks the files' digests; guarantees are those promised, whatever the data.
	Manifest results.Manifest  `json:"manifest"`
	File     string            `json:"file"` // the spec's, as it was named
	StandIns map[string]string `json:"standIns,omitempty"`
	Settled  map[string]int    `json:"settled,omitempty"` // as in the plan
	Jobs     int               `json:"cells"`             // of the plan
	Shard    Shard             `json:"shard,omitzero"`
	Own      int               `json:"own"` // jobs of the shard
}

// start describes the run, of which own jobs are this shard's.
func (r *run) start(own int) *Start {
	p := r.plan
	return &Start{Manifest: r.manifest(r.promised), File: p.Spec.File,
		StandIns: p.StandIns, Settled: p.Settled, Jobs: len(p.Jobs), Shard: r.opts.Shard, Own: own}
}

// ReadStart reads the StartFile of an experiment's folder.
func ReadStart(dir string) (*Start, error) {
	path := filepath.Join(dir, StartFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s Start
	if err = results.Decode(text, &s); err == nil {
		err = s.validate()
	}
	return &s, problem.Named(path, err)
}

func (s *Start) validate() error {
	if s.Manifest.Experiment == "" || s.Jobs < 1 || s.Own < 0 || s.Own > s.Jobs {
		return fmt.Errorf("experiment %q, %d jobs, %d of them its own: no run wrote this",
			s.Manifest.Experiment, s.Jobs, s.Own)
	}
	if n := s.Shard; n.Count < 0 || n.Count > 0 && (n.Index < 0 || n.Index >= n.Count) {
		return fmt.Errorf("shard %d of %d, must be 0 or more and below the count", n.Index, n.Count)
	}
	return nil
}

func (s *Start) write(dir string) error {
	return results.WriteFile(filepath.Join(dir, StartFile), func(w io.Writer) error {
		return results.NewEncoder(w).Encode(s)
	})
}

// ErrOtherProgram says that a plan means something else to this program than to the one that wrote
// it down.
var ErrOtherProgram = errors.New("another program: the spec gives another plan here")

// Plan resolves the spec again. Files that it names are looked for where they were.
func (s *Start) Plan() (*language.Plan, error) {
	m := &s.Manifest
	parsed, err := language.Parse(s.File, []byte(m.Spec))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOtherProgram, err)
	}
	plan, err := parsed.Plan(language.Overrides{Quick: m.Overrides.Quick, Trials: m.Trials,
		Seed: m.Overrides.Seed, StandIns: s.StandIns})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOtherProgram, err)
	}
	if s.Settled != nil {
		plan = plan.WithTrials(s.Settled)
	}
	if len(plan.Jobs) != s.Jobs || plan.Hash() != m.SpecHash {
		return nil, ErrOtherProgram
	}
	return plan, nil
}

// promised is what a job's algorithm promises, whatever the data say.
func (r *run) promised(i int) algorithms.Guarantee {
	contributions := 0
	if schema := r.data(i).schema(); schema != nil {
		contributions = schema.Contributions
	}
	return r.plan.Jobs[i].Config.Guarantee.OfPersons(contributions)
}

// guarantee is what a finished job's algorithm promises, as far as the data and the ledger bear it
// out. It says of the data no more than whether they do.
func (r *run) guarantee(i int) algorithms.Guarantee {
	m := r.data(i)
	data := m.data
	g := r.promised(i)
	if data.Share > 1 && g.Model != algorithms.NoPrivacy && g.Status != algorithms.Broken {
		g.Status, g.Errata = algorithms.Short, append(slices.Clip(g.Errata), "D13")
	}
	if g.Model != algorithms.DifferentialPrivacy {
		return g
	}
	for _, b := range data.Breaks {
		g.Break(b.Reason, b.Erratum)
	}
	if most := g.MaxDegree; most > 0 && m.maxDegree >= most && most < data.Graph.Nodes()-1 {
		g.Break("A node has lambda edges or more: the neighbour relation leaves the graph out, or "+
			"lambda may have been read off it.", "G4")
	}
	switch spent, c := r.entries[i].Spent, r.plan.Jobs[i].Config; {
	case g.Status != algorithms.Holds || spent == nil:
	case !spent.Proven.Finite():
		g.Break("No finite loss is proven.")
	case spent.Rho > 0 && spent.Proven.Exceeds(spent.Rho),
		spent.Rho == 0 && c.Epsilon != nil && spent.Proven.Exceeds(*c.Epsilon):
		g.Status = algorithms.Short
	}
	return g
}

// unproved is an entry with the proven loss that its job has for a person. Where the guarantee is
// broken none is finite: the mechanisms' losses do not cover what breaks it. Where several records
// come from one person their losses add up.
func (r *run) unproved(i int, e entry) entry {
	times := float64(max(1, r.data(i).data.Share))
	if r.guarantee(i).Status == algorithms.Broken {
		times = math.Inf(1)
	}
	if times == 1 {
		return e
	}
	e.Ledger = slices.Clone(e.Ledger)
	if e.Spent != nil && e.Spent.Rho > 0 {
		times *= times // as ρ grows with the square of a group's size
	}
	proven := func(b *results.Bound) {
		if math.IsInf(times, 1) {
			*b = results.Bound(times) // of 0 too
		} else {
			*b *= results.Bound(times)
		}
	}
	if e.Spent != nil {
		e.Spent = new(*e.Spent)
		proven(&e.Spent.Proven)
		if e.Spent.Rho > 0 {
			e.Spent.ProvenEpsilon = results.Bound(privacy.EpsilonOf(float64(e.Spent.Proven),
				r.plan.Jobs[i].Config.Delta))
		}
	}
	for row := range e.Ledger {
		proven(&e.Ledger[row].Loss)
	}
	return e
}

// replay replays the settings of some jobs whose programs ask for their noise, before their
// guarantees are called replayed: each once on made-up neighbours and far pairs, of the schema of
// its table. The error is what refutes one.
func (r *run) replay(ctx context.Context, jobs []int) error {
	known := make(map[string]bool)
	for _, i := range jobs {
		job, g := &r.plan.Jobs[i], r.promised(i)
		c := job.Config
		setting := fmt.Sprint(c.Info.Program, g.Variant, g.Contributions, c.Data.Label(),
			results.FormatParams(c.Params), c.BudgetText())
		if g.Status != algorithms.Replayed || c.Epsilon == nil || known[setting] {
			continue
		}
		known[setting] = true
		r.opts.Log(c.Info.Name + " asks for its noise: its calls are replayed on made-up records")
		pairs, err := pairsFor(g, r.data(i).schema())
		if err != nil {
			return fmt.Errorf("%s: %w", c.Info.Name, err)
		}
		found, err := audit.Replay(ctx, audit.Subject{Algorithm: c.Implementation,
			Variant: g.Variant, Params: c.Parameters, Epsilon: *c.Epsilon, Delta: c.Delta}, pairs,
			audit.Options{Transcripts: 1, Seed: r.plan.Seed, Jobs: r.opts.Workers})
		switch {
		case ctx.Err() != nil:
			return ErrInterrupted
		case err != nil:
			return fmt.Errorf("%s cannot be replayed, as its guarantee says: %w", c.Info.Name, err)
		case !found.Passed():
			f := found.Failures[0]
			return fmt.Errorf("%s: a replay refutes its guarantee: %s: %s: %s", c.Info.Name, f.Kind,
				f.Pair, f.Text)
		}
	}
	return nil
}

// pairsFor are small pairs under a guarantee: of a table's schema, unless that has persons or is
// nil.
func pairsFor(g algorithms.Guarantee, schema *datasets.Schema) ([]audit.Pair, error) {
	if schema == nil || g.Contributions > 0 {
		pairs, err := audit.Pairs(g)
		return slices.DeleteFunc(pairs, func(p audit.Pair) bool { return p.Weight > 1 }), err
	}
	return audit.PairsOf(g, schema)
}
