package cmd

import (
	"errors"
	"fmt"

	"ppdp/algorithms"
	"ppdp/algorithms/external"
	"ppdp/audit/conformance"
)

// conformanceCommand is "ppdp conformance".
type conformanceCommand struct {
	Descriptor string `arg:"" name:"descriptor" help:"The descriptor of a program of your own, a *.baseline.yaml."`
}

// Help is the second part of the verb's help text.
func (conformanceCommand) Help() string {
	return `Runs a program through what every baseline has to stand: the same seed gives the same
bytes and another seed others, at most the budget is spent, tiny tables, odd schemas and extreme
epsilons give a release, and the schema is kept. Says what failed in sentences. It cannot say
whether a guarantee holds: what the program claims stays its word.

Examples:

  ppdp conformance my.baseline.yaml`
}

// demands are what the checks ask for, in words.
var demands = map[string]string{
	"info":            "the descriptor is complete",
	"params":          "the defaults are valid",
	"shape":           "a release has the products and the schema that it should",
	"reproducible":    "the same seed gives the same release",
	"noisy":           "another seed gives another release",
	"budget":          "something is spent, and no more than the budget",
	"input untouched": "the data are left as they were",
	"rare value":      "one record changes nothing that is public",
	"size":            "the number of records is not published where it is private",
	"small tables":    "tables of no record, of one and of equal ones give a release",
	"odd inputs":      "unusual schemas give a release or an error, and never a wrong release",
	"extreme epsilon": "the smallest and the largest epsilon give a release",
	"parallel":        "releases at the same time do not disturb each other",
	"cancelled":       "a release that is cancelled ends",
}

// Run checks.
func (c conformanceCommand) Run(con *console) error {
	program, err := external.Load(c.Descriptor)
	if err != nil {
		return inputError{err}
	}
	failed, made := 0, 0
	conformance.Check(program, func(v algorithms.Variant, check string, err error) {
		demand := demands[check]
		if demand == "" || con.ctx.Err() != nil {
			return // of ppdp's own mechanisms alone, or interrupted
		}
		if v != "" {
			demand = string(v) + ": " + demand
		}
		made++
		if err == nil {
			fmt.Fprintf(con.stdout, "ok      %s\n", demand)
			return
		}
		failed++
		fmt.Fprintf(con.stdout, "FAILED  %s\n        %v\n", demand, err)
	})
	if err := program.Close(); err != nil {
		return err
	}
	if err := con.ctx.Err(); err != nil {
		return errors.New("interrupted")
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d demands are not met", failed, made)
	}
	_, err = fmt.Fprintf(con.stdout, "all %d demands are met\n", made)
	return err
}
