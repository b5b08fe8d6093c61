//go:build race

package cmd

// The race detector makes scripts many times slower; those that say "[race] stop" are run without it.
func init() { raceDetector = true }
