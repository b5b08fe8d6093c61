package engine

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"ppdp/datasets"
	"ppdp/experiments/language"
	"ppdp/internal/results"
)

// counted are data of which it is known how many tables are alive at once.
type counted struct{ datasets.Source }

func (counted) Info() datasets.Info {
	return datasets.Info{Name: "test-counted", Title: "Counted"}
}

// tables are those of all counted data.
var tables struct {
	sync.Mutex
	made []weak.Pointer[datasets.Table]
	most int // may be alive at once; 0 if nobody counts
}

func (c counted) Load(ctx context.Context, req datasets.Request) (*datasets.Dataset, error) {
	set, err := c.Source.Load(ctx, req)
	if err != nil {
		return nil, err
	}
	tables.Lock()
	defer tables.Unlock()
	tables.made = append(tables.made, weak.Make(set.Table))
	// A goroutine that is about to end may hold one for a moment. Were one held for longer, this
	// would not end: no limit of time could tell the two apart on a busy machine.
	for tables.most > 0 && alive() > tables.most {
		time.Sleep(time.Millisecond)
	}
	return set, nil
}

// alive is how many of the tables are in memory.
func alive() (n int) {
	runtime.GC()
	for _, table := range tables.made {
		if table.Value() != nil {
			n++
		}
	}
	return n
}

func init() {
	gaussian, err := datasets.Lookup("gaussian")
	if err != nil {
		panic(err)
	}
	datasets.Register(counted{gaussian})
}

// resampledSpec has jobs of data that are drawn anew for each trial, of two sizes, among others.
const resampledSpec = `
name: test/resampled
seed: 7
trials: 4
folds: 2
keep: [regions, rows]
dataset:
  - {name: gaussian, shape: clusters-5d, n: 100}
  - {name: test-counted, shape: clusters-5d, n: [200, 300], resample: true}
epsilon: [0.5, 1]
algorithms:
  - {name: rps, params: {depth: 4}}
  - {name: test-doomed, params: {mood: ["", MOOD]}}
  - {name: mondrian, params: {k: 10}}
measure:
  - {metric: w1}
  - {metric: accuracy, classifier: naive-bayes}
`

// TestResampledInMemory: no more trials' data are in memory than jobs run at once, each is made
// twice at most by one worker, and nothing that a run writes depends on that: not even where every
// job has to have its data made again, as in the order of the plan.
func TestResampledInMemory(t *testing.T) { // alone: it counts what is alive
	plan := mustPlan(t, strings.Replace(resampledSpec, "MOOD", "fair", 1), language.Overrides{})
	trials := 2 * plan.Trials
	var scattered []int // a job of every trial, then the next of every trial, and so on
	for start := range trials {
		for i := start; i < len(plan.Jobs); i += trials {
			scattered = append(scattered, i)
		}
	}
	var want map[string]string
	for _, run := range []struct {
		jobs, most int
		order      []int
	}{{jobs: 1, most: 1}, {jobs: 3, most: 3}, {jobs: 2, most: 2, order: scattered}} {
		tables.made, tables.most = nil, run.most
		opts := options(t, t.TempDir())
		opts.Workers, opts.order = run.jobs, run.order
		opts.WriteReleases = true
		result := mustRun(t, plan, opts)
		if result.Failed != 0 || result.Unwritten != 0 {
			t.Errorf("%+v", result)
		}
		// each before the run, and again for its jobs and the rows of the first trials
		if n := len(tables.made); run.jobs == 1 && n > 2*trials+2 {
			t.Errorf("data made %d times for %d trials", n, trials)
		}
		opts.order, tables.most = nil, 0
		again := mustRun(t, plan, opts)
		if again.Cached != result.Jobs {
			t.Errorf("%d jobs reused of %+v", again.Cached, result)
		}
		got := tree(t, opts.Out)
		if want == nil {
			want = got
		}
		sameTrees(t, "resampled", got, want)
	}
	opts := isolated(t, 2)
	opts.WriteReleases = true
	mustRun(t, plan, opts)
	sameTrees(t, "isolated", tree(t, opts.Out), want)
}

// TestResampledChanged: who changes data that are drawn anew costs no other job anything, and
// kept rows are what they were.
func TestResampledChanged(t *testing.T) {
	run := func(mood string, opts Options) map[string]string {
		plan := mustPlan(t, strings.Replace(resampledSpec, "MOOD", mood, 1), language.Overrides{})
		result := mustRun(t, plan, opts)
		if want := 3 * 2 * plan.Trials * plan.Folds; result.Failed != want { // datasets, epsilons
			t.Errorf("%s: %+v, want %d failed jobs", mood, result, want)
		}
		return tree(t, opts.Out)
	}
	three := options(t, t.TempDir())
	three.Workers = 3
	want := run("meddle", options(t, t.TempDir()))
	sameTrees(t, "three at once", run("meddle", three), want)
	sameTrees(t, "isolated", run("meddle", isolated(t, 2)), want)
	rows := func(files map[string]string) (kept []string) {
		records := strings.NewReader(files["test/resampled/"+results.RecordsFile])
		noError(t, results.ReadRecords(records, "", func(c *results.Record) {
			if c.Original != nil {
				kept = append(kept, fmt.Sprint(c.Dataset.Label(), c.Original))
			}
		}))
		return kept
	}
	kept := rows(want)
	if got := rows(run("error", options(t, t.TempDir()))); len(kept) < 2 ||
		!slices.Equal(got, kept) {
		t.Errorf("other rows are kept, or none: %.200q", kept)
	}
}
