package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"ppdp/datasets"
	"ppdp/experiments/language"
	"ppdp/internal/problem"
	"ppdp/internal/results"
	"ppdp/internal/terminal"
	"ppdp/publish"
	"ppdp/publish/comparison"
	"ppdp/publish/evaluation"
	"ppdp/publish/gate"
)

// Evaluate is "ppdp evaluate": it measures releases, whoever made them.
type Evaluate struct {
	comparison.Evaluation
	gate.Files
	Policy string `help:"Limits that each release must keep, or the exit code is 1: a file, or default or privacy." placeholder:"FILE"`

	policy *gate.Policy

	Out  string `help:"Folder for the spec, the results and the page (default: the original's name and -evaluated)." placeholder:"DIR"`
	JSON bool   `name:"json" help:"Write all numbers as JSON instead of sentences."`
	Jobs int    `short:"j" help:"Releases and controls measured at once; 0 means one per processor." default:"0" min:"0" placeholder:"N"`
}

// Help is the second part of the verb's help text.
func (Evaluate) Help() string {
	return `Measures the utility of releases and what they disclose, whatever program made them: how
near they are to the original, what models trained on them reach and, with --holdout, what attacks
find. Beside each number stand controls made from the original: a copy, samples of it, fresh people
of the holdout, independent columns, the target permuted, the majority class. So a release is "as
good as a sample of 12 %". The first sentence about each release is a verdict: what it may be used
for, what not, and what it discloses at worst. Ends with one page, report.html, and the spec of a
run like any other, evaluate.yaml.

Of generalised values (ranges such as [20, 30), 20-29 or [20-30[, sets, terms of a taxonomy, *) one
of those that they stand for is drawn. A value outside the schema counts as missing: the record stays.
A release that repeats the holdout is refused.

The page is measured on your data and as private as they are; docs/your-table.md explains it.

Examples:

  ppdp evaluate my.csv theirs.csv --split 0.2

  ppdp evaluate my.csv theirs.csv ours-release --holdout later.csv --target income --groups sex,race

  ppdp evaluate my.csv theirs.csv --holdout later.csv --policy default --junit checks.xml`
}

// Validate is asked by kong.
func (c *Evaluate) Validate() error {
	return errors.Join(c.Evaluation.Validate(),
		problem.Unless(c.JUnit == "" || c.Policy != "", "--junit needs a --policy"))
}

// Spec is the evaluation's, which must measure what the policy limits.
func (c *Evaluate) Spec(ctx context.Context, files datasets.Files, path string) (*language.Spec,
	[]string, error) {
	s, notes, err := c.Evaluation.Spec(ctx, files, path)
	if c.Policy == "" {
		return s, notes, err
	}
	var measured []results.MeasureUse // not known where the spec has failed
	for i := 0; err == nil && i < len(s.Measures); i++ {
		measured = append(measured, results.MeasureUse{Measurement: s.Measures[i].Measurement(),
			Unit: s.Measures[i].Metric.Info().Unit})
	}
	policy, wrong := gate.Read(c.Policy, measured)
	c.policy = policy
	return s, notes, errors.Join(err, wrong)
}

// Run evaluates.
func (c *Evaluate) Run(con *Console) error {
	if err := publish.BesideTable(&c.Schema, c.CSV); err != nil {
		return terminal.InputError(err)
	}
	run, page, failed := con.measure(c, comparison.EvaluationName,
		cmp.Or(c.Out, stem(c.CSV)+"-evaluated"), c.Jobs, 0, nil)
	if run == nil {
		return failed
	}
	measured := evaluation.Of(run)
	report := gate.Report{Command: "ppdp evaluate"}
	if c.policy != nil {
		report.Checks = c.policy.Judge(measured)
		failed = errors.Join(failed, c.Write(&report, con.Summary))
		if n := report.Count(gate.Failed); n > 0 {
			failed = errors.Join(failed, fmt.Errorf("the policy %s: %d of %s failed", c.Policy, n,
				terminal.Counted(len(report.Checks), "check")))
		}
	}
	if c.JSON {
		return errors.Join(failed, results.WriteJSON(con.Stdout, struct {
			*evaluation.Evaluation
			Findings []*comparison.Finding `json:"findings"`
			Checks   []gate.Check          `json:"checks,omitempty"`
		}{measured, c.Findings, report.Checks}))
	}
	for _, v := range measured.Verdicts {
		fmt.Fprintf(con.Stdout, "%s: %s\n", v.Release, v.Text)
	}
	for column, of := range measured.Columns {
		for _, kind := range measured.Kinds {
			if of.Release {
				fmt.Fprintf(con.Stdout, "%s, %s: %s\n", of.Name, kind.Name, kind.Short[column])
			}
		}
	}
	for i := range report.Checks {
		fmt.Fprintln(con.Stdout, report.Checks[i].Line())
	}
	fmt.Fprintln(con.Stdout, page)
	return failed
}
