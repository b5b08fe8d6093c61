//go:build unix

package process

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// statOf is what a stat file of /proc says behind the name in brackets: state, parent, group, ...;
// nothing if the process has ended.
func statOf(path string) [][]byte {
	text, _ := os.ReadFile(path)
	return bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
}

// busy reports whether a thread of a process runs or waits for a disk, false where /proc does not
// say.
func busy(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid)) // the pattern is right
	return slices.ContainsFunc(threads, func(path string) bool {
		fields := statOf(path)
		return len(fields) > 0 && (fields[0][0] == 'R' || fields[0][0] == 'D')
	})
}

// groupMemory is the resident memory of a process group in bytes, 0 where /proc does not say.
func groupMemory(group int) int64 {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is a constant
	pages := int64(0)
	for _, path := range stats {
		fields := statOf(path) // resident pages are the 22nd
		if len(fields) < 22 || string(fields[2]) != strconv.Itoa(group) {
			continue
		}
		if n, err := strconv.ParseInt(string(fields[21]), 10, 64); err == nil {
			pages += n
		}
	}
	return pages * int64(os.Getpagesize())
}
