// Package results is where the making and the reading half of the harness meet: the files of a run
// (records.jsonl and manifest.json, and the exports beside them), their settings, samples and
// summaries, the filter language and the description of figures. It imports nothing of the making
// half, so that figures and verdicts can be made from files alone.
package results

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
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
	RegionsFile  = "regions.csv"
	RowsFile     = "rows.csv"
	AuditFile    = "audit.jsonl" // what was found of the guarantees, where that was asked for
)

// Run is a finished run of an experiment.
type Run struct {
	Dir      string // where it was read from
	Manifest Manifest
	Cells    []Cell   // in the order of the plan
	Timings  []Timing // of each cell; nil when the run kept none
	Audits   []Audit  // of each guarantee; nil where the run made none
}

// Open reads a run's folder. Manifest and records must be there, and the records must be those that
// the manifest was written for. The problems of all files are reported at once.
func Open(dir string) (*Run, error) {
	r := &Run{Dir: dir}
	manifestErr := ParseFile(dir, ManifestFile, func(from io.Reader, path string) (err error) {
		r.Manifest, err = ReadManifest(from, path)
		return err
	})
	recordsErr := ParseFile(dir, RecordsFile, func(from io.Reader, path string) (err error) {
		digest := sha256.New()
		if r.Cells, err = ReadCells(io.TeeReader(from, digest), path); err != nil {
			return err
		}
		return r.check(RecordsFile, path, digest)
	})
	auditErr := ParseFile(dir, AuditFile, func(from io.Reader, path string) (err error) {
		digest := sha256.New()
		if r.Audits, err = ReadAudits(io.TeeReader(from, digest), path); err != nil {
			return err
		}
		return r.check(AuditFile, path, digest)
	})
	if errors.Is(auditErr, fs.ErrNotExist) && r.Manifest.Files[AuditFile] == "" {
		auditErr = nil
	}
	if err := errors.Join(manifestErr, recordsErr, auditErr); err != nil {
		return nil, err
	}
	err := ParseFile(dir, TimingsFile, func(from io.Reader, path string) (err error) {
		r.Timings, err = readTimings(from, path, len(r.Cells))
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return r, nil
}

// check reports a file that is not the one which the manifest was written for.
func (r *Run) check(name, path string, digest hash.Hash) error {
	if r.Manifest.Files[name] != digestText(digest) {
		return fmt.Errorf("%s: not the file that %s was written for: run the experiment again",
			path, ManifestFile)
	}
	return nil
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

// Write writes the run's folder, which must exist. The old manifest is removed first and the new
// one, which has the digests of the others, is written last, so that a run that was interrupted
// here is not taken for a finished one.
func (r *Run) Write(dir string) error {
	manifest := filepath.Join(dir, ManifestFile)
	if err := remove(manifest); err != nil {
		return err
	}
	hasRegions, hasRows := false, false
	for i := range r.Cells {
		hasRegions = hasRegions || r.Cells[i].Regions != nil
		hasRows = hasRows || r.Cells[i].Original != nil
	}
	m := r.Manifest
	m.Files = make(map[string]string)
	for _, file := range []struct {
		name  string
		empty bool
		write func(io.Writer) error
	}{
		{RecordsFile, false, func(w io.Writer) error { return WriteCells(w, r.Cells) }},
		{TimingsFile, r.Timings == nil,
			func(w io.Writer) error { return writeTimings(w, r.Timings) }},
		{SummaryFile, false, r.writeSummary},
		{LedgerFile, false, r.writeLedger},
		{RegionsFile, !hasRegions, r.writeRegions},
		{RowsFile, !hasRows, r.writeOriginal},
		{AuditFile, r.Audits == nil, func(w io.Writer) error { return WriteAudits(w, r.Audits) }},
	} {
		path := filepath.Join(dir, file.name)
		if file.empty { // what an earlier run left would be taken for this one's
			if err := remove(path); err != nil {
				return err
			}
			continue
		}
		digest := sha256.New()
		err := WriteFile(path, func(w io.Writer) error {
			return file.write(io.MultiWriter(w, digest))
		})
		if err != nil {
			return err
		}
		if file.name != TimingsFile {
			m.Files[file.name] = digestText(digest)
		}
	}
	return WriteFile(manifest, func(w io.Writer) error { return WriteManifest(w, m) })
}

// remove removes a file if it exists.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// WriteFile writes a file so that a reader sees either its old content or all of the new: it goes
// to a file beside it, which is synced and renamed. Two writers of one path must not run at once.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	partial := path + ".partial"
	f, err := os.Create(partial)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(partial)
		}
	}()
	w := bufio.NewWriter(f)
	steps := []func() error{func() error { return write(w) }, w.Flush, f.Sync, f.Close}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return os.Rename(partial, path)
}

// Original returns the original rows kept of a dataset, nil where there are none.
func (r *Run) Original(d *Dataset) []Column {
	for i := range r.Cells {
		if c := &r.Cells[i]; c.Original != nil && c.Dataset.Label() == d.Label() {
			return c.Original
		}
	}
	return nil
}
