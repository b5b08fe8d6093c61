// Package artifact describes a set of results for those who reproduce it: it writes ARTIFACT.md, an
// appendix for the artifact evaluation of a conference. All numbers in it are measured: they come
// from the files of runs and from a trial run that the caller has just made. The package leaves out
// running anything and the report of the results (package report).
package artifact

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"text/template"

	"ppdp/claims"
	"ppdp/internal/results"
	"ppdp/report"
)

// Contents is what the appendix is made from.
type Contents struct {
	Platform string // that the program was built for, "linux/amd64"
	Commit   string // of the program's source, "" where it is unknown
	Dirty    bool   // the program's source differed from Commit
	// Experiments are all that come with the program, run or not, in any order.
	Experiments []Experiment
	Papers      []report.Paper
	Tires       Trial
}

// Experiment is a figure or table's experiment and the run of it that is in the artifact.
type Experiment struct {
	Name, Title, Source string
	Run                 *Run // nil when it was not run
}

// Run is a finished run of an experiment.
type Run struct {
	Results *results.Summary
	Usage   *results.Usage // nil for runs that did not note it
	Bytes   int64          // on disk, of the files that are in the artifact
}

// Trial is a short run that shows that the program works, with what it printed and wrote where this
// was made.
type Trial struct {
	Command string
	Output  string
	Seconds float64
	Files   []File // whose bytes are the same wherever the trial is made
}

// File is a file by its checksum.
type File struct {
	Path   string // with slashes
	Bytes  int64
	SHA256 string // in hexadecimal
}

//go:embed artifact.md.tmpl
var markdownText string

var markdown = template.Must(template.New("artifact").Funcs(template.FuncMap{
	"join": func(words []string, between string) string { return strings.Join(words, between) },
	// A bar within a field would end it.
	"field": func(text string) string { return strings.ReplaceAll(text, "|", `\|`) },
	"lines": func(text string) []string {
		return strings.Split(strings.TrimRight(text, "\n"), "\n")
	},
	"size":     size,
	"span":     span,
	"count":    claims.Count,
	"coverage": claims.CoverageOf,
	"unjudged": func(j *claims.Judgement) bool {
		return j.Verdict == claims.NotCovered || j.Verdict == claims.NoData
	},
	"differs": func(j *claims.Judgement) bool {
		return j.Verdict == claims.HoldsMostly || j.Verdict == claims.NotReproduced ||
			j.Verdict == claims.Contradicted
	},
}).Parse(markdownText))

// document is what the template of ARTIFACT.md shows.
type document struct {
	*Contents
	Rows           []experimentRow // by the numbers of their figures
	Machines       []string
	Datasets       []results.DatasetUse // without repetitions
	Memory, Disk   int64                // bytes
	Unmeasured     int                  // runs whose memory is unknown
	Ran, Clocked   int                  // experiments, and those with their clock time
	Jobs           int
	Worked, Clock  float64 // seconds
	Older, Missing []string
	ByTests        []string
}

// experimentRow is an experiment with what is computed about it.
type experimentRow struct {
	Experiment
	Failed int     // jobs
	Worked float64 // seconds of all jobs
	Claims string
}

// AllOlder reports whether all runs were made by another program.
func (d *document) AllOlder() bool { return len(d.Older) == d.Ran }

// WriteMarkdown writes ARTIFACT.md. Equal contents give equal bytes.
func WriteMarkdown(w io.Writer, c *Contents) error {
	d := &document{Contents: c}
	for _, e := range slices.SortedFunc(slices.Values(c.Experiments),
		func(a, b Experiment) int { return report.CompareNames(a.Name, b.Name) }) {
		d.addExperiment(e)
	}
	for _, p := range c.Papers {
		for i := range p.Judgements {
			if j := &p.Judgements[i]; j.Basis == "tests" {
				d.ByTests = append(d.ByTests, j.ID+" "+string(j.Verdict))
			}
		}
	}
	return markdown.Execute(w, d)
}

func (d *document) addExperiment(e Experiment) {
	row := experimentRow{Experiment: e, Claims: d.claimsOn(e.Name)}
	defer func() { d.Rows = append(d.Rows, row) }()
	if e.Run == nil {
		d.Missing = append(d.Missing, "`"+e.Name+"`")
		return
	}
	run, usage := e.Run.Results, e.Run.Usage
	m := &run.Manifest
	if d.Commit != "" && m.Commit != d.Commit {
		d.Older = append(d.Older, "`"+e.Name+"`")
	}
	platform := m.GOOS + "/" + m.GOARCH + ", " + m.GoVersion
	machine := strings.TrimSpace(m.CPU + " (" + platform + ")")
	if !slices.Contains(d.Machines, machine) {
		d.Machines = append(d.Machines, machine)
	}
	for _, used := range m.Datasets {
		if !slices.ContainsFunc(d.Datasets, func(other results.DatasetUse) bool {
			return other.Name == used.Name && other.Checksum == used.Checksum
		}) {
			d.Datasets = append(d.Datasets, used)
		}
	}
	row.Failed, row.Worked = run.Failed, run.Seconds
	d.Ran++
	d.Jobs += run.Jobs
	d.Disk += e.Run.Bytes
	d.Worked += row.Worked
	if usage != nil {
		d.Clocked++
		d.Clock += usage.Seconds
		d.Memory = max(d.Memory, usage.PeakBytes)
	}
	if usage == nil || usage.PeakBytes == 0 {
		d.Unmeasured++
	}
}

// claimsOn lists the claims that are judged on an experiment, with their verdicts.
func (d *document) claimsOn(experiment string) string {
	var judged, others []string
	for _, p := range d.Papers {
		for i := range p.Judgements {
			j := &p.Judgements[i]
			switch own, other := uses(p.File, j.ID, experiment); {
			case own:
				judged = append(judged, j.ID+" "+string(j.Verdict)+j.Remark())
			case other:
				others = append(others, j.ID)
			}
		}
	}
	if len(others) > 0 {
		judged = append(judged, "other readings of "+strings.Join(others, ", "))
	}
	return cmp.Or(strings.Join(judged, "; "), "none")
}

// uses reports whether a claim's own checks use an experiment, and whether its other
// readings do.
func uses(f *claims.File, claim, experiment string) (own, other bool) {
	for i := range f.Claims {
		if f.Claims[i].ID == claim {
			checks, readings := f.Claims[i].Experiments()
			return slices.Contains(checks, experiment), slices.Contains(readings, experiment)
		}
	}
	return false, false
}

// span writes seconds for people.
func span(seconds float64) string {
	switch {
	case seconds < 9.95:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds < 99.5:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 5970:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}

// size writes bytes for people, in powers of ten.
func size(bytes int64) string {
	switch {
	case bytes < 1e6:
		return fmt.Sprintf("%.0f kB", float64(bytes)/1e3)
	case bytes < 1e9:
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.2f GB", float64(bytes)/1e9)
}

// Sum reads a file of a folder and returns its path, size and checksum.
func Sum(folder fs.FS, path string) (File, error) {
	f, err := folder.Open(path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	hash := sha256.New()
	n, err := io.Copy(hash, f)
	return File{Path: path, Bytes: n, SHA256: hex.EncodeToString(hash.Sum(nil))}, err
}
