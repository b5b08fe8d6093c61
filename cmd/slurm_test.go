//go:build unix

package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ppdp/internal/must"
)

// slurmSpec has jobs long enough for a task to be caught in the middle.
const slurmSpec = `
name: mine/grid
seed: 7
trials: 6
dataset: {name: gaussian, shape: clusters-5d, n: 20000}
epsilon: [0.1, 0.2, 0.5, 1, 2]
algorithms:
  - {name: rps, params: {depth: [4, 6]}}
measure:
  - {metric: [w1, w2]}
  - {metric: accuracy, classifier: [naive-bayes, c45]}
plots:
  - {name: a, x: epsilon, y: accuracy, where: {classifier: c45}}
`

// slurm is a cluster of one node on this machine, in folders of its own.
type slurm struct {
	t    *testing.T
	dir  string
	work string // where ppdp runs
	ppdp string
	env  []string
}

// TestSlurm: an experiment is submitted to a real Slurm as four tasks. One is killed and requeued,
// another cancelled and submitted again. The merged files are those of one machine. make test-slurm
// installs what it needs.
func TestSlurm(t *testing.T) {
	if os.Getenv("PPDP_SLURM") == "" {
		t.Skip("PPDP_SLURM is not set: nothing is submitted to a real Slurm; see make test-slurm")
	}
	s := startSlurm(t)
	const name = "mine/grid"
	out := s.ppdpIn(s.work, "submit", "slurm", "grid.yaml", "--tasks", "4")
	job, _, found := strings.Cut(strings.TrimPrefix(out, "job "), ":")
	if !found {
		t.Fatalf("submit printed %q", out)
	}
	journal := func(task int) string {
		return filepath.Join(s.work, "results", fmt.Sprintf("shard-%d-of-4", task), name,
			"journal.jsonl")
	}
	begun := func(task int) func() bool {
		return func() bool {
			text, err := os.ReadFile(journal(task))
			return err == nil && bytes.Count(text, []byte("\n")) >= 3
		}
	}
	s.wait("the second task to begin", begun(2))
	s.kill(job + "_2")
	s.wait("the killed task to end", func() bool { return s.state(job+"_2") != "RUNNING" })
	// Fifteen jobs, and a line for the run.
	if text, err := os.ReadFile(journal(2)); err != nil || bytes.Count(text, []byte("\n")) >= 16 {
		t.Fatalf("the task was not killed in the middle: %v", err)
	}
	s.wait("the third task to begin", begun(3))
	s.command("scancel", job+"_3")
	s.command("scontrol", "requeue", job+"_2")
	// Not in two minutes, as Slurm would, but later than its credential was revoked.
	s.command("scontrol", "update", "JobId="+job+"_2", "StartTime=now+5")
	merged := func() string {
		text, err := os.ReadFile(filepath.Join(s.work, "results", "submit", "merge.log"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return string(text)
	}
	s.wait("the requeued task to end", func() bool { return s.state(job+"_2") == "COMPLETED" })
	s.wait("a merge that misses the cancelled task", func() bool {
		return strings.Contains(merged(), "jobs of shard 3/4: ppdp run grid.yaml")
	})
	status := s.ppdpIn(s.work, "status")
	if !strings.Contains(status, "3/4    stopped") || strings.Count(status, " done ") != 3 {
		t.Errorf("status:\n%s", status)
	}
	s.ppdpIn(s.work, "submit", "slurm", "grid.yaml", "--tasks", "4")
	s.wait("the merge", func() bool { return strings.Contains(merged(), "report.html") })

	single := t.TempDir()
	s.write(filepath.Join(single, "grid.yaml"), []byte(slurmSpec))
	s.ppdpIn(single, "run", "grid.yaml", "-j", "1", "--out", "results")
	s.ppdpIn(single, "report", "--out", "results")
	for _, file := range []string{"mine/grid/records.jsonl", "mine/grid/summary.csv",
		"mine/grid/ledger.csv", "mine/grid/manifest.json", "mine/grid/a.svg",
		"mine/grid/a.png", "mine/grid/a.pdf", "report.html"} {
		there, err := os.ReadFile(filepath.Join(s.work, "results", file))
		here, hereErr := os.ReadFile(filepath.Join(single, "results", file))
		must.Do(t, errors.Join(err, hereErr))
		if !bytes.Equal(there, here) {
			t.Errorf("%s differs from that of one machine", file)
		}
	}
}

// startSlurm starts munged, slurmctld and slurmd and stops them when the test ends.
func startSlurm(t *testing.T) *slurm {
	t.Helper()
	dir := must.Get(os.MkdirTemp("", "ppdp-slurm")) // a short path, for the socket
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &slurm{t: t, dir: dir, work: filepath.Join(dir, "work"), ppdp: filepath.Join(dir, "ppdp")}
	s.env = append(os.Environ(), "SLURM_CONF="+filepath.Join(dir, "slurm.conf"), "PPDP_OFFLINE=1")
	for _, folder := range []string{"munge", "state", "spool", "work"} {
		must.Do(t, os.Mkdir(filepath.Join(dir, folder), 0o755))
	}
	must.Do(t, os.Chmod(dir, 0o755)) // munged checks it
	build := exec.Command("go", "build", "-o", s.ppdp, "./ppdp")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.write(filepath.Join(dir, "munge", "key"), bytes.Repeat([]byte("secret"), 20))
	s.write(filepath.Join(s.work, "grid.yaml"), []byte(slurmSpec))
	host := must.Get(os.Hostname())
	host, _, _ = strings.Cut(host, ".")
	s.write(filepath.Join(dir, "slurm.conf"), fmt.Appendf(nil, `ClusterName=ppdp
SlurmctldHost=%[1]s(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=%[2]s/munge/socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.pid
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
KillWait=2
ReturnToService=2
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES State=UP
`, host, dir, freePort(t), freePort(t)))
	munge := filepath.Join(dir, "munge")
	s.daemon("munged", "-F", "--key-file="+munge+"/key", "--socket="+munge+"/socket",
		"--pid-file="+munge+"/pid", "--log-file="+munge+"/log", "--seed-file="+munge+"/seed")
	s.wait("munged", func() bool {
		_, err := os.Stat(munge + "/socket")
		return err == nil
	})
	s.daemon("slurmctld", "-D")
	s.daemon("slurmd", "-D")
	s.wait("an idle node", func() bool {
		command := exec.Command("sinfo", "-h", "-o", "%t")
		command.Env = s.env
		out, err := command.Output()
		return err == nil && strings.TrimSpace(string(out)) == "idle"
	})
	return s
}

func freePort(t *testing.T) int {
	t.Helper()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

func (s *slurm) write(path string, text []byte) {
	s.t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// daemon starts a program that runs until the test ends. Its output is logged if the test fails.
func (s *slurm) daemon(name string, args ...string) {
	s.t.Helper()
	var output bytes.Buffer
	command := exec.Command(name, args...)
	command.Env, command.Stdout, command.Stderr = s.env, &output, &output
	if err := command.Start(); err != nil {
		s.t.Fatalf("%v: install slurm-wlm and munge, or run make test-slurm", err)
	}
	s.t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		ended := time.AfterFunc(10*time.Second, func() { _ = command.Process.Kill() })
		_ = command.Wait() // its error is the signal
		ended.Stop()
		if s.t.Failed() {
			s.t.Logf("%s: %s", name, output.String())
		}
	})
}

// wait has no limit of its own: a busy machine takes as long as it takes. The last line that the
// test has logged says what never came.
func (s *slurm) wait(what string, done func() bool) {
	s.t.Helper()
	s.t.Logf("waiting for %s", what)
	for !done() {
		time.Sleep(50 * time.Millisecond)
	}
}

func (s *slurm) command(name string, args ...string) string {
	s.t.Helper()
	command := exec.Command(name, args...)
	command.Env, command.Dir = s.env, s.work
	out, err := command.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (s *slurm) ppdpIn(dir string, args ...string) string {
	s.t.Helper()
	command := exec.Command(s.ppdp, args...)
	command.Env, command.Dir = s.env, dir
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		s.t.Fatalf("ppdp %s: %v: %s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return string(out)
}

// fact returns what scontrol says of a job under a name.
func (s *slurm) fact(job, name string) string {
	for _, word := range strings.Fields(s.command("scontrol", "-o", "show", "job", job)) {
		if value, ok := strings.CutPrefix(word, name+"="); ok {
			return value
		}
	}
	return ""
}

func (s *slurm) state(job string) string { return s.fact(job, "JobState") }

// kill ends a task's process as the kernel does when memory runs out.
func (s *slurm) kill(job string) {
	s.t.Helper()
	lines := strings.Split(s.command("scontrol", "listpids", s.fact(job, "JobId")), "\n")
	if len(lines) < 2 || len(strings.Fields(lines[1])) == 0 {
		s.t.Fatalf("scontrol listpids: %q", lines)
	}
	pid, err := strconv.Atoi(strings.Fields(lines[1])[0])
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGKILL)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}
