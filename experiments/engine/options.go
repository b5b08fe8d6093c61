package engine

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/semaphore"

	"ppdp/datasets"
)

// Options are how a plan is run. None of them changes what a job computes.
type Options struct {
	Out     string // folder below which results/<experiment>/ lies
	Workers int    // jobs run at once, at least 1; see spec.Plan.Workers
	// Slots, of Workers, are shared by runs that go on at once; nil for a run that is alone.
	Slots   *semaphore.Weighted
	Timeout time.Duration // for one job; 0 means none
	// Shard is the part of the jobs to run; the zero value is all of them. A shard's journal is
	// kept in a folder of its own inside Out, and Merge makes the experiment's files of them.
	Shard Shard
	Files datasets.Files // where data files are looked for
	Clock func() time.Time
	// Progress is called after each job, never concurrently, with how many are done, failed ones
	// and those of an earlier run among them. May be nil.
	Progress func(done int, so Result)
	Log      func(message string) // statistical and operational warnings; may be nil
	Build    Build                // what the manifest says of the program
	order    []int                // the order jobs are started in; nil means shuffled
	sync     func(*os.File) error // in place of the journal's
}

// Result is how a run ended, or how far it has come.
type Result struct {
	Dir    string
	Jobs   int // of this shard
	Cached int // taken from the journal of an earlier run
	Failed int // failed jobs are in the records, with their phase and error
}

// failuresShown is how many failed jobs are logged.
const failuresShown = 10

// ErrInterrupted says that a run ended before all its jobs had; what had finished is kept and the
// next run goes on from there.
var ErrInterrupted = errors.New("interrupted")

// Shard is one part of an experiment's jobs when they are divided between machines:
// 0 ≤ Index < Count. A count of 0 is no division.
type Shard struct {
	Index int `json:"index"`
	Count int `json:"count"`
}

// Folder is the shard's own folder inside that of the results; empty for what is not divided.
func (s Shard) Folder() string {
	if s.Count == 0 {
		return ""
	}
	return fmt.Sprintf("shard-%d-of-%d", s.Index+1, s.Count)
}

// has reports whether the plan's job i belongs to the shard. Jobs are dealt out in turn, so that
// each shard gets its part of every setting. Each round begins at another shard, which a hash of
// its number says, so that no shard gets, say, all jobs of the first fold.
func (s Shard) has(i int) bool {
	if s.Count == 0 {
		return true
	}
	// multiplicative hashing of the round by the golden ratio
	first := uint64(i/s.Count) * 0x9E3779B97F4A7C15 >> 32
	return (uint64(i)+first)%uint64(s.Count) == uint64(s.Index)
}
