package cmd

import (
	"errors"
	"fmt"

	"ppdp/publish"
)

// verifyCommand is "ppdp verify".
type verifyCommand struct {
	Dir      string `arg:"" help:"The folder of a release."`
	Original string `help:"The table that was released, if you hold it: a CSV file." placeholder:"FILE"`
	Schema   string `help:"Its schema file. By default my.schema.yaml beside my.csv." placeholder:"FILE"`
}

// Help is the second part of the verb's help text.
func (verifyCommand) Help() string {
	return `Checks what anyone can of a release made by "ppdp release": the certificate against
its JSON Schema, all files against their SHA-256 in it, the schema, every value against its domain,
and under k-anonymity that every class has k records. With the original, which only its holder has,
it also checks that a release under k-anonymity is truthful: every record is one of the original's,
generalised and otherwise unchanged, and no record twice; suppressed records are counted.

That noise was drawn as the certificate says cannot be seen in a release.

Examples:

  ppdp verify my-release

  ppdp verify anonymised --original my.csv`
}

// Run verifies.
func (c verifyCommand) Run(con *console) error {
	var original *publish.Original
	if c.Original != "" {
		if err := besideTable(&c.Schema, c.Original); err != nil {
			return err
		}
		original = &publish.Original{Table: c.Original, Schema: c.Schema}
	} else if c.Schema != "" {
		return inputError{errors.New("--schema needs an --original")}
	}
	report, err := publish.Verify(con.ctx, c.Dir, original)
	if err != nil {
		return inputError{err}
	}
	for _, holds := range report.Checks {
		fmt.Fprintln(con.stdout, "ok:", holds)
	}
	for _, problem := range report.Problems {
		fmt.Fprintln(con.stdout, "WRONG:", problem)
	}
	if report.Err() != nil {
		return fmt.Errorf("%s is not what its certificate says: %d problems", c.Dir,
			len(report.Problems))
	}
	return nil
}
