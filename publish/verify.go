package publish

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"ppdp/algorithms"
	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/internal/must"
	"ppdp/internal/problem"
	"ppdp/internal/results"
	"ppdp/numeric/elementary"
	"ppdp/privacy"
	"ppdp/publish/risk"
)

// Report is what Verify found.
type Report struct {
	Certificate *Certificate `json:"certificate"` // nil where it cannot be read
	// Checks are what was checked and holds, a sentence each. Problems are what does not.
	// Unchecked is what could not be checked, with what that takes.
	Checks    []string `json:"checks"`
	Problems  []string `json:"problems"`
	Unchecked []string `json:"unchecked"`
	// Records is the number of rows; Classes and Smallest are of a release under k-anonymity.
	Records  int `json:"records"`
	Classes  int `json:"classes,omitempty"`
	Smallest int `json:"smallest_class,omitempty"`
	// Suppressed is how many of the original's records are not in a release under k-anonymity,
	// Common how many are in one under differential privacy; nil where it was not compared.
	Suppressed *int `json:"suppressed,omitempty"`
	Common     *int `json:"in_common,omitempty"`
}

// Err joins the problems.
func (r *Report) Err() error {
	if len(r.Problems) == 0 {
		return nil
	}
	return errors.New(strings.Join(r.Problems, "\n"))
}

// mostProblems is how many problems of a kind are reported.
const mostProblems = 5

// check notes a sentence that holds or, in its place, the problems that are not nil. It reports
// whether there are none.
func (r *Report) check(holds string, problems ...error) bool {
	problems = slices.DeleteFunc(problems, func(err error) bool { return err == nil })
	if n := len(problems); n > mostProblems {
		problems = append(problems[:mostProblems:mostProblems],
			fmt.Errorf("and %d more of the kind", n-mostProblems))
	}
	if len(problems) > 0 {
		r.Problems = append(r.Problems, results.Mapped(problems, error.Error)...)
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
// What follows from something else is derived again, as a release does it: whether the algorithm
// can be released, its guarantee in words, sums, metadata and pages. With the original it also
// checks, under k-anonymity, that every record of the release is one of the original's,
// generalised, no record is there twice, no more are suppressed than promised, and classes have
// records of k persons; and under differential privacy, that no more of the original's records are
// in the release than chance allows. Noisy counts must agree with each other, with the records and
// with the original as their noise allows. The error is for a folder that cannot be read as a
// release at all.
func Verify(ctx context.Context, dir string, original *Original) (*Report, error) {
	c, text, err := readCertificate(dir)
	if text == nil {
		return nil, fmt.Errorf("%s: not the folder of a release: %w", dir, err)
	}
	r := &Report{Certificate: c, Checks: []string{}, Problems: []string{}, Unchecked: []string{}}
	if signature, err := readPart(dir, SignatureFile); !errors.Is(err, fs.ErrNotExist) {
		r.Unchecked = append(r.Unchecked, "Who signed the certificate: the signature in "+
			SignatureFile+" needs the signer's public key.")
		if n := len(signature); n != ed25519.SignatureSize {
			r.check("", fmt.Errorf("%s: %d bytes, must be a signature's %d", SignatureFile, n,
				ed25519.SignatureSize))
		}
	}
	if c != nil && c.Format != certificateFormat {
		r.check("", fmt.Errorf("%s: the format %q is of another version, must be %q: verify it "+
			"with the program that made it, %s", CertificateFile, c.Format, certificateFormat,
			c.Program))
		return r, nil
	}
	if !r.check("The certificate has the form that its JSON Schema asks for.", err,
		checkForm(text)) {
		return r, nil
	}
	r.check(fmt.Sprintf("All %d files have the sizes and SHA-256 digests of the certificate.",
		len(c.Files)), checkFiles(dir, c)...)
	format, _, err := csvtable.ReadSchema(filepath.Join(dir, SchemaFile), "", 0)
	if !r.check("The schema can be read.", err) {
		return r, nil
	}
	format.Schema.Contributions = c.Guarantee.Contributions
	records, problems := readRecords(dir, c.Guarantee.K > 0, c.Weighted, format.Schema)
	r.Records = records.Rows
	if !r.check(fmt.Sprintf("All values of %d records lie in the schema's domains.", r.Records),
		problems...) {
		return r, nil
	}
	var published *generalised
	if c.Guarantee.K > 0 {
		published = classesOf(format.Schema, records)
		if r.Classes = len(published.first); r.Classes > 0 {
			r.Smallest = slices.Min(published.sizes)
		}
		r.check(fmt.Sprintf("The records are %d classes of at least %d that look alike (k is %d).",
			r.Classes, r.Smallest, c.Guarantee.K),
			problem.Unless(r.Classes == 0 || r.Smallest >= c.Guarantee.K,
				"%s: a class of %d records, must be %d or more", RecordsFile, r.Smallest,
				c.Guarantee.K))
	}
	marginals, err := r.derive(ctx, dir, text, format.Schema, records)
	if err != nil {
		return r, err
	}
	var released *datasets.Table
	if published == nil {
		released = records.table(format.Schema)
		if marginals != nil {
			r.weigh("Marginals agree with each other, and the records with them, as noise allows.",
				append(c.agreement(format.Schema, marginals),
					c.drawn(released, records.weights, marginals)...))
		}
	}
	if original == nil {
		return r, nil
	}
	table, err := original.load(ctx, format.Schema) // as many records of a person as released
	if err != nil {
		return r, err
	}
	if published == nil {
		r.inCommon(table, released)
		if marginals != nil {
			r.weigh("Noisy counts differ from the original's by the noise that was paid for.",
				c.residuals(table, marginals))
		}
		return r, nil
	}
	return r, r.against(ctx, table, published)
}

// derive does again what a release does with its settings, schema and records, and compares. text
// is the certificate's file. It returns the marginals, nil where there are none to rely on.
func (r *Report) derive(ctx context.Context, dir string, text []byte, schema *datasets.Schema,
	records *records) ([]algorithms.Marginal, error) {
	c := r.Certificate
	request := &Request{Algorithm: c.Algorithm.Name, Params: c.Algorithm.Params,
		Variant: algorithms.Variant(c.Algorithm.Variant), Epsilon: c.Guarantee.Epsilon,
		Delta: c.Guarantee.Delta}
	limited, cancel := context.WithTimeout(ctx, time.Minute) // a forger may ask for any settings
	defer cancel()
	chosen, err := choose(limited, request, schema, nil)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if !r.check("The algorithm's guarantee holds, and it can be released under these settings.",
		err) {
		return nil, nil
	}
	var measured *risk.Report
	if c.Guarantee.K > 0 {
		if measured, err = chosen.measure(records, schema); err != nil {
			return nil, err
		}
		if measured != nil && chosen.limits().Any() {
			r.check("Every class keeps the limits of what it tells of sensitive attributes.",
				chosen.missed(schema, measured)...)
		}
	}
	derived := *c
	derived.Mechanisms = slices.Clone(c.Mechanisms)
	marginals, err := c.readMarginals(dir, schema)
	if err == nil && chosen.measures != (marginals != nil) {
		err = fmt.Errorf("%s: there %t, with this algorithm %t", MarginalsFile, marginals != nil,
			chosen.measures)
	}
	var want bytes.Buffer
	var problems []error
	if err == nil {
		chosen.derive(&derived, schema, marginals, measured)
		if err := results.WriteJSON(&want, derived); err != nil {
			return nil, err
		}
		problems = differences(CertificateFile, text, want.Bytes())
	}
	if !r.check("What the certificate says in words and sums follows from its settings.",
		slices.Concat(problems, []error{err}, c.sums(chosen.trial))...) {
		return nil, nil
	}
	if chosen.measures {
		r.check(fmt.Sprintf("%d marginals have a count for each cell, the noise that they paid "+
			"for and the costs of the certificate.", len(marginals)))
	}
	names := []string{RecordsFile}
	if chosen.measures {
		names = append(names, MarginalsFile)
	}
	first, parts := len(names), derived.parts(schema, records, measured)
	names = append(names, results.Mapped(parts, func(p part) string { return p.name })...)
	if !slices.EqualFunc(c.Files, names, func(f File, name string) bool { return f.Name == name }) {
		r.check("", fmt.Errorf("%s: other files than a release has, or in another order",
			CertificateFile))
		return nil, nil
	}
	for i, part := range parts {
		want.Reset()
		if err := part.write(&want, c.Files[:first+i]); err != nil {
			return nil, err
		}
		is, err := readPart(dir, part.name)
		if err == nil && !bytes.Equal(is, want.Bytes()) {
			err = fmt.Errorf("%s: not what follows from certificate, schema and records", part.name)
		}
		problems = append(problems, err)
	}
	r.check("Schema, pages and metadata are what follows from certificate and records.",
		problems...)
	return marginals, nil
}

// differences are the lines of a file that must be others: the first one where there are too many
// or too few. They are nil for the same bytes alone.
func differences(name string, is, must []byte) (found []error) {
	lines, want := strings.Split(string(is), "\n"), strings.Split(string(must), "\n")
	for i := range min(len(lines), len(want)) {
		if lines[i] != want[i] {
			found = append(found, fmt.Errorf("%s:%d: %s, must be %s", name, i+1,
				strings.Trim(lines[i], " ,"), strings.Trim(want[i], " ,")))
			if len(lines) != len(want) {
				return found
			}
		}
	}
	if len(lines) != len(want) {
		found = append(found, fmt.Errorf("%s:%d: %d lines, must be %d", name,
			min(len(lines), len(want)), len(lines)-1, len(want)-1))
	}
	return found
}

// sums checks what numbers of a certificate say of each other, and mechanisms against those that a
// release of made-up records has.
func (c *Certificate) sums(trial []privacy.Entry) (problems []error) {
	must := func(holds bool, format string, args ...any) {
		problems = append(problems, problem.Unless(holds, CertificateFile+": "+format, args...))
	}
	_, err := time.Parse(time.DateOnly, c.Released)
	must(err == nil, "released on %s, must be a day", c.Released)
	b := c.Budget
	if b == nil {
		return problems
	}
	must((c.Audit.Pairs > 0) == (c.Audit.Transcripts > 0), "an audit of %d pairs by %d transcripts",
		c.Audit.Pairs, c.Audit.Transcripts)
	cost, known := 0.0, false
	for _, m := range c.Mechanisms {
		cost += m.Cost
		for _, t := range trial { // which may lack one, since the data have a say in it
			if m.Purpose == t.Purpose {
				known = true
				must(m.Mechanism == t.Mechanism && (t.Chooses() || m.Sensitivity ==
					float64(t.Proven)), "%q by %s of sensitivity %v, must be by %s of %v",
					m.Purpose, m.Mechanism, m.Sensitivity, t.Mechanism, t.Proven)
			}
		}
	}
	must(known, "the algorithm uses none of its mechanisms")
	unit, allowed := costUnit(c.Guarantee.Epsilon, c.Guarantee.Delta)
	const rounding = 1 + 1e-9
	must(cost > 0 && cost <= allowed*rounding, "mechanisms cost %v together, must be above 0 and "+
		"at most %v in %s", cost, allowed, unit)
	must(b.Before+b.Cost <= b.Total*rounding, "%v are spent before and %v by the release, must be "+
		"at most %v", b.Before, b.Cost, b.Total)
	paid := b.Number - 1 - c.EarlierAnonymised
	must(paid >= 0 && (b.Before > 0) == (paid > 0), "%v are spent by %d earlier releases, %d of "+
		"them under k-anonymity", b.Before, b.Number-1, c.EarlierAnonymised)
	return problems
}

// checkForm checks a certificate by the JSON Schema that comes with the program.
func checkForm(text []byte) error {
	var schema jsonschema.Schema
	var certificate any
	err := errors.Join(json.Unmarshal([]byte(formatText), &schema),
		json.Unmarshal(text, &certificate))
	if err == nil {
		err = must.Get(schema.Resolve(nil)).Validate(certificate) // the program's own
	}
	return problem.Named(CertificateFile, err)
}

// checkFiles compares a folder's files with the certificate's list.
func checkFiles(dir string, c *Certificate) (problems []error) {
	listed := map[string]bool{CertificateFile: true, SignatureFile: true}
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

// load reads the original, whose attributes must be those of the release.
func (o *Original) load(ctx context.Context, published *datasets.Schema) (*datasets.Table, error) {
	loaded, err := csvtable.Source{}.Load(ctx, datasets.Request{
		Params: &csvtable.Params{CSV: o.Table, Schema: o.Schema,
			Contributions: published.Contributions}})
	if err != nil {
		return nil, err
	}
	// Roles may differ: the release's target may be another attribute.
	if err := sameDomains(loaded.Table.Schema(), published); err != nil {
		return nil, fmt.Errorf("%s: %w; name by --schema the schema file that the release was "+
			"made with", o.Schema, err)
	}
	return loaded.Table, nil
}

// against compares generalised records with the original.
func (r *Report) against(ctx context.Context, original *datasets.Table, g *generalised) error {
	matched, persons, err := g.match(ctx, original)
	if err != nil {
		return err
	}
	if c := r.Certificate.Guarantee; c.Contributions > 1 && r.Classes > 0 {
		r.check(fmt.Sprintf("The original's records that fit a class are of %d persons or more "+
			"(k is %d).", persons, c.K), problem.Unless(persons >= c.K, "%s: the "+
			"records of a class are of %d persons, must be %d or more", RecordsFile, persons, c.K))
	}
	suppressed := original.Len() - matched
	r.Suppressed = &suppressed
	r.check(fmt.Sprintf("Every record is one of the original's %d, generalised and otherwise "+
		"unchanged; %d are suppressed.", original.Len(), suppressed),
		problem.Unless(matched == r.Records, "%s: %d of %d records are not from the original",
			RecordsFile, r.Records-matched, r.Records))
	most := mostSuppressed(r.Certificate.Guarantee.Suppression, original.Len())
	r.check(fmt.Sprintf("No more than %d records are suppressed, as promised.", most),
		problem.Unless(suppressed <= most, "%s: %d of the original's %d records are suppressed, "+
			"must be %d or fewer", RecordsFile, suppressed, original.Len(), most))
	return nil
}

// inCommon counts the original's records that are in a release of made-up ones, to the cell, and
// refuses more than chance allows. How often a release holds a record that is nobody's is taken to
// be at most how often records of the original, or of the release, have a twin, or the share of the
// domain that the release covers, whichever is most. Under (epsilon, delta) somebody's own record
// is there at most e^epsilon times as often, plus delta. Hoeffding's inequality bounds how far the
// shares in these samples may be above that.
func (r *Report) inCommon(original, release *datasets.Table) {
	n, m, domain, schema := original.Len(), release.Len(), 1.0, release.Schema()
	var all []int
	for i := range schema.Attributes {
		all = append(all, i)
		domain *= float64(schema.Attributes[i].Cells())
	}
	count := func(table *datasets.Table) (counts map[string]int, twins float64) {
		counts = make(map[string]int)
		for row := range int32(table.Len()) {
			counts[keyOf(all, func(i int) uint32 { return table.Column(i).At(row) })]++
		}
		for _, n := range counts { // order-free: a sum of whole numbers
			if n > 1 {
				twins += float64(n)
			}
		}
		return counts, twins
	}
	own, ownTwins := count(original)
	released, twins := count(release)
	common := 0
	for key, n := range own { // order-free: a sum of whole numbers
		if released[key] > 0 {
			common += n
		}
	}
	r.Common = &common
	nobody := max(ownTwins/float64(n), twins/float64(max(m, 1)), float64(len(released))/domain)
	const chance = 1e-6
	persons := float64(n) / float64(max(1, schema.Contributions)) // or more
	allowed := float64(elementary.Exp(r.Certificate.Guarantee.Epsilon)*nobody) +
		r.Certificate.Guarantee.Delta +
		math.Sqrt(-elementary.Log(chance)/2*(1/persons+1/float64(max(m, 1))))
	most, limit := n, "with this epsilon, these records and this domain all may be by chance"
	if allowed < 1 {
		most = int(allowed * float64(n))
		limit = fmt.Sprintf("more than %d have a chance below 1 in a million", most)
	}
	is := fmt.Sprintf("%d of the original's %d records are in the release: %s", common, n, limit)
	r.check(is+".", problem.Unless(common <= most, "%s: %s", RecordsFile, is))
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
			a.Continuous != b.Continuous || !slices.Equal(a.Values, b.Values) ||
			a.MissingCode() != b.MissingCode() {
			return fmt.Errorf("%s: another domain than in the release's schema", a.Name)
		}
	}
	return nil
}
