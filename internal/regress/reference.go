package regress

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"ppdp/internal/results"
)

// Names of the files in a reference's folder: what was measured, and what with. The second is a
// manifest under another name, because runs are found by results.ManifestFile.
const (
	TrialsFile    = "trials.jsonl"
	ReferenceFile = "baseline.json"
)

// Reference is what one experiment measured and what it measured it with.
type Reference struct {
	Manifest results.Manifest
	Samples  []results.Sample // those of one setting are neighbours
}

// ReferenceOf reduces a run to what a later one is compared with. What differs between machines and
// between commands, and what only figures need, is left out of the manifest, so that a reference
// changes only when a measured number or one of its inputs does.
func ReferenceOf(r *results.Summary) *Reference {
	b := &Reference{Manifest: r.Manifest, Samples: r.Samples()}
	m := &b.Manifest
	m.Figures, m.SeriesOrder, m.Files, m.Code = nil, nil, nil, nil
	m.CommandLine, m.CPU, m.Commit, m.Dirty = nil, "", "", false
	return b
}

// ValuesOf keeps the samples of a run, measured or derived, that verdicts are made from, and names
// the records that they are of.
func ValuesOf(r *results.Summary, keep func(*results.Sample) bool) *Reference {
	b := ReferenceOf(r)
	b.Manifest.Files = map[string]string{
		results.RecordsFile: r.Manifest.Files[results.RecordsFile]}
	bySetting := results.Grouped(append(b.Samples, r.Derived()...),
		func(s results.Sample) string { return s.Key() })
	b.Samples = slices.DeleteFunc(slices.Concat(bySetting...),
		func(s results.Sample) bool { return !keep(&s) })
	return b
}

// trialsLine is a line of trials.jsonl: the samples of one setting.
type trialsLine struct {
	Setting *results.Setting `json:"setting"`
	Samples []trials         `json:"samples"`
}

// trials is one sample. A trial without a value is null.
type trials struct {
	results.Measurement
	Trials []*float64 `json:"trials"`
}

// writeTrials writes trials.jsonl. Equal samples give equal bytes.
func writeTrials(w io.Writer, samples []results.Sample) error {
	encoder := results.NewEncoder(w)
	for first := 0; first < len(samples); {
		line := trialsLine{Setting: samples[first].Setting}
		for ; first < len(samples) && samples[first].Setting == line.Setting; first++ {
			s := &samples[first]
			t := trials{s.Measurement, make([]*float64, len(s.Trials))}
			for i, v := range s.Trials {
				if !math.IsNaN(v) {
					t.Trials[i] = &v
				}
			}
			line.Samples = append(line.Samples, t)
		}
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

// readTrials reads what writeTrials wrote. Errors name the line.
func readTrials(r io.Reader, name string) (samples []results.Sample, err error) {
	seen := make(map[string]bool)
	err = results.ReadLines(r, name, func(_ int, text []byte) error {
		var l trialsLine
		if err := results.Decode(text, &l); err != nil {
			return err
		}
		if l.Setting == nil {
			return errors.New("the line has no setting")
		}
		if seen[l.Setting.Interned().Key()] {
			return errors.New("the setting of an earlier line is repeated")
		}
		seen[l.Setting.Key()] = true
		for _, t := range l.Samples {
			s := results.Sample{Setting: l.Setting, Measurement: t.Measurement}
			for _, v := range t.Trials {
				if v == nil {
					s.Trials = append(s.Trials, math.NaN())
				} else {
					s.Trials = append(s.Trials, *v)
				}
			}
			samples = append(samples, s)
		}
		return nil
	})
	return samples, err
}

// OpenReference reads a reference's folder, or that of a run.
func OpenReference(dir string) (*Reference, error) {
	if run, err := results.Open(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return nil, err
		}
		return &Reference{Manifest: run.Manifest, Samples: run.Samples()}, nil
	}
	b, path := &Reference{}, filepath.Join(dir, ReferenceFile)
	text, err := os.ReadFile(path)
	if err == nil {
		b.Manifest, err = results.ReadManifest(text, path)
	}
	if err != nil {
		return nil, err
	}
	err = results.ParseFile(dir, TrialsFile, func(f io.Reader, path string) (err error) {
		b.Samples, err = readTrials(f, path)
		return err
	})
	if err == nil && len(b.Samples) == 0 || errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %s holds nothing, or is missing", dir, TrialsFile)
	}
	return b, err
}

// Write writes a reference's folder, which is made if need be.
func (b *Reference) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	err := results.WriteFile(filepath.Join(dir, TrialsFile), func(w io.Writer) error {
		return writeTrials(w, b.Samples)
	})
	if err != nil {
		return err
	}
	return results.WriteFile(filepath.Join(dir, ReferenceFile), func(w io.Writer) error {
		return results.WriteJSON(w, b.Manifest)
	})
}
