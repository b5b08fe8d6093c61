package cmd

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ppdp/experiments/engine"
	"ppdp/experiments/language"
	"ppdp/internal/results"
	"ppdp/internal/terminal"
)

type planCommand struct {
	Specs []string `arg:"" name:"spec" help:"A spec's file, or the name of an experiment that comes with ppdp."`
	planFlags
	realFlags
	outFlag
}

func (planCommand) Help() string {
	return `Checks specs and shows what they would run. Nothing is run or written. The time is
estimated from finished jobs of the same experiment. Without any, times measured on another machine
are used, which exist only for the experiments that come with ppdp.

Examples:

  ppdp plan rps/fig1

  ppdp plan my.yaml --quick`
}

func (c planCommand) Run(con *console) error {
	plans, err := c.plans(con, c.Specs, c.overrides(), false)
	if err != nil {
		return err
	}
	if err := checkFiles(con, plans, c.files()); err != nil {
		return err
	}
	for i, plan := range plans {
		// Finished jobs can be recognised only with the data: without them, none are counted.
		cached, seconds, err := engine.Cached(con.ctx, plan, c.folder(plan.Quick), c.files())
		if err != nil {
			fmt.Fprintf(con.stderr, "ppdp: %s: finished jobs cannot be counted: %v\n",
				plan.Spec.Name, err)
		}
		if i > 0 {
			fmt.Fprintln(con.stdout)
		}
		if err := describePlan(con, plan, cached, seconds); err != nil {
			return err
		}
	}
	return nil
}

// describePlan prints one line for each series and dataset, with the values of epsilon it is run
// at. cached is the number of jobs that are finished, seconds the time that they took.
func describePlan(con *console, plan *language.Plan, cached int, seconds float64) error {
	fmt.Fprintf(con.stdout, "%s: %s (%s, %s", plan.Spec.Name,
		terminal.Counted(len(plan.Jobs), "job"), terminal.Counted(len(plan.Configs),
			"configuration"), terminal.Counted(plan.Trials, "trial"))
	if plan.Folds > 0 {
		fmt.Fprintf(con.stdout, ", %d folds", plan.Folds)
	}
	left, err := timeLeft(plan, cached, seconds)
	if err != nil {
		return err
	}
	fmt.Fprintf(con.stdout, ", seed %d), %d finished%s\n", plan.Seed, cached, left)
	table := terminal.NewTable(con.stdout, "SERIES", "DATASET", "ALGORITHM", "VARIANT",
		"NEIGHBOURS", "EPSILON")
	for _, same := range results.Grouped(plan.Configs, func(c *language.Config) string {
		return fmt.Sprintf("%q %q %q", c.Label(), c.Dataset.Label(), c.Variant)
	}) {
		var epsilons []string
		for _, c := range same {
			if c.Epsilon != nil {
				epsilons = append(epsilons, c.EpsilonText())
			}
		}
		c := same[0]
		table.Row(terminal.Dashed([]string{c.Label(), c.Dataset.Label(), c.Info.Name, c.Variant,
			c.Guarantee.Relation, strings.Join(epsilons, " ")})...)
	}
	return table.Flush()
}

// timeLeft says how long the open jobs take one worker: each as long as the cached ones did or, if
// there are none, as on another machine.
func timeLeft(plan *language.Plan, cached int, seconds float64) (string, error) {
	cost, elsewhere := seconds/float64(max(1, cached)), ""
	if cached == 0 {
		known, err := costs(plan.Quick)
		if err != nil {
			return "", err
		}
		cost, elsewhere = known[plan.Spec.Name], ", going by another machine"
	}
	switch {
	case cached == len(plan.Jobs):
		return "", nil
	case cost == 0:
		return "; time unknown, no job was ever run here", nil
	}
	left := max(wholeSeconds(cost*float64(len(plan.Jobs)-cached)), time.Second)
	return fmt.Sprintf("; about %v of one worker's time left%s", left, elsewhere), nil
}

// costs.csv has the mean time of a job of each experiment that comes with the program, with the
// paper's settings and with quick ones, measured on two idle cores on 2026-11-22.
//
//go:embed costs.csv
var costsTable string

// costs returns the seconds a job takes by experiment. Where only the other settings were
// measured, theirs are taken.
func costs(quick bool) (map[string]float64, error) {
	rows, err := csv.NewReader(strings.NewReader(costsTable)).ReadAll()
	if err != nil {
		return nil, err
	}
	known := make(map[string]float64)
	for _, row := range rows[1:] {
		text := cmp.Or(row[1], row[2])
		if quick {
			text = cmp.Or(row[2], row[1])
		}
		if known[row[0]], err = strconv.ParseFloat(text, 64); err != nil {
			return nil, err
		}
	}
	return known, nil
}
