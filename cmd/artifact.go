package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"ppdp/datasets"
	"ppdp/experiments"
	"ppdp/experiments/language"
	"ppdp/internal/results"
	"ppdp/report/artifact"
	"ppdp/report/claims"
	"ppdp/report/leaderboard"
)

type artifactCommand struct {
	Out string `help:"Folder of results (default: ${default})." default:"results" placeholder:"DIR"`
	To  string `help:"Folder of the artifact (default: ${default}). Files already there become part of it." default:"dist" placeholder:"DIR"`
	dataFlags
}

func (artifactCommand) Help() string {
	return `Copies the results of finished runs, and those of their data that may be passed on, and
writes ARTIFACT.md: requirements, measured times and sizes, the verdict of the results and the
published one on each claim, limitations. With them come check.sh, which runs the experiments again
and compares, and SHA256SUMS. One run of a few seconds is made for its expected output. It warns of
what a whole run has and this one lacks. "make artifact" adds the program, its source and its
license.

Examples:

  ppdp artifact

  ppdp artifact --out ~/results --to ~/artifact`
}

// tires is the experiment of the short trial: it needs no data and takes seconds.
const tires = "rps/fig1"

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
	var used []*language.Plan // on real data
	for _, name := range experiments.Names() {
		s, err := language.Embedded(name)
		if err != nil {
			return err
		}
		e := artifact.Experiment{Name: name, Source: s.Source,
			Extra: strings.HasPrefix(name, leaderboard.Prefix)}
		for _, outcome := range runs {
			if outcome.Manifest.Experiment != name {
				continue
			}
			e.Run = &artifact.Run{Results: outcome}
			to := filepath.Join(c.To, "results", filepath.FromSlash(name))
			if e.Run.Bytes, err = copyRun(outcome.Dir, to); err != nil {
				return err
			}
			if len(outcome.Manifest.StandIns()) == 0 {
				used = append(used, &language.Plan{Spec: s})
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
		err = v.judge(claims.Published, c.Out, runs)
	}
	if err != nil {
		return err
	}
	contents.Papers = v
	_, err = os.Stat(filepath.Join(c.To, settledFolder))
	contents.Settled = err == nil
	if contents.Tires, err = runTrial(con); err != nil {
		return fmt.Errorf("trial of %s: %w", tires, err)
	}
	if contents.Packed, err = c.pack(con, datasetsOf(used)); err != nil {
		return err
	}
	path := filepath.Join(c.To, "ARTIFACT.md")
	err = results.WriteFile(path, func(w io.Writer) error {
		return artifact.WriteMarkdown(w, contents)
	})
	if err == nil {
		script := filepath.Join(c.To, "check.sh")
		err = cmp.Or(writeText(script, artifact.Check), os.Chmod(script, 0o755), writeSums(c.To))
	}
	if err != nil {
		return err
	}
	if gaps := contents.Gaps(); gaps != nil {
		fmt.Fprintf(con.stderr, "ppdp: warning: this is not a whole run. Experiments %s\n",
			strings.Join(gaps, "; "))
	}
	_, err = fmt.Fprintln(con.stdout, filepath.ToSlash(path))
	return err
}

// pack copies the files of the datasets used that may be passed on, with a note of their license,
// and returns the citations of these datasets.
func (c artifactCommand) pack(con *console, used []string) (packed []string, err error) {
	var note strings.Builder
	for _, name := range used {
		source, err := datasets.Lookup(name)
		if err != nil {
			return nil, err
		}
		info := source.Info()
		if info.License != datasets.Attribution || len(info.Files) == 0 ||
			slices.Contains(packed, info.Citation) {
			continue
		}
		complete := true
		for _, file := range info.Files {
			content, err := c.files().Open(file)
			if err != nil {
				complete = false
				fmt.Fprintf(con.stderr, "ppdp: warning: the data of %s are not packed: %v\n", name,
					err)
				continue
			}
			to := filepath.Join(c.To, "data", filepath.FromSlash(file.Path))
			err = cmp.Or(os.MkdirAll(filepath.Dir(to), 0o777), writeText(to, string(content)))
			if err != nil {
				return nil, err
			}
		}
		if complete {
			packed = append(packed, info.Citation)
			fmt.Fprintf(&note, "- %s: %s. License: %s "+
				"(creativecommons.org/licenses/by/4.0). The files are as published, unpacked.\n",
				info.Title, info.Citation, info.License)
		}
	}
	if packed != nil {
		err = writeText(filepath.Join(c.To, "data", "README.md"), "# Data\n\n"+note.String())
	}
	return packed, err
}

func writeText(path, text string) error {
	return results.WriteFile(path, results.Text(text))
}

// writeSums writes SHA256SUMS, the checksums of all files of a folder, in the form of sha256sum.
func writeSums(dir string) error {
	const name = "SHA256SUMS"
	var sums strings.Builder
	folder := os.DirFS(dir)
	err := fs.WalkDir(folder, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || path == name {
			return err
		}
		file, err := artifact.Sum(folder, path)
		fmt.Fprintf(&sums, "%s  %s\n", file.SHA256, path)
		return err
	})
	return cmp.Or(err, writeText(filepath.Join(dir, name), sums.String()))
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

func copyFile(from, to string) (int64, error) {
	content, err := os.ReadFile(from)
	if err != nil {
		return 0, err
	}
	return int64(len(content)), writeText(to, string(content))
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
	plans, err := makePlans([]string{tires}, language.Overrides{Quick: true})
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
