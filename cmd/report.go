package cmd

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"ppdp/docs"
	"ppdp/internal/results"
	"ppdp/publish/evaluation"
	"ppdp/report"
	"ppdp/report/claims"
)

type reportCommand struct {
	Out string `help:"Folder of results (default: ${default})." default:"results" placeholder:"DIR"`
}

func (reportCommand) Help() string {
	return `Writes report.html into the folder of results: verdicts on the papers' claims, figures
with their numbers, privacy budgets, errata, failed jobs and provenance. Where none of the papers'
experiments was run it is about your own runs: which release is best, than which it is better, by
how much and with what p-value, and what each guarantees. It is one file that needs neither network
nor scripts. Nothing is run.

Examples:

  ppdp report

  ppdp report --out ~/results`
}

func (c reportCommand) Run(con *console) error {
	runs, err := openRuns(con, c.Out)
	if err != nil {
		return err
	}
	return writeReport(con, c.Out, runs, nil)
}

// reportFile is the report's name in a folder of results.
const reportFile = "report.html"

// writeReport judges every paper in either variant on the runs and writes the report beside them,
// of the user's own table with the times and the commands of releases.
func writeReport(con *console, out string, runs []*results.Summary,
	release func(*results.Setting) (command, refused string)) error {
	errata, err := claims.ReadErrata(docs.Errata)
	if err != nil {
		return err
	}
	in := report.Input{Runs: runs, Errata: errata, Release: release, Section: evaluation.Section}
	v, err := readClaims(claims.Papers())
	if err != nil {
		return err
	}
	_ = v.judge(claims.Strict, out, runs) // fails as for the published variant
	for _, file := range v {
		file.Strict = file.Judgements
	}
	wrong := v.judge(claims.Published, out, runs)
	in.Papers = v
	path := filepath.Join(out, reportFile)
	var warnings []string
	err = results.WriteFile(path, func(w io.Writer) (err error) {
		warnings, err = report.Write(w, in)
		return err
	})
	if err != nil {
		return errors.Join(wrong, fmt.Errorf("%s: %w", filepath.ToSlash(path), err))
	}
	for _, warning := range warnings {
		fmt.Fprintf(con.stderr, "ppdp: warning: %s\n", warning)
	}
	fmt.Fprintln(con.stdout, filepath.ToSlash(path))
	return wrong
}
