package cmd

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"

	"ppdp/datasets"
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

// log writes a message where it does not run into the bar.
func (p *progress) log(message string) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintf(p.con.stderr, "ppdp: %s: %s\n", p.title, message)
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
