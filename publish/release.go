// Package publish turns a release of a private table into a folder that may be handed out, and
// verifies such folders.
//
// Make takes a request: a table with its schema, an algorithm and a budget. It refuses algorithms
// whose guarantee does not hold and draws that are not exact (privacy.Publication). All randomness
// is the operating system's. An account beside the table adds up what all its releases cost, and
// refuses what exceeds the total. The folder holds the records, their schema, a certificate and
// metadata for catalogues. Verify reads such a folder and reports everything wrong with it.
//
// Nothing of the private data leaves the machine except through the algorithm: the certificate
// holds no checksum of the table and no count of its rows, all files carry the day as their time,
// and rows are in random order. How useful a release is, is not measured here.
package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ppdp/algorithms"
	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
	"ppdp/metrics/verify"
	"ppdp/privacy"
	"ppdp/publish/risk"
	"ppdp/random"
)

// ErrRefused is wrapped by the errors of what may not be released, whatever the data.
var ErrRefused = errors.New("cannot be released")

// Request is what is to be released, and how.
type Request struct {
	Algorithm string
	// Params are settings as name=value, a value as in a spec.
	Params []string
	// Variant is a variant of the algorithm; empty for the one that can be released.
	Variant algorithms.Variant
	// Epsilon and Delta are the budget; both are 0 under k-anonymity.
	Epsilon, Delta float64
	// Table and Schema are the paths of the table and its schema file; Target, where it is not
	// empty, names the attribute that is the class in place of the schema's.
	Table, Schema, Target string
	// Account is the path of the table's account, empty for the one beside it. Total is what it
	// allows; Changed says that the table may be another state than that of the last release.
	Account string
	Total   Total
	Changed bool
	// Out is the folder to make. It must not exist. Title is what the release is called, License
	// names the terms it is published under; both may be empty.
	Out, Title, License string
	// Program says what made the release, Now when.
	Program string
	Now     time.Time
	// Log takes messages for the table's holder, and nobody else: they may speak of private data.
	Log func(string)
}

// Made is a release that was made for publication. Only Make returns one.
type Made struct {
	Certificate *Certificate
	Digest      string // SHA-256 of the certificate's file
	Standing    Standing
}

// chosen is an algorithm with the parameters and the guarantee that it will run under.
type chosen struct {
	algorithm algorithms.Algorithm
	info      algorithms.Info
	params    algorithms.Params
	guarantee algorithms.Guarantee
}

// Make makes a release and its folder. Everything that can be wrong with the request or the files
// is reported before the account is changed. From then on the release counts as spent, whatever
// happens, and errors are those that Spent recognises.
func Make(ctx context.Context, r *Request) (*Made, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	table, digest, err := r.load(ctx)
	if err != nil {
		return nil, err
	}
	c, err := choose(ctx, r, table.Schema())
	if err != nil {
		return nil, err
	}
	if anonymous, ok := c.params.(algorithms.Anonymous); ok {
		if err := algorithms.CheckEnough(table.Len(), anonymous.Anonymity()); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Table, err)
		}
	}
	folder, err := newFolder(r.Out, r.Now)
	if err != nil {
		return nil, err
	}
	defer folder.remove()
	path, err := r.accountPath()
	if err != nil {
		return nil, err
	}
	params := results.FormatParams(strictyaml.Resolved(c.params))
	standing, err := reserve(path, accountEntry{Table: digest, Algorithm: c.info.Name,
		Variant: string(c.guarantee.Variant), Params: params,
		Guarantee: string(c.guarantee.Model), Epsilon: r.Epsilon, Delta: r.Delta,
		Program: r.Program}, &c.guarantee, r.Total, r.Changed, r.Now)
	if err != nil {
		return nil, err
	}
	made, err := c.publish(ctx, r, table, folder, standing)
	if err != nil {
		return nil, spentError{fmt.Errorf("no release was made, and it counts as spent (release "+
			"%d in %s). This message may speak of private data, do not pass it on: %w",
			standing.Number, path, err)}
	}
	if err := markPublished(path, standing.Number, made.Digest); err != nil {
		return nil, spentError{fmt.Errorf("%s is complete, but the account could not be written: "+
			"%w", r.Out, err)}
	}
	return made, nil
}

// spentError is the error of a release that the account has entered.
type spentError struct{ error }

func (e spentError) Unwrap() error { return e.error }

// Spent reports whether Make failed only after the account had entered the release.
func Spent(err error) bool { return errors.As(err, new(spentError)) }

// check rejects budgets out of range, all of them at once.
func (r *Request) check() error {
	const epsilons, deltas = "a number from 0 to 1000", "a number of at least 0 and below 1"
	var bad datasets.Problems
	must := func(holds bool, flag string, value float64, be string) {
		if !holds {
			bad.Add("%s: %v, must be %s", flag, value, be)
		}
	}
	must(r.Epsilon >= 0 && r.Epsilon <= maxEpsilon, "--epsilon", r.Epsilon, epsilons)
	must(r.Delta >= 0 && r.Delta < 1, "--delta", r.Delta, deltas)
	total := r.Total
	must(total.Epsilon >= 0 && total.Epsilon <= maxEpsilon, "--total", total.Epsilon, epsilons)
	must(total.Delta >= 0 && total.Delta < 1, "--total-delta", total.Delta, deltas)
	return bad.Err()
}

// maxEpsilon is an epsilon beyond which nothing is protected.
const maxEpsilon = 1000

// load reads schema and table, with the target as the class. digest is the SHA-256 of the table's
// file as it is on disk, by which the account recognises the table. Both come from one pass over
// the file, so that they cannot be of two different states of it.
func (r *Request) load(ctx context.Context) (table *datasets.Table, digest string, err error) {
	format, schema, err := csvtable.ReadSchema(r.Schema, r.Target)
	if err != nil {
		return nil, "", err
	}
	if csvtable.IsDraft(schema) {
		return nil, "", fmt.Errorf("%s: a draft, whose bounds and lists were read off the data: a "+
			"release with them %w. Write down what is possible instead, then delete the comment "+
			"at the top", r.Schema, ErrRefused)
	}
	file, err := datasets.OpenFile(r.Table)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, "", err
	}
	sum := sha256.New()
	bytes := io.TeeReader(file, sum)
	text, err := csvtable.Unpack(r.Table, bytes, info.Size())
	if err != nil {
		return nil, "", err
	}
	content, err := format.Read(ctx, r.Table, text)
	if err != nil {
		return nil, "", err
	}
	if content.Table.Len() == 0 {
		return nil, "", fmt.Errorf("%s: no rows to use, must have at least one", r.Table)
	}
	if _, err := io.Copy(io.Discard, bytes); err != nil { // what no table needs is in the sum
		return nil, "", err
	}
	for _, note := range format.Notes(content) {
		r.Log(note)
	}
	if content.Dropped > 0 {
		r.Log(fmt.Sprintf("%d rows with a missing value are left out", content.Dropped))
	}
	return content.Table, hex.EncodeToString(sum.Sum(nil)), nil
}

// sumFile is the SHA-256 of a file, in hexadecimal digits.
func sumFile(path string) (string, error) {
	f, err := datasets.OpenFile(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}

// choose finds the algorithm, its parameters and a variant that can be released. The error lists
// the reasons against every variant that was tried.
func choose(ctx context.Context, r *Request, schema *datasets.Schema) (*chosen, error) {
	algorithm, err := algorithms.Lookup(r.Algorithm)
	if err != nil {
		return nil, fmt.Errorf("%w; %s can be released", err, strings.Join(Releasable(), ", "))
	}
	c := &chosen{algorithm: algorithm, info: algorithm.Info(), params: algorithm.Params()}
	if c.info.Input != algorithms.TableInput {
		return nil, fmt.Errorf("%s %w: it takes graphs; %s can be released", c.info.Name,
			ErrRefused, strings.Join(Releasable(), ", "))
	}
	if err := decodeParams(c.params, r.Params); err != nil {
		return nil, err
	}
	if err := c.params.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", c.info.Name, err)
	}
	var errs []error
	for i := range c.info.Variants {
		v := c.info.Variants[i].Variant
		if r.Variant != "" && v != r.Variant {
			continue
		}
		err := c.try(ctx, v, r.Epsilon, r.Delta, schema)
		if err == nil {
			return c, nil
		}
		errs = append(errs, err)
	}
	if len(errs) == 0 {
		_, err := c.info.Guarantee(r.Variant) // says which there are
		return nil, err
	}
	if r.Variant != "" {
		for i := range c.info.Variants {
			v := c.info.Variants[i].Variant
			if v != r.Variant && c.try(ctx, v, r.Epsilon, r.Delta, schema) == nil {
				errs = append(errs, fmt.Errorf("take --variant %s, which can", v))
			}
		}
	}
	return nil, errors.Join(errs...)
}

// decodeParams sets parameters from texts NAME=VALUE. The type of a parameter decides how its value
// is read. Errors name a setting by its number, in place of a line.
func decodeParams(params algorithms.Params, settings []string) error {
	mapping := &strictyaml.Node{Kind: strictyaml.MappingNode}
	for i, setting := range settings {
		name, value, ok := strings.Cut(setting, "=")
		if !ok {
			return fmt.Errorf("--param %q, must be NAME=VALUE", setting)
		}
		for _, text := range []string{name, value} {
			mapping.Content = append(mapping.Content,
				&strictyaml.Node{Kind: strictyaml.ScalarNode, Value: text, Line: i + 1})
		}
	}
	reader := strictyaml.NewReader("--param")
	reader.Decode(reader.Tree(mapping), params)
	return reader.Err()
}

// try reports why a variant cannot be released, and remembers its guarantee.
func (c *chosen) try(ctx context.Context, v algorithms.Variant, epsilon, delta float64,
	schema *datasets.Schema) error {
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("%s, variant %s, %w: "+format,
			append([]any{c.info.Name, v, ErrRefused}, args...)...)
	}
	g, err := algorithms.GuaranteeOf(c.algorithm, v, c.params)
	if err != nil {
		return err
	}
	errata := ""
	if len(g.Errata) > 0 {
		errata = " (errata " + strings.Join(g.Errata, ", ") + ")"
	}
	switch {
	case g.Model == algorithms.NoPrivacy:
		return refuse("it gives no privacy")
	case g.Status == algorithms.Declared:
		return refuse("what it promises is the word of a program that nothing here has checked")
	case g.Status != algorithms.Holds:
		return refuse("its guarantee is %s%s: %s", g.Status, errata, g.Note)
	case g.Model == algorithms.KAnonymity && !c.info.Can(algorithms.MembershipProduct):
		return refuse("it does not say which class a record is in")
	case g.Model == algorithms.KAnonymity && len(schema.QuasiIdentifiers()) == 0:
		return refuse("the schema has no quasi-identifier to generalise")
	case g.Model == algorithms.KAnonymity && (epsilon != 0 || delta != 0):
		return fmt.Errorf("%s promises k-anonymity, which has no epsilon and no delta: leave them "+
			"out", c.info.Name)
	case g.Model == algorithms.DifferentialPrivacy && !c.info.Can(algorithms.RecordsProduct):
		return refuse("it releases no records")
	case g.Model == algorithms.DifferentialPrivacy && !(epsilon > 0):
		return fmt.Errorf("%s needs an --epsilon above 0", c.info.Name)
	case delta > 0 && !g.Approximate:
		return fmt.Errorf("%s is accounted in pure epsilon: leave --delta out", c.info.Name)
	}
	if checker, ok := c.algorithm.(algorithms.VariantChecker); ok {
		if err := checker.CheckVariant(v, c.params); err != nil {
			return refuse("%w", err)
		}
	}
	if checker, ok := c.algorithm.(algorithms.SchemaChecker); ok {
		if err := checker.CheckSchema(schema, c.params); err != nil {
			return refuse("%w", err)
		}
	}
	c.guarantee = g
	if g.Model != algorithms.DifferentialPrivacy {
		return nil
	}
	// Made-up records show whether everything is drawn exactly: that does not depend on the data.
	trial := privacy.NewPublication(epsilon, delta)
	table, err := madeUp(schema)
	if err == nil {
		_, err = c.run(ctx, table, trial)
	}
	if errors.Is(err, privacy.ErrInexact) {
		return refuse("%w", err)
	}
	return err
}

// madeUp is a small table of a schema, drawn uniformly.
func madeUp(schema *datasets.Schema) (*datasets.Table, error) {
	const rows = 24
	stream := random.SystemStream()
	b := datasets.NewBuilder(schema, rows)
	for range rows {
		row := b.AddRow()
		for i := range schema.Attributes {
			a := &schema.Attributes[i]
			code := uint32(stream.Uint64N(uint64(a.Cells())))
			if !a.Continuous {
				b.Set(row, i, code)
			} else if err := b.SetNumber(row, i, a.Number(code)); err != nil {
				return nil, err
			}
		}
	}
	return b.Table(), nil
}

// run runs the algorithm.
func (c *chosen) run(ctx context.Context, table *datasets.Table,
	p *privacy.Publication) (r *algorithms.Release, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("%s failed: %v", c.info.Name, caught)
		}
	}()
	in := algorithms.Input{Table: table, Rows: table.AllRows(), Params: c.params,
		Variant: c.guarantee.Variant, Budget: p.Budget(), Noise: p.Noise()}
	r, err = c.algorithm.Release(ctx, in)
	if refused := p.Budget().Refused(); refused != nil {
		return nil, refused
	}
	if err == nil {
		err = algorithms.CheckRelease(&c.info, in, r)
	}
	return r, err
}

// publish makes the release and its folder.
func (c *chosen) publish(ctx context.Context, r *Request, table *datasets.Table, folder *folder,
	standing Standing) (*Made, error) {
	p := privacy.NewPublication(r.Epsilon, r.Delta)
	release, err := c.run(ctx, table, p)
	if err != nil {
		return nil, err
	}
	for _, warning := range release.Warnings {
		r.Log(warning)
	}
	schema := table.Schema()
	weighted, anonymity := false, 0
	var write func(w io.Writer) error
	if anonymous, ok := c.params.(algorithms.Anonymous); ok {
		anonymity = anonymous.Anonymity()
		rows := table.AllRows()
		report, err := verify.Regions(table, rows, release.Regions)
		if err == nil {
			err = report.Err()
		}
		if err == nil && report.K > 0 && report.K < anonymity {
			err = fmt.Errorf("a class of %d records, must be %d or more", report.K, anonymity)
		}
		if err != nil {
			return nil, err
		}
		write = func(w io.Writer) error {
			return WriteGeneralised(w, table, rows, release.Regions, p.Noise().Open("rows"))
		}
	} else {
		records, weights, err := release.Records(ctx)
		if err != nil {
			return nil, err
		}
		order := records.AllRows()
		p.Noise().Open("rows").Shuffle(len(order), func(i, j int) {
			order[i], order[j] = order[j], order[i]
		})
		records = records.Select(order)
		if weighted = weights != nil; weighted {
			own := make([]float64, len(order))
			for i, row := range order {
				own[i] = weights[row]
			}
			weights = own
		}
		write = func(w io.Writer) error { return csvtable.Write(w, records, weights) }
	}
	if err := folder.write(RecordsFile, write); err != nil {
		return nil, err
	}
	err = folder.write(SchemaFile, func(w io.Writer) error {
		return csvtable.WriteSchema(w, schema)
	})
	if err != nil {
		return nil, err
	}
	if anonymity > 0 {
		if err := folder.writeRisk(ctx, schema, max(anonymity, risk.Defaults().K),
			r.Title); err != nil {
			return nil, err
		}
	}
	certificate := c.certify(r, p, anonymity, weighted, standing)
	if anonymity == 0 && release.Regions != nil { // records are drawn from these
		for i := range schema.Attributes {
			if a := &schema.Attributes[i]; a.Role == datasets.Sensitive &&
				!slices.Contains(release.Regions.Attributes, i) {
				certificate.Uninformative = append(certificate.Uninformative, a.Name)
			}
		}
	}
	digest, err := folder.certify(certificate, schema)
	if err != nil {
		return nil, err
	}
	return &Made{certificate, digest, standing}, folder.publish()
}

// Releasable lists the algorithms that have a variant which can be released at its defaults.
func Releasable() []string {
	var names []string
	for _, name := range algorithms.Names() {
		if algorithm, err := algorithms.Lookup(name); err == nil && releasable(algorithm) != "" {
			names = append(names, name)
		}
	}
	return names
}

// releasable is the variant that can be released at the defaults, "" for none.
func releasable(algorithm algorithms.Algorithm) algorithms.Variant {
	c := &chosen{algorithm: algorithm, info: algorithm.Info(), params: algorithm.Params()}
	if c.info.Input != algorithms.TableInput {
		return ""
	}
	// A schema that all algorithms can work with: a number, two categories, a class of two values.
	words := []string{"a", "b", "c"}
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "n", Kind: datasets.Numeric, Low: 0, High: 16, Step: 1},
		{Name: "c", Kind: datasets.Categorical, Values: words},
		{Name: "y", Kind: datasets.Categorical, Role: datasets.Class, Values: words[:2]},
	}}
	for i := range c.info.Variants {
		v, epsilon := c.info.Variants[i].Variant, 1.0
		if c.info.Variants[i].Model != algorithms.DifferentialPrivacy {
			epsilon = 0
		}
		if c.try(context.Background(), v, epsilon, 0, schema) == nil {
			return v
		}
	}
	return ""
}

// folder is a release's folder in the making: a hidden one beside it, so that it appears whole or
// not at all.
type folder struct {
	out, temporary string
	day            time.Time
	files          []File
}

func newFolder(out string, now time.Time) (*folder, error) {
	out = filepath.Clean(out)
	if _, err := os.Lstat(out); err == nil {
		return nil, fmt.Errorf("--out %s: exists already, must be a new folder", out)
	}
	temporary, err := os.MkdirTemp(filepath.Dir(out), "."+filepath.Base(out)+".unfinished-")
	if err != nil {
		return nil, fmt.Errorf("--out %s: %w", out, err)
	}
	return &folder{out: out, temporary: temporary,
		day: now.UTC().Truncate(24 * time.Hour)}, nil
}

// remove clears away what was not published.
func (f *folder) remove() { os.RemoveAll(f.temporary) }

// write writes a file and notes its digest.
func (f *folder) write(name string, write func(w io.Writer) error) error {
	path := filepath.Join(f.temporary, name)
	if err := results.WriteFile(path, write); err != nil {
		return err
	}
	// When a file was written says how long the release took.
	if err := os.Chtimes(path, f.day, f.day); err != nil {
		return err
	}
	file, err := describeFile(f.temporary, name)
	f.files = append(f.files, file)
	return err
}

// writeRisk adds the page that says what the generalised table still gives away. It is measured on
// what is published alone.
func (f *folder) writeRisk(ctx context.Context, schema *datasets.Schema, k int,
	title string) error {
	table, err := risk.Read(ctx, filepath.Join(f.temporary, RecordsFile), csvtable.Plain(schema),
		schema)
	if err != nil || table.Rows == 0 { // all suppressed
		return err
	}
	options := risk.Defaults()
	options.K = k
	report, err := risk.Measure(table, nil, options)
	if err != nil {
		return err
	}
	if title == "" {
		title = RecordsFile
	}
	return f.write(RiskFile, func(w io.Writer) error { return risk.WritePage(w, title, report) })
}

// publish gives the folder its name.
func (f *folder) publish() error {
	if err := os.Chmod(f.temporary, 0o755); err != nil {
		return err
	}
	if err := results.SyncFolder(f.temporary); err != nil {
		return err
	}
	if err := os.Chtimes(f.temporary, f.day, f.day); err != nil {
		return err
	}
	if err := os.Rename(f.temporary, f.out); err != nil {
		return err
	}
	return results.SyncFolder(filepath.Dir(f.out))
}

// describeFile is a file of a folder with its size and digest.
func describeFile(dir, name string) (File, error) {
	path := filepath.Join(dir, name)
	info, err := os.Lstat(path)
	if err != nil {
		return File{}, err
	}
	digest, err := sumFile(path)
	return File{Name: name, SHA256: digest, Bytes: info.Size()}, err
}
