package cmd

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ppdp/experiments/comparison"
	"ppdp/experiments/engine"
	"ppdp/experiments/language"
	"ppdp/internal/results"
	"ppdp/report/evaluation"
)

// evaluateCommand is "ppdp evaluate".
type evaluateCommand struct {
	Original  string   `reads:"" arg:"" help:"The original table: a CSV file."`
	Releases  []string `reads:"" arg:"" name:"release" help:"What was released of it: a CSV file of any program, with raw or generalised values, or a folder of ppdp release."`
	Schema    string   `reads:"" help:"The original's schema file; ppdp datasets schema drafts one. By default the one beside it: my.schema.yaml of my.csv." placeholder:"FILE"`
	Holdout   string   `reads:"" help:"Records of the same population that no release was made from, in a table like the original." placeholder:"FILE"`
	Split     float64  `help:"In place of --holdout: the share of the original that learners are tested on. Releases may be made from it, so that attacks on membership are left out." placeholder:"SHARE"`
	Target    string   `help:"The attribute that learners predict, in place of the schema's class." placeholder:"ATTRIBUTE"`
	Groups    []string `help:"Attributes between whose groups learners' errors are compared." placeholder:"NAME,..."`
	Sensitive []string `help:"Attributes that an attacker would guess, in place of those of that role in the schema." placeholder:"NAME,..."`
	Learnt    int      `help:"The most records of a release or control that learners learn from, and the most that they are tested on: of more, a sample; 0 means all." default:"50000" placeholder:"N"`
	Seed      uint64   `help:"Master seed of all randomness." default:"1" placeholder:"S"`
	Out       string   `help:"Folder for the spec, the results and the page (default: the original's name and -evaluated)." placeholder:"DIR"`
	JSON      bool     `name:"json" help:"Write all numbers as JSON instead of sentences."`
	Jobs      int      `short:"j" help:"Releases and controls measured at once; 0 means one per processor." default:"0" placeholder:"N"`
}

// Help is the second part of the verb's help text.
func (evaluateCommand) Help() string {
	return `Says what releases of a table are worth and what they give away, whatever program made
them: how near they are to the original, what learners get out of them and, with --holdout, what
attackers do. Beside each number stand controls made from the original: a copy, samples of it,
independent columns, the target permuted, the majority class. So a release is "as good as a sample
of 12 %". Ends with one page, report.html, and the spec of a run like any other, evaluate.yaml.

Of generalised values (ranges such as [20, 30), 20-29 or [20-30[, sets, terms of a taxonomy, *) one
of those that they stand for is drawn. Records with values outside the schema are left out of what
is measured, and counted.

The page is measured on your data and as private as they are; docs/your-table.md explains it.

Examples:

  ppdp evaluate my.csv theirs.csv --split 0.2

  ppdp evaluate my.csv theirs.csv ours-release --holdout later.csv --target income --groups sex,race

  ppdp evaluate my.csv theirs.csv --schema my.schema.yaml --json`
}

// Validate is asked by kong.
func (c *evaluateCommand) Validate() error {
	var errs []error
	if c.Holdout != "" && c.Split != 0 {
		errs = append(errs, errors.New("--holdout and --split: one of them holds records out"))
	}
	if !(c.Split >= 0 && c.Split < 1) {
		errs = append(errs, fmt.Errorf("--split: %v, must be above 0 and below 1", c.Split))
	}
	if c.Learnt < 0 {
		errs = append(errs, fmt.Errorf("--learnt: %d, must be at least 0", c.Learnt))
	}
	if c.Jobs < 0 {
		errs = append(errs, fmt.Errorf("--jobs: %d, must be at least 0", c.Jobs))
	}
	return errors.Join(errs...)
}

// Run evaluates.
func (c *evaluateCommand) Run(con *console) error {
	if err := besideTable(&c.Schema, c.Original); err != nil {
		return err
	}
	base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(c.Original), ".gz"), ".csv")
	out := cmp.Or(c.Out, base+"-evaluated")
	e := comparison.Evaluation{CSV: c.Original, Schema: c.Schema, Releases: c.Releases,
		Holdout: c.Holdout, Split: c.Split, Target: c.Target, Groups: c.Groups,
		Sensitive: c.Sensitive, Learnt: c.Learnt, Seed: c.Seed}
	flags := &runFlags{outFlag: outFlag{Out: out}, Jobs: c.Jobs}
	path := filepath.Join(out, comparison.EvaluationName+".yaml")
	s, notes, err := e.Spec(con.ctx, reading(con, flags.files()), path)
	if con.ctx.Err() != nil {
		return fmt.Errorf("%w while the tables were read: nothing was run", engine.ErrInterrupted)
	}
	if err != nil {
		return inputErrors(err)
	}
	for _, note := range notes {
		fmt.Fprintf(con.stderr, "ppdp: note: %s\n", note)
	}
	run, failed := runWritten(con, s, out, flags)
	if run == nil {
		return failed
	}
	quiet := *con
	quiet.stdout = io.Discard
	if err := writeReport(&quiet, out, []*results.Summary{run}, nil); err != nil {
		return errors.Join(failed, err)
	}
	measured := evaluation.Of(run)
	if c.JSON {
		return errors.Join(failed, results.WriteJSON(con.stdout, measured))
	}
	for column, of := range measured.Columns {
		for _, kind := range measured.Kinds {
			if of.Release {
				fmt.Fprintf(con.stdout, "%s, %s: %s\n", of.Name, kind.Name, kind.Short[column])
			}
		}
	}
	fmt.Fprintln(con.stdout, filepath.ToSlash(filepath.Join(out, reportFile)))
	return failed
}

// runWritten writes a spec that the program has made into the folder of its results, runs it
// without a word on standard output, and reads the run. It is nil where there is none, failed then
// says why; failed is not nil where jobs have failed either. A folder of another spec is left as it
// is.
func runWritten(con *console, s *language.Spec, out string, flags *runFlags) (run *results.Summary,
	failed error) {
	plan, err := s.Plan(language.Overrides{})
	if err != nil {
		return nil, inputErrors(err)
	}
	path := s.File
	if before, err := os.ReadFile(path); err == nil && !bytes.Equal(before, s.Text) {
		return nil, inputError{fmt.Errorf("%s was made under other settings, or was changed: "+
			"name another folder by --out, or delete %s", filepath.ToSlash(path),
			filepath.ToSlash(out))}
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return nil, err
	}
	err = results.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(s.Text)
		return err
	})
	if err != nil {
		return nil, err
	}
	quiet := *con
	quiet.stdout = io.Discard
	failed = runPlans(&quiet, []*language.Plan{plan}, flags)
	if con.ctx.Err() != nil {
		return nil, failed // it says what to do
	}
	run, err = results.Open(filepath.Join(out, s.Name))
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	return run, failed
}
