package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ppdp/experiments/engine"
	"ppdp/internal/results"
	"ppdp/internal/terminal"
)

// A run touches its journal every beatEvery. One that has not done so for silentAfter is taken for
// dead: a shared disk may show a file late.
const (
	beatEvery   = 2 * time.Second
	silentAfter = 30 * time.Second
)

// beat touches the journal of a folder until stop is called: a run that lives may write nothing for
// as long as its jobs take.
func beat(con *console, dir string) (stop func()) {
	ticker, ended := time.NewTicker(beatEvery), make(chan struct{})
	go func() {
		for {
			select {
			case <-ended:
				return
			case <-ticker.C: // it is not there before the data are loaded
				_ = os.Chtimes(filepath.Join(dir, engine.JournalFile), time.Time{}, con.now())
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(ended)
	}
}

type statusCommand struct {
	Dir  string `arg:"" optional:"" name:"dir" default:"results" help:"A folder of results, with all that is below it (default: results)."`
	JSON bool   `name:"json" help:"Write JSON instead of a table."`
}

func (statusCommand) Help() string {
	return `Shows how far runs are, from their folders alone, while they run on this machine or on
others: jobs that are done, failed and open, how fast, and when they should end. A run that has
ended before its last job, or was not heard of for half a minute, is named; the same command goes
on from where it stopped.

Examples:

  ppdp status

  ppdp status /shared/results --json`
}

// States of a run.
const (
	stateRunning = "running"
	stateDone    = "done"
	stateStopped = "stopped" // it has ended before its last job
	stateSilent  = "silent"  // not heard of
	stateUnknown = "not begun"
)

// statusLine is one run, or the part of an experiment that no folder has.
type statusLine struct {
	Experiment string   `json:"experiment"`
	Shard      string   `json:"shard,omitempty"` // 2/4
	Dir        string   `json:"dir,omitempty"`
	State      string   `json:"state"`
	Jobs       int      `json:"cells"`
	Done       int      `json:"done"` // without the failed ones
	Failed     int      `json:"failed"`
	Open       int      `json:"open"`
	Speed      float64  `json:"cellsPerSecond,omitempty"`
	Left       *float64 `json:"secondsLeft,omitempty"`
	Silent     float64  `json:"secondsSilent,omitempty"`
}

func (c statusCommand) Run(con *console) error {
	lines, err := statusLines(c.Dir, con.now())
	if err != nil {
		return terminal.InputError(err)
	}
	if c.JSON {
		return results.WriteJSON(con.stdout, lines)
	}
	table := terminal.NewTable(con.stdout, "EXPERIMENT", "SHARD", "STATE", "DONE", "FAILED", "OPEN",
		"SPEED", "ENDS")
	for _, l := range lines {
		speed, ends := "", ""
		if l.Speed > 0 {
			speed = fmt.Sprintf("%.3g/s", l.Speed)
		}
		switch {
		case l.Left != nil:
			ends = fmt.Sprintf("in %v", wholeSeconds(*l.Left))
		case l.State == stateSilent:
			ends = fmt.Sprintf("not heard of for %v", wholeSeconds(l.Silent))
		}
		table.Row(terminal.Dashed([]string{l.Experiment, l.Shard, l.State, fmt.Sprint(l.Done),
			fmt.Sprint(l.Failed), fmt.Sprint(l.Open), speed, ends})...)
	}
	return table.Flush()
}

// statusLines describes every run below a folder, by experiment, then shard.
func statusLines(root string, now time.Time) ([]statusLine, error) {
	lines := []statusLine{}
	type division struct {
		name  string
		count int
	}
	open := make(map[division]int) // jobs of shards without a folder
	parts := make(map[division]int)
	var errs []error
	err := eachStart([]string{root}, func(dir string, start *engine.Start) {
		line, err := newStatusLine(dir, start, now)
		lines, errs = append(lines, line), append(errs, err)
		if n := start.Shard.Count; n > 0 {
			d := division{start.Manifest.Experiment, n}
			if parts[d] == 0 {
				open[d] = start.Jobs
			}
			parts[d]++
			open[d] -= start.Own
		}
	})
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s: no run has begun there", root)
	}
	for d, jobs := range open { // order-free: sorted below
		if missing := d.count - parts[d]; missing > 0 && jobs > 0 {
			lines = append(lines, statusLine{Experiment: d.name, State: stateUnknown,
				Shard: fmt.Sprintf("%d of %d", missing, d.count), Jobs: jobs, Open: jobs})
		}
	}
	slices.SortFunc(lines, func(a, b statusLine) int {
		return cmp.Or(cmp.Compare(a.Experiment, b.Experiment), cmp.Compare(a.Dir, b.Dir),
			cmp.Compare(a.Shard, b.Shard))
	})
	return lines, nil
}

// newStatusLine reads how far a run is from its journal. It began when its StartFile was written
// and was last heard of when its journal was touched.
func newStatusLine(dir string, start *engine.Start, now time.Time) (statusLine, error) {
	l := statusLine{Experiment: start.Manifest.Experiment, Dir: filepath.ToSlash(dir),
		State: stateUnknown, Jobs: start.Own, Open: start.Own}
	if n := start.Shard; n.Count > 0 {
		l.Shard = fmt.Sprintf("%d/%d", n.Index+1, n.Count)
	}
	at, err := engine.ReadReached(dir)
	heard, heardErr := os.Stat(filepath.Join(dir, engine.JournalFile))
	began, beganErr := os.Stat(filepath.Join(dir, engine.StartFile))
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err := errors.Join(err, heardErr, beganErr); err != nil {
		return l, err
	}
	l.Done, l.Failed = at.Cached+at.Ran-at.Failed, at.Failed
	l.Open = max(0, l.Jobs-at.Cached-at.Ran)
	if seconds := heard.ModTime().Sub(began.ModTime()).Seconds(); at.Ran > 0 && seconds > 0 {
		l.Speed = float64(at.Ran) / seconds
	}
	quiet := now.Sub(heard.ModTime())
	switch {
	case l.Open == 0:
		l.State = stateDone
	case at.Ended:
		l.State = stateStopped
	case quiet > silentAfter:
		l.State, l.Silent = stateSilent, quiet.Seconds()
	default:
		l.State = stateRunning
		if l.Speed > 0 {
			left := float64(l.Open) / l.Speed
			l.Left = &left
		}
	}
	return l, nil
}
