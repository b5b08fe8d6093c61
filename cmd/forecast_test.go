package cmd

import (
	"slices"
	"testing"
	"time"

	"ppdp/experiments"
	"ppdp/experiments/engine"
)

// TestForecast moves a clock by hand. Two workers; jobs are expected to take 2 s, 0.2 s and an
// unknown time.
func TestForecast(t *testing.T) {
	clock := time.Date(2006, 4, 3, 0, 0, 0, 0, time.UTC)
	f := &forecast{now: func() time.Time { return clock }, works: []*work{
		{name: "a", workers: 2, open: 100, cost: 2},
		{name: "b", workers: 2, open: 1000, cost: 0.2},
		{name: "c", workers: 1, open: 20}}}
	check := func(when, want string) {
		t.Helper()
		if got := f.text(); got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	// 100 · 2 s and 1000 · 0.2 s on two workers.
	check("before", "; all experiments: at least 3m20s left, without c (never timed)")
	f.start("a")
	clock = clock.Add(6 * time.Second)
	// Forty jobs of an earlier run turn up. Three of 60 took 6 s where 3 s were expected: 57 and
	// 1000 jobs at twice the price.
	f.set(engine.Progress{Done: 43, Total: 100, Cached: 40})
	check("three jobs", "; all experiments: at least 5m14s left, without c (never timed)")
	clock = clock.Add(24 * time.Second)
	// Thirty jobs in 30 s, as expected: thirty more, and b as at first.
	f.set(engine.Progress{Done: 70, Total: 100, Cached: 40})
	check("half of a", "; all experiments: at least 2m10s left, without c (never timed)")
	f.finish() // a came to an early end: what is left of it will not be run
	check("a broke off", "; all experiments: at least 1m40s left, without c (never timed)")
	f.start("b")
	clock = clock.Add(50 * time.Second)
	f.set(engine.Progress{Done: 1000, Total: 1000})
	f.finish()
	check("c alone", "; all experiments: at least 0s left, without c (never timed)")
	f.start("c")
	clock = clock.Add(30 * time.Second)
	f.set(engine.Progress{Done: 10, Total: 20}) // 3 s each by the clock
	check("half of c", "; all experiments: about 30s left")
	f.set(engine.Progress{Done: 20, Total: 20})
	f.finish()
	check("the end", "")
}

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
