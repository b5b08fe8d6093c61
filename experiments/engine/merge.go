package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ppdp/datasets"
	"ppdp/internal/results"
)

// MergeOptions are how journals are merged.
type MergeOptions struct {
	Out   string         // as in Options
	Files datasets.Files // as in Options: merging reads the data again
	Log   func(message string)
	// Same says in what a run differs from what this program would run, nil if in nothing that
	// matters.
	Same func(here, there *results.Manifest) error
}

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
// written before all jobs are there.
func Merge(ctx context.Context, dirs []string, opts MergeOptions) (*Merged, error) {
	m := &merge{kept: newKept(opts.Log)}
	for _, dir := range dirs {
		start, err := ReadStart(dir)
		if err != nil {
			return nil, err
		}
		m.starts = append(m.starts, start)
	}
	plan, err := m.starts[0].Plan()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dirs[0], StartFile), err)
	}
	cache, err := load(ctx, plan, opts.Files)
	if err != nil {
		return nil, err
	}
	command := m.starts[0].Manifest.CommandLine
	m.run = newRun(plan, Options{Log: opts.Log, Files: opts.Files,
		Build: Build{CommandLine: command, CPU: m.processors()}}, cache, nil,
		filepath.Join(opts.Out, filepath.FromSlash(plan.Spec.Name)))
	m.result.Jobs = len(plan.Jobs)
	if err := m.same(dirs, opts.Same); err != nil {
		return nil, err
	}
	if err := m.gather(dirs); err != nil {
		return nil, err
	}
	merged := &Merged{CommandLine: command, Missing: m.missing()}
	if len(merged.Missing) == 0 {
		err = m.write(dirs)
	}
	merged.Result = m.result
	return merged, err
}

// processors are those of all the runs.
func (m *merge) processors() string {
	var names []string
	for _, start := range m.starts {
		if cpu := start.Manifest.CPU; cpu != "" && !slices.Contains(names, cpu) {
			names = append(names, cpu)
		}
	}
	slices.Sort(names)
	return strings.Join(names, "; ")
}

// same compares what the folders are of with what this program would run.
func (m *merge) same(dirs []string, same func(here, there *results.Manifest) error) error {
	here := m.manifest(m.promised)
	var errs []error
	for i, start := range m.starts {
		if err := same(&here, &start.Manifest); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", filepath.Join(dirs[i], StartFile), err))
		}
	}
	return errors.Join(errs...)
}

// gather reads the journals of the folders, and that of the folder that is written to where there
// is one: what it has must agree as well.
func (m *merge) gather(dirs []string) error {
	if _, err := os.Stat(filepath.Join(m.result.Dir, JournalFile)); err == nil {
		dirs = append(slices.Clone(dirs), m.result.Dir)
	}
	planned := make(map[string]bool, len(m.keys))
	for _, key := range m.keys {
		planned[key] = true
	}
	var errs []error
	for _, dir := range dirs {
		errs = append(errs, m.readFolder(dir))
		others := len(m.jobs)
		for key := range m.jobs { // order-free: each is kept or not
			if !planned[key] {
				delete(m.jobs, key)
			}
		}
		if others -= len(m.jobs); others > 0 {
			m.opts.Log(fmt.Sprintf("%s: %d jobs of other plans or data are left out",
				filepath.Join(dir, JournalFile), others))
		}
	}
	return errors.Join(errs...)
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
func (m *merge) write(dirs []string) error {
	j, there, err := openJournal(m.result.Dir, m.opts.Log)
	if err != nil {
		return err
	}
	defer j.close()
	var text []byte
	lines := bufio.NewWriterSize(j.file, 1<<20) // whose first error is that of Flush
	add := func(line any) error {
		text, err = appendJournalLine(text[:0], line)
		lines.Write(text)
		return err
	}
	cached := 0
	for _, key := range m.keys {
		if there.finished(key) != nil {
			cached++
		}
	}
	errs := []error{add(mark{runKey, begun, cached})}
	for i, key := range m.keys {
		e := &m.jobs[key].entry
		m.keep(i, e)
		if e.Status == results.Failed {
			m.fail(i, e.Error, "")
		}
		if there.finished(key) == nil {
			errs = append(errs, add(e))
		}
	}
	errs = append(errs, add(mark{runKey, ended, 0}), lines.Flush(), j.sync(j.file))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if err := m.releases(dirs); err != nil {
		return err
	}
	return errors.Join(m.start(len(m.plan.Jobs)).write(m.result.Dir),
		m.run.write(m.manifest(m.guarantee)))
}

// releases copies the releases of the plan's jobs that the runs have written.
func (m *merge) releases(dirs []string) error {
	planned := make(map[string]bool)
	for i := range m.keys {
		planned[filepath.Base(m.releaseFile(i))] = true
	}
	for _, dir := range dirs {
		files, err := os.ReadDir(filepath.Join(dir, ReleasesFolder))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		to := filepath.Join(m.result.Dir, ReleasesFolder)
		if err := errors.Join(err, os.MkdirAll(to, 0o777)); err != nil {
			return err
		}
		m.opts.WriteReleases = true
		for _, file := range files {
			if job, _, _ := strings.Cut(file.Name(), "."); !planned[job] {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, ReleasesFolder, file.Name()))
			if err == nil {
				err = results.WriteFile(filepath.Join(to, file.Name()), results.Text(text))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
