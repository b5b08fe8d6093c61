package verbs

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	csvtable "ppdp/datasets/csv"
	"ppdp/internal/results"
	"ppdp/internal/terminal"
	"ppdp/publish"
)

// Check is "ppdp check": it says everything wrong with a table.
type Check struct {
	File   string `reads:"" arg:"" name:"table" help:"The table, as delimited text, gzip or not, or Parquet."`
	Schema string `reads:"" help:"Its schema file. By default the one beside the table: my.schema.yaml of my.csv." placeholder:"FILE"`
	JSON   bool   `name:"json" help:"Write JSON instead of text."`
}

// Help is the second part of the verb's help text.
func (Check) Help() string {
	return `Says everything wrong with a table at once, by the rules that runs load it by: each kind
of fault with its count, the first few with line and column (in bytes), and what would mend it. The
exit code is 2 if anything is wrong. The output shows values of the table: keep it as private.

Examples:

  ppdp check my.csv

  ppdp check my.csv.gz --schema my.schema.yaml --json`
}

// Run says everything wrong with a table.
func (c Check) Run(con *Console) error {
	if err := publish.BesideTable(&c.Schema, c.File); err != nil {
		return terminal.InputError(err)
	}
	format, schema, err := csvtable.ReadSchema(c.Schema, "", 0)
	if err != nil {
		return terminal.InputError(err)
	}
	if csvtable.IsDraft(schema) {
		fmt.Fprintf(con.Stderr, "ppdp: note: %s is a draft: its bounds and lists were read off "+
			"the data, and no release made with it is private until they are reviewed\n",
			filepath.ToSlash(c.Schema))
	}
	text, err := csvtable.Open(c.File, nil)
	if err != nil {
		return terminal.InputError(err)
	}
	defer text.Close()
	checked, err := format.Check(con.Ctx, c.File, text)
	if err != nil {
		if con.Ctx.Err() != nil {
			return err
		}
		return terminal.InputError(err)
	}
	if c.JSON {
		err = results.WriteJSON(con.Stdout, checked)
	} else {
		printChecked(con.Stdout, filepath.ToSlash(c.File), checked)
	}
	if err == nil && len(checked.Faults) > 0 {
		return terminal.InputError(fmt.Errorf("%s: %d of %s at fault", filepath.ToSlash(c.File),
			checked.Faulty, terminal.Counted(checked.Records, "record")))
	}
	return err
}

func printChecked(w io.Writer, file string, c *csvtable.Checked) {
	for faults := range results.Each(c.Faults) {
		about := ""
		if faults.Attribute != "" {
			about = faults.Attribute + ": "
		}
		fmt.Fprintf(w, "%s%s, %s\n", about, faults.Kind, terminal.Counted(faults.Count, "time"))
		for at, example := range faults.Examples {
			place := file + ":" + strconv.Itoa(example.Line)
			if example.Column > 0 {
				place += ":" + strconv.Itoa(example.Column)
			}
			what := example.What
			if at > 0 { // what must be is said once
				what, _, _ = strings.Cut(what, ", must be ")
			}
			if example.Times > 1 {
				what += fmt.Sprintf(" (%d times)", example.Times)
			}
			fmt.Fprintf(w, "  %s: %s\n", place, what)
		}
		fmt.Fprintf(w, "  to mend: %s\n", faults.Mend)
	}
	for _, lacking := range c.Lacking {
		what := "left out for that; missing-as-value in the schema keeps them"
		if lacking.Kept {
			what = "kept"
		}
		fmt.Fprintf(w, "%s: missing in %s, %s\n", lacking.Attribute,
			terminal.Counted(lacking.Rows, "record"), what)
	}
	if c.Beyond > 0 {
		fmt.Fprintf(w, "%s beyond the contributions of a person, left out\n",
			terminal.Counted(c.Beyond, "record"))
	}
	if len(c.LeftOut) > 0 {
		fmt.Fprintf(w, "columns left out, as the schema does not describe them: %s\n",
			strings.Join(c.LeftOut, ", "))
	}
	if len(c.Faults) == 0 {
		fmt.Fprintf(w, "%s: %s, nothing wrong\n", file, terminal.Counted(c.Records, "record"))
	}
}
