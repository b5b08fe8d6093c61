package cmd

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"ppdp/datasets"
	"ppdp/experiments/engine"
	"ppdp/experiments/language"
	"ppdp/internal/terminal"
)

// logEvery is the pause between progress lines when standard error is no terminal: often enough to
// see that something moves, seldom enough not to fill a log.
const logEvery = 15 * time.Second

// progress shows how far a long command is: a bar with the time left on a terminal, a line every
// logEvery when the output is piped. It is not safe for concurrent use.
type progress struct {
	con           *console
	title, unit   string
	total, before int64                    // units; those that were finished earlier
	bar           *progressbar.ProgressBar // nil when piped
	started, last time.Time
}

// newProgress starts showing progress towards total units ("jobs", "bytes").
func newProgress(con *console, title, unit string, total int64) *progress {
	p := &progress{con: con, title: title, unit: unit, total: total, started: con.now()}
	p.last = p.started
	if con.terminal {
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(con.screen),
			progressbar.OptionSetDescription(title),
			progressbar.OptionSetItsString(unit),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

// setTotal changes the number of units.
func (p *progress) setTotal(total int64) {
	if p.total != total && p.bar != nil {
		p.bar.ChangeMax64(total)
	}
	p.total = total
}

// set shows that done units are finished.
func (p *progress) set(done int64) {
	now := p.con.now()
	if p.bar != nil {
		_ = p.bar.Set64(done) // a bar that cannot be drawn must not stop the work
		return
	}
	if now.Sub(p.last) < logEvery {
		return
	}
	p.last = now
	left := ""
	if done > p.before && p.total > done {
		seconds := now.Sub(p.started).Seconds() * float64(p.total-done) / float64(done-p.before)
		left = fmt.Sprintf(", about %v left", wholeSeconds(seconds))
	}
	fmt.Fprintf(p.con.stderr, "ppdp: %s: %d of %d %s%s\n", p.title, done, p.total, p.unit, left)
}

// finish removes the bar.
func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

func wholeSeconds(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second)
}

// overall is the progress of one or more plans. One plan is shown in jobs. Several plans are shown
// in per cent of the time that costs.csv expects of all. It is safe for concurrent use.
type overall struct {
	mu    sync.Mutex
	bar   *progress
	parts []engine.Result // of each plan
	done  []int           // jobs of each
	costs []float64       // of a job of each
}

func newOverall(con *console, plans []*language.Plan) (*overall, error) {
	o := &overall{done: make([]int, len(plans))}
	for _, plan := range plans {
		known, err := costs(plan.Quick)
		if err != nil {
			return nil, err
		}
		o.parts = append(o.parts, engine.Result{Jobs: len(plan.Jobs)})
		o.costs = append(o.costs, cmp.Or(known[plan.Spec.Name], 1))
	}
	if len(plans) == 1 {
		o.bar = newProgress(con, plans[0].Spec.Name, "jobs", int64(len(plans[0].Jobs)))
	} else {
		o.bar = newProgress(con, terminal.Counted(len(plans), "experiment"), "per cent", 100)
	}
	return o, nil
}

// set shows how far a plan is.
func (o *overall) set(plan, done int, so engine.Result) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.parts[plan], o.done[plan] = so, done
	if len(o.parts) == 1 {
		o.bar.before = int64(so.Cached)
		o.bar.setTotal(int64(so.Jobs))
		o.bar.set(int64(done))
		return
	}
	var ended, before float64
	all := 1e-9 // a shard may have no job
	for i, part := range o.parts {
		all += float64(o.costs[i] * float64(part.Jobs))
		ended += float64(o.costs[i] * float64(o.done[i]))
		before += float64(o.costs[i] * float64(part.Cached))
	}
	o.bar.before = int64(100 * before / all)
	o.bar.set(int64(100 * ended / all))
}

// console is con for what is written while the bar is shown.
func (o *overall) console(con *console) *console {
	shared := *con
	shared.stdout, shared.stderr = besideBar{o, con.stdout}, besideBar{o, con.stderr}
	return &shared
}

// besideBar writes where nothing runs into the bar.
type besideBar struct {
	*overall
	to io.Writer
}

func (w besideBar) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.bar.bar != nil {
		_ = w.bar.bar.Clear()
	}
	return w.to.Write(text)
}

// reading makes files show progress while the user's own are read, one after the other.
func reading(con *console, files datasets.Files) datasets.Files {
	var bar *progress
	var current string
	files.Progress = func(path string, done, total int64) {
		if bar == nil || path != current {
			bar, current = newProgress(con, filepath.Base(path), "bytes", total), path
		}
		if bar.set(done); done >= total {
			bar.finish()
			bar = nil
		}
	}
	return files
}
