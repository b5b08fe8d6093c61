package experiments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"ppdp/internal/results"
)

// StartFile is the file of an experiment's folder that says what its journal is of.
const StartFile = "run.json"

// Start is what a run leaves before its first cell: all that it takes to plan it again, and what a
// run that shares its cells must agree with.
type Start struct {
	// Manifest lacks the files' digests; guarantees are those promised, whatever the data.
	Manifest results.Manifest  `json:"manifest"`
	File     string            `json:"file"` // the spec's, as it was named
	StandIns map[string]string `json:"standIns,omitempty"`
	Cells    int               `json:"cells"` // of the plan
	Shard    Shard             `json:"shard,omitzero"`
	Own      int               `json:"own"` // cells of the shard
	// Costs are the seconds of a cell of each configuration that the shards were divided by, 0
	// where they were not known; nil where none was.
	Costs []float64 `json:"costs,omitempty"`
}

// start describes the run, of which own cells are this shard's.
func (r *run) start(own int) *Start {
	p := r.plan
	return &Start{Manifest: r.manifest(p.promised), File: p.Spec.file,
		StandIns: p.standIns, Cells: len(p.Cells), Shard: r.opts.Shard, Own: own,
		Costs: r.opts.shardCosts(p)}
}

// ReadStart reads the StartFile of an experiment's folder.
func ReadStart(dir string) (*Start, error) {
	path := filepath.Join(dir, StartFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s Start
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := s.validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &s, nil
}

func (s *Start) validate() error {
	if s.Manifest.Experiment == "" || s.Cells < 1 || s.Own < 0 || s.Own > s.Cells {
		return fmt.Errorf("experiment %q, %d cells, %d of them its own: no run wrote this",
			s.Manifest.Experiment, s.Cells, s.Own)
	}
	if n := s.Shard; n.Count < 0 || n.Count > 0 && (n.Index < 0 || n.Index >= n.Count) {
		return fmt.Errorf("shard %d of %d, must be 0 or more and below the count", n.Index, n.Count)
	}
	for _, seconds := range s.Costs {
		if !(seconds >= 0) || math.IsInf(seconds, 1) {
			return fmt.Errorf("a cost of %v seconds, must be 0 or more", seconds)
		}
	}
	return nil
}

func (s *Start) write(dir string) error {
	return results.WriteFile(filepath.Join(dir, StartFile), func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(s)
	})
}

// ErrOtherProgram says that a plan means something else to this program than to the one that wrote
// it down.
var ErrOtherProgram = errors.New("another program: the spec gives another plan here")

// Plan resolves the spec again. Files that it names are looked for where they were.
func (s *Start) Plan() (*Plan, error) {
	m := &s.Manifest
	spec, err := Parse(s.File, []byte(m.Spec))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOtherProgram, err)
	}
	overrides := Overrides{Quick: m.Overrides.Quick, Seed: m.Overrides.Seed, StandIns: s.StandIns}
	if m.Overrides.Trials != nil {
		overrides.Trials = *m.Overrides.Trials
	}
	plan, err := spec.Plan(overrides)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOtherProgram, err)
	}
	if len(plan.Cells) != s.Cells || plan.specHash() != m.SpecHash ||
		s.Costs != nil && len(s.Costs) != len(plan.Configs) {
		return nil, ErrOtherProgram
	}
	return plan, nil
}
