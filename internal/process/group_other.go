//go:build !unix

package process

import "os/exec"

// limited does not limit memory: there is no such limit here.
func limited(command []string, _ int64) []string { return command }

func ownGroup(*exec.Cmd) {}

// killGroup kills the process alone.
func killGroup(c *exec.Cmd) { _ = c.Process.Kill() }

func groupMemory(int) int64 { return 0 }

func busy(int) bool { return false }
