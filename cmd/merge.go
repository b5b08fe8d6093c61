package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ppdp/experiments/engine"
	"ppdp/internal/problem"
	"ppdp/internal/regress"
	"ppdp/internal/results"
	"ppdp/internal/terminal"
)

type mergeCommand struct {
	Dirs []string `reads:"" arg:"" name:"dir" help:"A folder of results, with all that is below it."`
	dataFlags
	Out    string `help:"Folder for the merged results (default: ${default})." default:"results" placeholder:"DIR"`
	Report bool   `help:"Report afterwards, as ppdp report does, also where jobs failed or are missing."`
}

func (mergeCommand) Help() string {
	return `Makes the results of experiments whose jobs several machines have run (ppdp run
--shard) from their journals, and draws the figures. The files are those of a run on one machine,
byte for byte. Nothing is run; the data are read again, from where the first of the runs read them.

A journal of another plan, other data or another program is refused, and so are two journals that
disagree on a job. Where jobs are missing nothing is written, and the commands that run them are
named. Merging again is safe.

Examples:

  ppdp merge results

  ppdp merge /mnt/one /mnt/two --out results`
}

func (c mergeCommand) Run(con *console) (err error) {
	if c.Report {
		defer func() { err = errors.Join(err, reportCommand{c.Out}.Run(con)) }()
	}
	var names []string
	folders := make(map[string][]string)
	err = eachStart(c.Dirs, func(dir string, start *engine.Start) {
		name := start.Manifest.Experiment
		if sameFile(dir, filepath.Join(c.Out, filepath.FromSlash(name))) {
			return // of an earlier merge, perhaps of another plan
		}
		names = results.Union(names, name)
		folders[name] = append(folders[name], dir)
	})
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s: no %s there, which a run leaves in the folder of its experiment",
			strings.Join(c.Dirs, ", "), engine.StartFile)
	}
	if err != nil {
		return terminal.InputError(err)
	}
	return errors.Join(results.Mapped(names, func(name string) error {
		return problem.Named(name, c.merge(con, name, folders[name]))
	})...)
}

func (c mergeCommand) merge(con *console, name string, dirs []string) error {
	log := func(text string) { fmt.Fprintf(con.stderr, "ppdp: %s: %s\n", name, text) }
	merged, err := engine.Merge(con.ctx, dirs,
		engine.Options{Out: c.Out, Files: c.files(), Log: log}, sameRun)
	if err != nil {
		return err
	}
	if len(merged.Missing) > 0 {
		return missingError(merged)
	}
	fmt.Fprintf(con.stdout, "%s: %d jobs of %d folders, %d failed: %s\n", name, merged.Jobs,
		len(dirs), merged.Failed, filepath.ToSlash(merged.Dir))
	return errors.Join(failedJobs(&merged.Result), drawFigures(con, merged.Dir))
}

// missingError says which jobs are missing and what runs them.
func missingError(merged *engine.Merged) error {
	text := "jobs are missing, nothing is written; these commands run them:"
	for _, m := range merged.Missing {
		of, command := "", merged.CommandLine
		if n := m.Shard; n.Count > 0 {
			part := fmt.Sprintf("%d/%d", n.Index+1, n.Count)
			of, command = " of shard "+part, append(slices.Clip(command), "--shard", part)
		}
		text += fmt.Sprintf("\n  %d jobs%s: %s", m.Jobs, of, results.CommandText(command))
	}
	return errors.New(text)
}

// sameRun names the inputs in which two runs differ. Where the machines' processors and the
// command lines differ, the results do not.
func sameRun(here, there *results.Manifest) error {
	all := regress.Differences(&regress.Reference{Manifest: *here},
		&regress.Reference{Manifest: *there})
	if len(all) == 0 && here.SpecHash != there.SpecHash {
		all = []regress.Difference{{Input: "spec plots", A: here.SpecHash, B: there.SpecHash}}
	}
	if len(all) == 0 {
		return nil
	}
	texts := results.Mapped(all, regress.Difference.String)
	return fmt.Errorf("its inputs differ from those that this program has for the first folder's "+
		"plan (on the left): %s", strings.Join(texts, "; "))
}

// eachStart hands the experiments' folders below the given ones to visit, in order and each once.
func eachStart(roots []string, visit func(dir string, start *engine.Start)) error {
	seen := make(map[string]bool)
	var errs []error
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.Name() != engine.StartFile {
				return err
			}
			dir := filepath.Dir(path)
			absolute, err := filepath.Abs(dir)
			if err != nil || seen[absolute] {
				return err
			}
			seen[absolute] = true
			start, err := engine.ReadStart(dir)
			if err == nil {
				visit(dir, start)
			}
			errs = append(errs, err)
			return nil
		})
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}
