package cmd

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"ppdp/internal/results"
)

// processor names the CPU for the manifest: its model where the system reports it, else its
// architecture.
func processor() string {
	return cmp.Or(procValue("/proc/cpuinfo", "model name"), runtime.GOARCH)
}

// procValue is the value of the first line "name: value" of a file of the system, "" without one.
func procValue(path, name string) string {
	text, _ := os.ReadFile(path) // not on every system
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// procBytes is a value that is given as "1234 kB", in bytes, 0 without one.
func procBytes(path, name string) int64 {
	number, _, _ := strings.Cut(procValue(path, name), " ")
	kilobytes, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0
	}
	return kilobytes << 10
}

// meter measures the time and memory of a run.
type meter struct {
	con     *console
	started time.Time
	jobs    int
	peaks   bool // the system counts memory from the start on
}

func newMeter(con *console, jobs int) *meter {
	debug.FreeOSMemory() // memory of earlier experiments does not count for this one
	// See proc_pid_clear_refs(5): 5 sets the peak back to what is in use now.
	err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	return &meter{con, con.now(), jobs, err == nil}
}

// write records what was used since the meter was made in the usage.json of a folder, for a run of
// jobs beside those cached from earlier runs, whose usage is added. A run of no jobs removes what
// a killed one had begun to write, and changes nothing else.
func (m *meter) write(dir string, jobs, cached int) error {
	if jobs == 0 {
		return results.DropPartial(filepath.Join(dir, results.UsageFile))
	}
	usage := results.Usage{Jobs: jobs, Workers: m.jobs, Cores: runtime.NumCPU(),
		MemoryBytes: machineMemory(), Seconds: m.con.now().Sub(m.started).Seconds()}
	if m.peaks {
		usage.PeakBytes = procBytes("/proc/self/status", "VmHWM") // largest resident memory
	}
	earlier, err := results.ReadUsage(dir)
	if cached > 0 && earlier != nil {
		usage = earlier.Add(usage)
	}
	return errors.Join(err, results.WriteUsage(dir, usage))
}

// machineMemory is how many bytes of memory this process and its children may have together, 0
// where the system does not say.
func machineMemory() int64 {
	least := int64(0)
	atMost := func(bytes int64, err error) {
		if err == nil && bytes > 0 && (least == 0 || bytes < least) {
			least = bytes
		}
	}
	atMost(procBytes("/proc/meminfo", "MemTotal"), nil)
	for _, limit := range []string{"/sys/fs/cgroup/memory.max", // a container's, of either version
		"/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := os.ReadFile(limit); err == nil {
			atMost(strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)) // or "max"
		}
	}
	return least
}
