package engine

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ppdp/experiments/language"
	"ppdp/internal/results"
)

// StartFile is the file of an experiment's folder that says what its journal is of.
const StartFile = "run.json"

// Start is what a run leaves before its first job: all that it takes to plan it again, and what a
// run that shares its jobs must agree with.
type Start struct {
	// Manifest lacks the files' digests; guarantees are those promised, whatever the data.
	Manifest results.Manifest  `json:"manifest"`
	File     string            `json:"file"` // the spec's, as it was named
	StandIns map[string]string `json:"standIns,omitempty"`
	Settled  map[string]int    `json:"settled,omitempty"` // as in the plan
	Jobs     int               `json:"cells"`             // of the plan
	Shard    Shard             `json:"shard,omitzero"`
	Own      int               `json:"own"` // jobs of the shard
}

// start describes the run, of which own jobs are this shard's.
func (r *run) start(own int) *Start {
	p := r.plan
	return &Start{Manifest: r.manifest(r.promised), File: p.Spec.File,
		StandIns: p.StandIns, Settled: p.Settled, Jobs: len(p.Jobs), Shard: r.opts.Shard, Own: own}
}

// ReadStart reads the StartFile of an experiment's folder.
func ReadStart(dir string) (*Start, error) {
	path := filepath.Join(dir, StartFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s Start
	if err = results.Decode(text, &s); err == nil {
		err = s.validate()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &s, nil
}

func (s *Start) validate() error {
	if s.Manifest.Experiment == "" || s.Jobs < 1 || s.Own < 0 || s.Own > s.Jobs {
		return fmt.Errorf("experiment %q, %d jobs, %d of them its own: no run wrote this",
			s.Manifest.Experiment, s.Jobs, s.Own)
	}
	if n := s.Shard; n.Count < 0 || n.Count > 0 && (n.Index < 0 || n.Index >= n.Count) {
		return fmt.Errorf("shard %d of %d, must be 0 or more and below the count", n.Index, n.Count)
	}
	return nil
}

func (s *Start) write(dir string) error {
	return results.WriteFile(filepath.Join(dir, StartFile), func(w io.Writer) error {
		return results.NewEncoder(w).Encode(s)
	})
}

// ErrOtherProgram says that a plan means something else to this program than to the one that wrote
// it down.
var ErrOtherProgram = errors.New("another program: the spec gives another plan here")

// Plan resolves the spec again. Files that it names are looked for where they were.
func (s *Start) Plan() (*language.Plan, error) {
	m := &s.Manifest
	parsed, err := language.Parse(s.File, []byte(m.Spec))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOtherProgram, err)
	}
	plan, err := parsed.Plan(language.Overrides{Quick: m.Overrides.Quick, Trials: m.Trials,
		Seed: m.Overrides.Seed, StandIns: s.StandIns})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOtherProgram, err)
	}
	if s.Settled != nil {
		plan = plan.WithTrials(s.Settled)
	}
	if len(plan.Jobs) != s.Jobs || plan.Hash() != m.SpecHash {
		return nil, ErrOtherProgram
	}
	return plan, nil
}
