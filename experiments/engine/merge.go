package engine

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
	"ppdp/experiments/spec"
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

// found is where a job is in a journal, and what is asked about all jobs at once. The rest is read
// again when it is needed: a plan may have a million jobs.
type found struct {
	journalLine       // its number is 0 for a job that no journal has
	folder      int32 // index in merge.dirs
	ok          bool
	proof       proof
	config      *spec.Config
}

// merge is journals being merged.
type merge struct {
	*run
	dirs   []string // of the shards, and what is written to where it has a journal
	starts []*Start
	found  map[string]*found // by key, which equal jobs share
	open   map[int32]*os.File
	buffer []byte // of line
}

// Merge makes the files of an experiment, as a run on one machine would have written them, from the
// journals of folders that each ran a part of it: dirs are experiments' folders with a StartFile. A
// folder may have more jobs than its part. What two journals both have must be the same; a job
// that failed in one and not in the other is taken from the other. Nothing is run, and nothing is
// written before all jobs are there.
func Merge(ctx context.Context, dirs []string, opts MergeOptions) (*Merged, error) {
	m := &merge{dirs: dirs, found: make(map[string]*found), open: make(map[int32]*os.File)}
	defer m.close()
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
	m.finished = func(i int) (entry, error) { return m.entry(m.found[m.keys[i]]) }
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

// mostOpen bounds the journals that are open at once.
const mostOpen = 200

// line reads the line of a job again. It is good until the next call.
func (m *merge) line(f *found) (line []byte, err error) {
	file := m.open[f.folder]
	if file == nil {
		if len(m.open) == mostOpen {
			m.close()
		}
		if file, err = os.Open(filepath.Join(m.dirs[f.folder], JournalFile)); err != nil {
			return nil, err
		}
		m.open[f.folder] = file
	}
	m.buffer = slices.Grow(m.buffer[:0], int(f.length))[:f.length]
	if _, err := file.ReadAt(m.buffer, f.offset); err != nil {
		return nil, fmt.Errorf("%s: %w", m.place(f), err)
	}
	return m.buffer, nil
}

// entry reads a job again.
func (m *merge) entry(f *found) (entry, error) {
	line, err := m.line(f)
	if err != nil {
		return entry{}, err
	}
	e, ok := parseJournalLine(line)
	if !ok {
		err = fmt.Errorf("%s: the line has changed since it was read", m.place(f))
	}
	return e, err
}

// close closes what is open.
func (m *merge) close() {
	for _, file := range m.open { // order-free: each is closed
		file.Close()
	}
	clear(m.open)
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
		func(at journalLine, e *entry) {
			if e.State != "" {
				return // how the job came about
			}
			before, asked := m.found[e.Key]
			if !asked {
				others++
				return
			}
			after := found{at, folder, e.Status == results.OK, proofOf(before.config, e.Spent),
				before.config}
			switch {
			case before.number == 0, !before.ok && after.ok,
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
	first, errA := m.entry(a)
	second, errB := m.entry(b)
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	textA, errA := json.Marshal(first.Outcome)
	textB, errB := json.Marshal(second.Outcome)
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
		if m.found[m.keys[i]].number > 0 {
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
	there := make(map[string]bool) // finished, in the journal that is written to
	j, err := lockJournal(m.result.Dir, func(from io.Reader) (int64, error) {
		return scanJournal(from, m.opts.Log, func(_ journalLine, e *entry) {
			if e.State == "" && e.Status == results.OK {
				there[e.Key] = true
			}
		})
	})
	if err != nil {
		return err
	}
	defer j.close()
	if err := m.writeJournal(j, there); err != nil {
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

// writeJournal adds the lines of jobs that are not there, counts the failed ones and describes the
// first of them.
func (m *merge) writeJournal(j *journal, there map[string]bool) error {
	var lines []byte
	for i, key := range m.keys {
		f := m.found[key]
		m.proofs[i] = f.proof
		if !f.ok {
			m.result.Failed++
		}
		if !f.ok && m.result.Failed <= failuresShown {
			e, err := m.entry(f)
			if err != nil {
				return err
			}
			m.result.Failures = append(m.result.Failures, fmt.Sprintf("%s: %s",
				m.describe(i), e.Error))
		}
		if there[key] {
			continue
		}
		there[key] = true
		line, err := m.line(f)
		if err != nil {
			return err
		}
		if lines = append(lines, line...); len(lines) >= 1<<20 {
			if err := j.write(lines); err != nil {
				return err
			}
			lines = lines[:0]
		}
	}
	return errors.Join(j.write(lines), j.fail(j.sync(j.file)))
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
