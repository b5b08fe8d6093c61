package experiments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ppdp/datasets"
	"ppdp/results"
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
	// Missing are the cells that no journal has, by shard; where there are any, nothing is written.
	Missing []Missing
}

// Missing is how many cells of a shard were not run, and what runs them.
type Missing struct {
	Shard   Shard
	Cells   int
	Command []string
}

// ErrDisagree says that two journals have a cell with different results.
var ErrDisagree = errors.New("two journals disagree")

// found is a cell in a journal.
type found struct {
	entry
	dir  string
	line int
}

func (f *found) place() string {
	return fmt.Sprintf("%s:%d", filepath.ToSlash(filepath.Join(f.dir, JournalFile)), f.line)
}

// merge is journals being merged.
type merge struct {
	*run
	dirs   []string
	starts []*Start
	keys   []string          // by cell
	cells  map[string]*found // by key; nil where none was found yet
}

// Merge makes the files of an experiment, as a run on one machine would have written them, from the
// journals of folders that each ran a part of it: dirs are experiments' folders with a StartFile. A
// folder may have more cells than its part. What two journals both have must be the same; a cell
// that failed in one and not in the other is taken from the other. Nothing is run, and nothing is
// written before all cells are there.
func Merge(ctx context.Context, dirs []string, opts MergeOptions) (*Merged, error) {
	m := &merge{dirs: dirs, cells: make(map[string]*found)}
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
	cache, err := plan.load(ctx, opts.Files)
	if err != nil {
		return nil, err
	}
	out := filepath.Join(opts.Out, filepath.FromSlash(plan.Spec.Name))
	m.run = plan.newRun(Options{Log: opts.Log}, cache, nil, out)
	if err := m.check(opts.Same); err != nil {
		return nil, err
	}
	m.keys = make([]string, len(plan.Cells))
	for i := range plan.Cells {
		m.keys[i] = plan.cacheKey(&plan.Cells[i], m.checksum(i))
		m.cells[m.keys[i]] = nil
	}
	var errs []error
	if _, err := os.Stat(filepath.Join(out, JournalFile)); err == nil {
		dirs = append(slices.Clone(dirs), out) // what is there already must agree as well
	}
	for _, dir := range dirs {
		errs = append(errs, m.read(dir))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	merged := &Merged{}
	if merged.Missing, err = m.missing(); err != nil || len(merged.Missing) > 0 {
		return merged, err
	}
	err = m.write()
	merged.Result = m.result
	return merged, err
}

// check compares what the folders are of with what this program would run.
func (m *merge) check(same func(here, there *results.Manifest) error) error {
	here := m.manifest(m.plan.promised)
	var errs []error
	for i, start := range m.starts {
		if err := same(&here, &start.Manifest); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", filepath.Join(m.dirs[i], StartFile), err))
		}
	}
	return errors.Join(errs...)
}

// read takes the plan's cells from a folder's journal. Within one journal the last word counts,
// and a finished cell more than a failed one.
func (m *merge) read(dir string) error {
	path := filepath.Join(dir, JournalFile)
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, fmt.Errorf("%s is not a file", path))
	}
	var disagree []error
	others := 0
	_, err = scanJournal(file, func(text string) { m.opts.Log(filepath.Join(dir, text)) },
		func(line int, e *entry) {
			if e.State != "" {
				return // how the cell came about
			}
			before, asked := m.cells[e.Key]
			after := &found{*e, dir, line}
			switch {
			case e.Audit != nil: // made again in no time
			case !asked:
				others++
			case before == nil || before.Status != results.OK && e.Status == results.OK:
				m.cells[e.Key] = after
			case before.Status == results.OK && e.Status != results.OK:
			case before.dir == dir:
				m.cells[e.Key] = after
			default:
				if err := agree(before, after); err != nil {
					disagree = append(disagree, err)
				}
			}
		})
	if others > 0 {
		m.opts.Log(fmt.Sprintf("%s: %d cells of other plans or data are left out", path, others))
	}
	const shown = 10
	if more := len(disagree) - shown; more > 0 {
		disagree = append(disagree[:shown], fmt.Errorf("and %d cells more", more))
	}
	return errors.Join(append(disagree, err)...)
}

// agree compares the results of one cell. Times may differ.
func agree(a, b *found) error {
	textA, errA := json.Marshal(a.CellResult)
	textB, errB := json.Marshal(b.CellResult)
	if errA != nil || errB != nil || bytes.Equal(textA, textB) {
		return errors.Join(errA, errB)
	}
	at := 0
	for at < len(textA) && at < len(textB) && textA[at] == textB[at] {
		at++
	}
	around := func(text []byte) []byte { return text[max(0, at-60):min(len(text), at+60)] }
	return fmt.Errorf("%w on a cell, from its byte %d on:\n  %s: %s\n  %s: %s",
		ErrDisagree, at, a.place(), around(textA), b.place(), around(textB))
}

// missing counts the cells that are in no journal.
func (m *merge) missing() ([]Missing, error) {
	first := m.starts[0]
	command := first.Manifest.CommandLine
	count := first.Shard.Count
	for i, start := range m.starts {
		if start.Shard.Count != count || !slices.Equal(start.Costs, first.Costs) {
			count = 0 // not shards of one division
		} else if m.starts[i].Shard.Count == 0 {
			command = start.Manifest.CommandLine
		}
	}
	open := make([]int, max(1, count))
	var parts []int32
	if count > 0 {
		parts = m.plan.shards(count, first.Costs)
	}
	for i, key := range m.keys {
		if m.cells[key] == nil {
			part := 0
			if parts != nil {
				part = int(parts[i])
			}
			open[part]++
		}
	}
	var all []Missing
	for part, cells := range open {
		if cells == 0 {
			continue
		}
		shard := Shard{part, count}
		if count == 0 {
			shard = Shard{}
		}
		all = append(all, Missing{shard, cells, withShard(command, shard)})
	}
	return all, nil
}

// withShard is the command line of a run with another shard, without any for a count of 0.
func withShard(command []string, s Shard) []string {
	var changed []string
	for i := 0; i < len(command); i++ {
		word := command[i]
		switch {
		case word == "--shard":
			i++
		case strings.HasPrefix(word, "--shard="):
		case s.Count == 0 && word == "--costs":
			i++
		case s.Count == 0 && strings.HasPrefix(word, "--costs="):
		default:
			changed = append(changed, word)
		}
	}
	if s.Count > 0 {
		changed = append(changed, "--shard", fmt.Sprintf("%d/%d", s.Index+1, s.Count))
	}
	return changed
}

// write writes the merged journal and the experiment's files.
func (m *merge) write() error {
	j, held, err := openJournal(m.result.Dir, m.opts.Log)
	if err != nil {
		return err
	}
	defer j.close()
	j.start(func(error) {}) // finish says it as well
	for i, key := range m.keys {
		m.entries[i] = &m.cells[key].entry
		if m.entries[i].Status != results.OK {
			m.failed(i)
		}
		if _, there := held.finished[key]; !there {
			held.finished[key] = *m.entries[i]
			j.add(m.entries[i], func() {})
		}
	}
	if err := j.finish(); err != nil {
		return err
	}
	if err := m.releases(); err != nil {
		return err
	}
	manifest := m.manifest(m.guarantee)
	manifest.CommandLine = withShard(m.starts[0].Manifest.CommandLine, Shard{})
	var processors []string
	for _, start := range m.starts {
		if cpu := start.Manifest.CPU; cpu != "" && !slices.Contains(processors, cpu) {
			processors = append(processors, cpu)
		}
	}
	slices.Sort(processors)
	manifest.CPU = strings.Join(processors, "; ")
	start := m.start(len(m.plan.Cells))
	start.Manifest.CommandLine, start.Manifest.CPU = manifest.CommandLine, manifest.CPU
	return errors.Join(start.write(m.result.Dir), m.run.write(manifest))
}

// failed counts and describes a failed cell.
func (m *merge) failed(i int) {
	m.result.Failed++
	if len(m.result.Failures) < failuresShown {
		m.result.Failures = append(m.result.Failures, fmt.Sprintf("%s: %s",
			m.plan.describe(&m.plan.Cells[i]), m.entries[i].Error))
	}
}

// releases copies the releases that the shards have written.
func (m *merge) releases() error {
	for _, dir := range m.dirs {
		if _, err := os.Stat(filepath.Join(dir, ReleasesFolder)); err == nil {
			m.opts.WriteReleases = true
		}
	}
	if !m.opts.WriteReleases {
		return nil
	}
	folder := filepath.Join(m.result.Dir, ReleasesFolder)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for i, key := range m.keys {
		to := m.releaseFile(i)
		for _, content := range contents(m.plan.Cells[i].Config) {
			name := filepath.Base(to) + extensions[content]
			err := copyFile(filepath.Join(m.cells[key].dir, ReleasesFolder, name),
				to+extensions[content])
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	return results.WriteFile(to, func(w io.Writer) error {
		_, err := io.Copy(w, source)
		return err
	})
}
