package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"unicode/utf8"

	csvtable "ppdp/datasets/csv"
)

// datasetsSchemaCommand is "ppdp datasets schema".
type datasetsSchemaCommand struct {
	File      string   `arg:"" help:"The table, as delimited text; it may be gzip."`
	Out       string   `help:"Write to this file, which must not exist yet, instead of standard output." placeholder:"FILE"`
	Delimiter string   `help:"The character between fields; detected by default. Write \\t for a tab." placeholder:"C"`
	NoHeader  bool     `help:"The first line is data, not names." xor:"header"`
	Header    bool     `help:"The first line holds names, even if it looks like data." xor:"header"`
	Class     string   `help:"The attribute to predict." placeholder:"NAME"`
	Missing   []string `help:"Texts that stand for a missing value; default: the usual ones." sep:"none" placeholder:"TEXT"`
	Keep      bool     `name:"missing-as-value" help:"Keep missing categories as a value of their own; by default a record without one is left out."`
	MaxValues int      `help:"Leave out text columns with more distinct values than this; 0 means 100." default:"0" placeholder:"N"`
}

// Help is the second part of the verb's help text.
func (datasetsSchemaCommand) Help() string {
	return `The draft can be used as it is, but its bounds and lists are read off your data. Until
you replace them by public knowledge, no release made with it is private.

Examples:

  ppdp datasets schema my.csv

  ppdp datasets schema my.csv --class income --delimiter ";" --out my.schema.yaml`
}

// Run drafts.
func (c datasetsSchemaCommand) Run(con *console) error {
	options := csvtable.DraftOptions{NoHeader: c.NoHeader, Header: c.Header, Class: c.Class,
		Missing: c.Missing, MissingAsValue: c.Keep, MaxValues: c.MaxValues}
	switch delimiter := c.Delimiter; {
	case delimiter == "":
	case delimiter == `\t`:
		options.Delimiter = '\t'
	case utf8.RuneCountInString(delimiter) == 1:
		options.Delimiter, _ = utf8.DecodeRuneInString(delimiter)
	default:
		return inputError{fmt.Errorf("--delimiter: %q, must be a single character", delimiter)}
	}
	if c.MaxValues < 0 {
		return inputError{fmt.Errorf("--max-values: %d, must be at least 0", c.MaxValues)}
	}
	var draft bytes.Buffer
	notes, err := csvtable.Draft(&draft, c.File, options)
	if err != nil {
		return inputError{err}
	}
	for _, note := range notes {
		fmt.Fprintf(con.stderr, "ppdp: note: %s\n", note)
	}
	if c.Out == "" {
		_, err := con.stdout.Write(draft.Bytes())
		return err
	}
	// Never over an existing file: it may be the reviewed one.
	file, err := os.OpenFile(c.Out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return inputError{err}
	}
	_, err = file.Write(draft.Bytes())
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	fmt.Fprintf(con.stdout,
		"%s: a draft; its bounds and lists read off private data must be reviewed\n", c.Out)
	return nil
}
