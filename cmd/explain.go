package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ppdp/internal/regress"
	"ppdp/internal/results"
	"ppdp/internal/terminal"
)

type explainCommand struct {
	A    string `arg:"" name:"a" help:"A run's folder, such as results/rps/fig1, or a reference's."`
	B    string `arg:"" name:"b" help:"The one to compare it with."`
	All  bool   `help:"Show every input that differs, not only the first."`
	JSON bool   `name:"json" help:"Write JSON, with every input that differs."`
}

func (explainCommand) Help() string {
	return `Names the first input in which two runs differ, in the order in which a run depends on
them: spec, command line, parameters, data, revisions of algorithms, metrics and classifiers, seed,
modules, Go, platform, commit. Comments and white space in a spec are ignored. The exit code is 0
whether the runs differ or not.

Examples:

  ppdp explain results/rps/fig1 new/rps/fig1

  ppdp explain report/reference/quick/rps/fig1 results/quick/rps/fig1 --all`
}

func (c explainCommand) Run(con *console) error {
	a, errA := openExplained(c.A)
	b, errB := openExplained(c.B)
	if err := errors.Join(errA, errB); err != nil {
		return terminal.InputError(err)
	}
	differences, output := regress.Differences(a, b), regress.OutputDifference(a, b)
	if c.JSON {
		return results.WriteJSON(con.stdout, struct {
			Inputs []regress.Difference `json:"inputs"`
			Output *regress.Difference  `json:"output,omitempty"` // the first number that differs
		}{append([]regress.Difference{}, differences...), output})
	}
	return c.print(con, differences, output)
}

func (c explainCommand) print(con *console, differences []regress.Difference,
	output *regress.Difference) error {
	shown := differences
	if !c.All && len(shown) > 1 {
		shown = shown[:1]
	}
	for _, d := range shown {
		fmt.Fprintln(con.stdout, d)
	}
	if more := len(differences) - len(shown); more > 0 {
		fmt.Fprintf(con.stdout, "and %d more: --all shows them\n", more)
	}
	last := fmt.Sprintf("the first number that differs: %v", output)
	switch {
	case len(differences) == 0 && output == nil:
		last = "no input differs, and no number does"
	case len(differences) == 0:
		last = fmt.Sprintf("no input differs, but numbers do: the code has changed without a "+
			"new revision. The first: %v", output)
	case output == nil:
		last = "no number differs in what both have"
	}
	_, err := fmt.Fprintln(con.stdout, last)
	return err
}

// openExplained reads the folder of a run, or of a reference.
func openExplained(dir string) (*regress.Reference, error) {
	if _, err := os.Stat(filepath.Join(dir, regress.ReferenceFile)); err == nil {
		return regress.OpenReference(dir)
	}
	outcome, err := results.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: neither a run's folder nor a reference's: %w", dir, err)
	}
	if err != nil {
		return nil, err
	}
	reference := regress.ReferenceOf(outcome)
	reference.Manifest = outcome.Manifest // with the commit
	return reference, nil
}
