package experiments

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ppdp/internal/results"
)

// TestMain runs an experiment in a separate process when a test asks for it.
func TestMain(m *testing.M) {
	if out := os.Getenv("PPDP_TEST_CHILD"); out != "" {
		os.Exit(child(out))
	}
	if os.Getenv("PPDP_TEST_WORKER") != "" {
		if err := Work(context.Background(), os.Stdin, os.Stdout, time.Now); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child runs an experiment that may kill it, with a limit on the size of its files if there is one.
// It prints how many cells are done.
func child(out string) int {
	debug.SetMaxStack(1 << 20) // to overflow quickly
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
	spec, err := Parse("test.yaml", []byte(os.Getenv("PPDP_TEST_SPEC")))
	if err != nil {
		fmt.Println(err)
		return 3
	}
	plan, err := spec.Plan(Overrides{})
	if err != nil {
		fmt.Println(err)
		return 3
	}
	_, err = plan.Run(context.Background(), Options{Out: out, Jobs: 2, Clock: time.Now,
		Progress: func(p Progress) {
			fmt.Println("done", p.Done)
			if p.Done == stopAt && os.Getenv("PPDP_TEST_STOP") != "" {
				select {} // no more is reported
			}
		}})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// stopAt is after how many cells a child hangs if it is told to.
const stopAt = 5

// childCommand is a process that runs an experiment.
func childCommand(out, spec string, environment ...string) *exec.Cmd {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "PPDP_TEST_CHILD="+out, "PPDP_TEST_SPEC="+spec)
	command.Env = append(command.Env, environment...)
	return command
}

// TestKilled: a run ended by SIGKILL in the middle has kept every cell that it had reported, goes
// on from there and leaves the same bytes.
func TestKilled(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, testSpec, Overrides{})
	undisturbed := t.TempDir()
	mustRun(t, plan, options(t, undisturbed))

	out := t.TempDir()
	command := childCommand(out, testSpec, "PPDP_TEST_STOP=1")
	pipe, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	done := 0
	for lines := bufio.NewScanner(pipe); done < stopAt && lines.Scan(); {
		if _, err := fmt.Sscanf(lines.Text(), "done %d", &done); err != nil {
			t.Errorf("the child: %s", lines.Text())
		}
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	command.Wait() // its error is the kill
	opts := options(t, out)
	opts.Retry = true
	result := mustRun(t, plan, opts)
	if done < stopAt || result.Cached < done || result.Cached == len(plan.Cells) {
		t.Errorf("%d of %d cells survived, %d were reported", result.Cached, len(plan.Cells), done)
	}
	for _, name := range []string{results.RecordsFile, results.LedgerFile, results.SummaryFile} {
		if read(t, out, "test/coins", name) != read(t, undisturbed, "test/coins", name) {
			t.Errorf("%s differs from an undisturbed run's", name)
		}
	}
}

// TestDeaths: a cell that ends the process does so twice, then it is a failed record and the others
// have theirs.
func TestDeaths(t *testing.T) {
	t.Parallel()
	for _, mood := range []string{"exit", "stack", "goroutine", "maps"} {
		t.Run(mood, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(strings.Replace(moodSpec, "MOOD", mood, 1), "trials: 2",
				"trials: 1", 1)
			plan := mustPlan(t, text, Overrides{})
			out := t.TempDir()
			for death := range deadly {
				output, err := childCommand(out, text).CombinedOutput()
				if (err == nil) != (mood == "exit") {
					t.Fatalf("run %d: %v: %s", death, err, output)
				}
				dir := filepath.Join(out, "test/moods")
				if _, err := os.Stat(filepath.Join(dir, results.ManifestFile)); err == nil {
					t.Fatalf("run %d finished", death)
				}
			}
			result := mustRun(t, plan, options(t, out))
			run, err := results.Read(result.Dir)
			if err != nil {
				t.Fatal(err)
			}
			good, bad := &run.Cells[0], &run.Cells[1]
			if good.Status != results.OK || bad.Status != results.Failed ||
				!strings.Contains(bad.Error, "2 processes ended without a word") ||
				len(result.Failures) != 1 || !strings.Contains(result.Failures[0], mood) {
				t.Errorf("%+v, %+v, %v", good, bad, result.Failures)
			}
		})
	}
}

// TestSuspects: a cell that was running when a process died runs after all others and alone, and
// what is said of it can be taken back.
func TestSuspects(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, testSpec, Overrides{})
	out := t.TempDir()
	suspects := []int{3, 11}
	die := func() { // as far as the journal can tell
		j, _, err := openJournal(filepath.Join(out, plan.Spec.Name), func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range suspects {
			c := &plan.Cells[i]
			cache, err := plan.load(context.Background(), options(t, out).Files)
			if err != nil {
				t.Fatal(err)
			}
			if err := j.mark(plan.cacheKey(c, cache.of(c).Checksum), begun); err != nil {
				t.Fatal(err)
			}
		}
		j.close()
	}
	die()
	opts := options(t, out)
	opts.Jobs = 4
	mustRun(t, plan, opts)
	// Their marks are at the end of the journal, neither between the other's.
	lines := strings.Split(strings.TrimSpace(read(t, out, "test/coins", JournalFile)), "\n")
	var got []string
	for _, line := range lines[len(lines)-4:] {
		e, ok := parseJournalLine([]byte(line))
		if !ok {
			t.Fatalf("the journal has %s", line)
		}
		got = append(got, fmt.Sprint(e.Key[:4], e.State))
	}
	if got[0][:4] == got[2][:4] || got[0] != got[1]+begun || got[2] != got[3]+begun {
		t.Errorf("the last lines of the journal are %v", got)
	}
	// After two deaths they are failed records, unless the user knows better.
	out = t.TempDir()
	die()
	die()
	opts = options(t, out)
	if result := mustRun(t, plan, opts); result.Failed != len(suspects) {
		t.Errorf("%+v, want %d failed cells", result, len(suspects))
	}
	opts.Retry = true
	if result := mustRun(t, plan, opts); result.Failed != 0 {
		t.Errorf("tried again: %+v", result)
	}
}

// TestDiskFull: when the disk is full the run reports it, and finished cells are kept.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, testSpec, Overrides{})
	out := t.TempDir()
	output, err := childCommand(out, testSpec, "PPDP_TEST_LIMIT=9000").CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 ||
		!strings.Contains(string(output), "journal: write") {
		t.Fatalf("%v: %s", err, output)
	}
	result := mustRun(t, plan, options(t, out))
	if result.Cached < 2 || result.Cached == len(plan.Cells) {
		t.Errorf("%d of %d cells survived", result.Cached, len(plan.Cells))
	}
}

// TestDoneIsOnDisk: no cell is reported done before the disk has it, however slow that is.
func TestDoneIsOnDisk(t *testing.T) {
	t.Parallel()
	var synced, syncs atomic.Int64
	opts := options(t, t.TempDir())
	opts.Jobs = 3
	opts.sync = func(f *os.File) error {
		text, err := os.ReadFile(f.Name())
		if err != nil {
			return err
		}
		time.Sleep(10 * time.Millisecond)
		synced.Store(int64(bytes.Count(text, []byte(`"status":"ok"`))))
		syncs.Add(1)
		return nil
	}
	opts.Progress = func(p Progress) {
		if int64(p.Done) > synced.Load() {
			t.Errorf("%d cells are said to be done, %d are on disk", p.Done, synced.Load())
		}
	}
	plan := mustPlan(t, testSpec, Overrides{})
	mustRun(t, plan, opts)
	if n := syncs.Load(); n == 0 || n == int64(len(plan.Cells)) {
		t.Errorf("%d syncs for %d cells, must be some and fewer", n, len(plan.Cells))
	}
}

// TestSyncFails: a disk that cannot sync ends the run, and nothing is said to be kept.
func TestSyncFails(t *testing.T) {
	t.Parallel()
	opts := options(t, t.TempDir())
	opts.sync = func(*os.File) error { return syscall.EIO }
	opts.Progress = func(p Progress) {
		if p.Done > 0 {
			t.Errorf("%d cells are said to be done", p.Done)
		}
	}
	if _, err := mustPlan(t, testSpec, Overrides{}).Run(context.Background(),
		opts); !errors.Is(err, syscall.EIO) {
		t.Errorf("got %v", err)
	}
}

// TestHangingIsNamed: an interruption ends a run whose cell hangs, with and without a time limit,
// and a cell that does not end is named when the run does.
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
			opts.Jobs = 4
			var mu sync.Mutex
			var said []string
			opts.Log = func(message string) {
				mu.Lock()
				defer mu.Unlock()
				said = append(said, message)
			}
			opts.Progress = func(p Progress) {
				if p.Done == 2 && timeout != time.Millisecond { // all but the hanging cells
					cancel()
				}
			}
			plan := mustPlan(t, strings.Replace(moodSpec, "MOOD", "hang", 1), Overrides{})
			_, err := plan.Run(ctx, opts)
			if (timeout == time.Millisecond) != (err == nil) ||
				err != nil && !errors.Is(err, ErrInterrupted) {
				t.Errorf("got %v", err)
			}
			const want = "cells that did not end when they were told to, and run until this " +
				"process ends: test/moods: hang at epsilon 1, trial 0; " +
				"test/moods: hang at epsilon 1, trial 1"
			if last := said[len(said)-1]; last != want {
				t.Errorf("said %q last, want %q", last, want)
			}
			cancel()
		})
	}
}
