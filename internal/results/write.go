package results

import (
	"bufio"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Write writes a run's folder, which must exist: each hands add the records in the order of the
// plan, all with their timings or none, and returns the error of one that is refused. What is said
// of Summary's memory holds here.
//
// The old manifest is removed first and the new one, which has the digests of the others and its
// own, is written last, so that a run that was interrupted here is not taken for a finished one.
func Write(dir string, m Manifest, each func(add func(c *Record, time *Timing) error) error) error {
	if err := remove(filepath.Join(dir, ManifestFile)); err != nil {
		return err
	}
	summary, files := newSummary(dir), make(map[string]*output)
	summary.Manifest, m.Files = m, make(map[string]string)
	defer func() {
		for _, o := range files { // order-free: each is abandoned
			o.abandon()
		}
	}()
	names := []string{RecordsFile, TimingsFile, SummaryFile, LedgerFile}
	for _, name := range names {
		o, err := begin(dir, name)
		if err != nil {
			return err
		}
		files[name] = o
	}
	err := each(func(c *Record, time *Timing) error {
		if err := writeRecord(files[RecordsFile].json, c); err != nil {
			return fmt.Errorf("job %d: %w", summary.Jobs, err)
		}
		ledgerLines(files[LedgerFile], summary.Jobs, c)
		summary.add(c, nil)
		if time == nil {
			return nil
		}
		summary.Timed = true
		return files[TimingsFile].json.Encode(time.line())
	})
	if err != nil {
		return err
	}
	summaryLines(files[SummaryFile], summary)
	for _, name := range names {
		if name == TimingsFile && !summary.Timed { // an earlier run's would be taken for this one's
			err = remove(filepath.Join(dir, name))
		} else {
			err = files[name].end()
		}
		if err != nil {
			return err
		}
		if name != TimingsFile {
			m.Files[name] = digestText(files[name].digest)
		}
	}
	text, err := sealed(m)
	if err != nil {
		return err
	}
	return WriteFile(filepath.Join(dir, ManifestFile), Text(text))
}

// output is a file of a run: lines of JSON or of CSV.
type output struct {
	*partial
	digest hash.Hash
	json   *json.Encoder
	csv    *csv.Writer
}

// begin begins a file, with a header where it has one.
func begin(dir, name string) (*output, error) {
	f, err := create(filepath.Join(dir, name), 0o666)
	if err != nil {
		return nil, err
	}
	o := &output{partial: f, digest: sha256.New()}
	o.json, o.csv = NewEncoder(o), csv.NewWriter(o)
	if header := headers[name]; header != nil {
		o.line(header...)
	}
	return o, nil
}

func (o *output) Write(text []byte) (int, error) {
	o.digest.Write(text)
	return o.partial.Write(text)
}

func (o *output) end() error {
	if o.csv.Flush(); o.csv.Error() != nil {
		return o.csv.Error()
	}
	return o.finish()
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
func WriteFile(path string, write func(io.Writer) error) error {
	return WriteFileMode(path, 0o666, write)
}

// Text writes a text, for WriteFile.
func Text[T string | []byte](text T) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, string(text))
		return err
	}
}

// WriteFileMode is WriteFile for a file with these permissions, as far as the process' mask lets it
// have them. Nobody else can read it while it is written either.
func WriteFileMode(path string, mode os.FileMode, write func(io.Writer) error) error {
	f, err := create(path, mode)
	if err != nil {
		return err
	}
	defer f.abandon()
	if err := write(f); err != nil {
		return err
	}
	return f.finish()
}

// partial is a file on its way, as WriteFile has it.
type partial struct {
	*bufio.Writer
	path     string
	file     *os.File
	finished bool
}

// create begins the file of a path. It must be finished or abandoned.
func create(path string, mode os.FileMode) (*partial, error) {
	beside := path + ".partial"
	if err := remove(beside); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	return &partial{Writer: bufio.NewWriter(file), path: path, file: file}, nil
}

func (f *partial) finish() error {
	for _, step := range []func() error{f.Flush, func() error { return syncFile(f.file) },
		f.file.Close, func() error { return os.Rename(f.file.Name(), f.path) }} {
		if err := step(); err != nil {
			return err
		}
	}
	f.finished = true
	return SyncFolder(filepath.Dir(f.path))
}

// abandon removes what is not finished.
func (f *partial) abandon() {
	if !f.finished {
		f.file.Close()
		os.Remove(f.file.Name())
	}
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

// line writes a line of CSV. Fields that do not apply are empty, and numbers have as many digits as
// it takes to read them back. A text that a spreadsheet would take for a formula is written with an
// apostrophe before it.
func (o *output) line(fields ...string) {
	for i, field := range fields {
		if isFormula(field) {
			fields[i] = "'" + field
		}
	}
	o.csv.Write(fields) // csv.Writer keeps its first error
}

// isFormula reports whether a spreadsheet would compute the text: one that begins as formulas do
// and is no number.
func isFormula(text string) bool {
	if text == "" || !strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err != nil
}

// NumberText is FormatNumber, but empty for NaN and "Inf" for infinity.
func NumberText(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return Bound(x).String()
}

// headers are those of the exports. Jobs count from 0; cost and loss are in the unit.
var headers = map[string][]string{
	SummaryFile: {"experiment", "series", "dataset", "algorithm", "variant", "params", "epsilon",
		"delta", "metric", "classifier", "n", "failed", "mean", "se", "lo95", "hi95"},
	LedgerFile: {"cell", "purpose", "mechanism", "claimed", "proven", "calls", "unit", "cost",
		"loss", "composition"},
}

// summaryLines writes a line for each measured sample.
func summaryLines(to *output, s *Summary) {
	for _, row := range Rows(s.Samples()) {
		to.line(s.Manifest.Experiment, row.Label(), row.Dataset.Label(), row.Algorithm,
			row.Variant, FormatParams(row.AllParams()), row.EpsilonText(), row.DeltaText(),
			row.Metric, row.Classifier, strconv.Itoa(row.N), strconv.Itoa(row.Failed),
			NumberText(row.Mean), NumberText(row.SE), NumberText(row.Lo95), NumberText(row.Hi95))
	}
}

// ledgerLines writes a line for each mechanism of a release.
func ledgerLines(to *output, job int, c *Record) {
	for _, e := range c.Ledger {
		to.line(strconv.Itoa(job), e.Purpose, e.Mechanism, FormatNumber(e.Claimed),
			e.Proven.String(), strconv.FormatInt(e.Calls, 10), c.Unit(), FormatNumber(e.Cost),
			e.Loss.String(), e.Composition)
	}
}
