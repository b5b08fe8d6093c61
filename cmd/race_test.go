//go:build race

package cmd

// The race detector makes scripts many times slower: "[race] stop" ends a script under it.
func init() { raceDetector = true }
