package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"ppdp/experiments/engine"
	"ppdp/internal/problem"
	"ppdp/internal/results"
	"ppdp/internal/spelling"
	"ppdp/internal/terminal"
	"ppdp/plots"
)

type plotCommand struct {
	Experiments []string `arg:"" optional:"" name:"experiment" help:"Experiments such as rps/fig1; default: all below --out."`
	Out         string   `help:"Folder of results (default: ${default})." default:"results" placeholder:"DIR"`
}

func (plotCommand) Help() string {
	return `Draws the figures of finished runs again. Nothing is run. Every figure is written as
SVG, PNG and PDF. An experiment with several figures also gets one with all of them side by side.

Examples:

  ppdp plot

  ppdp plot rps/fig1 --out ~/results`
}

func (c plotCommand) Run(con *console) error {
	dirs, err := runDirs(con, c.Out, c.Experiments)
	if err != nil {
		return err
	}
	return errors.Join(results.Mapped(dirs, func(dir string) error {
		return problem.Named(filepath.ToSlash(dir), drawFigures(con, dir)) // all at once
	})...)
}

// runDirs lists the folders of the named experiments below out, or of all that a run has finished.
// It says which have begun and not finished.
func runDirs(con *console, out string, names []string) ([]string, error) {
	var dirs []string
	var errs []error
	if err := present(out); err != nil {
		return nil, terminal.InputError(err)
	}
	err := filepath.WalkDir(out, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch dir := filepath.Dir(file); entry.Name() {
		case results.ManifestFile:
			dirs = append(dirs, dir)
		case engine.JournalFile:
			if _, err := os.Stat(filepath.Join(dir, results.ManifestFile)); err == nil ||
				len(names) > 0 {
				break
			}
			if start, _ := engine.ReadStart(dir); start != nil && start.Shard.Count > 0 {
				break // a shard, whose results ppdp merge makes
			}
			fmt.Fprintf(con.stderr, "ppdp: %s: left out: its run has not finished; start it "+
				"again and it goes on\n", filepath.ToSlash(dir))
		}
		return nil
	})
	if err == nil && len(dirs) == 0 {
		err = fmt.Errorf("%s holds no results: no run has finished there, and no shards are "+
			"merged", out)
	}
	if err != nil || len(names) == 0 {
		return dirs, terminal.InputError(err)
	}
	finished := make([]string, len(dirs))
	for i, dir := range dirs {
		place, _ := filepath.Rel(out, dir) // it lies below
		finished[i] = filepath.ToSlash(place)
	}
	dirs = nil
	for _, name := range names {
		if name = path.Clean(filepath.ToSlash(name)); !slices.Contains(finished, name) {
			errs = append(errs, fmt.Errorf("no finished run of %q in %s%s, must be an experiment "+
				"that ppdp run has run", name, out, spelling.Hint(name, finished)))
		}
		dirs = append(dirs, filepath.Join(out, name))
	}
	return dirs, terminal.InputError(errs...)
}

// drawFigures draws every figure of a run from its files.
func drawFigures(con *console, dir string) error {
	outcome, err := results.Open(dir)
	if err != nil {
		return err
	}
	if len(outcome.Manifest.Figures) == 0 {
		return nil
	}
	paths, warnings, err := plots.WriteExperiment(dir, outcome)
	for _, warning := range warnings {
		fmt.Fprintf(con.stderr, "ppdp: %s: warning: %s\n", outcome.Manifest.Experiment, warning)
	}
	if len(paths) > 0 {
		fmt.Fprintf(con.stdout, "%s: figures as SVG, PNG and PDF\n", filepath.ToSlash(dir))
	}
	return err
}
