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
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"ppdp/algorithms"
	"ppdp/algorithms/external"
	"ppdp/audit"
	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/internal/declared"
	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
	"ppdp/metrics/verify"
	"ppdp/numeric/random"
	"ppdp/privacy"
	"ppdp/publish/risk"
)

// ErrRefused is wrapped by the errors of what may not be released, whatever the data.
var ErrRefused = errors.New("cannot be released")

// Request is what is to be released, and how. Its tags are those of the command line.
type Request struct {
	Algorithm string `arg:"" help:"Name of an algorithm."`
	Table     string `reads:"" arg:"" help:"The table: CSV or Parquet."`
	Schema    string `reads:"" help:"The table's schema file. By default the one beside the table: my.schema.yaml of my.csv." placeholder:"FILE"`
	// Target and Contributions take the place of what the schema says; "" and 0 leave that.
	Target        string  `help:"The attribute that the release should serve to predict, in place of the schema's class." placeholder:"NAME"`
	Contributions int     `help:"At most this many records of each person are used, in place of as many as the schema says. The budget protects persons." placeholder:"K" min:"0" max:"1000"`
	Epsilon       float64 `help:"The privacy budget of this release. Algorithms under k-anonymity take none." min:"0" max:"1000"`
	Delta         float64 `help:"A delta beside epsilon, for algorithms that take one." min:"0" below:"1"`
	// Params are settings by name, values as in a spec.
	Params         Settings           `name:"param" help:"A setting of the algorithm. May be given again." placeholder:"NAME=VALUE"`
	Variant        algorithms.Variant `help:"A variant of the algorithm. By default the first that can be released."`
	Account        string             `help:"The account of the table. By default the one beside the table: my.account.jsonl of my.csv." placeholder:"FILE"`
	Total          `embed:"" yaml:",inline"`
	Changed        bool `help:"The table is a newer state of the one released before: go on within the same total."`
	csvtable.About `embed:"" yaml:",inline"`
	License        string `help:"The license of the release, best as a URL; for catalogues." placeholder:"URL"`
	Sign           string `reads:"" help:"A private key to sign the certificate with (ppdp key makes one)." placeholder:"KEY"`
	Out            string `required:"" help:"The folder to make." placeholder:"DIR"`
	Parquet        bool   `help:"Write the records as Parquet too, with types: records.parquet."`

	// Program says what made the release, Now when; both are required.
	Program string    `kong:"-"`
	Now     time.Time `kong:"-"`
	// Memory is how many bytes the machine has, 0 if that is not known.
	Memory int64 `kong:"-"`
	// Log takes messages for the table's holder, and nobody else: they may speak of private data.
	// Nil takes none.
	Log func(string) `kong:"-"`

	notes  []string // on how the table was read, for its first release
	drops  bool     // rows that lack a value are left out
	person string   // the column that says whom a record is about, "" for none

	disk *datasets.Disk // for a table that memory may not hold
}

// Settings are an algorithm's, as texts by name.
type Settings map[string]string

// UnmarshalText adds a setting that is written as name=value.
func (s *Settings) UnmarshalText(text []byte) error {
	name, value, ok := strings.Cut(string(text), "=")
	if _, twice := (*s)[name]; !ok || twice {
		return fmt.Errorf("%q, must be NAME=VALUE, and each name once", text)
	}
	if *s == nil {
		*s = make(Settings)
	}
	(*s)[name] = value
	return nil
}

// decode sets parameters, each read as its type says.
func (s Settings) decode(params algorithms.Params) error {
	mapping := &strictyaml.Node{Kind: strictyaml.MappingNode}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		for _, text := range []string{name, s[name]} {
			mapping.Content = append(mapping.Content,
				&strictyaml.Node{Kind: strictyaml.ScalarNode, Value: text})
		}
	}
	reader := strictyaml.NewReader("settings")
	reader.Decode(reader.Tree(mapping), params)
	return reader.Err()
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
	trial     []privacy.Entry // the ledger of a release of made-up records
	measures  bool            // that release has marginals
	audited   *Audited        // nil without differential privacy

	afford func(*algorithms.Guarantee) error // asks the account; nil where there is none
}

// Make makes a release and its folder. Everything that can be wrong with the request or the files
// is reported before the account is changed, and what the account refuses before anything is
// computed. A release is entered before its noise is drawn or, under k-anonymity, where a failure
// tells nothing, when its folder is complete but for the name. From then on it counts as spent,
// whatever happens, and errors are those that Spent recognises.
func Make(ctx context.Context, r *Request) (_ *Made, err error) {
	if err := declared.Check(r); err != nil {
		return nil, err
	}
	if r.Program == "" || r.Now.IsZero() {
		return nil, errors.New("a certificate says what made a release, and when: Program and " +
			"Now must be given")
	}
	if r.Log == nil {
		r.Log = func(string) {}
	}
	folder, err := newFolder(r.Out, r.Now)
	if err != nil {
		return nil, err
	}
	defer folder.remove()
	r.disk = r.spare(folder)
	defer r.disk.Close()
	defer r.disk.Recover(&err)
	table, digest, err := r.load(ctx)
	if err != nil {
		return nil, err
	}
	if r.Sign != "" {
		folder.key, err = readKey[ed25519.PrivateKey](r.Sign, privateBlock,
			x509.ParsePKCS8PrivateKey)
		if err != nil {
			return nil, fmt.Errorf("no key to sign with: %w", err)
		}
	}
	account, err := r.account(digest)
	if err != nil {
		return nil, err
	}
	var standing Standing
	entry := accountEntry{Table: digest, Persons: r.person, Epsilon: r.Epsilon, Delta: r.Delta,
		Program: r.Program}
	c, err := choose(ctx, r, table.Schema(), func(g *algorithms.Guarantee) (err error) {
		standing, err = account.reserve(entry, g, r.Total, r.Changed, r.Now, nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	if standing.Number == 1 || r.Changed { // said until the table has a release
		for _, note := range r.notes {
			r.Log(note)
		}
	}
	if anonymous, ok := c.params.(algorithms.Anonymous); ok {
		if err := algorithms.CheckEnough(table.Len(), anonymous.Anonymity()); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Table, err)
		}
	}
	if err := c.checkMemory(r, table); err != nil {
		return nil, err
	}
	if c.audited, err = c.audit(ctx, r, table.Schema()); err != nil {
		return nil, err
	}
	entry.Algorithm, entry.Variant = c.info.Name, string(c.guarantee.Variant)
	entry.Params = results.FormatParams(strictyaml.Resolved(c.params))
	entry.Guarantee = string(c.guarantee.Model)
	entered := false
	enter := func(complete func(Standing) error) (err error) {
		standing, err = account.reserve(entry, &c.guarantee, r.Total, r.Changed, r.Now, complete)
		if entered = err == nil; entered && standing.New {
			r.Log(fmt.Sprintf("NEW ACCOUNT at %s: it begins with nothing spent, and knows of no "+
				"release of this table, or of a copy of it, that another account holds",
				account.path))
		}
		return err
	}
	seal := enter
	if c.guarantee.Model == algorithms.DifferentialPrivacy {
		if err := enter(atOnce); err != nil {
			return nil, err
		}
		seal = func(complete func(Standing) error) error { return complete(standing) }
	}
	made, err := c.publish(ctx, r, table, folder, seal)
	switch {
	case err != nil && entered:
		return nil, spentError{unmade(err, "it counts as spent (release %d in %s)",
			standing.Number, account.path)}
	case errors.Is(err, ErrAccount):
		return nil, err
	case err != nil:
		return nil, unmade(err, "nothing is entered in %s", account.path)
	}
	if err := account.published(standing.Number, made.Digest); err != nil {
		return nil, spentError{fmt.Errorf("%s is complete, but the account could not be written: "+
			"%w", r.Out, err)}
	}
	return made, nil
}

// unmade is the error of a release that failed with the private data.
func unmade(err error, counts string, args ...any) error {
	return fmt.Errorf("no release was made, and "+counts+". This message may speak of private "+
		"data, do not pass it on: %w", append(args, err)...)
}

// spentError is the error of a release that the account has entered.
type spentError struct{ error }

func (e spentError) Unwrap() error { return e.error }

// Spent reports whether Make failed only after the account had entered the release.
func Spent(err error) bool { return errors.As(err, new(spentError)) }

// Refusal says why no release could be made as requested, judging by the schema alone; nil if one
// could. Neither the table nor its account is read.
func (r *Request) Refusal(ctx context.Context) error {
	format, err := r.format()
	if err != nil {
		return err
	}
	if err := declared.Check(r); err != nil {
		return err
	}
	_, err = choose(ctx, r, format.Schema, nil)
	return err
}

// format reads the schema, with the target as the class.
func (r *Request) format() (*csvtable.Format, error) {
	if err := BesideTable(&r.Schema, r.Table); err != nil {
		return nil, err
	}
	format, schema, err := csvtable.ReadSchema(r.Schema, r.Target, r.Contributions)
	if err == nil && csvtable.IsDraft(schema) {
		err = fmt.Errorf("%s: a draft, whose bounds and lists were read off the data: a "+
			"release with them %w. Write down what is possible instead, then delete the comment "+
			"at the top", r.Schema, ErrRefused)
	}
	return format, err
}

// load reads schema and table, with the target as the class. digest is the SHA-256 of the table's
// file as it is on disk, by which the account recognises the table. Both come from one pass over
// the file, so that they cannot be of two different states of it.
func (r *Request) load(ctx context.Context) (table *datasets.Table, digest string, err error) {
	format, err := r.format()
	if err != nil {
		return nil, "", err
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
	read := io.TeeReader(file, sum)
	text, err := csvtable.Unpack(r.Table, read, info.Size())
	if err != nil {
		return nil, "", err
	}
	format.Disk = r.disk
	content, err := format.Read(ctx, r.Table, text)
	if err != nil {
		return nil, "", err
	}
	if content.Table.Len() == 0 {
		return nil, "", fmt.Errorf("%s: no rows to use, must have at least one", r.Table)
	}
	if _, err := io.Copy(io.Discard, read); err != nil { // what no table needs is in the sum
		return nil, "", err
	}
	r.notes, r.drops, r.person = format.Notes(content), format.Drops(), format.Person
	a := &format.About
	r.About = csvtable.About{Title: cmp.Or(r.Title, a.Title), Owner: cmp.Or(r.Owner, a.Owner),
		Purpose: cmp.Or(r.Purpose, a.Purpose), Contact: cmp.Or(r.Contact, a.Contact)}
	if lost := content.Lost(); lost != "" {
		r.Log(lost)
	}
	return content.Table, hex.EncodeToString(sum.Sum(nil)), nil
}

// unweighted are parameters whose default draws several records for each estimated one, each of a
// smaller weight. A release has one: most programs would take a weight for a column like others.
type unweighted interface{ SingleCopy() }

// choose finds the algorithm, its parameters and a variant that can be released, and that afford
// has nothing against. The error is the last of afford, or lists the reasons against every variant
// that was tried.
func choose(ctx context.Context, r *Request, schema *datasets.Schema,
	afford func(*algorithms.Guarantee) error) (*chosen, error) {
	algorithm, err := algorithms.Lookup(r.Algorithm)
	if err != nil {
		return nil, fmt.Errorf("%w; %s can be released", err, strings.Join(Releasable(), ", "))
	}
	c := &chosen{algorithm: algorithm, info: algorithm.Info(), params: algorithm.Params(),
		afford: afford}
	if c.info.Input != algorithms.TableInput {
		return nil, fmt.Errorf("%s %w: it takes graphs; %s can be released", c.info.Name,
			ErrRefused, strings.Join(Releasable(), ", "))
	}
	if single, ok := c.params.(unweighted); ok {
		single.SingleCopy()
	}
	if err := r.Params.decode(c.params); err != nil {
		return nil, err
	}
	if err := declared.Check(c.params); err != nil {
		return nil, fmt.Errorf("%s: %w", c.info.Name, err)
	}
	var errs, others []error
	var refused error // by the account
	for i := range c.info.Variants {
		v := c.info.Variants[i].Variant
		err, asked := c.try(ctx, v, r.Epsilon, r.Delta, schema), r.Variant == "" || r.Variant == v
		switch {
		case asked && err == nil:
			return c, nil
		case asked && errors.Is(err, ErrAccount):
			refused = err
		case asked:
			errs = append(errs, err)
		case err == nil:
			others = append(others, fmt.Errorf("take the variant %s, which can", v))
		}
	}
	if refused != nil {
		return nil, refused
	}
	if len(errs) == 0 {
		_, err := c.info.Guarantee(r.Variant) // says which there are
		return nil, err
	}
	return nil, errors.Join(append(errs, others...)...)
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
	case g.Status == algorithms.Replayed:
		return refuse("replays test what it promises, but nothing proves its sensitivities, and " +
			"what its program makes of the answers is not ppdp's")
	case g.Status != algorithms.Holds:
		return refuse("its guarantee is %s%s: %s", g.Status, errata, g.Note)
	case g.Model == algorithms.KAnonymity && c.params.(algorithms.Anonymous).Anonymity() < 2:
		return refuse("with k = 1 every record may stand alone, which protects nobody")
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
		return fmt.Errorf("%s needs an epsilon above 0", c.info.Name)
	case delta > 0 && !g.Approximate:
		return fmt.Errorf("%s is accounted in pure epsilon: leave delta out", c.info.Name)
	}
	if g = g.OfPersons(schema.Contributions); g.Status != algorithms.Holds {
		return refuse("%s", g.Note)
	}
	if checker, ok := c.params.(algorithms.VariantChecker); ok {
		if err := checker.CheckVariant(v); err != nil {
			return refuse("%w", err)
		}
	}
	if checker, ok := c.params.(algorithms.SchemaChecker); ok {
		if err := checker.CheckSchema(schema); err != nil {
			return refuse("%w", err)
		}
	}
	c.guarantee = g
	if c.afford != nil {
		if err := c.afford(&g); err != nil {
			return err
		}
	}
	if g.Model != algorithms.DifferentialPrivacy {
		return nil
	}
	// Made-up records show whether everything is drawn exactly: that does not depend on the data.
	trial := privacy.NewPublication(epsilon, delta)
	release, err := c.run(ctx, audit.MadeUp(schema, 24, random.SystemStream()), trial)
	c.measures = err == nil && len(release.Marginals) > 0
	c.trial = trial.Budget.Ledger()
	if errors.Is(err, privacy.ErrInexact) {
		return refuse("%w", err)
	}
	return err
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
		Variant: c.guarantee.Variant, Noise: p.Noise,
		Budget: p.Budget.Group(c.guarantee.Contributions)}
	r, err = c.algorithm.Release(ctx, in)
	if refused := p.Budget.Refused(); refused != nil {
		return nil, refused
	}
	if err == nil {
		err = algorithms.CheckRelease(&c.info, in, r)
	}
	return r, err
}

// publish makes the release and its folder. seal is given what completes the folder with how the
// account stands, and calls it; from then on the release is in the account.
func (c *chosen) publish(ctx context.Context, r *Request, table *datasets.Table, folder *folder,
	seal func(complete func(Standing) error) error) (made *Made, err error) {
	defer r.disk.Recover(&err)
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
			err = fmt.Errorf("a class of %d %ss, must be %d or more", report.K,
				c.guarantee.Unit, anonymity)
		}
		if err != nil {
			return nil, err
		}
		write = func(w io.Writer) error {
			return external.WriteGeneralised(w, table, rows, release.Regions, p.Noise.Open("rows"))
		}
	} else {
		records, weights, err := release.Records(ctx)
		if err != nil {
			return nil, err
		}
		order := datasets.InOrder(records.Len()) // in memory, other than AllRows of a disk
		p.Noise.Open("rows").Permute(order)
		weighted = weights != nil
		write = func(w io.Writer) error { return csvtable.Write(w, records, order, weights) }
	}
	if err := folder.write(RecordsFile, write); err != nil {
		return nil, err
	}
	marginals := release.Marginals // seal needs no more: the rest of the memory is free from here
	var measured *risk.Report
	var written *records
	if anonymity > 0 || r.Parquet {
		var problems []error
		written, problems = readRecords(folder.temporary, anonymity > 0, weighted, schema)
		if err := errors.Join(problems...); err != nil {
			return nil, err
		}
	}
	if anonymity > 0 {
		if measured, err = c.measure(written, schema); err != nil {
			return nil, err
		}
		if measured != nil {
			if err := errors.Join(c.missed(schema, measured)...); err != nil {
				return nil, err
			}
		}
	}
	valid := func(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
	certificate := &Certificate{About: csvtable.About{Title: cmp.Or(valid(r.Title), untitled),
		Owner: valid(r.Owner), Purpose: valid(r.Purpose), Contact: valid(r.Contact)},
		Program: r.Program, License: valid(r.License), Weighted: weighted, Parquet: r.Parquet,
		DropsMissing: r.drops, Released: r.Now.UTC().Format(time.DateOnly),
		Guarantee: Promise{Epsilon: r.Epsilon, Delta: r.Delta}, Audit: c.audited}
	for _, e := range p.Budget.Ledger() {
		certificate.Mechanisms = append(certificate.Mechanisms, Mechanism{Purpose: e.Purpose,
			Mechanism: e.Mechanism, Cost: e.Cost, Sensitivity: float64(e.Proven)})
	}
	made = &Made{Certificate: certificate}
	err = seal(func(s Standing) (err error) {
		made.Standing, certificate.EarlierAnonymised = s, s.Anonymised
		certificate.Budget = &made.Standing.Spending
		c.derive(certificate, schema, marginals, measured)
		if err := certificate.suppressed(table); err != nil {
			return err
		}
		if len(marginals) > 0 {
			if err := folder.write(MarginalsFile, func(w io.Writer) error {
				return certificate.writeMarginals(w, schema, marginals)
			}); err != nil {
				return err
			}
		}
		made.Digest, err = folder.certify(certificate, schema, written, measured)
		return err
	})
	if err != nil {
		return nil, err
	}
	return made, folder.publish()
}
