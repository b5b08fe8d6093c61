package verbs

import (
	"errors"
	"fmt"

	"ppdp/internal/results"
	"ppdp/internal/terminal"
	"ppdp/publish"
	"ppdp/publish/gate"
)

// Verify is "ppdp verify": it checks the folder of a release.
type Verify struct {
	Dir      string `reads:"" arg:"" help:"The folder of a release."`
	Original string `reads:"" help:"The table that was released, if you hold it: CSV or Parquet." placeholder:"FILE"`
	Schema   string `reads:"" help:"Its schema file. By default my.schema.yaml beside my.csv." placeholder:"FILE"`
	Key      string `reads:"" help:"The public key of whoever signed the release." placeholder:"FILE"`
	JSON     bool   `name:"json" help:"Write JSON instead of sentences."`
	gate.Files
}

// Help is the second part of the verb's help text.
func (Verify) Help() string {
	return `Checks what anyone can of a release made by "ppdp release": the certificate against
its JSON Schema, all files against their SHA-256 in it, the schema, every value against its domain,
and under k-anonymity that every class has k records. Whatever follows from something else is
derived again: whether the algorithm can be released, the guarantee in words, sums, pages, metadata.
With the original, which only its holder has, it also checks that a release under k-anonymity is
truthful: every record is one of the original's, generalised and otherwise unchanged, and no record
twice; no more are suppressed than promised, and where a person may have several records every class
has those of k persons. Under differential privacy it refuses a release that has more of the
original's records than chance allows.

Published counts must agree with each other, with the records and with the original as the noise of
the certificate allows. All these tests together refuse one sound release in 10,000 at most.

With --key it checks who signed it. A signature shows that somebody who has the private key signed
this certificate, and so these files. It does not show whose key it is, nor when that was: get the
public key from its owner. Without one, a folder that was forged with care may pass, and a signature
is NOT CHECKED. The exit code is 0 where nothing is wrong.

Examples:

  ppdp verify my-release

  ppdp verify my-release --key holder.key.pub

  ppdp verify anonymised --original my.csv --json`
}

// Run checks the folder of a release.
func (c Verify) Run(con *Console) error {
	var original *publish.Original
	if c.Original != "" {
		if err := publish.BesideTable(&c.Schema, c.Original); err != nil {
			return terminal.InputError(err)
		}
		original = &publish.Original{Table: c.Original, Schema: c.Schema}
	} else if c.Schema != "" {
		return terminal.InputError(errors.New("--schema needs an --original"))
	}
	report, err := publish.Verify(con.Ctx, c.Dir, original)
	if err != nil {
		return terminal.InputError(err)
	}
	if c.Key != "" {
		if err := report.CheckSignature(c.Dir, c.Key); err != nil {
			return terminal.InputError(fmt.Errorf("--key: %w", err))
		}
	}
	checks := gate.Report{Command: "ppdp verify"}
	add := func(sentences []string, outcome string) {
		for _, s := range sentences {
			checks.Checks = append(checks.Checks, gate.Check{Of: c.Dir, Name: s, Outcome: outcome})
		}
	}
	add(report.Problems, gate.Failed)
	add(report.Checks, gate.Passed)
	add(report.Unchecked, gate.Skipped)
	written := c.Write(&checks, con.Summary)
	if c.JSON {
		err = results.WriteJSON(con.Stdout, report)
	} else {
		for _, holds := range report.Checks {
			fmt.Fprintln(con.Stdout, "ok:", holds)
		}
		for _, problem := range report.Problems {
			fmt.Fprintln(con.Stdout, "WRONG:", problem)
		}
		for _, open := range report.Unchecked {
			fmt.Fprintln(con.Stdout, "NOT CHECKED:", open)
		}
	}
	if err = errors.Join(err, written); err != nil || len(report.Problems) == 0 {
		return err
	}
	if made := report.Certificate; made != nil && made.Program != con.Program {
		fmt.Fprintf(con.Stderr, "ppdp: note: made by %q, verified by %q: versions may differ in "+
			"words and pages\n", made.Program, con.Program)
	}
	return fmt.Errorf("%s is not what its certificate says: %s", c.Dir,
		terminal.Counted(len(report.Problems), "problem"))
}
