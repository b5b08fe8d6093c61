package verbs

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ppdp/algorithms"
	"ppdp/internal/results"
	"ppdp/internal/terminal"
	"ppdp/publish"
)

// Release is "ppdp release": it makes a release.
type Release struct {
	Algorithm     string   `arg:"" help:"Name of an algorithm."`
	Table         string   `reads:"" arg:"" help:"The table: a CSV file."`
	Schema        string   `reads:"" help:"The table's schema file. By default the one beside the table: my.schema.yaml of my.csv." placeholder:"FILE"`
	Target        string   `help:"The attribute that the release should serve to predict, in place of the schema's class." placeholder:"NAME"`
	Contributions int      `help:"At most this many records of each person are used, in place of as many as the schema says. The budget protects persons." placeholder:"K"`
	Epsilon       float64  `help:"The privacy budget of this release. Algorithms under k-anonymity take none."`
	Delta         float64  `help:"A delta beside epsilon, for algorithms that take one."`
	Param         []string `help:"A setting of the algorithm. May be given again." placeholder:"NAME=VALUE" sep:"none"`
	Variant       string   `help:"A variant of the algorithm. By default the first that can be released."`
	Account       string   `help:"The account of the table. By default the one beside the table: my.account.jsonl of my.csv." placeholder:"FILE"`
	Total         float64  `help:"The epsilon that all releases of the table may cost together; needed for the first."`
	TotalDelta    float64  `name:"total-delta" help:"A delta beside the total. Costs then add up in zCDP's rho, which is less for many releases."`
	Changed       bool     `help:"The table is a newer state of the one released before: go on within the same total."`
	Title         string   `help:"What the release is called in its certificate."`
	License       string   `help:"The license of the release, best as a URL; for catalogues." placeholder:"URL"`
	Sign          string   `reads:"" help:"A private key to sign the certificate with (ppdp key makes one)." placeholder:"KEY"`
	Out           string   `required:"" help:"The folder to make." placeholder:"DIR"`
	JSON          bool     `name:"json" help:"Write JSON instead of sentences."`
}

// Help is the second part of the verb's help text.
func (Release) Help() string {
	return `Makes one release that may be handed out, in a folder of its own: records, schema,
certificate (a page and JSON) and metadata for catalogues. Only algorithms and variants whose
guarantee holds can be released, all noise is drawn exactly and from the operating system's
randomness, and no seed exists.

An account beside the table holds what all releases may cost together and what each has cost. A
release is entered before its noise is drawn and counts as spent from then on, also when it fails
or is interrupted; under k-anonymity it is entered when it is complete. One that would cost more
than is left is refused. Keep the account with the table, and as private, and with its mark
(my.account.jsonl.mark), by which ppdp notices an account that is lost or old, and a table that was
renamed beside it. Releases of a copy elsewhere are in another account: that is not noticed, but a
new account is announced.

These can be released: ` + strings.Join(publish.Releasable(), ", ") + `.

Examples:

  ppdp release mst my.csv --epsilon 1 --total 3 --out my-release

  ppdp release rps my.csv --schema my.schema.yaml --target income --epsilon 0.5 --param depth=12
    --param quality=class --out second

  ppdp release mondrian my.csv --param k=10 --sign my.key --out anonymised`
}

// Run makes a release.
func (c Release) Run(con *Console) error {
	if err := besideTable(&c.Schema, c.Table); err != nil {
		return err
	}
	if c.TotalDelta != 0 && c.Total == 0 {
		return terminal.InputError(errors.New("--total-delta needs a --total"))
	}
	made, err := publish.Make(con.Ctx, &publish.Request{Algorithm: c.Algorithm, Params: c.Param,
		Variant: algorithms.Variant(c.Variant), Epsilon: c.Epsilon, Delta: c.Delta,
		Table: c.Table, Schema: c.Schema, Target: c.Target, Contributions: c.Contributions,
		Account: c.Account,
		Total:   publish.Total{Epsilon: c.Total, Delta: c.TotalDelta}, Changed: c.Changed,
		Out: c.Out, Title: c.Title, License: c.License, Sign: c.Sign, Program: con.Program,
		Now: con.Now(),
		Log: func(line string) { fmt.Fprintln(con.Stderr, line) }})
	if err != nil {
		if publish.Spent(err) {
			return err
		}
		return terminal.InputError(err)
	}
	s := made.Standing
	if c.JSON {
		return results.WriteJSON(con.Stdout, struct {
			Folder      string               `json:"folder"`
			Digest      string               `json:"certificate_sha256"`
			Number      int                  `json:"number"`
			Certificate *publish.Certificate `json:"certificate"`
		}{filepath.ToSlash(c.Out), made.Digest, s.Number, made.Certificate})
	}
	fmt.Fprintln(con.Stdout, filepath.ToSlash(c.Out))
	fmt.Fprintln(con.Stdout, made.Certificate.Guarantee.Sentence)
	if s.Total > 0 {
		fmt.Fprintf(con.Stdout, "Release %d: %.6g of %.6g in %s are spent.\n", s.Number,
			s.Before+s.Cost, s.Total, s.Unit)
	} else if s.Anonymised > 0 {
		fmt.Fprintf(con.Stdout, "This is release %d of the table under k-anonymity: such releases "+
			"together can separate records that each keeps in one class.\n", s.Anonymised+1)
	}
	fmt.Fprintf(con.Stdout, "SHA-256 of certificate.json: %s\n", made.Digest)
	return nil
}
