package cmd

import (
	"slices"
	"testing"

	"ppdp/experiments"
)

// TestCosts: a cost of an experiment that does not exist is a slip of the pen.
func TestCosts(t *testing.T) {
	for _, quick := range []bool{false, true} {
		known := must(costs(quick))
		for name, seconds := range known {
			if !(seconds > 0) || !slices.Contains(experiments.Names(), name) {
				t.Errorf("%s: %v seconds, must be an experiment and take time", name, seconds)
			}
		}
	}
}
