package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// cheapIn asks for a release of the table in a folder that takes milliseconds.
func cheapIn(dir string) *Request {
	r := requestIn(dir)
	r.Epsilon, r.Algorithm = 0.001, "independent"
	r.Params = set("iterations=5")
	r.TotalEpsilon = 5
	return r
}

// serving runs this test's process again, to be killed while it makes releases of the table in a
// folder. Without a tracer the process is the one that is killed.
func serving(test, dir string, tracer ...string) *exec.Cmd {
	words := append(slices.Clone(tracer), os.Args[0], "-test.run=^"+test+"$")
	c := exec.Command(words[0], words[1:]...)
	c.Env = append(os.Environ(), "PPDP_TEST_RELEASES="+dir)
	return c
}

// left is what killed processes leave: an account that can be read, with so much spent by so many
// releases, and folders.
func left(t *testing.T, dir string) (spent *big.Rat, entered int, folders []string) {
	t.Helper()
	a := must.Get(file(Beside(requestIn(dir).Table, accountEnding)).read())
	for _, line := range a.lines {
		if line.Release != nil {
			entered++
		}
	}
	return a.spent(), entered, must.Get(filepath.Glob(filepath.Join(dir, "out*")))
}

// TestKilled kills a process that makes releases at random moments, 10 times, and 100 times in make
// test-long. Each release that is out is complete and in the account, which can be read after every
// kill, and the total is never exceeded.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("PPDP_TEST_RELEASES"); dir != "" {
		auditRounds = 0 // of the milliseconds before a kill, they would take most
		fmt.Println("ready")
		for i := 0; ; i++ {
			r := cheapIn(dir)
			r.Out = filepath.Join(dir, fmt.Sprintf("out-%d-%d", os.Getpid(), i))
			if _, err := Make(context.Background(), r); errors.Is(err, ErrAccount) {
				fmt.Println(err)
				os.Exit(3)
			} else if err != nil {
				panic(err)
			}
		}
	}
	// Kills come within the time of about three releases, which is longer on a busy machine.
	other, _ := files(t, 20)
	rounds := auditRounds
	auditRounds = 0
	defer func() { auditRounds = rounds }()
	start := time.Now()
	must.Get(Make(t.Context(), cheapIn(other)))
	took := time.Since(start)
	dir, r := files(t, 20)
	moments, kills := random.NewKey(2).Stream(), 10
	if os.Getenv("PPDP_LONG") != "" {
		kills = 100
	}
	for kill := range kills {
		c := serving("TestKilled", dir)
		output := must.Get(c.StdoutPipe())
		must.Do(t, c.Start())
		_, err := io.ReadFull(output, make([]byte, len("ready\n")))
		must.Do(t, err)
		for kill == 0 { // the first one waits for an account, so that later ones meet it
			if _, err := os.Stat(Beside(r.Table, accountEnding)); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(moments.IntN(int(3*took)) + 1))
		c.Process.Kill()
		if c.Wait(); c.ProcessState.ExitCode() == 3 {
			t.Fatalf("kill %d: the process ended by itself", kill)
		}
		if spent, entered, out := left(t, dir); spent.Cmp(decimal(5)) > 0 || entered < len(out) {
			t.Fatalf("kill %d: %v spent, %d entries, %d folders", kill, spent, entered, len(out))
		}
	}
	spent, _, out := left(t, dir)
	for _, folder := range out {
		must.Do(t, must.Get(Verify(t.Context(), folder, nil)).Err())
	}
	t.Logf("%d kills, %d releases out", kills, len(out))
	if len(out) == 0 && kills == 100 {
		t.Error("no release came out between kills: nothing was tested")
	}
	// What is left, and no more, can still be spent.
	rest, _ := new(big.Rat).Sub(decimal(5), spent).Float64()
	r.Total = Total{TotalEpsilon: 5} // on a busy machine every kill may come before the first entry
	r.Epsilon = math.Round(rest*1000+1) / 1000
	if _, err := Make(t.Context(), r); !errors.Is(err, ErrAccount) {
		t.Errorf("more than is left: %v", err)
	}
	r.Epsilon = math.Round(rest*1000) / 1000
	if _, err := Make(t.Context(), r); err != nil {
		t.Errorf("all that is left: %v", err)
	}
}

// TestKilledAtCalls kills a process at each rename of its two releases in turn, and in make
// test-long at each sync. The second is under k-anonymity. A folder that is out is complete and in
// the account, and at most one that is entered is not out.
func TestKilledAtCalls(t *testing.T) {
	if dir := os.Getenv("PPDP_TEST_RELEASES"); dir != "" {
		auditRounds = 0
		runtime.LockOSThread() // strace counts the calls of each thread
		r := cheapIn(dir)
		must.Get(Make(t.Context(), r))
		r.Algorithm, r.Epsilon, r.Params, r.Out = "mondrian", 0, set("k=5"), r.Out+"2"
		must.Get(Make(t.Context(), r))
		return
	}
	strace, err := exec.LookPath("strace")
	if err != nil || exec.Command(strace, "-e", "trace=none", "true").Run() != nil {
		t.Skip("strace is not here or may not trace")
	}
	kinds := []string{"rename,renameat,renameat2", "fsync"}
	if os.Getenv("PPDP_LONG") == "" {
		kinds = kinds[:1]
	}
	for _, calls := range kinds {
		died, seen := true, make(map[[2]int]int)
		for when := 1; died; when++ {
			if when > 200 {
				t.Fatal(calls, ": the releases never end")
			}
			dir, _ := files(t, 20)
			died = serving("TestKilledAtCalls", dir, strace, "-f", "-qq", "-o", os.DevNull, "-e",
				"trace="+calls, "-e", fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", calls,
					when)).Run() != nil
			_, entered, folders := left(t, dir)
			for _, folder := range folders {
				must.Do(t, must.Get(Verify(t.Context(), folder, nil)).Err())
			}
			out := len(folders)
			if out > entered || entered > out+1 || !died && (entered != 2 || out != 2) {
				t.Errorf("%s %d: %d folders, %d entries", calls, when, out, entered)
			}
			seen[[2]int{entered, out}]++
		}
		t.Log(calls, "killed with so many entries and folders:", seen)
		if seen[[2]int{1, 1}] < 3 || seen[[2]int{2, 1}] == 0 {
			t.Errorf("%s: %v: no kill in the second release", calls, seen)
		}
	}
}
