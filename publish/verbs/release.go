package verbs

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"ppdp/internal/results"
	"ppdp/internal/terminal"
	"ppdp/publish"
)

// Release is "ppdp release": it makes a release.
type Release struct {
	publish.Request
	JSON bool `name:"json" help:"Write JSON instead of sentences."`
}

// Releasable stands in Release's help text for the names of what can be released. They are found by
// trying, which is not worth the time when another command starts.
const Releasable = "(those that can be released)"

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

These can be released: ` + Releasable + `.

Examples:

  ppdp release mst my.csv --epsilon 1 --total 3 --out my-release

  ppdp release rps my.csv --schema my.schema.yaml --target income --epsilon 0.5 --param depth=12
    --param quality=class --out second

  ppdp release mondrian my.csv --param k=10 --sign my.key --out anonymised`
}

// Run makes a release.
func (c Release) Run(con *Console) error {
	// A large table's release needs its memory several times. With garbage of at most .6 of what
	// is in use, not of all of it, the peak is a fifth lower for some 1 % of the time.
	debug.SetGCPercent(60)
	c.Program, c.Now, c.Memory = con.Program, con.Now(), con.Memory
	c.Log = func(line string) { fmt.Fprintln(con.Stderr, line) }
	made, err := publish.Make(con.Ctx, &c.Request)
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
	if a := made.Certificate.Anonymity; a != nil {
		fmt.Fprintln(con.Stdout, cmp.Or(a.Disclosure(), "Every column is generalised."))
	}
	if s.Total > 0 {
		fmt.Fprintf(con.Stdout, "Release %d: %.6g of %.6g in %s are spent.\n", s.Number,
			s.Before+s.Cost, s.Total, s.Unit)
		if epsilon, delta := s.Together(); delta > 0 {
			fmt.Fprintf(con.Stdout, "All releases together: epsilon %.4g at delta %v.\n", epsilon,
				delta)
		}
	} else if s.Anonymised > 0 {
		fmt.Fprintf(con.Stdout, "This is release %d of the table under k-anonymity: such releases "+
			"together can separate records that each keeps in one class.\n", s.Anonymised+1)
	}
	fmt.Fprintf(con.Stdout, "SHA-256 of certificate.json: %s\n", made.Digest)
	return nil
}
