package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ppdp/experiments/spec"
	"ppdp/internal/process"
	"ppdp/internal/results"
)

// TestMain runs an experiment in a separate process when a test asks for it.
func TestMain(m *testing.M) {
	if out := os.Getenv("PPDP_TEST_CHILD"); out != "" {
		os.Exit(child(out))
	}
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

// child runs an experiment that may kill it, with a limit on the size of its files if there is one.
// It prints how many jobs are done.
func child(out string) int {
	if limit, err := strconv.ParseUint(os.Getenv("PPDP_TEST_LIMIT"), 10, 64); err == nil {
		limits := syscall.Rlimit{Cur: limit, Max: limit}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limits); err != nil {
			fmt.Println(err)
			return 3
		}
	}
	if dirs := os.Getenv("PPDP_TEST_MERGE"); dirs != "" {
		_, err := Merge(context.Background(), strings.Split(dirs, ":"), MergeOptions{Out: out,
			Same: same, Log: func(message string) { fmt.Println(message) }})
		if err != nil {
			fmt.Println(err)
			return 1
		}
		return 0
	}
	s, err := spec.Parse("test.yaml", []byte(os.Getenv("PPDP_TEST_SPEC")))
	if err != nil {
		fmt.Println(err)
		return 3
	}
	plan, err := s.Plan(spec.Overrides{})
	if err != nil {
		fmt.Println(err)
		return 3
	}
	_, err = Run(context.Background(), plan, Options{Out: out, Workers: 2, Clock: time.Now,
		Progress: func(p Progress) {
			fmt.Println("done", p.Done)
			if p.Done >= stopAt && os.Getenv("PPDP_TEST_STOP") != "" {
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
		}})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// stopAt is after how many jobs a child kills itself where a test asks for it.
const stopAt = 5

// childCommand is a process that runs an experiment.
func childCommand(out, spec string, environment ...string) *exec.Cmd {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "PPDP_TEST_CHILD="+out, "PPDP_TEST_SPEC="+spec)
	command.Env = append(command.Env, environment...)
	return command
}

// TestKilled: a run ended by SIGKILL in the middle has kept every job that it had reported, goes
// on from there and leaves the same bytes.
func TestKilled(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, testSpec, spec.Overrides{})
	undisturbed := t.TempDir()
	mustRun(t, plan, options(t, undisturbed))

	out := t.TempDir()
	output, err := childCommand(out, testSpec, "PPDP_TEST_STOP=1").CombinedOutput()
	if err == nil {
		t.Fatalf("the child has ended by itself: %s", output)
	}
	done := bytes.Count(output, []byte("done ")) - bytes.Count(output, []byte("done 0\n"))
	if _, err := os.Stat(filepath.Join(out, "test/coins", results.ManifestFile)); err == nil {
		t.Error("the child has finished the run")
	}
	result := mustRun(t, plan, options(t, out))
	// The disk may have had more than was reported, on a slow one all.
	if done < stopAt || result.Cached < done {
		t.Errorf("%d of %d jobs survived, %d were reported", result.Cached, len(plan.Jobs), done)
	}
	for _, name := range []string{results.RecordsFile, results.LedgerFile, results.SummaryFile} {
		if read(t, out, "test/coins", name) != read(t, undisturbed, "test/coins", name) {
			t.Errorf("%s differs from an undisturbed run's", name)
		}
	}
}

// TestDeaths: jobs that end the process are failed records of the next run, however often that is
// started, and the others have theirs.
func TestDeaths(t *testing.T) {
	t.Parallel()
	for _, mood := range []string{"exit", "stack", "goroutine", "maps"} {
		t.Run(mood, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(moodSpec, "MOOD", mood, 1)
			plan := mustPlan(t, text, spec.Overrides{})
			out := t.TempDir()
			output, err := childCommand(out, text).CombinedOutput()
			if (err == nil) != (mood == "exit") {
				t.Fatalf("%v: %s", err, output)
			}
			dir := filepath.Join(out, "test/moods")
			if _, err := os.Stat(filepath.Join(dir, results.ManifestFile)); err == nil {
				t.Fatal("the run finished")
			}
			opts := options(t, out)
			opts.Process = processes()
			for range 2 {
				result := mustRun(t, plan, opts)
				run := must(results.Read(result.Dir))
				for i := range run.Records {
					good, job := plan.Jobs[i].Config == plan.Configs[0], &run.Records[i]
					if good != (job.Status == results.OK) ||
						!good && !strings.Contains(job.Error, "test-coin ended its process") {
						t.Errorf("%+v", job)
					}
				}
				if len(result.Failures) != plan.Trials {
					t.Errorf("%v", result.Failures)
				}
			}
		})
	}
}

// TestSuspects: jobs that were running when a process died run in processes of their own, and are
// what they would have been.
func TestSuspects(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, testSpec, spec.Overrides{})
	undisturbed := options(t, t.TempDir())
	mustRun(t, plan, undisturbed)
	opts := options(t, t.TempDir())
	opts.Process = processes()
	j, _, err := openJournal(filepath.Join(opts.Out, plan.Spec.Name), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	cache := must(load(context.Background(), plan, opts.Files))
	r := newRun(plan, opts, cache, j, "")
	for _, i := range []int{3, 11} { // of the coin, begun according to the journal
		r.mark(i, begun)
	}
	r.mark(5, begun) // and ended: it was interrupted
	r.mark(5, ended)
	j.close()
	var said []string
	opts.Log = func(message string) { said = append(said, message) }
	mustRun(t, plan, opts)
	if want := "an earlier run died while jobs of test-coin were running"; len(said) == 0 ||
		!strings.Contains(said[0], want) {
		t.Errorf("said %q, want %q", said, want)
	}
	sameTrees(t, "suspects", tree(t, opts.Out), tree(t, undisturbed.Out))
}

// TestDoneIsOnDisk: no job is reported done before the disk has it, however slow that is.
func TestDoneIsOnDisk(t *testing.T) {
	t.Parallel()
	var synced, syncs, looks atomic.Int64
	plan := mustPlan(t, testSpec, spec.Overrides{})
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
		mustPlan(t, testSpec, spec.Overrides{}), opts); !errors.Is(err, syscall.EIO) {
		t.Errorf("got %v", err)
	}
}

// TestHangingIsNamed: an interruption ends a run whose job hangs, with and without a time limit,
// and a job that does not end is named when the run does.
func TestHangingIsNamed(t *testing.T) {
	t.Parallel()
	for name, timeout := range map[string]time.Duration{
		"no timeout": 0, "long timeout": time.Hour, "short timeout": time.Millisecond,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(context.Background())
			opts := options(t, t.TempDir())
			opts.Timeout = timeout
			opts.Workers = 4
			var mu sync.Mutex
			var said []string
			opts.Log = func(message string) {
				mu.Lock()
				defer mu.Unlock()
				said = append(said, message)
			}
			opts.Progress = func(p Progress) {
				if p.Done == 2 && timeout != time.Millisecond { // all but the hanging jobs
					cancel()
				}
			}
			plan := mustPlan(t, strings.Replace(moodSpec, "MOOD", "hang", 1), spec.Overrides{})
			_, err := Run(ctx, plan, opts)
			if (timeout == time.Millisecond) != (err == nil) ||
				err != nil && !errors.Is(err, ErrInterrupted) {
				t.Errorf("got %v", err)
			}
			const want = "jobs that did not end when they were stopped, and run until this " +
				"process ends: test/moods: hang at epsilon 1, trial 0; " +
				"test/moods: hang at epsilon 1, trial 1"
			if last := said[len(said)-1]; last != want {
				t.Errorf("said %q last, want %q", last, want)
			}
			cancel()
		})
	}
}
