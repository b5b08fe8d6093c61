package verbs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/internal/results"
	"ppdp/internal/terminal"
	"ppdp/publish"
	"ppdp/publish/risk"
)

// Risk is "ppdp risk": it measures what an anonymised table discloses.
type Risk struct {
	File      string   `reads:"" arg:"" name:"table" help:"The published table, as delimited text, gzip or not, or Parquet. A folder stands for the one table in it, with its schema.yaml."`
	Schema    string   `reads:"" help:"The schema file: which columns are quasi-identifiers, which are sensitive. By default the one beside the table: my.schema.yaml of my.csv." placeholder:"FILE"`
	Quasi     []string `help:"Quasi-identifiers, in place of those of the schema." placeholder:"NAME,..."`
	Sensitive []string `help:"Sensitive attributes, in place of those of the schema." placeholder:"NAME,..."`
	risk.Options
	JSON bool   `name:"json" help:"Write JSON instead of tables."`
	Page string `help:"Also write a page to this file (HTML)." placeholder:"FILE"`
}

// Help is the second part of the verb's help text.
func (Risk) Help() string {
	return `Measures any anonymised table, made by ppdp or not. Records with equal texts in all
quasi-identifiers are one class; what an interval, a set or a "*" means does not matter. Measured
are the sizes of classes (k-anonymity), the risk of being identified, l-diversity and t-closeness of
every sensitive attribute and of the class. docs/your-table.md says what the figures mean. Columns
that neither the schema nor a flag names are not measured, and listed first.

Records under differential privacy are made up: such figures say nothing about people. Of the folder
of such a release this command checks the certificate, and says what it promises.

Examples:

  ppdp risk release --page risk.html

  ppdp risk theirs.csv --quasi age,zip,sex --sensitive disease

  ppdp risk sample.csv --schema my.schema.yaml --json`
}

// Run measures what an anonymised table discloses.
func (c Risk) Run(con *Console) error {
	file, err := tableIn(c.File)
	if err != nil {
		return terminal.InputError(err)
	}
	dir := filepath.Dir(file)
	if filepath.Base(file) == publish.RecordsFile {
		if _, err := os.Stat(filepath.Join(dir, publish.CertificateFile)); err == nil {
			if done, err := c.certified(con, dir); done || err != nil {
				return err
			}
		}
	}
	for _, beside := range []string{filepath.Join(dir, publish.SchemaFile),
		publish.Beside(file, ".schema.yaml")} {
		if _, err := os.Stat(beside); err == nil && c.Schema == "" && len(c.Quasi) == 0 {
			c.Schema = beside
		}
	}
	format, schema, err := c.described()
	if err != nil {
		return terminal.InputError(err)
	}
	table, err := risk.Read(con.Ctx, file, format, schema)
	if err != nil {
		return terminal.InputError(err)
	}
	report, err := risk.Measure(table, c.Options)
	if err != nil {
		return terminal.InputError(fmt.Errorf("%s: %w", file, err))
	}
	if c.Page != "" {
		if err := results.WriteFile(c.Page, func(w io.Writer) error {
			return risk.WritePage(w, filepath.Base(file), report)
		}); err != nil {
			return err
		}
	}
	if c.JSON {
		return results.WriteJSON(con.Stdout, report)
	}
	return printRisk(con.Stdout, report)
}

// certified says what holds of a release of made-up records, of which there is nothing to measure,
// and reports whether the release is one.
func (c Risk) certified(con *Console, dir string) (done bool, err error) {
	report, err := publish.Verify(con.Ctx, dir, nil)
	if err != nil {
		return false, terminal.InputError(err)
	}
	if err := report.Err(); err != nil {
		return false, terminal.InputError(fmt.Errorf("%s is not what its certificate "+
			"says:\n%w", dir, err))
	}
	promise := report.Certificate.Guarantee
	if promise.K > 0 {
		return false, nil
	}
	if c.Page != "" {
		return true, terminal.InputError(fmt.Errorf("--page: nothing is measured under %s; "+
			"%s is its page", promise.Model, filepath.Join(dir, publish.PageFile)))
	}
	if c.JSON {
		return true, results.WriteJSON(con.Stdout, map[string]any{"guarantee": promise})
	}
	budget := fmt.Sprintf("an epsilon of %v", promise.Epsilon)
	if promise.Delta > 0 {
		budget += fmt.Sprintf(" and a delta of %v", promise.Delta)
	}
	_, err = fmt.Fprintf(con.Stdout, "Under %s, at %s.\n%s\n%s\nThe records stand for nobody: how "+
		"many of them are alike says nothing about people, and is not measured.\n",
		promise.Model, budget, promise.Sentence, report.Certificate.Content)
	return true, err
}

// described is the schema file's format and its attributes with the roles that flags give. A role
// that a flag names attributes for is taken from all others, which are then not measured.
func (c Risk) described() (*csvtable.Format, *datasets.Schema, error) {
	format := csvtable.Plain(&datasets.Schema{})
	if c.Schema != "" {
		var err error
		if format, _, err = csvtable.ReadSchema(c.Schema, "", 0); err != nil {
			return nil, nil, err
		}
	} else if len(c.Quasi) == 0 {
		return nil, nil, errors.New("no quasi-identifiers, must come from --schema FILE or " +
			"be named by --quasi")
	}
	schema := &datasets.Schema{Attributes: slices.Clone(format.Schema.Attributes)}
	assign := func(role datasets.Role, names []string) {
		if len(names) == 0 {
			return
		}
		schema.Attributes = slices.DeleteFunc(schema.Attributes, func(a datasets.Attribute) bool {
			return (a.Role == datasets.QuasiIdentifier) == (role == datasets.QuasiIdentifier) &&
				!slices.Contains(names, a.Name)
		})
		for _, name := range names {
			at := schema.Index(name)
			if at < 0 { // not described: it has an order if it holds numbers
				at = len(schema.Attributes)
				schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: name})
			}
			schema.Attributes[at].Role = role
		}
	}
	assign(datasets.QuasiIdentifier, c.Quasi)
	assign(datasets.Sensitive, c.Sensitive)
	return format, schema, nil
}

// tableIn is the table that a path names: itself, or the only table of a folder.
func tableIn(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path, err
	}
	var found []string
	for _, pattern := range []string{"*.csv", "*.csv.gz", "*.parquet"} {
		if pattern == "*.parquet" && len(found) > 0 {
			break // of the same records
		}
		files, _ := fs.Glob(os.DirFS(path), pattern) // fails for malformed patterns only
		found = append(found, files...)
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%s: %d tables, must be one; name the file itself", path, len(found))
	}
	return filepath.Join(path, found[0]), nil
}

func printRisk(w io.Writer, r *risk.Report) error {
	for _, finding := range r.Findings() {
		fmt.Fprintln(w, finding)
	}
	fmt.Fprintln(w)
	sizes := terminal.NewTable(w, "CLASS SIZE", "CLASSES", "RECORDS", "SHARE")
	for _, bin := range r.Sizes {
		sizes.Row(bin.Range(), strconv.Itoa(bin.Classes), strconv.Itoa(bin.Records),
			risk.Percent(float64(bin.Records)/float64(r.Records)))
	}
	if err := sizes.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	attackers := terminal.NewTable(w, "ATTACKER", "HIGHEST", "MEAN",
		fmt.Sprintf("ABOVE 1/%d", r.Threshold))
	attackers.Row("prosecutor", risk.Percent(r.Prosecutor.Max), risk.Percent(r.Prosecutor.Mean),
		risk.Percent(r.Prosecutor.AtRisk))
	if err := attackers.Flush(); err != nil || len(r.Sensitive) == 0 {
		return err
	}
	fmt.Fprintln(w)
	sensitive := terminal.NewTable(w, "ATTRIBUTE", "VALUES", "DISCLOSED", "DISTINCT L",
		"ENTROPY L", "RECURSIVE L", "T EQUAL", "T ORDERED", "T HIERARCHICAL")
	distance := func(t *float64) string {
		if t == nil {
			return "-"
		}
		return fmt.Sprintf("%.3g", *t)
	}
	for d := range results.Each(r.Sensitive) {
		sensitive.Row(strings.ReplaceAll(d.Attribute, "\t", " "), strconv.Itoa(d.Values),
			strconv.Itoa(d.Homogeneous), strconv.Itoa(d.Distinct), fmt.Sprintf("%.3g", d.Entropy),
			strconv.Itoa(d.Recursive), fmt.Sprintf("%.3g", d.Equal), distance(d.Ordered),
			distance(d.Hierarchical))
	}
	return sensitive.Flush()
}
