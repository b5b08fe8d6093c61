package cmd

import (
	"fmt"
	"io"

	"ppdp/internal/results"
	"ppdp/report/leaderboard"
)

// leaderboardCommand is "ppdp leaderboard".
type leaderboardCommand struct {
	Out   string `help:"Folder of results (default: ${default})." default:"results" placeholder:"DIR"`
	Write string `help:"Write the page into a file." placeholder:"PAGE"`
}

// Help is the second part of the verb's help text.
func (leaderboardCommand) Help() string {
	return `Ranks what private releases are worth, from the results of the experiments
leaderboard/...: for each table, task and budget who is best, who is not distinguishable from it, who
is no better than the majority class, as large a sample of the true records as is as good, and the
time of a release. Nothing is run; the experiments are run by "ppdp reproduce leaderboard", half an
hour on two cores.

Examples:

  ppdp leaderboard

  ppdp leaderboard --out ~/results --write docs/generated/leaderboard.md`
}

// Run writes the board as Markdown.
func (c leaderboardCommand) Run(con *console) error {
	runs, err := openRuns(con, c.Out)
	if err != nil {
		return err
	}
	tables := leaderboard.Of(runs)
	if len(tables) == 0 {
		return inputError{fmt.Errorf("%s holds no results of %s...: run `ppdp reproduce "+
			"leaderboard`", c.Out, leaderboard.Prefix)}
	}
	if c.Write == "" {
		return leaderboard.WriteMarkdown(con.stdout, tables)
	}
	return results.WriteFile(c.Write, func(w io.Writer) error {
		return leaderboard.WriteMarkdown(w, tables)
	})
}
