package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"unicode/utf8"

	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/internal/terminal"
)

type datasetsCommand struct {
	Fetch  datasetsFetchCommand  `cmd:"" help:"Download missing data files from their public homes and check them."`
	Schema datasetsSchemaCommand `cmd:"" help:"Draft a schema file for your own table."`
}

type datasetsFetchCommand struct {
	dataFlags
	Names []string `arg:"" optional:"" name:"dataset" help:"Datasets to fetch; default: all that have files."`
}

func (datasetsFetchCommand) Help() string {
	return `Files found on the search path with the right checksum are left alone. A download is
checked before it gets its name. PPDP_OFFLINE=1 switches downloads off: then files are only checked.

Examples:

  ppdp datasets fetch adult --data ./data`
}

func (c datasetsFetchCommand) Run(con *console) error {
	files := c.files()
	wanted, err := filesOf(files, c.Names)
	if err != nil {
		return err
	}
	fetcher := datasets.DefaultFetcher(files)
	var bar *progress
	fetcher.Progress = func(path string, done, total int64) {
		if bar == nil {
			bar = newProgress(con, path, "bytes", total)
		}
		bar.set(done)
	}
	var errs []error
	for _, status := range wanted {
		if status.Err == nil {
			fmt.Fprintf(con.stdout, "ok       %s\n", status.Path)
			continue
		}
		bar = nil
		path, err := fetcher.Fetch(con.ctx, status.File)
		if bar != nil {
			bar.finish()
		}
		if err != nil {
			errs = append(errs, status.Err, err)
			continue
		}
		fmt.Fprintf(con.stdout, "fetched  %s\n", path)
	}
	return errors.Join(errs...)
}

// filesOf checks the files of the named datasets, or of all.
func filesOf(files datasets.Files, names []string) ([]datasets.FileStatus, error) {
	statuses, unknown := datasets.Verify(files, names)
	return statuses, terminal.InputError(unknown...)
}

type datasetsSchemaCommand struct {
	File      string   `reads:"" arg:"" help:"The table, as delimited text, gzip or not, or Parquet."`
	Out       string   `help:"Write to this file, which must not exist yet, instead of standard output." placeholder:"FILE"`
	Delimiter string   `help:"The character between fields; detected by default. Write \\t for a tab." placeholder:"C"`
	NoHeader  bool     `help:"The first line is data, not names." xor:"header"`
	Header    bool     `help:"The first line holds names, even if it looks like data." xor:"header"`
	Class     string   `help:"The attribute to predict." placeholder:"NAME"`
	Missing   []string `help:"Texts that stand for a missing value; default: the usual ones." sep:"none" placeholder:"TEXT"`
}

func (datasetsSchemaCommand) Help() string {
	return `The draft can be used as it is, but its bounds and lists are read off your data. Until
you replace them by public knowledge, no release made with it is private.

Examples:

  ppdp datasets schema my.csv

  ppdp datasets schema my.csv --class income --delimiter ";" --out my.schema.yaml`
}

func (c datasetsSchemaCommand) Run(con *console) error {
	options := csvtable.DraftOptions{NoHeader: c.NoHeader, Header: c.Header, Class: c.Class,
		Missing: c.Missing}
	switch delimiter := c.Delimiter; {
	case delimiter == "":
	case delimiter == `\t`:
		options.Delimiter = '\t'
	case utf8.RuneCountInString(delimiter) == 1:
		options.Delimiter, _ = utf8.DecodeRuneInString(delimiter)
	default:
		return terminal.InputError(fmt.Errorf("--delimiter: %q, must be a single character",
			delimiter))
	}
	var draft bytes.Buffer
	notes, err := csvtable.Draft(&draft, c.File, options)
	if err != nil {
		return terminal.InputError(err)
	}
	for _, note := range notes {
		fmt.Fprintf(con.stderr, "ppdp: note: %s\n", note)
	}
	if c.Out == "" {
		_, err := con.stdout.Write(draft.Bytes())
		return err
	}
	// The file that is there may be the reviewed one.
	file, err := os.OpenFile(c.Out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%s: exists already, and may be a reviewed schema: name another file by "+
			"--out, or remove it", c.Out)
	}
	if err != nil {
		return terminal.InputError(err)
	}
	_, err = file.Write(draft.Bytes())
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	fmt.Fprintf(con.stdout, "%s: a draft; its bounds and lists read off private data must be "+
		"reviewed\n", c.Out)
	return nil
}
