package cmd

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"ppdp/internal/results"
	"ppdp/internal/terminal"
	"ppdp/report"
	"ppdp/report/leaderboard"
)

type leaderboardCommand struct {
	Specs []string `arg:"" optional:"" name:"spec" help:"Specs to run, where their results are not there yet, and to rank: files, or names of experiments that come with ppdp (default: rank the results of leaderboard/...)."`
	Write string   `help:"Write the page into a file." placeholder:"PAGE"`
	HTML  string   `name:"html" help:"Write a page with tables to sort and filter, figures and how all was made into a file." placeholder:"PAGE"`
	planFlags
	runFlags
}

func (leaderboardCommand) Help() string {
	return `Ranks private releases by utility. First it says for each table, budget and purpose
which release to take. Then it says for each measurement which release is best, which are not
distinguishable from it or no better than the majority class, how large a sample of the true records
is as good, and how long a release takes. Tests are paired by trial. Tables name what may flatter a release: many times
as many records as the original, weights, hard labels.

With specs, on any tables, these are run as by "ppdp run", and ranked. What an earlier run has done
is not done again, and an interrupted one goes on. Measure accuracy and auc of several classifiers,
records and accuracy-within for the remarks, and let sample and identity run beside the releases.

Without specs nothing is run, and the results of the experiments leaderboard/... are ranked. They
are run by "ppdp reproduce leaderboard", an hour or more on two cores.

Examples:

  ppdp leaderboard

  ppdp leaderboard --out ~/results --write docs/generated/leaderboard.md

  ppdp leaderboard my-board.yaml --write my-board.md --html my-board.html

  ppdp leaderboard my-board.yaml compare/adult --trials 5 -j 4 --out ~/results`
}

// Run writes the board as Markdown or HTML.
func (c leaderboardCommand) Run(con *console) error {
	source, explained := "ppdp leaderboard", ""
	var runs []*results.Summary
	var failed, err error
	if len(c.Specs) > 0 {
		runs, failed, err = c.runs(con)
	} else {
		source, explained = "make leaderboard", "../reproduce.md"
		runs, err = openRuns(con, c.folder(c.Quick))
		runs = leaderboard.Own(runs)
	}
	if err != nil {
		return err
	}
	tables := leaderboard.Of(runs)
	competes := func(t leaderboard.Table) bool { return len(t.Budgets)*len(t.Tasks) > 0 }
	switch {
	case len(runs) == 0:
		return terminal.InputError(fmt.Errorf("%s holds no results of %s...: run `ppdp reproduce "+
			"leaderboard`, or name specs of your own", c.folder(c.Quick), leaderboard.Prefix))
	case !slices.ContainsFunc(tables, competes):
		return errors.Join(failed,
			terminal.InputError(errors.New("nothing competes: a leaderboard needs "+
				"private releases and a measurement of their utility")))
	}
	page := func(w io.Writer) error {
		return leaderboard.WriteMarkdown(w, tables, source, explained)
	}
	if c.HTML != "" {
		failed = errors.Join(failed, results.WriteFile(c.HTML, func(w io.Writer) error {
			_, err := report.Write(w, report.Input{Runs: runs, Board: true})
			return err
		}))
	}
	switch {
	case c.Write != "":
		return errors.Join(failed, results.WriteFile(c.Write, page))
	case c.HTML != "":
		return failed
	}
	return errors.Join(failed, page(con.stdout))
}

// runs runs the specs, as far as that was not done before, and reads their results. failed is what
// went wrong in some of them and leaves the rest to be ranked.
func (c *leaderboardCommand) runs(con *console) (runs []*results.Summary, failed, err error) {
	plans, err := checkedPlans(con, c.Specs, c.overrides(), &c.runFlags)
	if err != nil {
		return nil, nil, err
	}
	quiet := *con
	quiet.stdout = io.Discard // the page says it all
	failed = runPlans(&quiet, plans, &c.runFlags)
	if con.ctx.Err() != nil {
		return nil, nil, failed // it says what to do
	}
	for _, plan := range plans {
		run, err := results.Open(filepath.Join(c.folder(plan.Quick),
			filepath.FromSlash(plan.Spec.Name)))
		if err != nil {
			return nil, nil, errors.Join(failed, err)
		}
		runs = append(runs, run)
	}
	return runs, failed, nil
}
