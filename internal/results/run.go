// Package results is where the running and the reading half of the harness meet: the files of a run
// (records.jsonl and manifest.json, and the exports beside them), their settings, samples and
// summaries, the filter language and the description of figures. Of the running half it knows only
// the ledger's entries, so that figures and verdicts can be made from files alone.
//
// The engine writes a run with Write, one record at a time. Everything that evaluates runs begins
// with Open: it checks all files of a folder against the manifest and returns a Summary, which has
// the measured values as samples (one for each setting and measurement, trial by trial) and as rows
// (a sample with its mean and interval).
package results

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
)

// Names of the files in a run's folder. A run is its records and its manifest; its timings are
// beside them because they differ from run to run. The other files are exports, which nothing here
// reads.
const (
	RecordsFile  = "records.jsonl"
	ManifestFile = "manifest.json"
	TimingsFile  = "timings.jsonl"
	SummaryFile  = "summary.csv"
	LedgerFile   = "ledger.csv"
)

// Run is a run that was made up, by a test say: all of it in memory.
type Run struct {
	Manifest Manifest
	Records  []Record // in the order of the plan
	Timings  []Timing // of each record, or nil
}

// Summary adds up the records.
func (r *Run) Summary() *Summary {
	s := newSummary("")
	s.Manifest, s.Timed = r.Manifest, r.Timings != nil
	for i := range r.Records {
		var time *Timing
		if s.Timed {
			time = &r.Timings[i]
		}
		s.add(&r.Records[i], time)
	}
	return s
}

// Open reads the summary of a run's folder, one record at a time. Manifest and records must be
// there. Every file of the run that is there must be the one that was written with the manifest,
// down to the byte. The problems of all files are reported at once.
func Open(dir string) (*Summary, error) {
	s := newSummary(dir)
	manifestErr := s.readManifest()
	times, timesErr := readTimings(dir)
	s.Timed = times != nil
	recordsErr := s.readFile(RecordsFile, func(from io.Reader, path string) error {
		return ReadRecords(from, path, func(c *Record) {
			var time *Timing
			if s.Jobs < len(times) {
				time = &times[s.Jobs]
			}
			s.add(c, time)
		})
	})
	if err := errors.Join(manifestErr, recordsErr); err != nil {
		return nil, err
	}
	if timesErr == nil && s.Timed && s.Jobs != len(times) {
		timesErr = fmt.Errorf("%s: times of %d jobs, must be of %d: it belongs to another run",
			filepath.Join(dir, TimingsFile), len(times), s.Jobs)
	}
	errs := []error{timesErr}
	for _, name := range []string{SummaryFile, LedgerFile} {
		err := s.readFile(name, func(from io.Reader, _ string) error {
			_, err := io.Copy(io.Discard, from)
			return err
		})
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return s, nil
}

// readFile parses a file of the run, all of it, and compares its digest with the manifest's.
func (s *Summary) readFile(name string, parse func(from io.Reader, path string) error) error {
	return ParseFile(s.Dir, name, func(from io.Reader, path string) error {
		digest := sha256.New()
		if err := parse(io.TeeReader(from, digest), path); err != nil {
			return err
		}
		if s.Manifest.Files[name] != digestText(digest) {
			return fmt.Errorf("%s: not the file that %s was written for: run the experiment again",
				path, ManifestFile)
		}
		return nil
	})
}

// readManifest reads a manifest that Write has sealed. The seal is the digest of the text without
// the seal. It is for the file alone: the summary's manifest has none.
func (s *Summary) readManifest() error {
	path := filepath.Join(s.Dir, ManifestFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if s.Manifest, err = ReadManifest(text, path); err != nil {
		return err
	}
	delete(s.Manifest.Files, ManifestFile)
	if sealed, err := sealed(s.Manifest); err != nil || !bytes.Equal(sealed, text) {
		return errors.Join(err, fmt.Errorf("%s: its text does not match the digest in it: run "+
			"the experiment again", path))
	}
	return nil
}

// sealed is the text of manifest.json.
func sealed(m Manifest) ([]byte, error) {
	var text bytes.Buffer
	if err := WriteJSON(&text, m); err != nil {
		return nil, err
	}
	files := map[string]string{ManifestFile: fmt.Sprintf("%x", sha256.Sum256(text.Bytes()))}
	maps.Copy(files, m.Files)
	m.Files = files
	text.Reset()
	err := WriteJSON(&text, m)
	return text.Bytes(), err
}

// ParseFile opens a file of a folder and has it parsed; path is for the messages of parse.
func ParseFile(dir, name string, parse func(from io.Reader, path string) error) error {
	path := filepath.Join(dir, name)
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return parse(f, path)
}

func digestText(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
