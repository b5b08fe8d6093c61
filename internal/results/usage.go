package results

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
)

// UsageFile is the file of a run directory that says what the runs into it took.
const UsageFile = "usage.json"

// Usage is what the runs into a directory took of the machine, since the last one that began with
// no finished job.
type Usage struct {
	Jobs    int     `json:"cells"`   // run, not taken from an earlier run
	Workers int     `json:"jobs"`    // most jobs run at once
	Seconds float64 `json:"seconds"` // by the clock, of all runs together, with loading data
	// PeakBytes is the largest resident memory of the process while the experiment ran; 0 where the
	// system does not report it.
	PeakBytes int64 `json:"peakBytes,omitempty"`
	// Cores and MemoryBytes are what the machine has for this process; 0 where unknown.
	Cores       int   `json:"cores,omitempty"`
	MemoryBytes int64 `json:"memoryBytes,omitempty"`
}

// Add is the usage of a run that went on from where an earlier one had stopped.
func (u Usage) Add(later Usage) Usage {
	return Usage{Jobs: u.Jobs + later.Jobs, Workers: max(u.Workers, later.Workers),
		Seconds: u.Seconds + later.Seconds, PeakBytes: max(u.PeakBytes, later.PeakBytes),
		Cores: later.Cores, MemoryBytes: later.MemoryBytes}
}

func (u Usage) validate() error {
	if u.Jobs < 0 || u.Workers < 1 || min(u.PeakBytes, int64(u.Cores), u.MemoryBytes) < 0 ||
		!(u.Seconds >= 0) || math.IsInf(u.Seconds, 1) {
		return fmt.Errorf("%d jobs, %d workers, %v seconds, %d bytes; must be 0 or more, "+
			"workers at least 1", u.Jobs, u.Workers, u.Seconds, u.PeakBytes)
	}
	return nil
}

// WriteUsage writes the UsageFile of a run directory.
func WriteUsage(dir string, u Usage) error {
	path := filepath.Join(dir, UsageFile)
	if err := u.validate(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return WriteFile(path, func(w io.Writer) error { return NewEncoder(w).Encode(&u) })
}

// ReadUsage reads the UsageFile of a run directory. It returns nil if the file does not exist.
func ReadUsage(dir string) (*Usage, error) {
	path := filepath.Join(dir, UsageFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var u Usage
	if err = Decode(text, &u); err == nil {
		err = u.validate()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &u, nil
}
