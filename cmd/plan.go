package cmd

import (
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
	JSON bool `name:"json" help:"Write JSON instead of tables."`
}

func (planCommand) Help() string {
	return `Checks specs and shows what they would run. Nothing is run or written. The time is
estimated from finished jobs of the same experiment. Without any, times measured on another machine
are used, which exist only for the experiments that come with ppdp.

Examples:

  ppdp plan rps/fig1

  ppdp plan my.yaml --quick --json`
}

// planned is one experiment's plan, for people and for JSON.
type planned struct {
	Experiment string `json:"experiment"`
	Jobs       int    `json:"cells"`
	Cached     int    `json:"cached"`
	// estimated for the jobs to run, on one worker; null when nothing is known
	Seconds   *float64      `json:"seconds"`
	Elsewhere bool          `json:"elsewhere,omitempty"` // the estimate goes by another machine
	Trials    int           `json:"trials"`
	Folds     int           `json:"folds"`
	Seed      uint64        `json:"seed"`
	Configs   []plannedLine `json:"configurations"`
}

// plannedLine is all jobs of one configuration.
type plannedLine struct {
	Series    string            `json:"series"`
	Dataset   string            `json:"dataset"`
	Algorithm string            `json:"algorithm"`
	Variant   string            `json:"variant"`
	Epsilon   *float64          `json:"epsilon"`
	Delta     float64           `json:"delta,omitempty"`
	Relation  string            `json:"relation,omitempty"`
	Params    map[string]string `json:"params"`
}

func (c planCommand) Run(con *console) error {
	plans, err := c.plans(con, c.Specs, c.overrides(), false)
	if err != nil {
		return err
	}
	for _, plan := range plans {
		if err := engine.CheckFiles(con.ctx, plan, c.files()); err != nil {
			return asInput(fmt.Errorf("%s: %w", plan.Spec.Name, err))
		}
	}
	lines := make([]planned, len(plans))
	for i, plan := range plans {
		// Finished jobs can be recognised only with the data: without them, none are counted.
		cached, seconds, err := engine.Cached(con.ctx, plan, c.folder(plan.Quick), c.files())
		if err != nil {
			fmt.Fprintf(con.stderr, "ppdp: %s: finished jobs cannot be counted: %v\n",
				plan.Spec.Name, err)
		}
		lines[i] = describePlan(plan, cached, seconds)
	}
	if c.JSON {
		return results.WriteJSON(con.stdout, lines)
	}
	for i, line := range lines {
		if i > 0 {
			fmt.Fprintln(con.stdout)
		}
		if err := line.write(con); err != nil {
			return err
		}
	}
	return nil
}

func describePlan(plan *language.Plan, cached int, seconds float64) planned {
	p := planned{Experiment: plan.Spec.Name, Jobs: len(plan.Jobs), Cached: cached,
		Trials: plan.Trials, Folds: plan.Folds, Seed: plan.Seed, Configs: []plannedLine{}}
	cost := seconds / float64(max(1, cached))
	if cached == 0 {
		known, err := costs(plan.Quick)
		if err != nil {
			panic(err) // the table is a constant
		}
		cost = known[plan.Spec.Name] // measured elsewhere
	}
	if cost > 0 {
		left := cost * float64(p.Jobs-p.Cached)
		p.Seconds, p.Elsewhere = &left, cached == 0
	}
	for _, config := range plan.Configs {
		p.Configs = append(p.Configs, plannedLine{Series: config.Label(),
			Dataset: config.Dataset.Label(), Algorithm: config.Info.Name,
			Variant: string(config.Guarantee.Variant), Epsilon: config.Epsilon, Delta: config.Delta,
			Relation: config.Guarantee.Relation, Params: config.AllParams()})
	}
	return p
}

// write prints one line for each series and dataset, with the values of epsilon it is run at.
func (p *planned) write(con *console) error {
	fmt.Fprintf(con.stdout, "%s: %s (%s, %s", p.Experiment, terminal.Counted(p.Jobs, "job"),
		terminal.Counted(len(p.Configs), "configuration"), terminal.Counted(p.Trials, "trial"))
	if p.Folds > 0 {
		fmt.Fprintf(con.stdout, ", %d folds", p.Folds)
	}
	left := ""
	switch {
	case p.Cached == p.Jobs:
	case p.Seconds == nil:
		left = "; time unknown, no job was ever run here"
	default:
		left = fmt.Sprintf("; about %v of one worker's time left",
			max(wholeSeconds(*p.Seconds), time.Second))
		if p.Elsewhere {
			left += ", going by another machine"
		}
	}
	fmt.Fprintf(con.stdout, ", seed %d), %d finished%s\n", p.Seed, p.Cached, left)
	table := terminal.NewTable(con.stdout, "SERIES", "DATASET", "ALGORITHM", "VARIANT",
		"NEIGHBOURS", "EPSILON")
	for _, same := range results.Grouped(p.Configs, func(c plannedLine) string {
		return fmt.Sprintf("%q %q %q", c.Series, c.Dataset, c.Variant)
	}) {
		var epsilons []string
		for _, c := range same {
			if c.Epsilon != nil {
				epsilons = append(epsilons, fmt.Sprintf("%g", *c.Epsilon))
			}
		}
		c := same[0]
		table.Row(terminal.Dashed([]string{c.Series, c.Dataset, c.Algorithm, c.Variant, c.Relation,
			strings.Join(epsilons, " ")})...)
	}
	return table.Flush()
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
		first, second := row[1], row[2]
		if quick {
			first, second = second, first
		}
		if first == "" {
			first = second
		}
		if known[row[0]], err = strconv.ParseFloat(first, 64); err != nil {
			return nil, err
		}
	}
	return known, nil
}
