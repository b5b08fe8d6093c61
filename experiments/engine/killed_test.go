package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ppdp/experiments/language"
	"ppdp/internal/process"
)

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
		noError(t, errors.Join(err, j.mark(begun, 0)))
		if !died {
			noError(t, j.mark(ended, 0))
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
