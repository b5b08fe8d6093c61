package cmd

import (
	"cmp"
	"os"
	"runtime"
	"strconv"
	"strings"
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

// machineMemory is how many bytes of memory this process and its children may have together, 0
// where the system does not say.
func machineMemory() int64 {
	least := int64(0)
	atMost := func(bytes int64, err error) {
		if err == nil && bytes > 0 && (least == 0 || bytes < least) {
			least = bytes
		}
	}
	total := strings.TrimSuffix(procValue("/proc/meminfo", "MemTotal"), " kB")
	kilobytes, err := strconv.ParseInt(total, 10, 64)
	atMost(kilobytes<<10, err)
	for _, limit := range []string{"/sys/fs/cgroup/memory.max", // a container's, of either version
		"/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := os.ReadFile(limit); err == nil {
			atMost(strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)) // or "max"
		}
	}
	return least
}
