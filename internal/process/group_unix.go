//go:build unix

package process

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// limited wraps a command so that each of its processes has at most the given bytes of data; 0 for
// any.
func limited(command []string, limit int64) []string {
	if limit == 0 {
		return command
	}
	return append([]string{"/bin/sh", "-c", `ulimit -d "$0" && exec "$@"`,
		strconv.FormatInt(limit>>10, 10)}, command...)
}

// ownGroup makes the process lead a group of its own.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a process with all that it has started and that did not leave its group.
func killGroup(c *exec.Cmd) {
	_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // it may have ended
}

// groupMemory is the resident memory of a process group in bytes, 0 where /proc does not say.
func groupMemory(group int) int64 {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is a constant
	pages := int64(0)
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// Behind the name in brackets: state, parent, group, ...; resident pages are the 22nd.
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if len(fields) < 22 || string(fields[2]) != strconv.Itoa(group) {
			continue
		}
		if n, err := strconv.ParseInt(string(fields[21]), 10, 64); err == nil {
			pages += n
		}
	}
	return pages * int64(os.Getpagesize())
}
