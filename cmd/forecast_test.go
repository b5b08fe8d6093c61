package cmd

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"ppdp/experiments"
	"ppdp/experiments/engine"
	"ppdp/random"
)

// TestForecast moves a clock by hand. Two workers; jobs are expected to take 2 s, 0.2 s and an
// unknown time.
func TestForecast(t *testing.T) {
	clock := time.Date(2006, 4, 3, 0, 0, 0, 0, time.UTC)
	f := &forecast{now: func() time.Time { return clock }, works: []*work{
		{name: "a", workers: 2, open: 100, table: 2},
		{name: "b", workers: 2, open: 1000, table: 0.2},
		{name: "c", workers: 1, open: 20}}}
	check := func(when, want string) {
		t.Helper()
		if got := f.text(); got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	// 100 · 2 s and 1000 · 0.2 s on two workers.
	check("before", "; all experiments: at least about 3m20s left, without c (never timed)")
	f.start("a")
	clock = clock.Add(6 * time.Second)
	// Forty jobs of an earlier run turn up. Three of 60 took 6 s where 3 s were expected: 57 and
	// 1000 jobs at twice the price.
	f.set(engine.Progress{Done: 43, Total: 100, Cached: 40})
	check("three jobs", "; all experiments: at least about 5m14s left, without c (never timed)")
	clock = clock.Add(24 * time.Second)
	// Thirty jobs in 30 s, as expected: thirty more, and b as at first.
	f.set(engine.Progress{Done: 70, Total: 100, Cached: 40})
	check("half of a", "; all experiments: at least about 2m10s left, without c (never timed)")
	f.finish() // a came to an early end: what is left of it will not be run
	check("a broke off", "; all experiments: at least about 1m40s left, without c (never timed)")
	f.start("b")
	clock = clock.Add(50 * time.Second)
	f.set(engine.Progress{Done: 1000, Total: 1000})
	f.finish()
	check("c alone", "; all experiments: at least about 0s left, without c (never timed)")
	f.start("c")
	clock = clock.Add(30 * time.Second)
	f.set(engine.Progress{Done: 10, Total: 20}) // 3 s each by the clock
	check("half of c", "; all experiments: about 30s left")
	f.set(engine.Progress{Done: 20, Total: 20})
	f.finish()
	check("the end", "")
}

// TestForecastElsewhere makes up histories of runs on machines from ten times as fast to ten times
// as slow as the one of costs.csv, short and long ones, some with an experiment timed here before.
// Once a tenth of the time has passed, the forecast is within a factor of two.
func TestForecastElsewhere(t *testing.T) {
	stream := random.NewKey(1).Derive("histories").Stream()
	for _, slower := range []float64{0.1, 0.5, 1, 3, 10} {
		for _, cost := range []float64{0.001, 0.1, 10} {
			for _, here := range []bool{false, true} {
				t.Run(fmt.Sprint(slower, cost, here), func(t *testing.T) {
					madeUpHistory(t, stream, slower, cost, here)
				})
			}
		}
	}
}

// madeUpHistory: jobs take an exponentially distributed time, with means up to a fifth above or
// below those expected of four experiments.
func madeUpHistory(t *testing.T, stream *random.Stream, slower, cost float64, here bool) {
	began := time.Date(2006, 4, 3, 0, 0, 0, 0, time.UTC)
	clock, total := began, 0.0
	f := &forecast{now: func() time.Time { return clock }}
	var took [][]float64 // the time between the ends of jobs
	for i := range 4 {
		w := &work{name: string(rune('a' + i)), workers: 2, open: 200 + stream.IntN(200),
			table: cost * float64(1+i)}
		mean := w.table * slower * (0.8 + float64(0.4*stream.Float64()))
		if here && i == 0 {
			w.cost = mean
		}
		jobs := make([]float64, w.open)
		for j := range jobs {
			jobs[j] = mean * stream.ExpFloat64() / float64(w.workers)
			total += jobs[j]
		}
		f.works, took = append(f.works, w), append(took, jobs)
	}
	for i, jobs := range took {
		f.start(f.works[i].name)
		for j, seconds := range jobs {
			clock = clock.Add(time.Duration(seconds * float64(time.Second)))
			f.set(engine.Progress{Done: j + 1, Total: len(jobs)})
			gone := clock.Sub(began).Seconds() / total
			left, unknown := f.left()
			want := (1 - gone) * total
			if gone > 0.1 && gone < 0.9 && (left < want/2 || left > 2*want || unknown != nil) {
				t.Fatalf("%.2f gone: %v s left, want %v; unknown %v", gone, left, want, unknown)
			}
		}
		f.finish()
	}
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
