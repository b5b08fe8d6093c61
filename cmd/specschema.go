package cmd

import "ppdp/experiments"

// schemaCommand is "ppdp schema".
type schemaCommand struct{}

// Help is the second part of the verb's help text.
func (schemaCommand) Help() string {
	return `Editors that support YAML complete and check specs with it. It is generated from
everything that is registered, including baselines that you add. "make build" writes it to
bin/spec.schema.json.

Example:

  ppdp schema > spec.schema.json

and in the first line of a spec:

  # yaml-language-server: $schema=spec.schema.json`
}

// Run prints.
func (schemaCommand) Run(con *console) error { return experiments.WriteJSONSchema(con.stdout) }
