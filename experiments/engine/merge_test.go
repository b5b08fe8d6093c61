package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/experiments/language"
	"ppdp/internal/must"
	"ppdp/internal/results"
)

// mergedSpec has jobs that succeed, jobs that fail, regions, and rows that are kept.
const mergedSpec = `
name: test/merged
seed: 7
trials: 3
dataset: {name: gaussian, shape: clusters-5d, n: 200}
epsilon: [0.5, 1]
keep: [regions, rows]
algorithms:
  - {name: test-coin, series: "{mood}", params: {mood: ["", panic]}}
  - {name: rps, params: {depth: 3}}
measure: [{metric: w1}]
plots:
  - {name: a, x: epsilon, y: w1}
`

// files are those of an experiment's folder that runs on one machine and merged ones share.
var files = []string{results.RecordsFile, results.SummaryFile, results.LedgerFile,
	results.ManifestFile}

// same accepts runs of one plan.
func same(here, there *results.Manifest) error {
	if here.SpecHash != there.SpecHash {
		return errors.New("another plan")
	}
	return nil
}

// runShards runs an experiment in parts and returns their folders.
func runShards(t *testing.T, out, text string, count int) []string {
	t.Helper()
	plan := mustPlan(t, text, language.Overrides{})
	var dirs []string
	for i := range count {
		opts := options(t, out)
		opts.Shard = Shard{i, count}
		opts.Build = Build{CPU: "a processor", CommandLine: []string{"ppdp", "run", "test.yaml"}}
		dirs = append(dirs, mustRun(t, plan, opts).Dir)
	}
	return dirs
}

// merged merges folders into that of the results.
func merged(t *testing.T, out string, dirs []string) (*Merged, error) {
	return Merge(t.Context(), dirs, options(t, out), same)
}

// TestMerge: whatever the number of shards, in whatever order they are
// given, merged once or twice: the files are those of one machine, failed jobs included.
func TestMerge(t *testing.T) {
	t.Parallel()
	single := t.TempDir()
	opts := options(t, single)
	opts.Build = Build{CPU: "a processor", CommandLine: []string{"ppdp", "run", "test.yaml"}}
	plan := mustPlan(t, mergedSpec, language.Overrides{})
	if result := mustRun(t, plan, opts); result.Failed != 6 {
		t.Fatalf("%d failed jobs, want 6", result.Failed)
	}
	for _, count := range []int{1, 3, 4, 40} {
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			dirs := runShards(t, out, mergedSpec, count)
			must.Fail(t, must.Err(os.Stat(filepath.Join(dirs[0], results.ManifestFile))), "",
				"a shard has written results")
			for range 2 {
				dirs = append(dirs[1:], dirs[0])
				m, err := merged(t, out, dirs)
				if err != nil || len(m.Missing) > 0 {
					t.Fatal(err, m.Missing)
				}
				if m.Failed != 6 || m.Jobs != len(plan.Jobs) {
					t.Errorf("%+v", m.Result)
				}
				for _, name := range files {
					if read(t, out, "test/merged", name) != read(t, single, "test/merged", name) {
						t.Errorf("%s differs from that of one machine", name)
					}
				}
			}
			// a run there takes all that succeeded from the journal
			must.Be(t, mustRun(t, plan, options(t, out)).Cached, len(plan.Jobs)-6, "jobs kept")
		})
	}
}

// TestMergeRefuses: journals that do not belong together are refused with a place, and nothing is
// written.
func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	damage := func(dir, file string, change func(text string) string) error {
		path := filepath.Join(dir, file)
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, []byte(change(string(text))), 0o666)
		}
		return err
	}
	for name, c := range map[string]struct {
		damage func(dirs []string) error
		want   string
	}{
		"another plan": {func(dirs []string) error {
			return damage(dirs[1], StartFile, func(text string) string {
				return strings.Replace(text, `"specHash":"`, `"specHash":"0`, 1)
			})
		}, StartFile + ": another plan"},
		"another program": {func(dirs []string) error {
			return damage(dirs[0], StartFile, func(text string) string {
				return strings.Replace(text, `"cells":18`, `"cells":19`, 1)
			})
		}, ErrOtherProgram.Error()},
		"a spec it does not know": {func(dirs []string) error {
			return damage(dirs[0], StartFile, func(text string) string {
				return strings.Replace(text, `name: rps,`, `name: rqs,`, 1)
			})
		}, "test.yaml:10:"},
		"not a start": {func(dirs []string) error {
			return damage(dirs[1], StartFile, func(string) string { return "{}" })
		}, StartFile + ": experiment \"\", 0 jobs"},
		"other bytes": {func(dirs []string) error {
			// a job of the first, with another number, in the second
			lines := strings.SplitAfter(read(t, dirs[0], JournalFile), "\n")
			ended := slices.IndexFunc(lines,
				func(line string) bool { return strings.Contains(line, `"status"`) })
			_, line, _ := strings.Cut(strings.TrimSpace(lines[ended]), " ")
			line = strings.Replace(line, `"trial":0`, `"trial":1`, 1)
			return damage(dirs[1], JournalFile, func(text string) string {
				return text + results.Sum([]byte(line)) + " " + line + "\n"
			})
		}, JournalFile + ":15"}, // two lines of each of six jobs and two of the run before
		"no journal": {func(dirs []string) error {
			return os.Remove(filepath.Join(dirs[1], JournalFile))
		}, "no such file"},
		"a folder for a journal": {func(dirs []string) error {
			path := filepath.Join(dirs[1], JournalFile)
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o777))
		}, "is not a file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			dirs := runShards(t, out, mergedSpec, 3)
			must.Do(t, c.damage(dirs))
			_, err := merged(t, out, dirs)
			must.Fail(t, err, c.want)
			must.Fail(t, must.Err(os.Stat(filepath.Join(out, "test/merged"))), "",
				"something was written")
		})
	}
}

// TestMergePrefersSuccess: a job that failed on one machine and not on another has not failed.
func TestMergePrefersSuccess(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	dirs := runShards(t, out, testSpec, 2)
	lines := strings.SplitAfter(read(t, dirs[0], JournalFile), "\n")
	ok := slices.IndexFunc(lines,
		func(line string) bool { return strings.Contains(line, `"status":"ok"`) })
	_, line, _ := strings.Cut(strings.TrimSpace(lines[ok]), " ")
	line = strings.Replace(line, `"status":"ok"`, `"status":"failed","phase":"release"`, 1)
	failed := results.Sum([]byte(line)) + " " + line + "\n"
	for _, dir := range dirs { // behind it, and elsewhere
		must.Do(t, os.WriteFile(filepath.Join(dir, JournalFile),
			[]byte(read(t, dir, JournalFile)+failed), 0o666))
	}
	for range 2 {
		dirs[0], dirs[1] = dirs[1], dirs[0]
		m, err := merged(t, out, dirs)
		if err != nil || m.Failed > 0 {
			t.Errorf("%v, %+v", err, m)
		}
	}
}

// TestTwoMerges: of two at once one waits its turn or fails with ErrBusy; the files are whole.
func TestTwoMerges(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	dirs := runShards(t, out, mergedSpec, 2)
	j, _, err := openJournal(filepath.Join(out, "test/merged"), func(string) {})
	must.Do(t, err)
	if _, err = merged(t, out, dirs); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v", err)
	}
	j.close()
	errs := make(chan error)
	for range 2 {
		go func() {
			_, err := merged(t, out, dirs)
			errs <- err
		}()
	}
	must.Do(t, errors.Join(<-errs, <-errs))
	must.Do(t, must.Err(results.Open(filepath.Join(out, "test/merged"))))
}

// TestShards: every job is in one shard, no shard has two jobs more than another, and of jobs that
// recur with any period, such as all first folds, none has more than about twice its part.
func TestShards(t *testing.T) {
	if !(Shard{}).has(7) {
		t.Error("without a division a job is left out")
	}
	for _, count := range []int{1, 2, 5, 10, 64} {
		const jobs = 10_000
		for _, period := range []int{1, 2, 5, 10, 50} {
			have, recurring := make([]int, count), make([]int, count)
			for i := range jobs {
				for index := range count {
					if !(Shard{index, count}).has(i) {
						continue
					}
					have[index]++
					if i%period == 0 {
						recurring[index]++
					}
				}
			}
			total := 0
			for index, n := range have {
				total += n
				if least := jobs / count; n < least || n > least+1 {
					t.Errorf("shard %d of %d has %d of %d jobs", index, count, n, jobs)
				}
				mean := float64(jobs/period) / float64(count)
				if n := float64(recurring[index]); n > 2*mean+float64(count) { // rounds cut off
					t.Errorf("shard %d of %d has %v of %d jobs that recur every %d", index, count,
						n, jobs/period, period)
				}
			}
			must.Be(t, total, jobs, count)
		}
	}
}
