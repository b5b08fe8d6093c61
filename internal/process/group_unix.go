//go:build unix

package process

import (
	"bytes"
	"errors"
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

// Detach returns standard input and output under other numbers, for this process alone. What reads
// from 0 then finds nothing, what writes to 1 writes to standard error, and either may be closed.
func Detach() (in, out *os.File, err error) {
	var own [2]int
	var errs [6]error
	own[0], errs[0] = syscall.Dup(0)
	errs[1] = syscall.Close(0)
	_, errs[2] = syscall.Open(os.DevNull, syscall.O_RDONLY, 0) // the lowest that is free: 0
	own[1], errs[3] = syscall.Dup(1)
	errs[4] = syscall.Close(1)
	_, errs[5] = syscall.Dup(2) // to 1
	syscall.CloseOnExec(own[0])
	syscall.CloseOnExec(own[1])
	return os.NewFile(uintptr(own[0]), "requests"), os.NewFile(uintptr(own[1]), "answers"),
		errors.Join(errs[:]...)
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
