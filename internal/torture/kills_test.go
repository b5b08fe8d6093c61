package torture

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// kills ends the process at random moments, from outside.
func (c *campaign) kills() {
	c.each("kill", 3, 150, "go on, same bytes", func(f *fault) {
		for range 1 + f.IntN(3) {
			command := f.command(nil, "run", "spec.yaml", "--out", "out", "-j",
				fmt.Sprint(1+f.IntN(4)))
			if err := command.Start(); err != nil {
				f.Fatal(err)
			}
			time.Sleep(time.Duration(f.Float64() * 1.2 * float64(c.took)))
			command.Process.Kill() // it may have finished
			command.Wait()
			f.intact()
		}
		f.recovers()
	})
	signals := []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP}
	c.each("signal", 3, 60, "end within 5 s, go on, same bytes", func(f *fault) {
		command := f.command(nil, "run", "spec.yaml", "--out", "out")
		if err := command.Start(); err != nil {
			f.Fatal(err)
		}
		time.Sleep(time.Duration(f.Float64() * 1.2 * float64(c.took)))
		command.Process.Signal(signals[f.number%len(signals)]) // it may have finished
		f.ends(command)
		f.recovers()
	})
	c.each("signal, hanging job", 1, 6, "name it, end within 5 s", func(f *fault) {
		write(f.T, filepath.Join(f.dir, "spec.yaml"), hostileSpec("hang"))
		command := f.command(nil, "run", "spec.yaml", "--out", "out", "--timeout", "1h")
		var said bytes.Buffer
		command.Stderr = &said
		if err := command.Start(); err != nil {
			f.Fatal(err)
		}
		f.hangs()
		if err := command.Process.Signal(signals[f.number%len(signals)]); err != nil {
			f.Error(err)
		}
		f.ends(command)
		if !strings.Contains(said.String(), "jobs that did not end when they were stopped") {
			f.Errorf("the hanging jobs are not named: %s", said.String())
		}
	})
}

// isolatedKills ends a run, by a signal or outright, whose jobs hang in processes of their own:
// all of them end with it, and the run goes on.
func (c *campaign) isolatedKills() {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		c.skip("end of an isolated run", "no /proc to look for processes in")
		return
	}
	signals := []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT}
	c.each("end of an isolated run", len(signals), 12, "no process stays", func(f *fault) {
		write(f.T, filepath.Join(f.dir, "spec.yaml"), hostileSpec("hang"))
		// The mark is how its processes are known again.
		mark := fmt.Sprintf("PPDP_MARK=%s", f.dir)
		command := f.command(nil, "run", "spec.yaml", "--out", "out", "-j", "3", "--isolate")
		command.Env = append(command.Env, mark)
		if err := command.Start(); err != nil {
			f.Fatal(err)
		}
		f.hangs()
		time.Sleep(time.Duration(f.Float64() * float64(time.Second)))
		if err := command.Process.Signal(signals[f.number%len(signals)]); err != nil {
			f.Error(err)
		}
		f.ends(command)
		for left := marked(mark); len(left) > 0; left = marked(mark) {
			f.Logf("processes %v are still there", left)
			time.Sleep(100 * time.Millisecond)
		}
		write(f.T, filepath.Join(f.dir, "spec.yaml"), spec)
		f.recovers("--isolate")
	})
}

// marked lists the processes whose environment has the given entry.
func marked(entry string) (processes []string) {
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err == nil && bytes.Contains(text, []byte(entry)) {
			processes = append(processes, path)
		}
	}
	return processes
}

// hangs waits until a hostile job of the case hangs.
func (f *fault) hangs() {
	for {
		if _, err := os.Stat(filepath.Join(f.dir, hangsFile)); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// ends: a process that got a signal ends, and soon. The whole campaign says how soon; beside other
// tests a machine may be as busy as it likes.
func (f *fault) ends(command *exec.Cmd) {
	f.Helper()
	sent := time.Now()
	command.Wait() // with 1 if it was interrupted, 0 if it had finished
	if took := time.Since(sent); *full && took > 5*time.Second {
		f.Errorf("it ended after %v", took)
	}
}

// syscalls has the system fail, or the process killed, at each call of a kind in turn.
func (c *campaign) syscalls() {
	strace, err := exec.LookPath("strace")
	if err == nil {
		err = exec.Command(strace, "-e", "trace=none", "true").Run()
	}
	if err != nil {
		c.skip("system calls", "strace is not here or may not trace")
		return
	}
	for _, kind := range []struct {
		name, calls, inject, must string
		few, many                 int
		dies                      bool
	}{
		{"kill at each rename", "rename,renameat,renameat2", "signal=SIGKILL",
			"go on, same bytes", 2, 100, true},
		{"kill at each removal", "unlink,unlinkat", "signal=SIGKILL", "go on, same bytes",
			1, 100, true},
		{"kill at each sync", "fsync", "signal=SIGKILL", "go on, same bytes", 2, 100, true},
		{"failing sync", "fsync", "error=EIO", "say so, go on, same bytes", 2, 100, false},
		{"failing rename", "rename,renameat,renameat2", "error=EIO",
			"say so, go on, same bytes", 1, 100, false},
		{"failing write", "write", "error=ENOSPC", "say so, go on, same bytes", 2, 200, false},
		{"failing open", "openat", "error=EMFILE", "say so, go on, same bytes", 1, 100, false},
		{"slow sync", "fsync", "delay_enter=300000", "same bytes", 0, 3, false},
	} {
		passed := false // the call with this number does not occur any more
		c.each(kind.name, kind.few, kind.many, kind.must, func(f *fault) {
			if passed {
				f.SkipNow()
			}
			when := f.number + 1
			if !*full {
				when = 1 + f.IntN(4)
			}
			inject := fmt.Sprintf("inject=%s:%s:when=%d", kind.calls, kind.inject, when)
			if strings.HasPrefix(kind.inject, "delay") {
				inject = fmt.Sprintf("inject=%s:%s", kind.calls, kind.inject)
			}
			command := f.command([]string{strace, "-f", "-qq", "-o", "trace", "-e",
				"trace=" + kind.calls, "-e", inject}, "run", "spec.yaml", "--out", "out")
			out, err := command.CombinedOutput()
			// The message itself may be among the writes that fail: each thread has its own count.
			if !kind.dies && !(kind.calls == "write" && len(out) == 0) {
				f.complains(string(out), err)
			}
			trace, readErr := os.ReadFile(filepath.Join(f.dir, "trace"))
			passed = *full && readErr == nil && !strings.Contains(string(trace), "INJECTED") &&
				!strings.Contains(string(trace), "SIGKILL")
			f.recovers()
		})
	}
}
