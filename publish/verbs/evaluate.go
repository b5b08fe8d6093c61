package verbs

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ppdp/experiments/engine"
	"ppdp/internal/results"
	"ppdp/internal/terminal"
	"ppdp/publish/comparison"
	"ppdp/publish/evaluation"
)

// Evaluate is "ppdp evaluate": it measures releases, whoever made them.
type Evaluate struct {
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
func (Evaluate) Help() string {
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
func (c *Evaluate) Validate() error {
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
func (c *Evaluate) Run(con *Console) error {
	if err := besideTable(&c.Schema, c.Original); err != nil {
		return err
	}
	base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(c.Original), ".gz"), ".csv")
	out := cmp.Or(c.Out, base+"-evaluated")
	e := comparison.Evaluation{CSV: c.Original, Schema: c.Schema, Releases: c.Releases,
		Holdout: c.Holdout, Split: c.Split, Target: c.Target, Groups: c.Groups,
		Sensitive: c.Sensitive, Learnt: c.Learnt, Seed: c.Seed}
	path := filepath.Join(out, comparison.EvaluationName+".yaml")
	s, notes, err := e.Spec(con.Ctx, con.Files, path)
	if con.Ctx.Err() != nil {
		return fmt.Errorf("%w while the tables were read: nothing was run", engine.ErrInterrupted)
	}
	if err != nil {
		return terminal.InputError(err)
	}
	for _, note := range notes {
		fmt.Fprintf(con.Stderr, "ppdp: note: %s\n", note)
	}
	run, failed := con.runWritten(s, out, c.Jobs, 0)
	if run == nil {
		return failed
	}
	page, err := con.Page(out, run, nil)
	if err != nil {
		return errors.Join(failed, err)
	}
	measured := evaluation.Of(run)
	if c.JSON {
		return errors.Join(failed, results.WriteJSON(con.Stdout, measured))
	}
	for column, of := range measured.Columns {
		for _, kind := range measured.Kinds {
			if of.Release {
				fmt.Fprintf(con.Stdout, "%s, %s: %s\n", of.Name, kind.Name, kind.Short[column])
			}
		}
	}
	fmt.Fprintln(con.Stdout, page)
	return failed
}
