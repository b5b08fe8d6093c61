package results

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Names of the files in a run directory.
const (
	RecordsFile  = "records.jsonl"
	TimingsFile  = "timings.jsonl"
	SummaryFile  = "summary.csv"
	LedgerFile   = "ledger.csv"
	ManifestFile = "manifest.json"
	RegionsFile  = "regions.csv"
	RowsFile     = "rows.csv"
)

// maxProblems is how many problems of one file are told: enough to see a pattern, few enough to read.
const maxProblems = 20

// Outcome is everything a run directory says.
type Outcome struct {
	Dir      string
	Manifest Manifest
	Records  []Record
	Summary  []Row
	Ledger   []LedgerRow  // nil when the run kept none
	Timings  []Timing     // nil when the run kept none
	Regions  []RegionSide // nil when the spec keeps none, as is Original
	Original []RowValue
}

// Open reads a run directory. The manifest, records and summary must be there; the other files
// may be missing. The problems of all files are reported at once.
func Open(dir string) (*Outcome, error) {
	return open(dir, func(*Manifest) bool { return true })
}

// OpenFigures reads what figures are drawn from: a run directory as Open does, but without records, ledger and
// timings where no figure needs them. Curves of metrics come from the summary, and reading the records takes longest.
func OpenFigures(dir string) (*Outcome, error) {
	return open(dir, func(m *Manifest) bool {
		return slices.ContainsFunc(m.Figures, func(f Figure) bool { return f.Kind == RegionsKind || f.Y == RuntimeMetric })
	})
}

// open reads a run directory, its cells only where the manifest says that they are needed.
func open(dir string, cells func(*Manifest) bool) (*Outcome, error) {
	o := &Outcome{Dir: dir}
	var problems []error
	read := func(name string, optional bool, parse func(r io.Reader, path string) error) {
		path := filepath.Join(dir, name)
		f, err := os.Open(path)
		if errors.Is(err, os.ErrNotExist) && optional {
			return
		}
		if err != nil {
			problems = append(problems, err)
			return
		}
		defer f.Close()
		if err := parse(f, path); err != nil {
			problems = append(problems, err)
		}
	}
	read(ManifestFile, false, func(r io.Reader, path string) (err error) {
		o.Manifest, err = ReadManifest(r, path)
		return err
	})
	if cells(&o.Manifest) {
		read(RecordsFile, false, func(r io.Reader, path string) (err error) {
			o.Records, err = ReadRecords(r, path)
			return err
		})
		read(LedgerFile, true, func(r io.Reader, path string) (err error) {
			o.Ledger, err = ReadLedger(r, path)
			return err
		})
		read(TimingsFile, true, func(r io.Reader, path string) (err error) {
			o.Timings, err = ReadTimings(r, path)
			return err
		})
	}
	read(SummaryFile, false, func(r io.Reader, path string) (err error) {
		o.Summary, err = ReadSummary(r, path)
		return err
	})
	read(RegionsFile, true, func(r io.Reader, path string) (err error) {
		o.Regions, err = ReadRegions(r, path)
		return err
	})
	read(RowsFile, true, func(r io.Reader, path string) (err error) {
		o.Original, err = ReadRows(r, path)
		return err
	})
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	o.markStandIns()
	return o, nil
}

// Rows returns the summary and, where the run kept timings, the rows of RuntimeMetric after it: all
// that can be drawn or judged.
func (o *Outcome) Rows() ([]Row, error) {
	rows := append([]Row(nil), o.Summary...)
	if o.Timings == nil {
		return rows, nil
	}
	runtimes, err := RuntimeRows(o.Records, o.Timings)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(o.Dir, TimingsFile), err)
	}
	return append(rows, runtimes...), nil
}

// markStandIns gives the rows the flag summary.csv has no column for.
func (o *Outcome) markStandIns() {
	standIn := make(map[string]bool)
	for _, name := range o.Manifest.StandIns() {
		standIn[name] = true
	}
	for i := range o.Records {
		if o.Records[i].StandIn {
			standIn[o.Records[i].Dataset] = true
		}
	}
	for i := range o.Summary {
		o.Summary[i].StandIn = o.Summary[i].StandIn || standIn[o.Summary[i].Dataset]
	}
}

// WriteFile writes a file so that a reader sees either its old content or all of the new: it goes to
// a file beside it, which is synced and renamed. Two writers of one path must not run at once.
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
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(partial, path)
}
