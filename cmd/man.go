package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"
)

// manCommand is "ppdp man".
type manCommand struct {
	Dir string `arg:"" help:"The folder to write them into."`
}

// Help is the second part of the verb's help text.
func (manCommand) Help() string {
	return `Writes a man page for each command, ppdp-run.1 and so on, and ppdp.1 for all of them.

Examples:

  ppdp man ~/.local/share/man/man1 && man ppdp-run`
}

// roff keeps a text as it is.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", "\n\\&")

// Run writes.
func (c manCommand) Run(con *console, command *kong.Context) error {
	errs := []error{os.MkdirAll(c.Dir, 0o777)}
	for _, of := range completions(command.Model.Node) {
		var help bytes.Buffer
		run(append(strings.Fields(of.command), "--help"), &help, io.Discard, con.environment)
		name := strings.Join(append([]string{"ppdp"}, strings.Fields(of.command)...), "-")
		about, _, _ := strings.Cut(of.help, ":")
		path := filepath.Join(c.Dir, name+".1")
		text := fmt.Sprintf(".TH %s 1\n.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n.nf\n\\&%s\n",
			strings.ToUpper(name), name, roff.Replace(about), roff.Replace(help.String()))
		errs = append(errs, os.WriteFile(path, []byte(text), 0o666))
		fmt.Fprintln(con.stdout, filepath.ToSlash(path))
	}
	return errors.Join(errs...)
}
