package engine

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/semaphore"

	"ppdp/algorithms"
	"ppdp/experiments/language"
	"ppdp/internal/must"
	"ppdp/internal/results"
)

// doomed is a coin whose guarantee can be audited.
type doomed struct{ coin }

func (doomed) Info() algorithms.Info {
	info := coin{}.Info()
	info.Name = "test-doomed"
	for i := range info.Variants {
		info.Variants[i].Relation = "add or remove one record"
	}
	return info
}

func init() {
	algorithms.Register(doomed{})
}

// tree is all that a run writes, by name, but for what differs from run to run.
func tree(t *testing.T, out string) map[string]string {
	files := make(map[string]string)
	must.Do(t, filepath.WalkDir(out, func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil || entry.IsDir():
			return err
		case strings.HasPrefix(name, ".lock"), name == JournalFile, name == StartFile,
			name == results.TimingsFile, name == results.ManifestFile:
			return nil
		}
		name, err := filepath.Rel(out, path)
		files[name] = read(t, path)
		return err
	}))
	return files
}

func sameTrees(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) || len(want) < 3 {
		t.Errorf("%s: %d files, want %d", what, len(got), len(want))
	}
	for name, text := range want { // order-free: each is compared
		if got[name] != text {
			t.Errorf("%s: %s differs: %.300q, want %.300q", what, name, got[name], text)
		}
	}
}

// TestFailures: whatever one job does, the others come through, what happened is in the records,
// and these are the same whatever runs beside it. Jobs that end the process are in TestDied and
// internal/torture.
func TestFailures(t *testing.T) {
	t.Parallel()
	for mood, want := range map[string]struct{ phase, message string }{
		"panic":  {results.PhaseRelease, "panic: a mistake in a plug-in"},
		"error":  {results.PhaseRelease, "cannot be done"},
		"wait":   {results.PhaseRelease, "timed out after"},
		"greedy": {results.PhaseBudget, "privacy budget overspent"},
		"deaf":   {results.PhaseBudget, "test-coin went on all the same"},
		"mute":   {results.PhaseRelease, "test-coin returned neither a release nor an error"},
	} {
		t.Run(mood, func(t *testing.T) {
			t.Parallel()
			plan := mustPlan(t, strings.Replace(moodSpec, "MOOD", mood, 1), language.Overrides{})
			run := func(opts Options, workers int) map[string]string {
				opts.Workers = workers
				if mood == "wait" {
					goodFirst(t, &opts)
				}
				result := mustRun(t, plan, opts)
				must.Be(t, result.Failed, 2, result)
				return tree(t, opts.Out)
			}
			opts := options(t, t.TempDir())
			sameTrees(t, "one at a time", run(options(t, t.TempDir()), 1), run(opts, 2))
			o := mustOpen(t, opts.Out, "test/moods")
			for _, r := range o.Records {
				if good := r.Params["mood"] == ""; good != (r.Status == results.OK) || !good &&
					(r.Phase != want.phase || !strings.Contains(r.Error, want.message) ||
						len(r.Values) > 0) {
					t.Errorf("%+v", r)
				}
			}
			for _, row := range o.Summary.Rows() {
				if row.Params["mood"] == mood && (row.N != 0 || row.Failed != 2) {
					t.Errorf("the summary hides failures: %+v", row)
				}
			}
			again, _, err := Cached(context.Background(), plan, opts.Out, opts.Files)
			if err != nil || again != 2 {
				t.Errorf("%d jobs cached (%v), want the 2 good ones only", again, err)
			}
		})
	}
}

// TestLongWarnings: what a plug-in says is cut, wherever it is kept.
func TestLongWarnings(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, strings.Replace(moodSpec, "MOOD", "warns", 1), language.Overrides{})
	opts := options(t, t.TempDir())
	said := 0
	opts.Log = func(message string) { said += len(message) }
	text := read(t, mustRun(t, plan, opts).Dir, results.RecordsFile)
	if said > 2_000_000 || len(text) > 2_000_000 || !strings.Contains(text, "(cut: ") ||
		strings.ContainsAny(text, "\u009b") {
		t.Errorf("%d bytes are logged, %d written: %.300s", said, len(text), text)
	}
}

// TestDied: jobs that ran when the process died run first, one at a time, and are what they would
// have been. A job that ran alone when it died again is a failed record, with the open ones of its
// setting, until the next run. Nothing of this is so after an interruption.
func TestDied(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, testSpec, language.Overrides{})
	undisturbed := options(t, t.TempDir())
	keys := newRun(plan, undisturbed, must.Get(load(t.Context(), plan, undisturbed.Files)), nil,
		"").keys
	mustRun(t, plan, undisturbed)
	want := tree(t, undisturbed.Out)
	setting := plan.Trials * plan.Folds
	for _, c := range []struct {
		name   string
		marks  []mark
		said   string
		failed int
	}{
		{"interrupted", []mark{{Key: runKey, State: begun}, {Key: keys[1], State: begun},
			{Key: runKey, State: ended}}, "", 0},
		{"died", []mark{{Key: runKey, State: begun}, {Key: keys[1], State: begun},
			{Key: runKey, State: begun}, {Key: keys[5], State: begun}}, "the 2 that ran then", 0},
		{"died again", []mark{{Key: runKey, State: begun}, {Key: keys[1], State: begun},
			{Key: keys[setting], State: begun}, {Key: runKey, State: begun},
			{Key: keys[1], State: alone}}, "the 1 that ran then", setting},
		{"died before it said so", []mark{{Key: runKey, State: begun},
			{Key: keys[1], State: alone}, {Key: runKey, State: begun}}, "", setting},
		{"died later", []mark{{Key: runKey, State: begun}, {Key: keys[1], State: alone},
			{Key: keys[5], State: begun}}, "the 2 that ran then", 0},
		{"failed before", []mark{{Key: runKey, State: begun}, {Key: keys[1], Fatal: true},
			{Key: runKey, State: begun}}, "", 1},
	} {
		opts := options(t, t.TempDir())
		j, _, err := openJournal(filepath.Join(opts.Out, plan.Spec.Name), func(string) {})
		must.Do(t, err)
		for _, m := range c.marks {
			e := entry{mark: m}
			if m.Fatal {
				e.Status = results.Failed
			}
			must.Do(t, j.write(must.Get(appendJournalLine(nil, e))))
		}
		j.close()
		said := ""
		opts.Log = func(message string) { said += message }
		result := mustRun(t, plan, opts)
		if strings.Contains(said, "that ran then") != (c.said != "") ||
			!strings.Contains(said, c.said) || result.Failed != c.failed {
			t.Errorf("%s: %d failed, said %q", c.name, result.Failed, said)
		}
		for _, r := range mustOpen(t, result.Dir).Records {
			must.Be(t, r.Status == results.Failed, r.Error == errFatal.Error(), c.name, r.Status,
				r.Error)
		}
		if again := mustRun(t, plan, opts); again.Failed > 0 ||
			again.Cached != len(plan.Jobs)-c.failed {
			t.Errorf("%s, run again: %+v", c.name, again)
		}
		sameTrees(t, c.name, tree(t, opts.Out), want)
	}
}

// TestSlots: runs that share slots have no more jobs at once than one would have, and a job that
// ran when the process died runs when no other does.
func TestSlots(t *testing.T) {
	t.Parallel()
	slots := semaphore.NewWeighted(2)
	var runs sync.WaitGroup
	for _, mood := range []string{"both", "alone", "both"} {
		spec := strings.Replace(moodSpec, `["", MOOD]`, mood, 1)
		plan := mustPlan(t, spec, language.Overrides{Trials: 20})
		opts := options(t, t.TempDir())
		opts.Workers, opts.Slots = 2, slots
		if mood == "alone" {
			j, _, err := openJournal(filepath.Join(opts.Out, plan.Spec.Name), func(string) {})
			must.Do(t, err)
			cache := must.Get(load(t.Context(), plan, opts.Files))
			must.Do(t, j.mark(runKey, begun, 0))
			for _, key := range newRun(plan, opts, cache, nil, "").keys {
				must.Do(t, j.mark(key, begun, 0))
			}
			j.close()
		}
		runs.Go(func() {
			result, err := Run(t.Context(), plan, opts)
			if err != nil || result.Failed > 0 {
				t.Errorf("%s: %+v, %v:\n%s", mood, result, err,
					read(t, result.Dir, results.RecordsFile))
			}
		})
	}
	runs.Wait()
}

// TestMeddled: a job that changes the data that all share ends the run. Nothing wrong is kept: when
// it is gone, all is as if it had never been; of data that are drawn anew for each trial too.
func TestMeddled(t *testing.T) {
	t.Parallel()
	fair := mustPlan(t, strings.Replace(resampledSpec, "MOOD", "fair", 1), language.Overrides{})
	undisturbed := options(t, t.TempDir())
	mustRun(t, fair, undisturbed)
	plan := mustPlan(t, strings.Replace(resampledSpec, "MOOD", "meddle", 1), language.Overrides{})
	for workers := 1; workers < 4; workers += 2 {
		opts := options(t, t.TempDir())
		opts.Workers = workers
		_, err := Run(t.Context(), plan, opts)
		must.Fail(t, err, "has changed the data that all jobs", workers)
		mustRun(t, fair, opts)
		sameTrees(t, "afterwards", tree(t, opts.Out), tree(t, undisturbed.Out))
	}
}

// TestDoneIsOnDisk: no job is reported done before the disk has it, however slow that is.
func TestDoneIsOnDisk(t *testing.T) {
	t.Parallel()
	var synced, syncs, looks atomic.Int64
	plan := mustPlan(t, testSpec, language.Overrides{})
	opts := options(t, t.TempDir())
	opts.Workers = 3
	opts.Clock = func() time.Time {
		looks.Add(1)
		return time.Now()
	}
	opts.sync = func(f *os.File) error {
		text, err := os.ReadFile(f.Name())
		if err != nil {
			return err
		}
		// A job looks at the clock four times: when the first sync ends, lines of many others
		// have gathered.
		for looks.Load() < int64(2*len(plan.Jobs)) {
			time.Sleep(time.Millisecond)
		}
		synced.Store(int64(bytes.Count(text, []byte(`"status":"ok"`))))
		syncs.Add(1)
		return nil
	}
	opts.Progress = func(done int, _ Result) {
		if int64(done) > synced.Load() {
			t.Errorf("%d jobs are said to be done, %d are on disk", done, synced.Load())
		}
	}
	mustRun(t, plan, opts)
	if n := syncs.Load(); n == 0 || n == int64(len(plan.Jobs)) {
		t.Errorf("%d syncs for %d jobs, must be some and fewer", n, len(plan.Jobs))
	}
}

// TestSyncFails: a disk that cannot sync ends the run, and nothing is said to be kept.
func TestSyncFails(t *testing.T) {
	t.Parallel()
	opts := options(t, t.TempDir())
	opts.sync = func(*os.File) error { return syscall.EIO }
	opts.Progress = func(done int, _ Result) {
		if done > 0 {
			t.Errorf("%d jobs are said to be done", done)
		}
	}
	if _, err := Run(context.Background(),
		mustPlan(t, testSpec, language.Overrides{}), opts); !errors.Is(err, syscall.EIO) ||
		strings.Count(err.Error(), syscall.EIO.Error()) != 1 {
		t.Errorf("got %v", err)
	}
}
