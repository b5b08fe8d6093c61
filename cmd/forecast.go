package cmd

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ppdp/experiments/engine"
	"ppdp/experiments/spec"
)

// costs.csv has the mean time of a job of each experiment that comes with the program, with the
// paper's settings and with quick ones, measured on two idle cores on 2026-11-22. Once a run has
// measured the speed of its own machine, only their ratios matter.
//
//go:embed costs.csv
var costsTable string

// costs returns the seconds a job takes by experiment. Where only the other settings were
// measured, theirs are taken.
func costs(quick bool) (map[string]float64, error) {
	rows, err := csv.NewReader(strings.NewReader(costsTable)).ReadAll()
	if err != nil {
		return nil, err
	}
	known := make(map[string]float64)
	for _, row := range rows[1:] {
		first, second := row[1], row[2]
		if quick {
			first, second = second, first
		}
		if first == "" {
			first = second
		}
		if known[row[0]], err = strconv.ParseFloat(first, 64); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// jobCost returns the seconds a worker is expected to take for a job of a plan, 0 when it is not
// known: the mean of jobs that were finished here where they are enough, else what the cost table
// says, which was measured elsewhere.
func jobCost(plan *spec.Plan, seconds []float64, enough int) (cost float64,
	elsewhere bool) {
	if len(seconds) >= enough {
		sum := 0.0
		for _, s := range seconds {
			sum += s
		}
		return sum / float64(len(seconds)), false
	}
	known, err := costs(plan.Quick)
	if err != nil {
		panic(err) // the table is a constant
	}
	return known[plan.Spec.Name], true
}

// forecast estimates how long several experiments together will still take. A job is expected to
// take what finished jobs of earlier runs took, else what costs.csv says, times how much slower
// than that table this run has been; the jobs of the run itself count beside that. What was never
// timed is named and not guessed. A forecast of a single experiment is empty: its progress says as
// much. It is not safe for concurrent use.
type forecast struct {
	now   func() time.Time
	works []*work
	at    *work // running
}

// work is one experiment.
type work struct {
	name    string
	workers int     // jobs run at once
	open    int     // jobs to run, with those done
	done    int     // jobs this run has finished
	cost    float64 // seconds of one worker for a job, by earlier runs; 0 when not known
	table   float64 // the same by costs.csv
	began   time.Time
	seconds float64 // by the clock since began
	over    bool
}

// enoughJobs are what an experiment must have finished to be judged by itself: jobs are started
// in random order, so that ten of them are a fair sample.
const enoughJobs = 10

// enoughSeconds of expected work, or a twentieth of it, must be done before the speed of this
// machine is distinguished from that of others.
const enoughSeconds = 1.0

// newForecast estimates what is ahead from what earlier runs have finished.
func newForecast(con *console, plans []*spec.Plan, flags *runFlags) *forecast {
	f := &forecast{now: con.now}
	jobs, finished, elsewhere := 0, 0, ""
	for _, plan := range plans {
		// Data that cannot be loaded are the run's to report.
		cached, seconds, _ := engine.Cached(con.ctx, plan,
			filepath.Join(flags.folder(plan.Quick), flags.shard.Folder()), flags.files())
		w := &work{name: plan.Spec.Name, workers: plan.Workers(flags.jobs()),
			open: len(plan.Jobs)/max(1, flags.shard.Count) - cached} // of a shard: about
		var other bool
		w.table, _ = jobCost(plan, nil, enoughJobs)
		if w.cost, other = jobCost(plan, seconds, enoughJobs); other {
			w.cost = 0
			if w.open > 0 {
				elsewhere = ", going by another machine"
			}
		}
		jobs += w.open
		finished += cached
		f.works = append(f.works, w)
	}
	ahead := f.text()
	if ahead != "" {
		ahead += elsewhere
	}
	fmt.Fprintf(con.stderr, "ppdp: %s, %s to run, %d finished before%s\n",
		counted(len(plans), "experiment"), counted(jobs, "job"), finished, ahead)
	return f
}

// start marks the beginning of an experiment.
func (f *forecast) start(name string) {
	for _, w := range f.works {
		if w.name == name {
			f.at = w
		}
	}
	f.at.began = f.now()
}

// set records how far the running experiment is.
func (f *forecast) set(p engine.Progress) {
	f.at.open, f.at.done = p.Total-p.Cached, p.Done-p.Cached
	f.at.seconds = f.now().Sub(f.at.began).Seconds()
}

// finish marks the end of the running experiment, complete or not.
func (f *forecast) finish() { f.at.over = true }

// left returns the seconds that all experiments will still take and the names of those in which it
// is not counted.
func (f *forecast) left() (seconds float64, unknown []string) {
	all, expected, taken := 0.0, 0.0, 0.0
	for _, w := range f.works {
		all += w.table * float64(w.open) / float64(w.workers)
		expected += w.table * float64(w.done) / float64(w.workers)
		if w.table > 0 && w.done > 0 {
			taken += w.seconds
		}
	}
	slower := 1.0
	if expected > 0 && expected >= min(enoughSeconds, all/20) {
		slower = taken / expected
	}
	for _, w := range f.works {
		open, done := float64(w.open-w.done), float64(w.done)
		cost := cmp.Or(w.cost, w.table*slower) / float64(w.workers)
		switch {
		case w.over || open <= 0:
		case cost > 0: // which counts as much as enough jobs
			seconds += open * (float64(enoughJobs*cost) + w.seconds) / (enoughJobs + done)
		case w.done >= enoughJobs:
			seconds += float64(open * w.seconds / done)
		default:
			unknown = append(unknown, w.name)
		}
	}
	return seconds, unknown
}

// text is the forecast as the end of a line, "" when nothing is left.
func (f *forecast) text() string {
	seconds, unknown := f.left()
	left := wholeSeconds(seconds)
	switch {
	case len(unknown) > 0:
		return fmt.Sprintf("; all experiments: at least about %v left, without %s (never timed)",
			left, strings.Join(unknown, ", "))
	case left > 0:
		return fmt.Sprintf("; all experiments: about %v left", left)
	}
	return ""
}
