package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ppdp/algorithms"
	"ppdp/experiments/language"
	"ppdp/internal/must"
	"ppdp/internal/process"
	"ppdp/internal/results"
	"ppdp/metrics"
)

// raceDetector is whether the tests were built with it.
var raceDetector bool

// fatal is a metric that ends its process.
type fatal struct{}

func (fatal) Info() metrics.Info {
	return metrics.Info{Name: "test-fatal", Title: "Fatal", Unit: "count", Revision: 1}
}

func (fatal) Measure(context.Context, metrics.Case) (float64, bool, error) {
	go panic("a mistake in a goroutine")
	select {}
}

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
	metrics.Register(fatal{})
	algorithms.Register(doomed{})
}

// isolatedSpec keeps and measures what a job can.
const isolatedSpec = `
name: test/isolated
seed: 7
trials: 2
folds: 2
keep: [regions, rows]
dataset: {name: gaussian, shape: clusters-5d, n: 200}
epsilon: [0.5, 1]
algorithms:
  - {name: rps, variant: [published, strict], params: {depth: 4}}
  - {name: independent, delta: 1e-5}
  - {name: mondrian, params: {k: 10}}
measure:
  - {metric: w1}
  - {metric: accuracy, classifier: naive-bayes}
`

// processes are processes of this program.
func processes() Process {
	return Process{Command: []string{"env", "PPDP_TEST_WORKER=1", os.Args[0]}}
}

// isolated are options whose jobs run in processes of this program, workers of them at once.
func isolated(t *testing.T, jobs int) Options {
	opts := options(t, t.TempDir())
	opts.Workers, opts.Isolate, opts.Process = jobs, true, processes()
	return opts
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

// TestIsolatedSame: jobs in processes of their own leave what jobs in one process leave: records,
// ledger and written releases, whatever the number of processes.
func TestIsolatedSame(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, isolatedSpec, language.Overrides{})
	run := func(opts Options) (map[string]string, string) {
		opts.WriteReleases = true
		result := mustRun(t, plan, opts)
		if result.Failed > 0 || result.Unwritten > 0 {
			t.Errorf("%+v", result)
		}
		return tree(t, opts.Out), result.Dir
	}
	want, _ := run(options(t, t.TempDir()))
	if len(want) < len(plan.Jobs) {
		t.Fatalf("%d files: the releases are missing", len(want))
	}
	for _, jobs := range []int{1, 3} {
		got, dir := run(isolated(t, jobs))
		sameTrees(t, "isolated", got, want)
		timings := read(t, dir, results.TimingsFile)
		if strings.Contains(timings, `"release":0,`) {
			t.Errorf("a release took no time: %s", timings)
		}
	}
}

// TestFailures: whatever one job does, the others come through, what happened is in the records,
// and these are the same whatever runs beside it, here or in processes. Jobs that end their process
// are in internal/torture.
func TestFailures(t *testing.T) {
	t.Parallel()
	for mood, want := range map[string]struct{ phase, message string }{
		"panic":  {results.PhaseRelease, "panic: a mistake in a plug-in"},
		"error":  {results.PhaseRelease, "cannot be done"},
		"wait":   {results.PhaseRelease, "timed out after"},
		"greedy": {results.PhaseBudget, "privacy budget overspent"},
		"deaf":   {results.PhaseBudget, "test-coin went on all the same"},
		"mute":   {results.PhaseRelease, "test-coin returned neither a release nor an error"},
		"meddle": {results.PhaseRelease, "test-coin, or what measures it, has changed the data"},
	} {
		t.Run(mood, func(t *testing.T) {
			t.Parallel()
			plan := mustPlan(t, strings.Replace(moodSpec, "MOOD", mood, 1), language.Overrides{})
			run := func(opts Options, workers int) map[string]string {
				opts.Workers, opts.WriteReleases = workers, true
				if mood == "wait" {
					goodFirst(t, &opts)
				}
				result := mustRun(t, plan, opts)
				if result.Failed != 2 || len(result.Failures) != 2 ||
					!strings.Contains(result.Failures[0], "test/moods: "+mood) {
					t.Errorf("%+v, want 2 failed jobs, and their names", result)
				}
				if files := releaseFiles(t, opts.Out, "test/moods"); len(files) != 2 {
					t.Errorf("%d releases of two good jobs", len(files))
				}
				return tree(t, opts.Out)
			}
			opts := options(t, t.TempDir())
			here := run(opts, 2)
			sameTrees(t, "isolated", run(isolated(t, 1), 1), here)
			sameTrees(t, "three isolated", run(isolated(t, 3), 3), here)
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

// TestIsolatedMetric: a metric that ends the process is not taken for the baseline.
func TestIsolatedMetric(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, strings.NewReplacer("MOOD", "", "w1", "test-fatal", `["", ]`, `""`,
		"trials: 2", "trials: 1").Replace(moodSpec), language.Overrides{})
	opts := isolated(t, 1)
	result := mustRun(t, plan, opts)
	run := mustOpen(t, result.Dir)
	job := &run.Records[0]
	const want = "what measures test-coin ended its process: panic: a mistake in a goroutine"
	if job.Error != want || job.Phase != results.PhaseMeasure {
		t.Errorf("failed in %s: %q, want %q", job.Phase, job.Error, want)
	}
}

// TestWorkersDoNotStart: what keeps workers from starting ends the run and is no job's failure.
func TestWorkersDoNotStart(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, testSpec, language.Overrides{})
	tooLittle := "needs more memory than a worker may have"
	if raceDetector {
		tooLittle = "a worker" // the race detector has words of its own
	}
	for want, process := range map[string]Process{
		tooLittle: {Memory: 64 << 20,
			Command: []string{"env", "PPDP_TEST_WORKER=1", os.Args[0]}},
		"no such file":        {Command: []string{"/no/such/program"}},
		`printed "no worker"`: {Command: []string{"echo", "no worker"}},
	} {
		opts := isolated(t, 2)
		opts.Process = process
		result, err := Run(context.Background(), plan, opts)
		if err == nil || !strings.Contains(err.Error(), want) || result.Failed > 0 {
			t.Errorf("%v, %+v, want %q", err, result, want)
		}
	}
}

// TestMain works for a run when one asks for it.
func TestMain(m *testing.M) {
	if os.Getenv("PPDP_TEST_WORKER") != "" {
		in, out, err := process.Detach()
		if err == nil {
			err = Work(context.Background(), in, out, time.Now)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestDied: jobs of a run whose process died run in processes of their own the next time, and are
// what they would have been; not so after an interruption.
func TestDied(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, testSpec, language.Overrides{})
	undisturbed := options(t, t.TempDir())
	mustRun(t, plan, undisturbed)
	for _, died := range []bool{true, false} {
		opts := options(t, t.TempDir())
		j, _, err := openJournal(filepath.Join(opts.Out, plan.Spec.Name), func(string) {})
		must.Do(t, errors.Join(err, j.mark(begun, 0)))
		if !died {
			must.Do(t, j.mark(ended, 0))
		}
		j.close()
		said := ""
		opts.Log = func(message string) { said += message }
		mustRun(t, plan, opts)
		if strings.Contains(said, "an earlier run died while jobs were running") != died {
			t.Errorf("died %v: said %q", died, said)
		}
		sameTrees(t, "died", tree(t, opts.Out), tree(t, undisturbed.Out))
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
	opts.Progress = func(p Progress) {
		if int64(p.Done) > synced.Load() {
			t.Errorf("%d jobs are said to be done, %d are on disk", p.Done, synced.Load())
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
	opts.Progress = func(p Progress) {
		if p.Done > 0 {
			t.Errorf("%d jobs are said to be done", p.Done)
		}
	}
	if _, err := Run(context.Background(),
		mustPlan(t, testSpec, language.Overrides{}), opts); !errors.Is(err, syscall.EIO) {
		t.Errorf("got %v", err)
	}
}
