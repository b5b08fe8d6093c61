package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"ppdp/claims"
	"ppdp/experiments"
	"ppdp/experiments/spec"
	"ppdp/internal/results"
	"ppdp/report"
	"ppdp/report/artifact"
)

// artifactCommand is "ppdp artifact".
type artifactCommand struct {
	Out string `help:"Folder of results (default: ${default})." default:"results" placeholder:"DIR"`
	To  string `help:"Folder of the artifact (default: ${default}). Files already there become part of it." default:"dist" placeholder:"DIR"`
}

// Help is the second part of the verb's help text.
func (artifactCommand) Help() string {
	return `Copies the results of finished runs and writes ARTIFACT.md: requirements, measured times
and sizes, claims, limitations. One run of a few seconds is made for its expected output. "make
artifact" adds the program, its source and its license.

Examples:

  ppdp artifact

  ppdp artifact --out ~/results --to ~/artifact`
}

// tires is the experiment of the short trial: it needs no data and takes seconds.
const tires = "rps/fig1"

// Run describes.
func (c artifactCommand) Run(con *console) error {
	settings := buildSettings()
	contents := &artifact.Contents{Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Commit: settings["vcs.revision"], Dirty: settings["vcs.modified"] == "true"}
	runs, err := openRuns(con, c.Out)
	if err != nil {
		return err
	}
	if err = os.MkdirAll(filepath.Join(c.To, "results"), 0o777); err != nil {
		return err
	}
	for _, name := range experiments.Names() {
		s, err := spec.Embedded(name)
		if err != nil {
			return err
		}
		e := artifact.Experiment{Name: name, Title: s.Title, Source: s.Source}
		for _, outcome := range runs {
			if outcome.Manifest.Experiment != name {
				continue
			}
			e.Run = &artifact.Run{Results: outcome}
			if e.Run.Usage, err = results.ReadUsage(outcome.Dir); err != nil {
				return err
			}
			to := filepath.Join(c.To, "results", filepath.FromSlash(name))
			if e.Run.Bytes, err = copyRun(outcome.Dir, to); err != nil {
				return err
			}
		}
		contents.Experiments = append(contents.Experiments, e)
	}
	// The report is of all runs in the folder; it is optional.
	_, err = copyFile(filepath.Join(c.Out, reportFile), filepath.Join(c.To, "results", reportFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	v, err := readClaims(claims.Papers())
	if err == nil {
		err = v.judge(claims.Published, runs)
	}
	if err != nil {
		return err
	}
	for i, file := range v.files {
		contents.Papers = append(contents.Papers,
			report.Paper{File: file, Judgements: v.judgements[i]})
	}
	if contents.Tires, err = runTrial(con); err != nil {
		return fmt.Errorf("trial of %s: %w", tires, err)
	}
	path := filepath.Join(c.To, "ARTIFACT.md")
	err = results.WriteFile(path, func(w io.Writer) error {
		return artifact.WriteMarkdown(w, contents)
	})
	if err == nil {
		_, err = fmt.Fprintln(con.stdout, filepath.ToSlash(path))
	}
	return err
}

// copyRun copies the files of a run directory and returns their bytes. What serves the next run
// alone stays behind, and releases with it: they are as large as the data.
func copyRun(from, to string) (int64, error) {
	if err := os.MkdirAll(to, 0o777); err != nil {
		return 0, err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return 0, err
	}
	total := int64(0)
	for _, entry := range entries {
		name := entry.Name()
		if !entry.Type().IsRegular() || strings.HasPrefix(name, ".") ||
			strings.HasPrefix(name, "journal.") || strings.HasSuffix(name, ".partial") {
			continue
		}
		n, err := copyFile(filepath.Join(from, name), filepath.Join(to, name))
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

func copyFile(from, to string) (n int64, err error) {
	source, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer source.Close()
	err = results.WriteFile(to, func(w io.Writer) error {
		n, err = io.Copy(w, source)
		return err
	})
	return n, err
}

// runTrial makes the short trial in a folder of its own, as a reader would by the command it
// returns.
func runTrial(con *console) (trial artifact.Trial, err error) {
	const folder = "tires"
	trial.Command = "./ppdp run " + tires + " --quick --out " + folder
	dir, err := os.MkdirTemp("", "ppdp-"+folder)
	if err != nil {
		return trial, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	plans, err := makePlans([]string{tires}, spec.Overrides{Quick: true})
	if err != nil {
		return trial, err
	}
	var output strings.Builder
	quiet := *con
	quiet.stdout, quiet.stderr, quiet.terminal = &output, io.Discard, false
	started := con.now()
	if err = runPlans(&quiet, plans, &runFlags{outFlag: outFlag{Out: dir}}); err != nil {
		return trial, err
	}
	trial.Seconds = con.now().Sub(started).Seconds()
	trial.Output = strings.ReplaceAll(output.String(), filepath.ToSlash(dir), folder)
	for _, name := range []string{results.RecordsFile, results.SummaryFile} {
		path := tires + "/" + name
		file, err := artifact.Sum(os.DirFS(dir), path)
		if err != nil {
			return trial, err
		}
		file.Path = folder + "/" + path
		trial.Files = append(trial.Files, file)
	}
	return trial, nil
}
