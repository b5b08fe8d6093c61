package verbs

import (
	"fmt"

	"ppdp/internal/terminal"
	"ppdp/publish"
)

// Key is "ppdp key": it makes a pair of keys to sign releases with.
type Key struct {
	File string `arg:"" help:"The private key's file, which must not exist. The public key's name has .pub behind it."`
}

// Help is the second part of the verb's help text.
func (Key) Help() string {
	return `Makes a pair of Ed25519 keys in PEM, as openssl reads and writes them. With the private
one you sign releases; keep it to yourself. Hand out the public one, but not together with a
release: who forges the one replaces the other. ppdp verify --key checks signatures, and so does

  openssl pkeyutl -verify -pubin -inkey my.key.pub -rawin -in certificate.json
    -sigfile certificate.sig

Examples:

  ppdp key my.key

  ppdp release mst my.csv --epsilon 1 --total 3 --sign my.key --out my-release

  ppdp verify my-release --key my.key.pub`
}

// Run makes a pair of keys to sign releases with.
func (c Key) Run(con *Console) error {
	if err := publish.NewKey(c.File); err != nil {
		return terminal.InputError(err)
	}
	fmt.Fprintf(con.Stdout, "%s is private, %s.pub is for those who verify.\n", c.File, c.File)
	return nil
}
