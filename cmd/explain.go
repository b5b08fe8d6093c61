package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ppdp/internal/regress"
	"ppdp/internal/results"
)

type explainCommand struct {
	A    string `arg:"" name:"a" help:"A run's folder, such as results/rps/fig1, or one job of it: FOLDER#LINE, the job's line in records.jsonl. A reference's folder works too."`
	B    string `arg:"" name:"b" help:"The run or job to compare it with."`
	All  bool   `help:"Show every input that differs, not only the first."`
	JSON bool   `name:"json" help:"Write JSON, with every input that differs."`
}

func (explainCommand) Help() string {
	return `Names the first input in which two runs differ, in the order in which a run depends on
them: spec, command line, parameters, data, revisions of algorithms, metrics and classifiers, seed,
modules, Go, platform, commit. Comments and white space in a spec are ignored. For two jobs, their
settings, trials and folds are compared first. The exit code is 0 whether the runs differ or not.

Examples:

  ppdp explain results/rps/fig1 new/rps/fig1

  ppdp explain results/rps/fig1#12 results/rps/fig1#13

  ppdp explain report/reference/quick/rps/fig1 results/quick/rps/fig1 --all`
}

// explained is one side of a comparison.
type explained struct {
	reference *regress.Reference
	job       *results.Record // nil for a run as a whole
}

func (c explainCommand) Run(con *console) error {
	a, errA := openExplained(c.A)
	b, errB := openExplained(c.B)
	if err := errors.Join(errA, errB); err != nil {
		return inputError{err}
	}
	if (a.job == nil) != (b.job == nil) {
		return inputError{errors.New("a job and a run cannot be compared: name a job " +
			"(FOLDER#LINE) on both sides, or on none")}
	}
	var differences []regress.Difference
	if a.job != nil {
		differences = regress.JobDifferences(a.job, b.job)
	}
	differences = append(differences, regress.Differences(a.reference, b.reference)...)
	output := regress.OutputDifference(a.reference, b.reference)
	if a.job != nil {
		output = regress.JobOutputDifference(a.job, b.job)
	}
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

// openExplained reads FOLDER or FOLDER#LINE.
func openExplained(word string) (*explained, error) {
	dir, line := word, ""
	if at := strings.LastIndexByte(word, '#'); at >= 0 {
		dir, line = word[:at], word[at+1:]
	}
	if _, err := os.Stat(filepath.Join(dir, regress.ReferenceFile)); err == nil {
		if line != "" {
			return nil, fmt.Errorf("%s: a reference has no jobs", word)
		}
		reference, err := regress.OpenReference(dir)
		return &explained{reference: reference}, err
	}
	outcome, err := results.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: neither a run's folder nor a reference's: %w", dir, err)
	}
	if err != nil {
		return nil, err
	}
	side := &explained{reference: regress.ReferenceOf(outcome)}
	side.reference.Manifest = outcome.Manifest // with the commit
	if line == "" {
		return side, nil
	}
	n, err := strconv.Atoi(line)
	if err != nil || n < 1 || n > outcome.Jobs {
		return nil, fmt.Errorf("%s: %q, must be a line of %s, 1 to %d", word, line,
			results.RecordsFile, outcome.Jobs)
	}
	side.job, err = outcome.Record(n)
	return side, err
}
