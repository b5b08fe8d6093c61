package publish

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"ppdp/internal/must"
)

// TestKilledAtCalls kills a process at each rename of its two releases in turn, and in make
// test-long at each sync. The second is under k-anonymity. A folder that is out is complete and in
// the account, and at most one that is entered is not out.
func TestKilledAtCalls(t *testing.T) {
	if dir := os.Getenv("PPDP_TEST_RELEASES"); dir != "" {
		auditRounds = 0
		runtime.LockOSThread() // strace counts the calls of each thread
		r := requestIn(dir)
		r.Algorithm, r.Params = "independent", set("iterations=5")
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
			c := exec.Command(strace, "-f", "-qq", "-o", os.DevNull, "-e", "trace="+calls, "-e",
				fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", calls, when), os.Args[0],
				"-test.run=^TestKilledAtCalls$")
			c.Env = append(os.Environ(), "PPDP_TEST_RELEASES="+dir)
			died = c.Run() != nil
			entered, folders := 0, must.Get(filepath.Glob(filepath.Join(dir, "out*")))
			account := must.Get(file(Beside(requestIn(dir).Table, accountEnding)).read())
			for _, line := range account.lines {
				if line.Release != nil {
					entered++
				}
			}
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
