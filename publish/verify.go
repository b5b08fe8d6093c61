package publish

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
)

// Report is what Verify found.
type Report struct {
	Certificate *Certificate
	// Checks are what was checked and holds, a sentence each. Problems are what does not.
	Checks   []string
	Problems []error
	// Records is the number of rows; Classes and Smallest are of a release under k-anonymity.
	Records, Classes, Smallest int
	// Suppressed is how many of the original's records are not in the release, where it was given.
	Suppressed int
}

// Err joins the problems.
func (r *Report) Err() error { return errors.Join(r.Problems...) }

// mostProblems is how many problems of a kind are reported.
const mostProblems = 5

// check notes a sentence that holds or, in its place, the problems that are not nil. It reports
// whether there are none.
func (r *Report) check(holds string, problems ...error) bool {
	if n := len(problems); n > mostProblems {
		problems = append(problems[:mostProblems:mostProblems],
			fmt.Errorf("and %d more of the kind", n-mostProblems))
	}
	if err := errors.Join(problems...); err != nil {
		r.Problems = append(r.Problems, problems...)
		return false
	}
	r.Checks = append(r.Checks, holds)
	return true
}

// Original is the table that a release is of. Its holder alone can check against it.
type Original struct {
	Table string
	// Schema is the schema file it is read with.
	Schema string
}

// Verify checks the folder of a release: its files against the certificate, the certificate against
// its JSON Schema, the schema, every value against its domain and, under k-anonymity, the classes.
// With the original it also checks, under k-anonymity, that every record of the release is one of
// the original's, generalised, and no record is there twice. The error is for a folder that cannot
// be read as a release at all.
func Verify(ctx context.Context, dir string, original *Original) (*Report, error) {
	c, text, err := readCertificate(dir)
	if text == nil {
		return nil, fmt.Errorf("%s: not the folder of a release: %w", dir, err)
	}
	r := &Report{Certificate: c}
	r.check("The certificate has the form that its JSON Schema asks for.", err, checkForm(text))
	if c == nil || len(r.Problems) > 0 {
		return r, nil
	}
	r.check(fmt.Sprintf("All %d files have the sizes and SHA-256 digests of the certificate.",
		len(c.Files)), checkFiles(dir, c)...)
	schemaText, err := os.ReadFile(filepath.Join(dir, SchemaFile))
	var format *csvtable.Format
	if err == nil {
		format, err = csvtable.ParseSchema(SchemaFile, schemaText)
	}
	if !r.check("The schema can be read.", err) {
		return r, nil
	}
	rows, problems := readRecords(dir, c, format.Schema)
	r.Records = len(rows)
	if !r.check(fmt.Sprintf("All values of %d records lie in the schema's domains.", len(rows)),
		problems...) {
		return r, nil
	}
	var published *generalised
	if c.Guarantee.K > 0 {
		published = classesOf(format.Schema, rows)
		r.Classes, r.Smallest = len(published.classes), published.smallest()
		var problem error
		if r.Records > 0 && r.Smallest < c.Guarantee.K {
			problem = fmt.Errorf("%s: a class of %d records, must be %d or more", RecordsFile,
				r.Smallest, c.Guarantee.K)
		}
		r.check(fmt.Sprintf("The records are %d classes of at least %d that look alike (k is %d).",
			r.Classes, r.Smallest, c.Guarantee.K), problem)
	}
	switch {
	case original == nil:
	case published == nil:
		r.Checks = append(r.Checks, "The original was not used: records under differential "+
			"privacy are made up.")
	default:
		return r, r.against(ctx, original, format.Schema, published)
	}
	return r, nil
}

// checkForm checks a certificate by the JSON Schema that comes with the program.
func checkForm(text []byte) error {
	schemaText, err := embedded.ReadFile(FormatFile)
	if err != nil {
		return err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText))
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(FormatFile, document); err != nil {
		return err
	}
	schema, err := compiler.Compile(FormatFile)
	if err != nil {
		return err
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("%s: %w", CertificateFile, err)
	}
	if err := schema.Validate(instance); err != nil {
		return fmt.Errorf("%s: %w", CertificateFile, err)
	}
	return nil
}

// checkFiles compares a folder's files with the certificate's list.
func checkFiles(dir string, c *Certificate) (problems []error) {
	listed := map[string]bool{CertificateFile: true}
	for _, want := range c.Files {
		listed[want.Name] = true
		is, err := describeFile(dir, want.Name)
		switch {
		case err != nil:
			problems = append(problems, err)
		case is != want:
			problems = append(problems, fmt.Errorf("%s: %d bytes, SHA-256 %s; the certificate "+
				"has %d bytes, %s", want.Name, is.Bytes, is.SHA256, want.Bytes, want.SHA256))
		}
	}
	for _, name := range []string{RecordsFile, SchemaFile, CroissantFile, FormatFile, PageFile} {
		if !listed[name] {
			problems = append(problems, fmt.Errorf("%s: not in the certificate", name))
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return append(problems, err)
	}
	for _, entry := range entries {
		if !listed[entry.Name()] {
			problems = append(problems, fmt.Errorf("%s: in the folder, not in the certificate",
				entry.Name()))
		}
	}
	return problems
}

// readRecords reads the release's records and checks every value.
func readRecords(dir string, c *Certificate,
	schema *datasets.Schema) (rows [][]string, problems []error) {
	f, err := os.Open(filepath.Join(dir, RecordsFile))
	if err != nil {
		return nil, []error{err}
	}
	defer f.Close()
	reader := csv.NewReader(f)
	header, err := reader.Read()
	if err != nil {
		return nil, []error{fmt.Errorf("%s: %w", RecordsFile, err)}
	}
	want := schema.Names()
	if c.Weighted {
		want = append(want, "weight")
	}
	if !slices.Equal(header, want) {
		return nil, []error{fmt.Errorf("%s: columns %q, must be the schema's %q", RecordsFile,
			header, want)}
	}
	known := make([]map[string]bool, len(want)) // values that were checked
	for i := range known {
		known[i] = make(map[string]bool)
	}
	for {
		row, err := reader.Read()
		if err == io.EOF {
			return rows, problems
		}
		if err != nil {
			return rows, append(problems, fmt.Errorf("%s: %w", RecordsFile, err))
		}
		for i, text := range row {
			if known[i][text] {
				continue
			}
			var err error
			switch {
			case i == len(schema.Attributes):
				if w, bad := strconv.ParseFloat(text, 64); bad != nil || !(w >= 0 && w < 1e300) {
					err = fmt.Errorf("weight %q, must be a number of at least 0", text)
				}
			case c.Guarantee.K > 0 && schema.Attributes[i].Role == datasets.QuasiIdentifier:
				_, err = parseGroup(&schema.Attributes[i], text)
			default:
				_, err = schema.Attributes[i].TextCode(text)
			}
			if err != nil {
				line, column := reader.FieldPos(i)
				problems = append(problems, fmt.Errorf("%s:%d:%d: %w", RecordsFile, line, column,
					err))
			} else {
				known[i][text] = true
			}
		}
		rows = append(rows, row)
	}
}

// against compares generalised records with the original.
func (r *Report) against(ctx context.Context, original *Original, published *datasets.Schema,
	g *generalised) error {
	loaded, err := csvtable.Source{}.Load(ctx, datasets.Request{
		Params: &csvtable.Params{CSV: original.Table, Schema: original.Schema}})
	if err != nil {
		return err
	}
	// Roles may differ: the release's target may be another attribute.
	if err := sameDomains(loaded.Table.Schema(), published); err != nil {
		return fmt.Errorf("%s: %w", original.Schema, err)
	}
	matched, err := g.match(ctx, published, loaded.Table)
	if err != nil {
		return err
	}
	var problem error
	if matched < r.Records {
		problem = fmt.Errorf("%s: %d of %d records are not from the original",
			RecordsFile, r.Records-matched, r.Records)
	}
	r.Suppressed = loaded.Table.Len() - matched
	r.check(fmt.Sprintf("Every record is one of the original's %d, generalised and otherwise "+
		"unchanged; %d are suppressed.", loaded.Table.Len(), r.Suppressed), problem)
	return nil
}

// sameDomains reports whether two schemas have the same attributes, but for their roles.
func sameDomains(own, published *datasets.Schema) error {
	if !slices.Equal(own.Names(), published.Names()) {
		return fmt.Errorf("attributes %s, the release's are %s",
			strings.Join(own.Names(), ", "), strings.Join(published.Names(), ", "))
	}
	for i := range own.Attributes {
		a, b := &own.Attributes[i], &published.Attributes[i]
		if a.Kind != b.Kind || a.Low != b.Low || a.High != b.High || a.Step != b.Step ||
			a.Continuous != b.Continuous || !slices.Equal(a.Values, b.Values) {
			return fmt.Errorf("%s: another domain than in the release's schema", a.Name)
		}
	}
	return nil
}
