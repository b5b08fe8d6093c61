package cmd

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ppdp/experiments/engine"
	"ppdp/internal/results"
)

// progressName is the file of an experiment's folder that says how far its run is.
const progressName = "progress.json"

// reached is how far a run has come: the content of its progress file.
type reached struct {
	Jobs   int       `json:"cells"` // of the run: its shard's
	Done   int       `json:"done"`  // with the cached and the failed ones
	Cached int       `json:"cached"`
	Failed int       `json:"failed"`
	Began  time.Time `json:"began"`
	Heard  time.Time `json:"heard"` // when this was written
	Ended  bool      `json:"ended"`
	Sum    string    `json:"sum,omitempty"` // of the file without it
}

func (r reached) sum() string {
	r.Sum = ""
	text, _ := json.Marshal(r) // numbers, times and words
	return results.Sum(text)
}

// A run writes its progress file every writeEvery. One that has not done so for silentAfter is
// taken for dead: a shared disk may show a file late.
const (
	writeEvery  = 2 * time.Second
	silentAfter = 30 * time.Second
)

// progressFile writes a run's progress. Its methods are safe for concurrent use.
type progressFile struct {
	con  *console
	dir  string
	stop chan struct{}
	done sync.WaitGroup

	mu     sync.Mutex // guards what follows
	at     reached
	failed error
}

// newProgressFile writes nothing before set is called: until then the run has no folder.
func newProgressFile(con *console, dir string) *progressFile {
	return &progressFile{con: con, dir: dir, stop: make(chan struct{}),
		at: reached{Began: con.now()}}
}

// set records how far the run is.
func (f *progressFile) set(p engine.Progress) {
	f.mu.Lock()
	defer f.mu.Unlock()
	first := f.at.Jobs == 0
	f.at.Jobs, f.at.Done, f.at.Cached, f.at.Failed = p.Total, p.Done, p.Cached, p.Failed
	if first {
		f.write()
		f.done.Go(f.writeRegularly)
	}
}

func (f *progressFile) writeRegularly() {
	ticker := time.NewTicker(writeEvery)
	defer ticker.Stop()
	for {
		select {
		case <-f.stop:
			return
		case <-ticker.C:
			f.mu.Lock()
			f.write()
			f.mu.Unlock()
		}
	}
}

// write is called with the lock held.
func (f *progressFile) write() {
	f.at.Heard = f.con.now()
	f.failed = f.at.write(f.dir)
}

// end writes for the last time. It returns the error that kept the file from being written.
func (f *progressFile) end() error {
	close(f.stop)
	f.done.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at.Jobs > 0 { // else the run never began
		f.at.Ended = true
		f.write()
	}
	return f.failed
}

func (r *reached) write(dir string) error {
	r.Sum = r.sum()
	return results.WriteFile(filepath.Join(dir, progressName), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(r)
	})
}

// readReached reads the progress file of a folder; nil without one.
func readReached(dir string) (*reached, error) {
	path := filepath.Join(dir, progressName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var at reached
	if err := results.Decode(text, &at); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if at.Sum != "" && at.Sum != at.sum() { // none in a file of an earlier version
		return nil, fmt.Errorf("%s: damaged: it does not match its checksum; the run's records "+
			"do not depend on it", path)
	}
	if at.Failed < 0 || at.Done < at.Failed || at.Cached > at.Done || at.Done > at.Jobs {
		return nil, fmt.Errorf("%s: %d of %d jobs done, %d failed: no run wrote this", path,
			at.Done, at.Jobs, at.Failed)
	}
	return &at, nil
}

type statusCommand struct {
	Dir  string `arg:"" optional:"" name:"dir" help:"A folder of results, with all that is below it (default: results)."`
	Out  string `help:"The same, as other commands call it." placeholder:"DIR"`
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
	if c.Dir != "" && c.Out != "" {
		return inputError{errors.New("a folder and --out, must be one of them")}
	}
	lines, err := statusLines(cmp.Or(c.Dir, c.Out, "results"), con.now())
	if err != nil {
		return inputError{err}
	}
	if c.JSON {
		return results.WriteJSON(con.stdout, lines)
	}
	table := newTable(con.stdout, "EXPERIMENT", "SHARD", "STATE", "DONE", "FAILED", "OPEN", "SPEED",
		"ENDS")
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
		table.row(dashed([]string{l.Experiment, l.Shard, l.State, fmt.Sprint(l.Done),
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
		at, err := readReached(dir)
		errs = append(errs, err)
		lines = append(lines, newStatusLine(dir, start, at, now))
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

func newStatusLine(dir string, start *engine.Start, at *reached,
	now time.Time) statusLine {
	l := statusLine{Experiment: start.Manifest.Experiment, Dir: filepath.ToSlash(dir),
		State: stateUnknown, Jobs: start.Own, Open: start.Own}
	if n := start.Shard; n.Count > 0 {
		l.Shard = fmt.Sprintf("%d/%d", n.Index+1, n.Count)
	}
	if at == nil {
		return l
	}
	l.Done, l.Failed, l.Open = at.Done-at.Failed, at.Failed, at.Jobs-at.Done
	if ran := at.Done - at.Cached; ran > 0 {
		if seconds := at.Heard.Sub(at.Began).Seconds(); seconds > 0 {
			l.Speed = float64(ran) / seconds
		}
	}
	quiet := now.Sub(at.Heard)
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
	return l
}
