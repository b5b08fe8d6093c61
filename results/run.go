// Package results is where the making and the reading half of the harness meet: the files of a run
// (records.jsonl and manifest.json, and the exports beside them), their settings, samples and
// summaries, the filter language and the description of figures. It imports nothing of the making
// half, so that figures and verdicts can be made from files alone.
package results

import (
	"bufio"
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

// Open reads a run's folder. Manifest and records must be there. Every file of the run that is
// there must be the one that was written with the manifest, down to the byte. The problems of all
// files are reported at once.
func Open(dir string) (*Run, error) {
	r := &Run{Dir: dir}
	manifestErr := ParseFile(dir, ManifestFile, func(from io.Reader, path string) (err error) {
		r.Manifest, err = readSealed(from, path)
		return err
	})
	recordsErr := ParseFile(dir, RecordsFile, func(from io.Reader, path string) (err error) {
		digest := sha256.New()
		if r.Cells, err = ReadCells(io.TeeReader(from, digest), path); err != nil {
			return err
		}
		return r.checkDigest(path, digest)
	})
	auditErr := ParseFile(dir, AuditFile, func(from io.Reader, path string) (err error) {
		digest := sha256.New()
		if r.Audits, err = ReadAudits(io.TeeReader(from, digest), path); err != nil {
			return err
		}
		return r.checkDigest(path, digest)
	})
	if errors.Is(auditErr, fs.ErrNotExist) && r.Manifest.Files[AuditFile] == "" {
		auditErr = nil
	}
	if err := errors.Join(manifestErr, recordsErr, auditErr); err != nil {
		return nil, err
	}
	var errs []error
	there := func(err error) {
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	there(ParseFile(dir, TimingsFile, func(from io.Reader, path string) (err error) {
		r.Timings, err = readTimings(from, path, len(r.Cells))
		return err
	}))
	for _, name := range []string{SummaryFile, LedgerFile, RegionsFile, RowsFile} {
		there(ParseFile(dir, name, func(from io.Reader, path string) error {
			digest := sha256.New()
			if _, err := io.Copy(digest, from); err != nil {
				return err
			}
			return r.checkDigest(path, digest)
		}))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return r, nil
}

// checkDigest compares what was read of a file with the manifest.
func (r *Run) checkDigest(path string, digest hash.Hash) error {
	if r.Manifest.Files[filepath.Base(path)] != digestText(digest) {
		return fmt.Errorf("%s: not the file that %s was written for: run the experiment again",
			path, ManifestFile)
	}
	return nil
}

// readSealed reads a manifest that Run.Write has sealed: with its own digest, which is that of the
// text without it. The seal is for the file alone, the manifest returned has none.
func readSealed(from io.Reader, path string) (Manifest, error) {
	text, err := io.ReadAll(from)
	if err != nil {
		return Manifest{}, err
	}
	m, err := ReadManifest(bytes.NewReader(text), path)
	if err != nil {
		return Manifest{}, err
	}
	delete(m.Files, ManifestFile)
	if sealed, err := sealed(m); err != nil || !bytes.Equal(sealed, text) {
		return Manifest{}, errors.Join(err, fmt.Errorf("%s: its text does not match the digest "+
			"in it: run the experiment again", path))
	}
	return m, nil
}

// sealed is the text of manifest.json.
func sealed(m Manifest) ([]byte, error) {
	var text bytes.Buffer
	if err := WriteManifest(&text, m); err != nil {
		return nil, err
	}
	digest := sha256.New()
	digest.Write(text.Bytes())
	m.Files = maps.Clone(m.Files)
	if m.Files == nil {
		m.Files = make(map[string]string)
	}
	m.Files[ManifestFile] = digestText(digest)
	text.Reset()
	err := WriteManifest(&text, m)
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

// Write writes the run's folder, which must exist. The old manifest is removed first and the new
// one, which has the digests of the others and its own, is written last, so that a run that was
// interrupted here is not taken for a finished one.
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
	text, err := sealed(m)
	if err != nil {
		return err
	}
	return WriteFile(manifest, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// remove removes a file if it exists.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncFile brings what was written to a file, or the names in a folder, to disk. Tests watch it.
var syncFile = (*os.File).Sync

// WriteFile writes a file so that a reader sees either its old content or all of the new, even when
// the power fails: it goes to a file beside it, which is synced and renamed. That file must not
// exist: what an earlier writer left there, a link too, is removed first. Two writers of one path
// must not run at once.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	partial := path + ".partial"
	if err := remove(partial); err != nil {
		return err
	}
	f, err := os.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
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
	steps := []func() error{func() error { return write(w) }, w.Flush,
		func() error { return syncFile(f) }, f.Close}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	if err := os.Rename(partial, path); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// SyncFolder brings the names in a folder to disk: those of files that were just made, renamed or
// removed. Systems that cannot do that for folders are left alone.
func SyncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syncFile(f); err != nil && !errors.Is(err, errors.ErrUnsupported) &&
		!errors.Is(err, os.ErrPermission) && !errors.Is(err, os.ErrInvalid) {
		return err
	}
	return nil
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
