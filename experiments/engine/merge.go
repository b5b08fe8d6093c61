package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ppdp/internal/problem"
	"ppdp/internal/results"
)

// Merged is how a merge ended.
type Merged struct {
	Result
	CommandLine []string // of the first run
	// Missing are the jobs that no journal has, by shard; where there are any, nothing is written.
	Missing []Missing
}

// Missing is how many jobs of a shard were not run.
type Missing struct {
	Shard Shard
	Jobs  int
}

// merge is journals being merged: a run all of whose jobs are taken from them.
type merge struct {
	*run
	*kept
	starts []*Start
}

// Merge makes the files of an experiment, as a run on one machine would have written them, from the
// journals of folders that each ran a part of it: dirs are experiments' folders with a StartFile. A
// folder may have more jobs than its part. What two journals both have must be the same; a job
// that failed in one and not in the other is taken from the other. Nothing is run, and nothing is
// written before all jobs are there. same says in what a run differs from what this program would
// run, nil if in nothing that matters.
func Merge(ctx context.Context, dirs []string, opts Options,
	same func(here, there *results.Manifest) error) (*Merged, error) {
	m := &merge{kept: newKept(opts.Log)}
	var processors []string
	for _, dir := range dirs {
		start, err := ReadStart(dir)
		if err != nil {
			return nil, err
		}
		m.starts = append(m.starts, start)
		processors = results.Union(processors, start.Manifest.CPU)
	}
	slices.Sort(processors)
	plan, err := m.starts[0].Plan()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dirs[0], StartFile), err)
	}
	cache, err := load(ctx, plan, opts.Files)
	if err != nil {
		return nil, err
	}
	opts.Build = Build{CommandLine: m.starts[0].Manifest.CommandLine,
		CPU: strings.Join(processors, "; ")}
	m.run = newRun(plan, opts, cache, nil,
		filepath.Join(opts.Out, filepath.FromSlash(plan.Spec.Name)))
	m.result.Jobs = len(plan.Jobs)
	var errs []error
	here := m.manifest(m.promised)
	for i, start := range m.starts {
		errs = append(errs, problem.Named(filepath.Join(dirs[i], StartFile),
			same(&here, &start.Manifest)))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(m.result.Dir, JournalFile)); err == nil {
		dirs = append(slices.Clip(dirs), m.result.Dir) // what it has must agree as well
	}
	if err := errors.Join(results.Mapped(dirs, m.readFolder)...); err != nil {
		return nil, err
	}
	merged := &Merged{CommandLine: opts.Build.CommandLine, Missing: m.missing()}
	if len(merged.Missing) == 0 {
		err = m.write()
	}
	merged.Result = m.result
	return merged, err
}

// missing counts the jobs that are in no journal.
func (m *merge) missing() (all []Missing) {
	count := m.starts[0].Shard.Count
	if slices.ContainsFunc(m.starts, func(s *Start) bool { return s.Shard.Count != count }) {
		count = 0 // not shards of one division
	}
	for part := range max(1, count) {
		missing := Missing{Shard: Shard{part, count}}
		for i, key := range m.keys {
			if m.jobs[key] == nil && missing.Shard.has(i) {
				missing.Jobs++
			}
		}
		if missing.Jobs > 0 {
			all = append(all, missing)
		}
	}
	return all
}

// write imports the jobs into the journal of the experiment and writes its files.
func (m *merge) write() error {
	j, there, err := openJournal(m.result.Dir, m.opts.Log)
	if err != nil {
		return err
	}
	defer j.close()
	m.journal = j
	cached := results.Count(m.keys, func(key string) bool { return there.finished(key) != nil })
	_ = j.mark(runKey, begun, cached) // finish returns its error and later ones
	j.start(func(error) {})
	for i, key := range m.keys {
		if e := &m.jobs[key].entry; there.finished(key) != nil {
			m.entries[i] = e
		} else {
			m.finish(i, e, "")
		}
	}
	if err := j.finish(); err != nil {
		return err
	}
	return errors.Join(m.start(len(m.plan.Jobs)).write(m.result.Dir),
		m.run.write(m.manifest(m.guarantee)))
}
