package cmd

import (
	"errors"
	"fmt"

	"ppdp/algorithms/external"
	"ppdp/audit/conformance"
	"ppdp/internal/terminal"
)

type conformanceCommand struct {
	Descriptor string `reads:"" arg:"" name:"descriptor" help:"The descriptor of a program of your own, a *.baseline.yaml."`
}

func (conformanceCommand) Help() string {
	return `Checks a program as every baseline is checked: the same seed gives the same bytes and
another seed others, at most the budget is spent, tiny tables, odd schemas and extreme epsilons
give a release, and the schema is kept. Says what failed in sentences. Where the program asks ppdp
for its noise (mechanisms: ppdp) its calls are replayed on other inputs; else its guarantee stays a
claim that nothing here checks.

Examples:

  ppdp conformance my.baseline.yaml`
}

func (c conformanceCommand) Run(con *console) error {
	program, err := external.Load(c.Descriptor)
	if err != nil {
		return terminal.InputError(err)
	}
	failed, made := 0, 0
	conformance.Check(program, func(demand string, err error) {
		if con.ctx.Err() != nil {
			return // interrupted
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
