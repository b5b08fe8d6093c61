package engine

import (
	"bufio"
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
	"ppdp/experiments/language"
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
	// Missing are the jobs that no journal has, by shard; where there are any, nothing is written.
	Missing []Missing
}

// Missing is how many jobs of a shard were not run, and what runs them.
type Missing struct {
	Shard   Shard
	Jobs    int
	Command []string
}

// ErrDisagree says that two journals have a job with different results.
var ErrDisagree = errors.New("two journals disagree")

// found is the line of a job, the best of all journals. It is kept as text: a plan may have a
// million jobs.
type found struct {
	text   []byte // nil for a job that no journal has
	number int32  // of the line, from 1
	folder int32  // index in merge.dirs
	ok     bool
	proof  proof
	config *language.Config
}

// entry reads the line.
func (f *found) entry() entry {
	e, _ := parseJournalLine(f.text) // as it was read before
	return e
}

// merge is journals being merged.
type merge struct {
	*run
	dirs   []string // of the shards, and what is written to where it has a journal
	starts []*Start
	found  map[string]*found // by key, which equal jobs share
}

// Merge makes the files of an experiment, as a run on one machine would have written them, from the
// journals of folders that each ran a part of it: dirs are experiments' folders with a StartFile. A
// folder may have more jobs than its part. What two journals both have must be the same; a job
// that failed in one and not in the other is taken from the other. Nothing is run, and nothing is
// written before all jobs are there.
func Merge(ctx context.Context, dirs []string, opts MergeOptions) (*Merged, error) {
	m := &merge{dirs: dirs, found: make(map[string]*found)}
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
	out := filepath.Join(opts.Out, filepath.FromSlash(plan.Spec.Name))
	m.run = newRun(plan, Options{Log: opts.Log, Files: opts.Files}, cache, nil, out)
	m.result.Jobs = len(plan.Jobs)
	if err := m.check(opts.Same); err != nil {
		return nil, err
	}
	for i, key := range m.keys {
		m.found[key] = &found{config: plan.Jobs[i].Config}
	}
	if _, err := os.Stat(filepath.Join(out, JournalFile)); err == nil {
		m.dirs = append(slices.Clone(dirs), out) // what is there already must agree as well
	}
	var errs []error
	for i := range m.dirs {
		errs = append(errs, m.read(int32(i)))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	m.finished = func(i int) entry { return m.found[m.keys[i]].entry() }
	if missing := m.missing(); len(missing) > 0 {
		return &Merged{Missing: missing}, nil
	}
	err = m.write()
	return &Merged{Result: m.result}, err
}

// check compares what the folders are of with what this program would run.
func (m *merge) check(same func(here, there *results.Manifest) error) error {
	here := m.manifest(m.promised)
	var errs []error
	for i, start := range m.starts {
		if err := same(&here, &start.Manifest); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", filepath.Join(m.dirs[i], StartFile), err))
		}
	}
	return errors.Join(errs...)
}

// place names the line of a job in messages.
func (m *merge) place(f *found) string {
	path := filepath.Join(m.dirs[f.folder], JournalFile)
	return fmt.Sprintf("%s:%d", filepath.ToSlash(path), f.number)
}

// read finds the plan's jobs in the journal of one of the folders. Within one journal the last line
// of a job counts, and one that finished more than one that failed.
func (m *merge) read(folder int32) error {
	dir := m.dirs[folder]
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
	others, more := 0, 0
	_, err = scanJournal(file, func(text string) { m.opts.Log(filepath.Join(dir, text)) },
		func(number int32, line []byte, e *entry) {
			if e.State != "" {
				return // how the job came about
			}
			before, asked := m.found[e.Key]
			if !asked {
				others++
				return
			}
			after := found{line, number, folder, e.Status == results.OK,
				proofOf(before.config, e.Spent), before.config}
			switch {
			case before.text == nil, !before.ok && after.ok,
				before.folder == folder && before.ok == after.ok:
				*before = after
			case before.ok && !after.ok:
			default:
				if err := m.agree(before, &after); err == nil {
				} else if len(disagree) < disagreeShown {
					disagree = append(disagree, err)
				} else {
					more++
				}
			}
		})
	if others > 0 {
		m.opts.Log(fmt.Sprintf("%s: %d jobs of other plans or data are left out", path, others))
	}
	if more > 0 {
		disagree = append(disagree, fmt.Errorf("and %d jobs more", more))
	}
	return errors.Join(append(disagree, err)...)
}

// disagreeShown is the number of jobs that are listed when two journals disagree.
const disagreeShown = 10

// agree compares the results of a job in two journals. Times may differ.
func (m *merge) agree(a, b *found) error {
	textA, errA := json.Marshal(a.entry().Outcome)
	textB, errB := json.Marshal(b.entry().Outcome)
	if errA != nil || errB != nil || bytes.Equal(textA, textB) {
		return errors.Join(errA, errB)
	}
	at := 0
	for at < len(textA) && at < len(textB) && textA[at] == textB[at] {
		at++
	}
	around := func(text []byte) []byte { return text[max(0, at-60):min(len(text), at+60)] }
	return fmt.Errorf("%w on a job, from its byte %d on:\n  %s: %s\n  %s: %s",
		ErrDisagree, at, m.place(a), around(textA), m.place(b), around(textB))
}

// missing counts the jobs that are in no journal.
func (m *merge) missing() []Missing {
	first := m.starts[0]
	command := first.Manifest.CommandLine
	count := first.Shard.Count
	for i, start := range m.starts {
		if start.Shard.Count != count {
			count = 0 // not shards of one division
		} else if m.starts[i].Shard.Count == 0 {
			command = start.Manifest.CommandLine
		}
	}
	open := make([]int, max(1, count))
	for i := range m.keys {
		if m.found[m.keys[i]].text != nil {
			continue
		}
		for part := range open {
			if (Shard{part, count}).has(i) {
				open[part]++
			}
		}
	}
	var all []Missing
	for part, jobs := range open {
		if jobs == 0 {
			continue
		}
		shard := Shard{part, count}
		if count == 0 {
			shard = Shard{}
		}
		all = append(all, Missing{shard, jobs, withShard(command, shard)})
	}
	return all
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
	lines := bufio.NewWriterSize(j.file, 1<<20) // whose first error is that of Flush
	for i, key := range m.keys {
		f := m.found[key]
		m.proofs[i] = f.proof
		if !f.ok {
			m.fail(i, errors.New(f.entry().Error))
		}
		if _, there := held.finished[key]; !there {
			held.finished[key] = entry{}
			lines.Write(f.text)
		}
	}
	if err := errors.Join(j.fail(lines.Flush()), j.fail(j.sync(j.file))); err != nil {
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
	start := m.start(len(m.plan.Jobs))
	start.Manifest.CommandLine, start.Manifest.CPU = manifest.CommandLine, manifest.CPU
	return errors.Join(start.write(m.result.Dir), m.run.write(manifest))
}

// releases copies the releases that the shards have written.
func (m *merge) releases() error {
	for _, dir := range m.dirs[:len(m.starts)] {
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
	for i := range m.keys {
		to := m.releaseFile(i)
		for _, content := range contents(m.plan.Jobs[i].Config) {
			name := filepath.Base(to) + extensions[content]
			err := copyFile(filepath.Join(m.dirs[m.found[m.keys[i]].folder], ReleasesFolder, name),
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
