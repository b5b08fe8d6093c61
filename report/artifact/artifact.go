// Package artifact describes a set of results for those who reproduce it: it writes ARTIFACT.md, an
// appendix for the artifact evaluation of a conference, and has a script that compares. All numbers
// in ARTIFACT.md are measured: they come from the files of runs and from a trial run that the
// caller has just made. The package leaves out running anything and the report of the results
// (package report).
package artifact

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"text/template"
	"time"

	"ppdp/internal/results"
	"ppdp/report"
	"ppdp/report/claims"
)

// Contents is what the appendix is made from.
type Contents struct {
	Platform string // that the program was built for, "linux/amd64"
	Commit   string // of the program's source, "" where it is unknown
	Dirty    bool   // the program's source differed from Commit
	// Experiments are all that come with the program, run or not, in any order.
	Experiments []Experiment
	Settled     bool           // the values of settled runs are in the artifact
	Papers      []*claims.File // judged
	Tires       Trial
	Packed      []string // names of the datasets whose files are in the artifact
}

// Experiment is a figure or table's experiment and the run of it that is in the artifact.
type Experiment struct {
	Name, Source string
	Extra        bool // no part of a whole run
	Run          *Run // nil when it was not run
}

// Run is a finished run of an experiment.
type Run struct {
	Results *results.Summary
	Bytes   int64 // on disk, of the files that are in the artifact
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
	SHA256 string // in hexadecimal
}

// Check is a script that runs the artifact's experiments again and compares what they give.
//
//go:embed check.sh
var Check string

//go:embed artifact.md.tmpl
var markdownText string

var markdown = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("artifact").Funcs(template.FuncMap{
		"join": func(words []string, between string) string { return strings.Join(words, between) },
		// A bar within a field would end it.
		"field": func(text string) string { return strings.ReplaceAll(text, "|", `\|`) },
		"lines": func(text string) []string {
			return strings.Split(strings.TrimRight(text, "\n"), "\n")
		},
		"agreement": func(papers []*claims.File) string {
			return claims.Agreement(claims.Judgements(papers))
		},
		"size": size,
		"span": span,
		"has":  slices.Contains[[]string],
	}).Parse(markdownText))
})

// document is what the template of ARTIFACT.md shows.
type document struct {
	*Contents
	Rows      []Experiment // by the numbers of their figures
	Claims    []claimRow
	Machines  []string
	Datasets  []results.DatasetUse // without repetitions
	Disk      int64                // bytes
	Ran, Jobs int                  // experiments, and jobs of these
	Worked    float64              // seconds
}

// claimRow is a claim with what judging it takes.
type claimRow struct {
	*claims.Judgement
	Experiments []string // that its checks use
	Seconds     float64  // of the jobs of their runs; 0 if some were not run or not timed
}

// Gaps says what the artifact lacks of a whole run: all experiments as specified, on real data,
// with no failed job.
func (c *Contents) Gaps() (gaps []string) {
	of := func(what string, applies func(*Experiment) bool) {
		var names []string
		for i := range c.Experiments {
			if e := &c.Experiments[i]; applies(e) {
				names = append(names, e.Name)
			}
		}
		if names != nil {
			gaps = append(gaps, fmt.Sprintf("%s: %d of %d (%s)", what, len(names),
				len(c.Experiments), strings.Join(names, ", ")))
		}
	}
	of("not run", func(e *Experiment) bool { return e.Run == nil && !e.Extra })
	of("run with less than the spec says", func(e *Experiment) bool {
		return e.Run != nil && e.Run.Results.Manifest.Overrides.Reduced()
	})
	of("run on stand-ins for real data", func(e *Experiment) bool {
		return e.Run != nil && len(e.Run.Results.Manifest.StandIns()) > 0
	})
	of("with failed jobs", func(e *Experiment) bool {
		return e.Run != nil && e.Run.Results.Failed > 0
	})
	return gaps
}

// WriteMarkdown writes ARTIFACT.md. Equal contents give equal bytes.
func WriteMarkdown(w io.Writer, c *Contents) error {
	d := &document{Contents: c}
	for _, e := range slices.SortedFunc(slices.Values(c.Experiments),
		func(a, b Experiment) int { return report.CompareNames(a.Name, b.Name) }) {
		d.addExperiment(e)
	}
	for _, p := range c.Papers {
		for i := range p.Judgements {
			d.addClaim(&p.Claims[i], &p.Judgements[i])
		}
	}
	return markdown().Execute(w, d)
}

func (d *document) addExperiment(e Experiment) {
	d.Rows = append(d.Rows, e)
	if e.Run == nil {
		return
	}
	run := e.Run.Results
	m := &run.Manifest
	machine := strings.TrimSpace(m.CPU + " (" + m.GOOS + "/" + m.GOARCH + ", " + m.GoVersion + ")")
	d.Machines = results.Union(d.Machines, machine)
	for _, used := range m.Datasets {
		if !slices.ContainsFunc(d.Datasets, func(other results.DatasetUse) bool {
			return other.Name == used.Name && other.Checksum == used.Checksum
		}) {
			d.Datasets = append(d.Datasets, used)
		}
	}
	d.Ran++
	d.Jobs += run.Jobs
	d.Disk += e.Run.Bytes
	d.Worked += run.Seconds
}

// addClaim adds a claim with the experiments that its checks use.
func (d *document) addClaim(c *claims.Claim, j *claims.Judgement) {
	row := claimRow{Judgement: j}
	row.Experiments, _ = c.Experiments()
	timed := 0
	for _, e := range d.Experiments {
		if slices.Contains(row.Experiments, e.Name) && e.Run != nil && e.Run.Results.Timed {
			row.Seconds += e.Run.Results.Seconds
			timed++
		}
	}
	if timed < len(row.Experiments) {
		row.Seconds = 0
	}
	d.Claims = append(d.Claims, row)
}

// span writes seconds for people.
func span(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

// size writes bytes for people.
func size(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

// Sum reads a file of a folder and returns its path and checksum.
func Sum(folder fs.FS, path string) (File, error) {
	content, err := fs.ReadFile(folder, path)
	return File{Path: path, SHA256: fmt.Sprintf("%x", sha256.Sum256(content))}, err
}
