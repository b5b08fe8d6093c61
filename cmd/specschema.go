package cmd

import (
	"ppdp/algorithms/external"
	"ppdp/experiments/language"
)

type schemaCommand struct {
	Of string `arg:"" optional:"" help:"What to describe: ${enum}; default: spec." enum:"spec,baseline" default:"spec"`
}

func (schemaCommand) Help() string {
	return `Editors that support YAML complete and check specs with it. It is generated from
everything that is registered, including baselines that you add. "make build" writes it to
bin/spec.schema.json.

Examples:

  ppdp schema > spec.schema.json

and in the first line of a spec:

  # yaml-language-server: $schema=spec.schema.json

The same for the descriptor of a program of your own, see docs/extend.md:

  ppdp schema baseline > baseline.schema.json`
}

func (c schemaCommand) Run(con *console) error {
	if c.Of == "baseline" {
		_, err := con.stdout.Write(external.Schema)
		return err
	}
	return language.WriteJSONSchema(con.stdout)
}
