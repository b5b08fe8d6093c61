package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/experiments/language"
	"ppdp/internal/must"
	"ppdp/internal/results"
	"ppdp/metrics"
)

// TestSameBytes: records do not depend on the number of workers or on the order jobs are run in.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, testSpec, language.Overrides{})
	var want, wantLedger string
	for i, change := range []func(*Options){
		func(*Options) {},
		func(o *Options) { o.Workers = 2 },
		func(o *Options) { o.Workers = 7 },
		func(o *Options) { o.order = reversed(len(plan.Jobs)) },
	} {
		out := t.TempDir()
		opts := options(t, out)
		change(&opts)
		result := mustRun(t, plan, opts)
		if result.Cached != 0 || result.Failed != 0 {
			t.Fatalf("%+v", result)
		}
		records := read(t, out, "test/coins", "records.jsonl")
		ledger := read(t, out, "test/coins", results.LedgerFile)
		if i == 0 {
			want, wantLedger = records, ledger
			continue
		}
		if records != want {
			t.Errorf("run %d: other records", i)
		}
		if ledger != wantLedger {
			t.Errorf("run %d: another ledger", i)
		}
	}
	other := mustPlan(t, testSpec, language.Overrides{Seed: new(uint64)})
	out := t.TempDir()
	mustRun(t, other, options(t, out))
	if read(t, out, "test/coins", "records.jsonl") == want {
		t.Error("another seed, the same records")
	}
}

// TestWorkers: jobs whose time is drawn run alone, whatever is allowed; others run as many at once
// as allowed.
func TestWorkers(t *testing.T) {
	drawn := mustPlan(t, strings.Replace(testSpec, "plots:",
		"plots:\n  - {name: t, x: epsilon, y: runtime}", 1), language.Overrides{})
	must.Be(t, drawn.Workers(7), 1)
	others := mustPlan(t, testSpec, language.Overrides{})
	for jobs, want := range map[int]int{0: 1, 1: 1, 7: 7} {
		must.Be(t, others.Workers(jobs), want, jobs)
	}
}

func TestTimedJobsHaveOneProcessor(t *testing.T) {
	timed := strings.Replace(moodSpec, "MOOD", "processors", 1) +
		"plots:\n  - {name: t, x: n, y: runtime}\n"
	before := runtime.GOMAXPROCS(3)
	defer runtime.GOMAXPROCS(before)
	result := mustRun(t, mustPlan(t, timed, language.Overrides{}), options(t, t.TempDir()))
	text := read(t, result.Dir, results.RecordsFile)
	must.Be(t, strings.Count(text, `"1 processors"`), 2, text)
	must.Be(t, runtime.GOMAXPROCS(0), 3)
}

// TestLeastTime: where a figure draws the time of a single trial, short releases are timed twenty
// times and the least time counts; long ones and those of several trials are timed once. Each step
// of the clock is a millisecond shorter, so that the first timing is the longest.
func TestLeastTime(t *testing.T) {
	const drawn = "plots:\n  - {name: t, x: epsilon, y: runtime}"
	for _, c := range []struct {
		name, spec string
		trials     int
		step       time.Duration
		timings    int
	}{
		{"short", strings.Replace(testSpec, "plots:", drawn, 1), 1, 90 * time.Millisecond, 20},
		{"long", strings.Replace(testSpec, "plots:", drawn, 1), 1, 300 * time.Millisecond, 1},
		{"of three trials", strings.Replace(testSpec, "plots:", drawn, 1), 3, 90 * time.Millisecond, 1},
		{"not drawn", testSpec, 1, 90 * time.Millisecond, 1},
	} {
		plan := mustPlan(t, c.spec, language.Overrides{Trials: c.trials})
		opts := options(t, t.TempDir())
		now, step := time.Unix(0, 0), c.step
		opts.Clock = func() time.Time {
			now, step = now.Add(step), max(0, step-time.Millisecond)
			return now
		}
		opts.order = make([]int, len(plan.Jobs))
		for i := range opts.order {
			opts.order[i] = i
		}
		result := mustRun(t, plan, opts)
		var first results.Timing
		line, _, _ := strings.Cut(read(t, result.Dir, results.TimingsFile), "\n")
		must.Do(t, json.Unmarshal([]byte(line), &first))
		want := c.step - time.Duration(2*c.timings-1)*time.Millisecond // two readings a timing
		must.Be(t, first.Release, want.Seconds(), c.name)
		undisturbed := options(t, t.TempDir())
		mustRun(t, plan, undisturbed)
		if read(t, result.Dir, results.RecordsFile) !=
			read(t, undisturbed.Out, plan.Spec.Name, results.RecordsFile) {
			t.Errorf("%s: the clock changes the records", c.name)
		}
	}
}

func reversed(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = n - 1 - i
	}
	return order
}

// TestResume: a second run computes nothing, changes nothing, and survives a torn last line, a line
// altered by hand and a journal full of rubbish.
func TestResume(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, testSpec, language.Overrides{})
	out := t.TempDir()
	dir := filepath.Join(out, "test/coins")
	mustRun(t, plan, options(t, out))
	want := read(t, dir, "records.jsonl")
	must.Be(t, mustRun(t, plan, options(t, out)).Cached, len(plan.Jobs), "of the second run")
	journal := read(t, dir, JournalFile)
	lines := strings.SplitAfter(journal, "\n")
	finished := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "value") })
	altered := lines[finished]
	at := strings.Index(altered, `"value":`) + len(`"value":0.`)
	digit := byte('1')
	if altered[at] == '1' {
		digit = '2'
	}
	altered = altered[:at] + string(digit) + altered[at+1:]
	for name, damage := range map[string]struct {
		text   string
		cached int
	}{
		"torn":    {journal[:strings.LastIndex(journal, `"trial"`)], len(plan.Jobs) - 1},
		"altered": {strings.Replace(journal, lines[finished], altered, 1), len(plan.Jobs) - 1},
		"rubbish": {"\x00\xff\n\nno journal\n" + journal, len(plan.Jobs)},
		"empty":   {"", 0},
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, JournalFile), []byte(damage.text), 0o666))
		os.Remove(filepath.Join(dir, "records.jsonl"))
		must.Be(t, mustRun(t, plan, options(t, out)).Cached, damage.cached, name)
		if read(t, dir, "records.jsonl") != want {
			t.Errorf("%s: other records", name)
		}
		must.Be(t, mustRun(t, plan, options(t, out)).Cached, len(plan.Jobs), name)
	}
}

// TestStale: what changes a job's outcome makes it stale, what does not change it leaves it
// cached.
func TestStale(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	all := len(mustPlan(t, testSpec, language.Overrides{}).Jobs)
	mustRun(t, mustPlan(t, testSpec, language.Overrides{}), options(t, out))
	for name, c := range map[string]struct {
		old, new string
		cached   int
	}{
		"comment and space": {"trials: 3", "# a comment\n\ntrials:    3", all},
		"series' name":      {"coin {share}", "{share} coin", all},
		"a plot": {"x: epsilon, y: accuracy",
			"x: share, y: accuracy, title: other, where: {epsilon: 1}", all},
		"one epsilon more":       {"[0.5, 1]", "[0.5, 1, 2]", all},
		"fewer trials":           {"trials: 3", "trials: 2", all * 2 / 3},
		"seed":                   {"seed: 7", "seed: 8", 0},
		"folds":                  {"folds: 4", "folds: 3", 0},
		"data":                   {"n: 300", "n: 301", 0},
		"classifier":             {"[naive-bayes, majority]", "[majority, naive-bayes, c45]", 0},
		"one algorithm's params": {"[0.2, 0.8]", "[0.2, 0.7]", all - 2*3*4},
	} {
		text := strings.Replace(testSpec, c.old, c.new, 1)
		if text == testSpec {
			t.Fatalf("%s: nothing replaced", name)
		}
		if name == "a plot" {
			text = strings.Replace(text, "where: {classifier: naive-bayes}, ", "", 1)
		}
		plan := mustPlan(t, text, language.Overrides{})
		cached, _, err := Cached(context.Background(), plan, out, options(t, out).Files)
		must.Do(t, err)
		must.Be(t, cached, c.cached, name)
	}
}

// revisedMetric, revisedClassifier are of the next revision.
type revisedMetric struct{ metrics.Metric }

func (m revisedMetric) Info() metrics.Info {
	info := m.Metric.Info()
	info.Revision++
	return info
}

type revisedClassifier struct{ classifiers.Classifier }

func (c revisedClassifier) Info() classifiers.Info {
	info := c.Classifier.Info()
	info.Revision++
	return info
}

// TestRevisions: a new revision of whatever makes a job makes it stale.
func TestRevisions(t *testing.T) {
	for name, revise := range map[string]func(*language.Config){
		"algorithm": func(c *language.Config) { c.Info.Revision++ },
		"metric": func(c *language.Config) {
			c.Measures[1].Metric = revisedMetric{c.Measures[1].Metric}
		},
		"classifier": func(c *language.Config) {
			c.Measures[1].Classifier = revisedClassifier{c.Measures[1].Classifier}
		},
	} {
		plan := mustPlan(t, testSpec, language.Overrides{})
		c := &plan.Jobs[0]
		before := plan.CacheKeys()(c, "")
		if revise(c.Config); plan.CacheKeys()(c, "") == before {
			t.Errorf("another revision of the %s, the same key", name)
		}
	}
}

// moodSpec has one good configuration and one that misbehaves.
const moodSpec = `
name: test/moods
trials: 2
dataset: {name: gaussian, n: 50}
epsilon: 1
algorithms:
  - {name: test-coin, series: "{mood}", params: {mood: ["", MOOD]}}
measure: [{metric: w1}]
`

// goodFirst runs the good jobs of moodSpec without a limit of time and sets a short one for the
// run that follows, which takes them from the journal: no limit has to be long enough for a good
// job on a busy machine.
func goodFirst(t *testing.T, opts *Options) {
	t.Helper()
	good := strings.Replace(moodSpec, `["", MOOD]`, `[""]`, 1)
	mustRun(t, mustPlan(t, good, language.Overrides{}), *opts)
	opts.Timeout = 100 * time.Millisecond
}

// TestFailuresAreFewLines: many failures of one kind give a few lines and one stack, all of them
// records.
func TestFailuresAreFewLines(t *testing.T) {
	t.Parallel()
	opts := options(t, t.TempDir())
	var lines, stacks int
	opts.Log = func(message string) {
		if strings.HasPrefix(message, "failed: ") {
			lines++
			stacks += strings.Count(message, "runtime/debug.Stack")
		}
	}
	text := strings.Replace(strings.Replace(moodSpec, "MOOD", "panic", 1), "trials: 2",
		"trials: 20", 1)
	if result := mustRun(t, mustPlan(t, text, language.Overrides{}), opts); result.Failed != 20 {
		t.Fatalf("%+v, want 20 failed jobs", result)
	}
	if lines != failuresShown+1 || stacks != 1 {
		t.Errorf("%d lines and %d stacks, want %d and 1", lines, stacks, failuresShown+1)
	}
}

// TestProvenLoss: the record of a variant that overspends by its proven sensitivity shows it, and
// its guarantee does not hold, whatever the algorithm says.
func TestProvenLoss(t *testing.T) {
	out := t.TempDir()
	strict := strings.NewReplacer("MOOD", "fair", "test-coin,", "test-coin, variant: strict,")
	plan := mustPlan(t, strict.Replace(moodSpec), language.Overrides{})
	result := mustRun(t, plan, options(t, out))
	o := mustOpen(t, result.Dir)
	for _, r := range o.Records {
		if r.Spent == nil || r.Spent.Claimed != 1 || r.Spent.Proven != 2 {
			t.Errorf("spent %+v, want 1 claimed and 2 proven", r.Spent)
		}
	}
	must.Be(t, o.Manifest.Algorithms[0].Status, string(algorithms.Short), "the guarantee")
}

// TestInterrupted: an interrupted run keeps what has finished.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, strings.Replace(moodSpec, "MOOD", "wait", 1), language.Overrides{})
	out := t.TempDir()
	opts := options(t, out)
	opts.Workers = 4
	ctx, cancel := context.WithCancel(context.Background())
	opts.Progress = func(done int, _ Result) {
		if done == 2 { // the others wait for the end of the context
			cancel()
		}
	}
	_, err := Run(ctx, plan, opts)
	if !errors.Is(err, ErrInterrupted) || !strings.Contains(err.Error(), "2 of 4 jobs are") {
		t.Fatalf("got %v", err)
	}
	kept, _, err := Cached(context.Background(), plan, out, opts.Files)
	if err != nil || kept != 2 {
		t.Errorf("%d jobs kept (%v), want 2", kept, err)
	}
}

// TestFolderRemoved: when the output folder is removed while an experiment runs, no message claims
// that something was kept.
func TestFolderRemoved(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	opts := options(t, out)
	opts.Progress = func(done int, _ Result) {
		if done == 2 {
			if err := os.RemoveAll(filepath.Join(out, "test")); err != nil {
				t.Skip("open files cannot be removed here")
			}
		}
	}
	plan := mustPlan(t, testSpec, language.Overrides{})
	_, err := Run(context.Background(), plan, opts)
	if !errors.Is(err, errLost) || strings.Contains(err.Error(), "kept") {
		t.Errorf("got %v", err)
	}
	if result := mustRun(t, plan, options(t, out)); result.Cached != 0 {
		t.Errorf("%d jobs survived their folder", result.Cached)
	}
}

func TestUnwritable(t *testing.T) {
	out := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(out, nil, 0o666))
	ran := false
	opts := options(t, out)
	opts.Progress = func(int, Result) { ran = true }
	_, err := Run(context.Background(), mustPlan(t, testSpec, language.Overrides{}), opts)
	if err == nil || !strings.Contains(err.Error(), out) || ran {
		t.Errorf("got %v, ran %v", err, ran)
	}
}

// TestWithTrials: a settled run has the settings and trials that were asked for, each job the same
// as in the ordinary run, which has as many; jobs of an earlier look are not run again.
func TestWithTrials(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, testSpec, language.Overrides{Trials: 6})
	all := mustOpen(t, mustRun(t, plan, options(t, t.TempDir())).Dir)
	values := func(run finished) map[string]string {
		texts := make(map[string]string)
		for _, c := range run.Records {
			key := fmt.Sprintln(c.Setting.Key(), c.Trial, *c.Fold)
			texts[key] = string(must.Get(json.Marshal(c.Values)))
		}
		return texts
	}
	whole, out := values(all), t.TempDir()
	for _, look := range []int{2, 6} {
		trials := make(map[string]int)
		for _, config := range plan.Configs {
			if config.Series == "coin 0.2" {
				trials[config.Key()] = look
			} else if config.Series == "raw" {
				trials[config.Key()] = 2
			}
		}
		settled := plan.WithTrials(trials)
		opts := options(t, out)
		result := mustRun(t, settled, opts)
		if cached := 4 * (2*2 + 2); look == 6 && result.Cached != cached {
			t.Errorf("%d jobs taken from the first look, want %d", result.Cached, cached)
		}
		run := mustOpen(t, result.Dir)
		some := values(run)
		if want := 4 * (2*look + 2); len(some) != want { // folds, two budgets of the coin
			t.Errorf("%d records, want %d", len(some), want)
		}
		for key, text := range some {
			must.Be(t, whole[key], text, key)
		}
		if o := run.Manifest.Overrides; !o.Settled || o.Reduced() || run.Manifest.Trials != look {
			t.Errorf("the manifest has %+v and %d trials", o, run.Manifest.Trials)
		}
	}
}

// TestTrainAndTrials runs a spec to its records: six of ten rows are published, and an entry's own
// number of trials is a cap while the rest of the experiment keeps its own.
func TestTrainAndTrials(t *testing.T) {
	t.Parallel()
	const text = `
name: trials
trials: 4
train: 2/3
dataset: {name: discrete, n: 10}
algorithms:
  - {name: identity, series: few, trials: 2}
  - {name: identity, series: all}
measure: [{metric: records}]
`
	for override, want := range map[int][2]int{0: {2, 4}, 1: {1, 1}, 6: {2, 6}} {
		out := t.TempDir()
		mustRun(t, mustPlan(t, text, language.Overrides{Trials: override}), options(t, out))
		outcome := mustOpen(t, out, "trials")
		var counts [2]int
		for _, record := range outcome.Records {
			if record.Series == "few" {
				counts[0]++
			} else {
				counts[1]++
			}
			if record.Fold != nil {
				t.Errorf("fold %d without folds", *record.Fold)
			}
			must.Be(t, *record.Values[0].Value, 6)
		}
		must.Be(t, counts, want, override)
	}
}

// TestTruthIsShared: jobs share a memo of the truth exactly where they agree in the data, the rows
// released and the rows tested: all trials of a dataset loaded once do, but neither two folds nor
// trials with separate folds or data.
func TestTruthIsShared(t *testing.T) {
	const head = "name: test/truth\nseed: 4\ntrials: 2\n"
	const tail = "algorithms: [{name: mondrian, params: {k: 5}}]\nmeasure: [{metric: regions}]\n"
	const table = "dataset: {name: discrete, n: 60, attributes: 2, cardinality: 9}\n"
	for name, c := range map[string]struct { // order-free: separate checks
		middle                string
		perTrial, acrossTrial bool // shared by the folds of a trial, by the trials
	}{
		"whole table": {table, true, true},
		"one split":   {"train: 40\n" + table, true, true},
		"resampled":   {strings.Replace(table, "}", ", resample: true}", 1), true, false},
		"folds":       {"folds: 3\n" + table, false, false},
	} {
		plan := mustPlan(t, head+c.middle+tail, language.Overrides{})
		stock := must.Get(load(context.Background(), plan, datasets.Files{}))
		run := newRun(plan, Options{}, stock, nil, "")
		var taken []*trialData
		for i := range plan.Jobs {
			m := run.data(i)
			taken = append(taken, m)
			for j := range i {
				a, b := &plan.Jobs[i], &plan.Jobs[j]
				want := c.acrossTrial
				if a.Trial == b.Trial {
					want = c.perTrial || a.Fold == b.Fold
				}
				got := taken[i].truth[max(0, a.Fold)] == taken[j].truth[max(0, b.Fold)]
				must.Be(t, got, want, name, a.Trial, a.Fold, b.Trial, b.Fold)
			}
		}
	}
}

// TestSwampedReleaseWarns: ten specialisations make some hundred jobs of a hundred records, whose
// noise at an epsilon of 0.1 is mostly above 10; one makes two.
func TestSwampedReleaseWarns(t *testing.T) {
	const text = `
name: test/swamped
dataset: {name: discrete, n: 100}
epsilon: 0.1
algorithms: [{name: diffgen, variant: strict, series: "h {h}", params: {h: [1, 10]}}]
measure: [{metric: records}]
`
	result := mustRun(t, mustPlan(t, text, language.Overrides{}), options(t, t.TempDir()))
	run := mustOpen(t, result.Dir)
	for i, want := range []int{0, 1} {
		c := &run.Records[i]
		must.Be(t, len(c.Warnings), want, c.Label(), c.Warnings)
		if want == 1 && !strings.Contains(c.Warnings[0], " records for 100: most are noise") {
			t.Errorf("%s: warnings %q", c.Label(), c.Warnings)
		}
	}
}
