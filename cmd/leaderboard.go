package cmd

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"ppdp/internal/results"
	"ppdp/internal/terminal"
	"ppdp/report"
	"ppdp/report/leaderboard"
)

type leaderboardCommand struct {
	Experiments []string `arg:"" optional:"" name:"experiment" help:"Experiments such as mine/board, that ppdp run has run; default: leaderboard/... below --out."`
	Out         string   `help:"Folder of results (default: ${default})." default:"results" placeholder:"DIR"`
	Write       string   `help:"Write the page into a file." placeholder:"PAGE"`
	HTML        string   `name:"html" help:"Write a page with tables to sort and filter, figures and how all was made into a file." placeholder:"PAGE"`
}

func (leaderboardCommand) Help() string {
	return `Ranks private releases by utility. First it says for each table, budget and purpose
which release to take. Then it says for each measurement which release is best, which are not
distinguishable from it or no better than the majority class, how large a sample of the true records
is as good, and how long a release takes. Tests are paired by trial. Tables name what may flatter a release: many times
as many records as the original, weights, hard labels.

Nothing is run. The experiments leaderboard/... are run by "ppdp reproduce leaderboard", an hour or
more on two cores. In a board of your own measure accuracy and auc of several classifiers, records
and accuracy-within for the remarks, and let sample and identity run beside the releases.

Examples:

  ppdp leaderboard

  ppdp leaderboard --out ~/results --write docs/generated/leaderboard.md

  ppdp leaderboard mine/board compare/adult --write my-board.md --html my-board.html`
}

// Run writes the board as Markdown or HTML.
func (c leaderboardCommand) Run(con *console) error {
	source, explained := "make leaderboard", "../reproduce.md"
	runs, err := openRuns(con, c.Out)
	if runs = leaderboard.Own(runs); len(c.Experiments) > 0 {
		source, explained = "ppdp leaderboard", ""
		var dirs []string
		if dirs, err = runDirs(con, c.Out, c.Experiments); err == nil {
			runs, err = inParallel(dirs, results.Open)
		}
	}
	if err != nil {
		return err
	}
	tables := leaderboard.Of(runs)
	competes := func(t leaderboard.Table) bool { return len(t.Budgets)*len(t.Tasks) > 0 }
	switch {
	case len(runs) == 0:
		return terminal.InputError(fmt.Errorf("%s holds no results of %s...: run `ppdp reproduce "+
			"leaderboard`, or name experiments of your own", c.Out, leaderboard.Prefix))
	case !slices.ContainsFunc(tables, competes):
		return terminal.InputError(errors.New("nothing competes: a leaderboard needs private " +
			"releases and a measurement of their utility"))
	}
	page := func(w io.Writer) error {
		return leaderboard.WriteMarkdown(w, tables, source, explained)
	}
	if c.HTML != "" {
		err = results.WriteFile(c.HTML, func(w io.Writer) error {
			_, err := report.Write(w, report.Input{Runs: runs, Board: true})
			return err
		})
	}
	switch {
	case c.Write != "":
		return errors.Join(err, results.WriteFile(c.Write, page))
	case c.HTML != "":
		return err
	}
	return page(con.stdout)
}
